// `centavo history`: what was changed from this machine, and how each change ended.

import {operations, shapeOfId} from '../../api/registry.js';
import type {Audit, AuditFilter, AuditRecord} from '../../audit/audit.js';
import {ACCOUNT_EXITS, BaseCommand, type FlagsOf} from '../../cli/base.js';
import {startOf} from '../../cli/lists/list-filters.js';
import {resultOfRecords, type Table} from '../../cli/records.js';
import {
  choice,
  centavos,
  integer,
  list,
  nullable,
  page,
  record,
  status,
  text,
  timestamp,
  titled,
} from '../../cli/schema.js';
import {noteMore} from '../../cli/lists/note-more.js';
import {Flags} from '../../cli/oclif.js';
import {readId} from '../../cli/references/references.js';
import {counted} from '../../ground/counts.js';
import {usageError} from '../../ground/errors.js';
import {DAY, endOfManilaDay, shortDay} from '../../ground/manila.js';
import {valid} from '../../input/fault.js';
import {quote} from '../../input/money.js';
import {fitsName, isEmail} from '../../input/names.js';
import {readWholeNumber} from '../../input/quantities.js';
import {formatTime} from '../../output/format.js';
import {renderList, untilStopped} from '../../output/render-list.js';
import {isMachine} from '../../output/render.js';
import type {Result} from '../../output/result.js';
import {historyWords} from './change-words.js';

const CHANGE = record({
  at: timestamp,
  profile: text,
  mode: text,
  command: text,
  ids: list(text),
  amount: nullable(centavos),
  reason: nullable(text),
  result: status,
  exit_code: nullable(titled('exit', integer)),
  applied: nullable(text),
  step: nullable(text),
  step_at: nullable(integer),
  steps: list(record({step: text, at: integer, ids: list(text)})),
  ended_at: nullable(integer),
  number: nullable(text),
  customer: nullable(text),
  file: nullable(text),
  objects: list(
    record({id: text, number: nullable(text), customer: nullable(text), send: nullable(choice('sent', 'in_doubt'))}),
  ),
});

export class HistoryCommand extends BaseCommand {
  static override summary = 'List changes made from this machine, newest first.';
  static override description = `centavo records every change before sending it, for all accounts, and every change of a limit. To list one account, use -p and --live.
The result is ok, an error code, or unfinished: the command was killed or is still running, and the change may have been made. In JSON and CSV, applied tells whether anything was changed: yes, no or unknown.
centavo records the command name, ids and amounts, numbers of billing statements, names of customers, the name of an imported file, the reason given to billing-statements settle, and limits as they were and are. It records nothing else that you typed or the API returned.`;
  static override examples = [
    '<%= config.bin %> history',
    '<%= config.bin %> history --today',
    '<%= config.bin %> history --customer "Juan Dela Cruz" --since 2026-11-01',
    '<%= config.bin %> history --id bstm_7Hq2',
    '<%= config.bin %> history --result unfinished --json',
    '<%= config.bin %> history -p shop --live --all -o csv',
  ];
  static override flags = {
    limit: Flags.string({summary: 'Maximum number to list.', helpValue: '<number>', default: '20'}),
    all: Flags.boolean({summary: 'List everything.', exclusive: ['limit']}),
    mode: Flags.string({summary: 'Only changes in this mode.', options: ['live', 'test', 'sandbox']}),
    since: Flags.string({summary: 'Only changes made from this day or time on: 2026-12-15, 7d.', helpValue: '<date>'}),
    today: Flags.boolean({summary: 'Only changes made today.', exclusive: ['since']}),
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
  };
  static risk = 'reads' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => page(CHANGE, {unreadable_lines: integer});

  async run(): Promise<void> {
    const {flags} = await this.read(HistoryCommand);
    const {rendering, context} = this;
    const {io} = context;
    const limit = flags.all ? Infinity : valid(readWholeNumber(flags.limit, {from: 1}), '--limit');
    const audit = await context.audit();
    const now = context.now();
    const filter = filterOf(flags, audit, now);
    const pages = audit.pages(filter, limit);
    const more = Math.max(0, audit.count(filter) - limit);
    const unreadable = audit.unreadable();
    const machine = isMachine(rendering);
    // Only people at a terminal get shortened rows.
    const whole = rendering.format === 'csv' || (rendering.format === undefined && !io.stdoutIsTerminal);
    const resultOf = (data: readonly AuditRecord[]): Result =>
      resultOfRecords(CHANGE, data, {
        document: {resource: 'list', has_more: more > 0, unreadable_lines: unreadable.lines, data},
        columns: machine || rendering.format === 'csv' ? FIELDS : COLUMNS,
        ...(!machine && {
          shown: data.map((record) => rowOf(record, {whole, now})),
          table: data.some(({reason}) => reason !== null) ? COLUMNS : WITHOUT_REASON,
          atTerminal: AT_TERMINAL,
        }),
        all: machine ? FIELDS : {...COLUMNS, what: {}, ...FIELDS},
        empty: audit.count() > 0 ? 'No changes found.' : 'No changes made from this machine yet.',
      });
    await renderList(pages, resultOf, rendering, untilStopped(context));
    const {lines} = unreadable;
    if (lines > 0) io.note(`${counted(lines, 'line')} of ${unreadable.path} cannot be read.`);
    if (more > 0) noteMore({io, rendering}, ['history', ...this.argv], /limit/, ['--all'], more);
  }
}

