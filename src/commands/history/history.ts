// `centavo history`: what was changed from this machine, and how each change ended.

import {operations, shapeOfId} from '../../api/registry.js';
import type {AuditRecord} from '../../audit/audit.js';
import {ACCOUNT_EXITS, BaseCommand, type FlagsOf} from '../../cli/base.js';
import {integer, list, nullable, page, record, text} from '../../cli/json-schema.js';
import {noteMore} from '../../cli/lists/note-more.js';
import {recordColumns, resultOfRecords} from '../../cli/objects/results.js';
import {Flags} from '../../cli/oclif.js';
import {checkId} from '../../cli/references/references.js';
import {usageError} from '../../ground/errors.js';
import {shortDay} from '../../ground/manila.js';
import {quote} from '../../input/money.js';
import {parseWholeNumber} from '../../input/quantities.js';
import {formatTime} from '../../output/format.js';
import {renderList, untilStopped} from '../../output/render-list.js';
import {isMachine} from '../../output/render.js';
import type {Column, Result} from '../../output/result.js';
import {historyWords} from './change-words.js';

/** Records that are printed at once. */
const PAGE = 100;

type RecordFilter = (record: AuditRecord) => boolean;

export class HistoryCommand extends BaseCommand {
  static override summary = 'List changes made from this machine, newest first.';
  static override description = `centavo records every change before sending it, for all accounts, and every change of a limit. To list one account, use -p and --live.
The result is ok, an error code, or unfinished: the command was killed or is still running, and the change may have been made. In JSON and CSV, applied tells whether anything was changed: yes, no or unknown.
centavo records the command name, ids and amounts, the number and the customer’s name of a billing statement, the reason given to billing-statements settle, and limits as they were and are. It records nothing else that you typed or the API returned.`;
  static override examples = [
    '<%= config.bin %> history',
    '<%= config.bin %> history --id bstm_7Hq2',
    '<%= config.bin %> history --result unfinished --json',
    '<%= config.bin %> history -p shop --live --all -o csv',
  ];
  static override flags = {
    limit: Flags.string({summary: 'Maximum number to list.', helpValue: '<number>', default: '20'}),
    all: Flags.boolean({summary: 'List everything.', exclusive: ['limit']}),
    mode: Flags.string({summary: 'Only changes in this mode.', options: ['live', 'test', 'sandbox']}),
    id: Flags.string({summary: 'Only changes that involve this object.', helpValue: '<id>'}),
    result: Flags.string({
      summary: 'Only changes with this result: ok, unfinished, or an error code.',
      helpValue: '<code>',
    }),
  };
  static risk = 'reads' as const;
  static exits = ACCOUNT_EXITS;
  static output = () =>
    page(
      record({
        at: integer,
        profile: text,
        mode: text,
        command: text,
        ids: list(text),
        amount: nullable(integer),
        reason: nullable(text),
        result: text,
        exit_code: nullable(integer),
        applied: nullable(text),
        step: nullable(text),
        step_at: nullable(integer),
        steps: list(record({step: text, at: integer, ids: list(text)})),
        ended_at: nullable(integer),
        number: nullable(text),
        customer: nullable(text),
      }),
      {unreadable_lines: integer},
    );

