// `centavo history`: what was changed from this machine, and how each change ended.

import {Flags} from '../cli/oclif.js';
import {operations, shapeOfId} from '../api/registry.js';
import type {AuditRecord} from '../audit/audit.js';
import {BaseCommand, type FlagsOf} from '../cli/base.js';
import {recordColumns, resultOfRecords} from '../cli/columns.js';
import {checkId} from '../cli/references.js';
import {usageError} from '../errors.js';
import {quote} from '../input/money.js';
import {parseWholeNumber} from '../input/numbers.js';
import {shellQuote} from '../input/shell-words.js';
import {formatTime} from '../output/format.js';
import {type Column, isMachine} from '../output/render.js';

type RecordFilter = (record: AuditRecord) => boolean;

export class HistoryCommand extends BaseCommand {
  static override summary = 'List what was changed from this machine, newest first.';
  static override description = `Every change is recorded before it is sent, whichever account it is for: -p and --live narrow the list to one.
The result is ok, the code of an error, or unfinished, when the command was killed or is running still: the change may have been made then. In JSON and CSV, applied says whether anything was changed: yes, no or unknown.
Kept are the command's name, ids and amounts; nothing else that was typed or answered.`;
  static override examples = [
    '<%= config.bin %> history',
    '<%= config.bin %> history --id bstm_7Hq2',
    '<%= config.bin %> history --result unfinished --json',
    '<%= config.bin %> history -p shop --live --all -o csv',
  ];
  static override flags = {
    limit: Flags.string({summary: 'How many to give.', helpValue: '<number>', default: '20'}),
    all: Flags.boolean({summary: 'Give all of them.', exclusive: ['limit']}),
    mode: Flags.string({summary: 'Only changes in this mode.', options: ['live', 'test', 'sandbox']}),
    id: Flags.string({summary: 'Only changes that named, made or met this object.', helpValue: '<id>'}),
    result: Flags.string({summary: 'Only those that ended like this: ok, unfinished, or a code.', helpValue: '<code>'}),
  };

  async run(): Promise<unknown> {
    const {flags} = await this.read(HistoryCommand);
    const {rendering, context} = this;
    const {io} = context;
    const limit = flags.all ? Infinity : parseWholeNumber(flags.limit, '--limit', {from: 1});
    const wanted = wantedBy(flags);
    const audit = await context.audit();
    let unreadable = 0;
    const records = audit.records((lines) => (unreadable = lines));
    const found = records.filter(wanted).reverse();
    const data = found.slice(0, limit);
    const more = found.length - data.length;
    const page = {resource: 'list', has_more: more > 0, unreadable_lines: unreadable, data};
    const machine = isMachine(rendering);
    // Only people at a terminal get shortened rows.
    const whole = rendering.format === 'csv' || (rendering.format === undefined && !io.stdoutIsTerminal);
    const rows = machine ? data : data.map((record) => rowOf(record, {whole}));
    const result = resultOfRecords(rows, rendering.format === 'csv' ? RECORD_COLUMNS : ROW_COLUMNS, {
      document: page,
      all: machine ? RECORD_COLUMNS : [...ROW_COLUMNS, ...RECORD_COLUMNS],
      empty: records.length > 0 ? 'No change was like that.' : 'Nothing was changed from this machine yet.',
    });
    await this.print(result);
    if (unreadable > 0) io.note(`${unreadable} ${unreadable > 1 ? 'lines' : 'line'} of ${audit.path} cannot be read.`);
    if (more > 0 && io.stdoutIsTerminal) io.note(io.paint('dim', `${more} more: ${allOf(this.argv)}`, 'stderr'));
    return page;
  }
}

/** @throws CentavoError kind `usage` */
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
  throw usageError(`--live and --mode ${mode} exclude each other.`, {code: 'invalid_flag'});
}

function idOf(text: string): string {
  const shape = shapeOfId(text.trim());
  if (shape) return checkId(text, shape.prefix, '--id');
  throw usageError(`--id ${quote(text)} is not an id.`, {
    code: 'invalid_id',
    hint: 'An id begins with the kind of object: bstm_7Hq2',
  });
}

/** The same command for all changes. */
function allOf(argv: readonly string[]): string {
  const kept = argv.filter((word, index) => !/^--limit(=|$)/.test(word) && argv[index - 1] !== '--limit');
  return ['centavo', 'history', ...kept, '--all'].map(shellQuote).join(' ');
}

/** Columns of a record, for programs and spreadsheets. */
const RECORD_COLUMNS = recordColumns(
  ['at', 'profile', 'mode', 'command', 'ids', 'amount', 'result', 'exit_code', 'applied'],
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
];

/** @param whole false to show only the most important id and the number of others */
function rowOf(record: AuditRecord, {whole}: {whole: boolean}): Record<string, unknown> {
  const {at, ids} = record;
  const others = ids.length - 1;
  const id = whole || others < 1 ? ids.join(', ') : `${subjectOf(record)} +${others}`;
  return {...record, time: formatTime(at), where: whereOf(record), id};
}

/** In the words in which a command says where its change goes. */
const whereOf = ({mode, profile}: AuditRecord): string =>
  mode === 'sandbox' ? 'sandbox' : `${mode === 'live' ? 'LIVE' : mode} · ${profile}`;

/** `billing-statements create` names a customer, and is about a statement. */
function subjectOf({command, ids}: AuditRecord): string | undefined {
  const topic = command.split(' ')[0];
  const shape = operations.find(({resource}) => resource.topic === topic)?.resource.shape;
  return ids.find((id) => shape && shapeOfId(id)?.prefix === shape.prefix) ?? ids[0];
}