function filterOf(
  {live, mode, id, profile, result, since, today, customer}: FlagsOf<typeof HistoryCommand>,
  audit: Audit,
  now: number,
): AuditFilter {
  const from = today ? endOfManilaDay(now) - DAY + 1 : since === undefined ? undefined : startOf(since, '--since', now);
  return {
    profile,
    result,
    mode: modeOf(live, mode),
    since: from,
    object: id === undefined ? undefined : idOf(id),
    ...(customer !== undefined && customerOf(customer, audit)),
  };
}

function customerOf(text: string, audit: Audit): AuditFilter {
  const typed = text.trim();
  if (shapeOfId(typed)) return {object: valid(readId(typed, 'cus_'), '--customer')};
  if (typed === '' || isEmail(typed))
    throw usageError('invalid_flag', `--customer ${quote(text)} is not a name.`, {
      why: 'The history has names and ids of customers, and no email addresses.',
      hint: 'Give the name or the id: centavo history --customer "Juan Dela Cruz"',
    });
  return {customers: audit.customers().filter((name) => fitsName(name, typed))};
}

function modeOf(live: boolean | undefined, mode: string | undefined): string | undefined {
  if (!live) return mode;
  if (mode === undefined || mode === 'live') return 'live';
  throw usageError('invalid_flag', `--live and --mode ${mode} cannot be combined.`);
}

function idOf(text: string): string {
  const shape = shapeOfId(text.trim());
  if (shape) return valid(readId(text, shape.prefix));
  throw usageError('invalid_id', `--id ${quote(text)} is not an id.`, {hint: 'An id looks like this: bstm_7Hq2'});
}

/** For programs and spreadsheets. */
const FIELDS: Table = {
  at: {},
  profile: {},
  mode: {},
  command: {},
  ids: {},
  amount: {},
  result: {},
  exit_code: {},
  applied: {},
  reason: {},
  number: {},
  customer: {},
  file: {},
};

/** For people and pipes. The least important stand last, since a narrow terminal leaves them out. */
const WITHOUT_REASON: Table = {
  // A table shows only the day of a timestamp, and may wrap a text.
  time: {kind: 'status'},
  where: {kind: 'status'},
  command: {},
  result: {},
  amount: {},
  id: {header: 'ids'},
  exit_code: {},
};
const COLUMNS: Table = {...WITHOUT_REASON, reason: {}};
/** `what` is the change in a merchant's words. */
const AT_TERMINAL: Table = {
  when: {header: 'time', kind: 'status', rank: 1},
  what: {rank: 1, wrapsLast: true},
  where: {kind: 'status', rank: 3},
  id: {header: 'ids', rank: 6},
};

/** @param options `whole`: false to show only the most important id and the number of others; `now` in unix seconds */
function rowOf(record: AuditRecord, {whole, now}: {whole: boolean; now: number}): Record<string, unknown> {
  const {at, ids} = record;
  const others = ids.length - 1;
  const id = whole || others < 1 ? ids.join(', ') : `${subjectOf(record)} +${others}`;
  const time = formatTime(at);
  const when = `${shortDay(at, now)} ${time.slice(-5)}`;
  return {...record, time, when, where: whereOf(record), id, what: historyWords(record)};
}

/** In the words that a command uses for the account that it changes. */
const whereOf = ({mode, profile}: AuditRecord): string =>
  mode === 'sandbox' ? 'sandbox' : `${mode === 'live' ? 'LIVE' : mode} · ${profile}`;

/** `billing-statements create` names a customer, and is about a statement. */
function subjectOf({command, ids}: AuditRecord): string | undefined {
  const topic = command.split(' ')[0];
  const shape = operations.find(({resource}) => resource.topic === topic)?.resource.shape;
  return ids.find((id) => shape && shapeOfId(id)?.prefix === shape.prefix) ?? ids[0];
}