  async run(): Promise<void> {
    const {flags} = await this.read(HistoryCommand);
    const {rendering, context} = this;
    const {io} = context;
    const limit = flags.all ? Infinity : parseWholeNumber(flags.limit, '--limit', {from: 1});
    const wanted = wantedBy(flags);
    const audit = await context.audit();
    let [all, given, more, unreadable] = [0, 0, 0, 0];
    function* pages(): Generator<AuditRecord[]> {
      let page: AuditRecord[] = [];
      for (const record of audit.records((lines) => (unreadable = lines))) {
        all++;
        if (!wanted(record)) continue;
        if (given === limit) {
          more++;
          continue;
        }
        given++;
        if (page.push(record) < PAGE) continue;
        yield page;
        page = [];
      }
      yield page;
    }
    const machine = isMachine(rendering);
    const now = context.now();
    // Only people at a terminal get shortened rows.
    const whole = rendering.format === 'csv' || (rendering.format === undefined && !io.stdoutIsTerminal);
    const resultOf = (data: readonly AuditRecord[]): Result =>
      resultOfRecords(
        machine ? data : data.map((record) => rowOf(record, {whole, now})),
        machine || rendering.format === 'csv' ? RECORD_COLUMNS : ROW_COLUMNS,
        {
          document: {resource: 'list', has_more: more > 0, unreadable_lines: unreadable, data},
          ...(!machine && {
            table: data.some(({reason}) => reason !== null) ? ROW_COLUMNS : WITHOUT_REASON,
            atTerminal: AT_TERMINAL,
          }),
          all: machine ? RECORD_COLUMNS : [...ROW_COLUMNS, WHAT, ...RECORD_COLUMNS],
          empty: all > 0 ? 'No changes found.' : 'No changes made from this machine yet.',
        },
      );
    // JSON begins with what is known when all is read.
    if (rendering.format === 'json') await this.print(resultOf([...pages()].flat()));
    else await renderList(pages(), resultOf, rendering, untilStopped(context));
    if (unreadable > 0) io.note(`${unreadable} ${unreadable > 1 ? 'lines' : 'line'} of ${audit.path} cannot be read.`);
    if (more > 0) noteMore({io, rendering}, ['history', ...this.argv], /limit/, ['--all'], more);
  }
}

function wantedBy(flags: FlagsOf<typeof HistoryCommand>): RecordFilter {
  const mode = modeOf(flags.live, flags.mode);
  const id = flags.id === undefined ? undefined : idOf(flags.id);
  const {profile, result} = flags;
  return (record) =>
    (profile === undefined || record.profile === profile) &&
    (mode === undefined || record.mode === mode) &&
    (id === undefined || record.ids.includes(id)) &&
    (result === undefined || record.result === result);
}

function modeOf(live: boolean | undefined, mode: string | undefined): string | undefined {
  if (!live) return mode;
  if (mode === undefined || mode === 'live') return 'live';
  throw usageError(`--live and --mode ${mode} cannot be combined.`, {code: 'invalid_flag'});
}

function idOf(text: string): string {
  const shape = shapeOfId(text.trim());
  if (shape) return checkId(text, shape.prefix, '--id');
  throw usageError(`--id ${quote(text)} is not an id.`, {
    code: 'invalid_id',
    hint: 'An id looks like this: bstm_7Hq2',
  });
}

/** Columns of a record, for programs and spreadsheets. */
const RECORD_COLUMNS = recordColumns(
  [
    'at',
    'profile',
    'mode',
    'command',
    'ids',
    'amount',
    'result',
    'exit_code',
    'applied',
    'reason',
    'number',
    'customer',
  ],
  {at: 'timestamp', amount: 'centavos', result: 'status'},
);

/** Columns of a row. The least important stand last, since a narrow terminal leaves them out. */
const ROW_COLUMNS: readonly Column[] = [
  ...recordColumns(['time', 'where', 'command', 'result', 'amount'], {
    // A table shows only the day of a timestamp, and may wrap a text.
    time: 'status',
    where: 'status',
    result: 'status',
    amount: 'centavos',
  }),
  {path: 'id', header: 'ids', kind: 'text'},
  {path: 'exit_code', header: 'exit', kind: 'text'},
  ...recordColumns(['reason']),
];

const WITHOUT_REASON = ROW_COLUMNS.filter(({path}) => path !== 'reason');

/** The change in a merchant's words. */
const WHAT: Column = {path: 'what', header: 'what', kind: 'text'};

/** How long each column stays when the terminal is narrow. */
const AT_TERMINAL: readonly Column[] = [
  {path: 'when', header: 'time', kind: 'status', rank: 1},
  {...WHAT, rank: 1, wrapsLast: true},
  {path: 'where', header: 'where', kind: 'status', rank: 3},
  {path: 'id', header: 'ids', kind: 'text', rank: 6},
];

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
