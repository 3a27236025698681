// `centavo history`: lists changes made from this machine, with their results.

import {operations, shapeOfId} from '../api/registry.js';
import type {History, HistoryFilter, HistoryRecord} from '../history/history.js';
import {ACCOUNT_EXITS, BaseCommand, type FlagsOf} from '../cli/base.js';
import {startOfPeriod} from '../cli/lists/list-filters.js';
import {resultOfRecords, type RecordTable} from '../cli/records.js';
import {fileFlags, printToFile, reportSchema} from '../cli/report-file.js';
import * as schema from '../cli/schema.js';
import {suggestNextPage} from '../cli/lists/suggest-next-page.js';
import {Flags} from '../cli/oclif.js';
import {wholeId} from '../cli/references/local-ids.js';
import {readId} from '../cli/references/references.js';
import {formatInteger} from '../common/counts.js';
import {usageError} from '../common/errors.js';
import {shortDay} from '../common/manila.js';
import {formatPesos} from '../common/pesos.js';
import {valueOrThrow} from '../input/invalid-input.js';
import {quote} from '../input/money.js';
import {isEmail} from '../input/email-address.js';
import {matchesName} from '../input/names.js';
import {readWholeNumber} from '../input/quantities.js';
import {oneLineText, formatTime} from '../output/format.js';
import {renderList, untilStopped} from '../output/render-list.js';
import {isMachineFormat} from '../output/render.js';
import type {CommandResult} from '../output/result.js';

const CHANGE = schema.record({
  at: schema.timestamp,
  ...schema.fieldsNamed('profile mode command', schema.text),
  ids: schema.list(schema.text),
  amount: schema.nullable(schema.centavos),
  reason: schema.nullable(schema.text),
  result: schema.status,
  exit_code: schema.nullable(schema.titled('exit', schema.integer)),
  applied: schema.nullable(schema.text),
  step: schema.nullable(schema.text),
  step_at: schema.nullable(schema.integer),
  steps: schema.list(schema.record({step: schema.text, at: schema.integer, ids: schema.list(schema.text)})),
  ended_at: schema.nullable(schema.integer),
  ...schema.fieldsNamed('number customer file', schema.nullable(schema.text)),
  objects: schema.list(
    schema.record({
      id: schema.text,
      number: schema.nullable(schema.text),
      customer: schema.nullable(schema.text),
      send: schema.nullable(schema.choice('sent', 'in_doubt')),
    }),
  ),
});

export class HistoryCommand extends BaseCommand {
  static override summary = 'List changes made from this machine, newest first.';
  static override description = `centavo records every change before sending it, for all accounts, and every change of a limit. To list one account, use -p and --live.
The result is ok, an error code, or unfinished: the command was killed or is still running, and the change may have been made. In JSON and CSV, applied says whether anything changed: yes, no or unknown.
centavo records the command name, ids, amounts, numbers of billing statements and names of customers. It also records the name of an imported file, the reason given to settle, and old and new limits. It records nothing else that you typed or the API returned.`;
  static override examples = [
    '<%= config.bin %> history',
    '<%= config.bin %> history --since today',
    '<%= config.bin %> history --customer "Juan Dela Cruz" --since 2026-11-01',
    '<%= config.bin %> history --id bstm_7Hq2',
    '<%= config.bin %> history --result unfinished --json',
    '<%= config.bin %> history -p shop --live --all -o csv',
  ];
  static override flags = {
    limit: Flags.string({summary: 'Maximum number to list.', helpValue: '<number>', default: '20'}),
    all: Flags.boolean({summary: 'List everything.', exclusive: ['limit']}),
    since: Flags.string({summary: 'Only changes since this day or time: today, 2026-12-15, 7d.', helpValue: '<date>'}),
    customer: Flags.string({
      summary: 'Only changes for this customer: name, part of a name, or id.',
      helpValue: '<customer>',
      exclusive: ['id'],
    }),
    id: Flags.string({summary: 'Only changes that involve this object.', helpValue: '<id>'}),
    result: Flags.string({
      summary: 'Only changes with this result: ok, unfinished, or an error code.',
      helpValue: '<code>',
    }),
    ...fileFlags,
  };
  static risk = 'reads' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => reportSchema(schema.page(CHANGE));

