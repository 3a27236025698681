// One change of the history as a sentence: `sent JEEPNEY-0002 to Ana Reyes, ₱1,200.00`.

import {operations, shapeOfId} from '../../api/registry.js';
import type {AuditRecord} from '../../audit/audit.js';
import {count} from '../../ground/counts.js';
import {formatPesos} from '../../ground/pesos.js';
import {clean} from '../../output/format.js';

/** A verb as it is done and as it was done, with the object at its `%`. */
type Verb = readonly [base: string, past: string];

const plain = (base: string, past: string): Verb => [`${base} %`, `${past} %`];

const VERBS: Readonly<Record<string, Verb>> = {
  attach: plain('attach', 'attached'),
  cancel: plain('cancel', 'canceled'),
  capture: plain('capture', 'captured'),
  create: plain('create', 'created'),
  delete: plain('delete', 'deleted'),
  disable: plain('disable', 'disabled'),
  duplicate: plain('bill', 'billed'),
  edit: plain('edit', 'edited'),
  enable: plain('enable', 'enabled'),
  expire: plain('expire', 'expired'),
  finalize: plain('finalize', 'finalized'),
  import: plain('import', 'imported'),
  'mark-uncollectible': ['mark % uncollectible', 'marked % uncollectible'],
  reissue: plain('reissue', 'reissued'),
  remind: plain('send', 'sent'),
  resume: plain('continue', 'continued'),
  send: plain('send', 'sent'),
  settle: plain('settle', 'settled'),
  update: plain('update', 'updated'),
  void: plain('void', 'voided'),
};

const COMPOSED: readonly string[] = ['create', 'duplicate'];

/** More objects are only counted. */
const MOST_NAMED = 3;

/** Claims nothing that is not known to have been done. */
export function historyWords(record: AuditRecord): string {
  const {command, result, applied, amount, customer, reason, steps} = record;
  const [, verb = ''] = command.split(' ');
  const known = Object.hasOwn(VERBS, verb) && !command.startsWith('api ') ? VERBS[verb]! : undefined;
  const why = reason === null ? '' : `: ${reason}`;
  if (!known) return clean(`${command}${why}${ending(record)}`);
  const taken = steps.map(({step}) => step);
  const [base, past] = isComposed(record) ? composed(known, taken, record) : known;
  const object = objectOf(record);
  if (applied === 'no' && result === 'ok') return clean(`left ${object} as it was`);
  const done =
    applied === 'no'
      ? `did not ${base.replace('%', () => object)}`
      : applied === 'yes'
        ? `${result === 'ok' ? '' : 'partly '}${past.replace('%', () => object)}`
        : `may have ${past.replace('%', () => object)}`;
  const isSent = past.startsWith('sent') || taken.includes('sent');
  const whom = customer === null ? '' : ` ${isSent ? 'to' : 'for'} ${customer}`;
  const pesos = amount === null ? '' : `, ${formatPesos(amount)}`;
  return clean(`${done}${whom}${pesos}${why}${ending(record)}${mailed(record)}`);
}

const isComposed = ({command, steps}: AuditRecord): boolean =>
  COMPOSED.includes(command.split(' ')[1]!) && steps.length > 0;

/** What a run of several steps did, or may have done at its last one. */
function composed([base, past]: Verb, taken: readonly string[], {applied}: AuditRecord): Verb {
  if (applied !== 'yes' && applied !== 'no' && taken.at(-1) === 'send') return VERBS.send!;
  const further = taken.includes('sent') ? 'sent' : taken.includes('finalize') && applied === 'yes' ? 'finalized' : '';
  if (taken.includes('draft')) return [base, further === '' ? past : past.replace('%', `and ${further} %`)];
  // An earlier run made the draft.
  return ['complete %', further === '' ? 'completed %' : `completed and ${further} %`];
}

const ending = ({result}: AuditRecord): string => (result === 'ok' ? '' : ` (${result.replaceAll('_', ' ')})`);

/** What one command emailed to several: `; emailed 12: JUNE-0001 to Ana Reyes, JUNE-0002 to Ben Cruz and 10 more`. */
function mailed({objects, steps, number}: AuditRecord): string {
  if (number !== null) return '';
  const sent = objects.filter(({send}) => send === 'sent');
  const doubt = objects.filter(({send}) => send === 'in_doubt');
  // Of several statements that were sent in one step, it is not known which of them were.
  if (steps.length === 0 && doubt.length > 0) return '';
  const parts = [
    ...(sent.length > 0 ? [`emailed ${named(sent)}`] : []),
    ...(doubt.length > 0 ? [`may have emailed ${named(doubt)}`] : []),
  ];
  return parts.map((part) => `; ${part}`).join('');
}

/** `12: JUNE-0001 to Ana Reyes, JUNE-0002 to Ben Cruz and 10 more`; their count where nothing else is known. */
function named(objects: AuditRecord['objects'], between = ' to '): string {
  const names = objects
    .filter(({number, customer}) => number !== null || customer !== null)
    .slice(0, objects.length > MOST_NAMED ? MOST_NAMED - 1 : MOST_NAMED)
    .map(({number, customer}) => [number, customer].filter((part) => part !== null).join(between));
  const more = objects.length - names.length;
  if (names.length === 0) return count(objects.length);
  return `${count(objects.length)}: ${names.join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`;
}

/** `JEEPNEY-0002`, `3 billing statements`, `a refund of JEEPNEY-0002`, `the customer Ana Reyes`, `june.csv`. */
function objectOf({command, ids, number, file, objects}: AuditRecord): string {
  const [topic] = command.split(' ');
  if (topic === 'jobs') return `the import of ${file ?? 'a table'}`;
  const isRefund = topic === 'refunds';
  if (number !== null && !isRefund)
    return command.startsWith('billing-statement-line-items ') ? `an item of ${number}` : number;
  const shape = operations.find(({resource}) => resource.topic === topic)?.resource.shape;
  if (!shape) return topic!;
  const own = ids.filter((id) => shapeOfId(id)?.prefix === shape.prefix);
  const isImport = command === 'billing-statements import';
  const from = isImport && file !== null ? ` from ${file}` : '';
  if (own.length > 1) {
    const several = `${count(own.length)} ${shape.title}s${from}`;
    // What was emailed is said behind it, with the names.
    const quiet = objects.filter(({id, send, ...name}) => own.includes(id) && !send && (name.number ?? name.customer));
    return quiet.length === own.length ? `${several} (${named(quiet, ' for ').replace(/^\S+ /, '')})` : several;
  }
  // Those that were not sent are only in its job.
  if (isImport) return `${shape.title}s${from}`;
  const name = shape.prefix === 'cus_' ? objects.find(({id}) => id === own[0])?.customer : undefined;
  if (name) return `the customer ${name}`;
  const what = `${/^[aeiou]/.test(shape.title) ? 'an' : 'a'} ${shape.title}`;
  return isRefund && number !== null ? `${what} of ${number}` : what;
}
