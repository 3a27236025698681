// `centavo billing-statements export`: writes a month's statements as an import file for the next month.

import type {ExportedRow} from '../../billing/import/export-month.js';
import {BaseCommand, CALL_EXITS} from '../../cli/base.js';
import {LIST_STATEMENTS, printLists} from '../../cli/dry-run.js';
import {accountArgs} from '../../cli/next-steps.js';
import {recordColumnsOf, resultOfRecords, type RecordTable} from '../../cli/records.js';
import {fileFlags, printToFile, reportSchema} from '../../cli/report-file.js';
import * as schema from '../../cli/schema.js';
import {Flags} from '../../cli/oclif.js';
import {readBookOf} from '../../cli/read-book.js';
import {formatCount} from '../../common/counts.js';
import {monthAfter, monthOf, MONTHS, monthText, toManila} from '../../common/manila.js';
import {decimalPesos} from '../../common/pesos.js';
import {guardConnection} from '../../guard/guard.js';
import {readDate, readMonthText} from '../../input/dates.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {commandLine} from '../../common/next-text.js';
import type {OutputStreams} from '../../output/streams.js';
import type {CommandResult} from '../../output/result.js';
import {csvText} from '../../output/csv-text.js';

export class ExportCommand extends BaseCommand {
  static override summary = 'Export a month as an import file for the next.';
  static override description =
    'Prints CSV: one row per item, with new external ids and due dates. Edit it, then bill the next month with centavo import. A statement belongs to the month in which it was finalized (Manila time). Drafts and void statements are omitted, except those that this machine recorded as settled outside the service. Payment settings are not exported.';
  static override examples = [
    '<%= config.bin %> billing-statements export --month 2026-10',
    '<%= config.bin %> billing-statements export --due +30d --file november.csv',
  ];
  static override flags = {
    month: Flags.string({summary: 'Month to export. Default: last month.', helpValue: '<2026-10>'}),
    due: Flags.string({
      summary: 'New due date: +30d. Default: one month later.',
      helpValue: '<date>',
    }),
    ...fileFlags,
  };
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () => reportSchema(schema.page(ROW));

  async run(): Promise<void> {
    const {flags} = await this.read(ExportCommand);
    const {context} = this;
    const {io} = context;
    guardConnection(await context.connection(), LIST_STATEMENTS);
    const now = await context.accountNow();
    const given = flags.month === undefined ? undefined : valueOrThrow(readMonthText(flags.month, now), '--month');
    if (flags.due !== undefined) valueOrThrow(readDate(flags.due, context.now()), '--due');
    const {format = 'csv'} = this.rendering;
    const isCsv = format === 'csv' || flags.file !== undefined;
    const file = await printToFile(context, flags);
    if (flags['dry-run']) return printLists(context, this.requestForm);
    const client = await context.client();
    const {exportMonth, exportNeeds} = await context.billing();
    const month = given ?? monthAfter(monthOf(now), -1);
    const dueAt = flags.due === undefined ? undefined : valueOrThrow(readDate(flags.due, now), '--due');
    const book = await readBookOf(context, exportNeeds(month));
    const {rows, statements, leftOut} = await exportMonth(client, book, {month, dueAt, signal: context.signal});
    if (leftOut > 0)
      io.note(`Skipped: ${leftOut} ${leftOut === 1 ? 'draft or void statement' : 'drafts and void statements'}.`);
    if (!isCsv) return this.print(resultOfExport(rows));
    const forTerminal = file === undefined && io.stdoutIsTerminal;
    await io.out(await csvOfExport(rows, io, forTerminal));
    const what = `${formatCount(statements, 'billing statement')} of ${monthText(month)}`;
    // An import with --send needs due dates to come.
    const today = toManila(now).toISOString().slice(0, 10);
    const isLate = rows.some(({due}) => due === null || due < today);
    const passed = isLate ? ' Some due dates have passed or are missing.' : '';
    const command = [
      ...['import', flags.file ?? ''],
      ...(isLate ? ['--due', flags.due ?? '+30d'] : []),
      ...['--send', ...accountArgs(context)],
    ];
    io.note(`${what}.${passed}${file && !file.isStream ? ` Edit the file, then: ${commandLine(command)}` : ''}`);
  }
}

const ROW = schema.record({
  external_id: schema.text,
  customer: schema.text,
  customer_name: schema.nullable(schema.text),
  item: schema.text,
  quantity: schema.integer,
  unit_price: schema.centavos,
  due: schema.nullable(schema.text),
  description: schema.nullable(schema.text),
  metadata: schema.map(schema.text),
});
const COLUMNS: RecordTable = {
  external_id: 1,
  customer: 6,
  customer_name: 2,
  item: 3,
  quantity: 4,
  unit_price: 3,
  due: 4,
  description: 7,
};

const withMetadata = (rows: readonly ExportedRow[]): RecordTable => {
  const keys = new Set(rows.flatMap(({metadata}) => Object.keys(metadata)));
  const columns = [...keys].map((key) => [`metadata.${key}`, {header: `metadata.${key}`}]);
  return {...COLUMNS, ...Object.fromEntries(columns)};
};

/**
 * Returns CSV for an import: prices in pesos, and dates whose day and month a spreadsheet cannot swap.
 * @param forTerminal false to write texts exactly
 */
export function csvOfExport(
  rows: readonly ExportedRow[],
  io: Pick<OutputStreams, 'checkSignal'>,
  forTerminal: boolean,
): Promise<string> {
  const columns = recordColumnsOf(ROW, withMetadata(rows)).map((column) => ({...column, kind: 'text' as const}));
  const cells = rows.map((row) => ({
    ...row,
    unit_price: decimalPesos(row.unit_price),
    due: row.due === null ? null : namedMonth(row.due),
  }));
  return csvText(cells, columns, io, {exact: !forTerminal});
}

/** `15-Dec-2026`, because Excel would save 2026-12-05 as 12/5/2026. @param day `2026-12-15` */
function namedMonth(day: string): string {
  const [year, month, date] = day.split('-');
  return `${date}-${MONTHS[Number(month) - 1]!.slice(0, 3)}-${year}`;
}

export const resultOfExport = (rows: readonly ExportedRow[]): CommandResult =>
  resultOfRecords(ROW, rows, {columns: COLUMNS, all: withMetadata(rows)});