  async run(): Promise<void> {
    const {flags} = await this.read(HistoryCommand);
    await printToFile(this.context, flags);
    const {rendering, context} = this;
    const {io} = context;
    const limit = flags.all ? Infinity : valueOrThrow(readWholeNumber(flags.limit, {from: 1}), '--limit');
    const history = await context.changeLog();
    const now = context.now();
    const id = flags.id && (await wholeId(context, flags.id, [history]));
    const filter = filterOf({...flags, id}, history, now);
    const pages = history.pages(filter, limit);
    const more = Math.max(0, history.count(filter) - limit);
    const machine = isMachineFormat(rendering);
    const whole = rendering.format === 'csv' || (rendering.format === undefined && !io.stdoutIsTerminal);
    // The clock of a sandbox may be years ahead of this machine's.
    let newest = now;
    const resultOf = (data: readonly HistoryRecord[]): CommandResult => {
      newest = Math.max(newest, data[0]?.at ?? 0);
      return resultOfRecords(CHANGE, data, {
        document: schema.listDocument(data, more > 0),
        columns: machine || rendering.format === 'csv' ? FIELDS : COLUMNS,
        ...(!machine && {
          shown: data.map((record) => historyRowOf(record, {whole, now: newest})),
          atTerminal: AT_TERMINAL,
        }),
        all: machine ? FIELDS : {...COLUMNS, what: {}, ...FIELDS},
        empty: history.count() > 0 ? 'No changes found.' : 'No changes made from this machine yet.',
      });
    };
    await renderList(pages, resultOf, rendering, untilStopped(context));
    if (more > 0) suggestNextPage({io, rendering}, ['history', ...this.argv], /limit/, ['--all'], more);
  }
}

function filterOf(
  {live, id, profile, result, since, customer}: FlagsOf<typeof HistoryCommand>,
  history: History,
  now: number,
): HistoryFilter {
  return {
    profile,
    result,
    mode: live ? 'live' : undefined,
    since: since === undefined ? undefined : startOfPeriod(since, '--since', now),
    object: id === undefined ? undefined : idOf(id),
    ...(customer !== undefined && customerNameOf(customer, history)),
  };
}

function customerNameOf(text: string, history: History): HistoryFilter {
  const typed = text.trim();
  if (shapeOfId(typed)) return {object: valueOrThrow(readId(typed, 'cus_'), '--customer')};
  if (typed === '' || isEmail(typed))
    throw usageError('invalid_flag', `--customer ${quote(text)} is not a name.`, {
      why: 'The history records names and ids of customers, not email addresses.',
      hint: 'Use the name or the id. For example: centavo history --customer "Juan Dela Cruz"',
    });
  return {customers: history.customers().filter((name) => matchesName(name, typed))};
}

function idOf(text: string): string {
  const shape = shapeOfId(text.trim());
  if (shape) return valueOrThrow(readId(text, shape.prefix));
  throw usageError('invalid_id', `--id ${quote(text)} is not an id.`, {hint: 'An id looks like this: bstm_7Hq2'});
}

const FIELDS: RecordTable = Object.fromEntries(
  'at profile mode command ids amount result exit_code applied reason number customer file'
    .split(' ')
    .map((field) => [field, {}]),
);

