// One change of the history as a sentence: `sent JEEPNEY-0002 to Ana Reyes, ₱1,200.00`.

import {operations, shapeOfId} from '../../api/registry.js';
import type {AuditRecord} from '../../audit/audit.js';
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
  send: plain('send', 'sent'),
  settle: plain('settle', 'settled'),
  update: plain('update', 'updated'),
  void: plain('void', 'voided'),
};

const COMPOSED: readonly string[] = ['create', 'duplicate'];

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
  return clean(`${done}${whom}${pesos}${why}${ending(record)}`);
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

/** `JEEPNEY-0002`, `3 billing statements`, `a refund`. */
function objectOf({command, ids, number, steps}: AuditRecord): string {
  if (number !== null) return command.startsWith('billing-statement-line-items ') ? `an item of ${number}` : number;
  const [topic] = command.split(' ');
  const shape = operations.find(({resource}) => resource.topic === topic)?.resource.shape;
  if (!shape) return topic!;
  const own = ids.filter((id) => shapeOfId(id)?.prefix === shape.prefix);
  const isImport = command === 'billing-statements import';
  if (own.length > 1 && (isImport || steps.length === 0)) return `${own.length} ${shape.title}s`;
  // Those that were not sent are only in its job.
  if (isImport) return `${shape.title}s`;
  return `${/^[aeiou]/.test(shape.title) ? 'an' : 'a'} ${shape.title}`;
}