/** Columns in a pipe. */
const COLUMNS: RecordTable = {
  // `status`: tables shorten a timestamp to its day and may wrap a text.
  time: {kind: 'status'},
  where: {kind: 'status'},
  command: {},
  result: {},
  amount: {},
  id: {header: 'ids'},
  exit_code: {},
  reason: {},
};
/** Columns at a terminal. `what` is the change as a phrase. */
const AT_TERMINAL: RecordTable = {
  when: {header: 'time', kind: 'status', rank: 1},
  what: {rank: 1, wrapsLast: true},
  where: {kind: 'status', rank: 3},
  id: {header: 'ids', rank: 6},
};

/** @param options `whole`: false shows the most important id and the number of others; `now` in unix seconds */
function historyRowOf(record: HistoryRecord, {whole, now}: {whole: boolean; now: number}): Record<string, unknown> {
  const {at, ids} = record;
  const others = ids.length - 1;
  const id = whole || others < 1 ? ids.join(', ') : `${subjectOf(record)} +${others}`;
  const time = formatTime(at);
  const when = `${shortDay(at, now)} ${time.slice(-5)}`;
  return {...record, time, when, where: whereOf(record), id, what: formatChange(record)};
}

const whereOf = ({mode, profile}: HistoryRecord): string =>
  mode === 'sandbox' ? profile : `${mode === 'live' ? 'LIVE' : mode} · ${profile}`;

/** The id of the command's resource: `billing-statements create` also has a customer's id. */
function subjectOf({command, ids}: HistoryRecord): string | undefined {
  const topic = command.split(' ')[0];
  const shape = operations.find(({resource}) => resource.topic === topic)?.resource.shape;
  return ids.find((id) => shape && shapeOfId(id)?.prefix === shape.prefix) ?? ids[0];
}

/** Base form and past tense, with `%` in place of the object. */
type Verb = readonly [base: string, past: string];

const SEND: Verb = ['send %', 'sent %'];
/** Verbs of commands that the phrase does not use as they are. */
const OTHER_VERBS: Readonly<Record<string, Verb>> = {
  duplicate: ['create %', 'created %'],
  'mark-uncollectible': ['mark % uncollectible', 'marked % uncollectible'],
  remind: SEND,
  resume: ['continue %', 'continued %'],
  send: SEND,
};
const VERBS =
  /^(?:attach|cancel|capture|create|delete|disable|edit|enable|expire|finalize|import|reissue|settle|update|void)$/;

function verbOf(command: string): Verb | undefined {
  const [topic, verb = ''] = command.split(' ');
  if (topic === 'api') return undefined;
  if (Object.hasOwn(OTHER_VERBS, verb)) return OTHER_VERBS[verb];
  return VERBS.test(verb) ? [`${verb} %`, `${verb.replace(/e$/, '')}ed %`] : undefined;
}

const COMPOSED: readonly string[] = ['create', 'duplicate'];

const MAX_NAMED = 3;

/** `sent JEEPNEY-0002 to Ana Reyes, ₱1,200.00`; “may have sent” if the outcome is unknown. */
export function formatChange(record: HistoryRecord): string {
  const {command, result, applied, amount, customer, reason, steps} = record;
  const known = verbOf(command);
  const why = reason === null ? '' : `: ${reason}`;
  if (!known) return oneLineText(`${command}${why}${resultSuffix(record)}`);
  const names = steps.map(({step}) => step);
  const [base, past] = isComposed(record) ? composedVerb(known, names, record) : known;
  const object = objectOf(record);
  if (applied === 'no' && result === 'ok') return oneLineText(`left ${object} as it was`);
  const done =
    applied === 'no'
      ? `did not ${base.replace('%', () => object)}`
      : applied === 'yes'
        ? `${result === 'ok' ? '' : 'partly '}${past.replace('%', () => object)}`
        : `may have ${past.replace('%', () => object)}`;
  const isSent = past.startsWith('sent') || names.includes('sent');
  const recipient = customer === null ? '' : ` ${isSent ? 'to' : 'for'} ${customer}`;
  const pesos = amount === null ? '' : `, ${formatPesos(amount)}`;
  return oneLineText(`${done}${recipient}${pesos}${why}${resultSuffix(record)}${emailSuffix(record)}`);
}

const isComposed = ({command, steps}: HistoryRecord) => COMPOSED.includes(command.split(' ')[1]!) && steps.length > 0;

function composedVerb([base, past]: Verb, names: readonly string[], {applied}: HistoryRecord): Verb {
  if (applied !== 'yes' && applied !== 'no' && names.at(-1) === 'send') return SEND;
  const further = names.includes('sent') ? 'sent' : names.includes('finalize') && applied === 'yes' ? 'finalized' : '';
  if (names.includes('draft')) return [base, further === '' ? past : past.replace('%', `and ${further} %`)];
  // An earlier run created the draft.
  return ['complete %', further === '' ? 'completed %' : `completed and ${further} %`];
}

const resultSuffix = ({result}: HistoryRecord): string => (result === 'ok' ? '' : ` (${result.replaceAll('_', ' ')})`);

/** `; emailed 12: JUNE-0001 to Ana Reyes, JUNE-0002 to Ben Cruz and 10 more`; empty for a single statement. */
function emailSuffix({objects, steps, number}: HistoryRecord): string {
  if (number !== null) return '';
  const sent = objects.filter(({send}) => send === 'sent');
  const doubt = objects.filter(({send}) => send === 'in_doubt');
  // The history does not say which statements of a single step were sent.
  if (steps.length === 0 && doubt.length > 0) return '';
  const parts = [
    ...(sent.length > 0 ? [`emailed ${namedObjects(sent)}`] : []),
    ...(doubt.length > 0 ? [`may have emailed ${namedObjects(doubt)}`] : []),
  ];
  return parts.map((part) => `; ${part}`).join('');
}

/** `12: JUNE-0001 to Ana Reyes, JUNE-0002 to Ben Cruz and 10 more`; only the count if no name is known. */
function namedObjects(objects: HistoryRecord['objects'], between = ' to '): string {
  const names = objects
    .filter(({number, customer}) => number !== null || customer !== null)
    .slice(0, objects.length > MAX_NAMED ? MAX_NAMED - 1 : MAX_NAMED)
    .map(({number, customer}) => [number, customer].filter((part) => part !== null).join(between));
  const more = objects.length - names.length;
  if (names.length === 0) return formatInteger(objects.length);
  return `${formatInteger(objects.length)}: ${names.join(', ')}${more > 0 ? ` and ${formatInteger(more)} more` : ''}`;
}

/** `JEEPNEY-0002 as JEEPNEY-0003`, `3 billing statements`, `a refund of JEEPNEY-0002`, `the import of june.csv`. */
function objectOf({command, ids, number, file, objects, applied, steps}: HistoryRecord): string {
  const [topic] = command.split(' ');
  const old = objects.find(({id}) => id === ids[0])?.number ?? number;
  const isSent = steps.some(({step}) => step === 'sent');
  if (command === 'billing-statements reissue' && applied === 'yes' && old !== number)
    return `${old} as ${number}${isSent ? ', sent' : ''}`;
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
    const several = `${formatInteger(own.length)} ${shape.title}s${from}`;
    // The email suffix names the emailed objects.
    const unsent = objects.filter(({id, send, ...of}) => own.includes(id) && !send && (of.number ?? of.customer));
    if (unsent.length < own.length) return several;
    return `${several} (${namedObjects(unsent, ' for ').replace(/^\S+ /, '')})`;
  }
  // The history names only the sent statements of an import.
  if (isImport) return `${shape.title}s${from}`;
  const name = shape.prefix === 'cus_' ? objects.find(({id}) => id === own[0])?.customer : undefined;
  if (name) return `the customer ${name}`;
  const what = `${/^[aeiou]/.test(shape.title) ? 'an' : 'a'} ${shape.title}`;
  return isRefund && number !== null ? `${what} of ${number}` : what;
}
