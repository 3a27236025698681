// `centavo billing-statements export`: last month's statements as an import file for this month.

import {MAXIMUM_PAGE} from '../../api/fields.js';
import {operationWithId} from '../../api/registry.js';
import type {ExportedRow} from '../../billing/export.js';
import {BaseCommand, CALL_EXITS, forceFlag} from '../../cli/base.js';
import {printRequests} from '../../cli/dry-run.js';
import {dryRun, either, integer, list, mapOf, nullable, record, text} from '../../cli/json-schema.js';
import {resultOfRecords} from '../../cli/objects/results.js';
import {Flags} from '../../cli/oclif.js';
import {resolveReference} from '../../cli/references/resolve-reference.js';
import {usageError} from '../../ground/errors.js';
import {type Month, monthAfter, monthOf, MONTHS, monthText} from '../../ground/manila.js';
import {decimalPesos} from '../../ground/pesos.js';
import {guardConnection} from '../../guard/guard.js';
import {parseDate} from '../../input/dates.js';
import {quote} from '../../input/money.js';
import {shellQuote} from '../../input/shell-words.js';
import type {Io} from '../../output/io.js';
import type {Column, Result} from '../../output/result.js';
import {csv} from '../../output/rows.js';

const LIST = operationWithId('billing-statements:list');

export class BillingStatementsExportCommand extends BaseCommand {
  static override summary = 'Write the billing statements of a month as an import file for the next one.';
  static override description =
    'Prints CSV: one row for each item, with new external ids and due dates. Edit it, then bill the next month with centavo billing-statements import. Statements count in the month in Manila in which they were finalized; drafts and void statements are left out. Payment settings are not exported.';
  static override examples = [
    '<%= config.bin %> billing-statements export --month 2026-10',
    '<%= config.bin %> billing-statements export --due +30d --file november.csv',
    '<%= config.bin %> billing-statements export --customer orders@reyes.example',
  ];
  static override flags = {
    month: Flags.string({summary: 'The month to export. By default last month.', helpValue: '<2026-10>'}),
    due: Flags.string({
      summary: 'New due date: +30d. By default one month later.',
      helpValue: '<date>',
    }),
    customer: Flags.string({summary: 'Only this customer.', helpValue: '<cus_…>'}),
    file: Flags.string({summary: 'Write to this file instead of stdout.', helpValue: '<file>'}),
    force: forceFlag,
  };
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () =>
    either(
      list(
        record({
          ...{external_id: text, customer: text, customer_name: nullable(text), item: text, quantity: integer},
          ...{unit_price: integer, due: nullable(text), description: nullable(text), metadata: mapOf(text)},
        }),
      ),
      dryRun,
    );

  async run(): Promise<void> {
    const {flags} = await this.read(BillingStatementsExportCommand);
    const {context} = this;
    const {io, signal} = context;
    const connection = await context.connection();
    guardConnection(connection, flags, LIST.id);
    const given = flags.month === undefined ? undefined : parseMonth(flags.month);
    if (flags.due !== undefined) parseDate(flags.due, '--due', context.now());
    const {force} = flags;
    const file = flags.file === undefined ? undefined : await context.fileToWrite(flags.file, {flag: '--file', force});
    if (flags['dry-run']) {
      const request = (await context.requestBuilder()).requestOf({...LIST, ids: [], params: {limit: MAXIMUM_PAGE}});
      return printRequests(context, connection, this.requestForm, [request]);
    }
    const client = await context.client();
    const customerId =
      flags.customer === undefined
        ? undefined
        : await resolveReference(context, 'cus_', flags.customer, {name: '--customer', changes: false});
    const {exportMonth} = await context.billing();
    const now = await context.accountNow();
    const month = given ?? monthAfter(monthOf(now), -1);
    const dueAt = flags.due === undefined ? undefined : parseDate(flags.due, '--due', now);
    const onPage = (read: number): void => io.progress(`Reading billing statements: ${read.toLocaleString('en')}`);
    const {rows, statements, leftOut} = await exportMonth(client, {month, dueAt, customerId, signal, onPage}).finally(
      () => io.progress(undefined),
    );
    if (leftOut > 0)
      io.note(`Left out: ${leftOut} ${leftOut === 1 ? 'draft or void statement' : 'drafts and void statements'}.`);
    const what = `${statements.toLocaleString('en')} billing ${statements === 1 ? 'statement' : 'statements'} of ${monthText(month)}`;
    const {format} = this.rendering;
    if (flags.file === undefined && format !== undefined && format !== 'csv') {
      return this.print(resultOfExport(rows));
    }
    const text = await csvOfExport(rows, io, flags.file === undefined && io.stdoutIsTerminal);
    if (file === undefined) {
      await io.out(text);
      io.note(`${what}.`);
    } else {
      // Excel reads UTF-8 only with this mark.
      await file.write([`\uFEFF${text}`]);
      const next = ` Edit it, then: centavo billing-statements import ${shellQuote(flags.file!)} --send`;
      io.note(`${flags.file}: ${what}.${file.isThrough ? '' : next}`);
    }
  }
}

const COLUMNS: readonly Column[] = [
  {path: 'external_id', header: 'external id', kind: 'text', rank: 1},
  {path: 'customer', header: 'customer', kind: 'text', rank: 6},
  {path: 'customer_name', header: 'customer name', kind: 'text', rank: 2},
  {path: 'item', header: 'item', kind: 'text', rank: 3},
  {path: 'quantity', header: 'quantity', kind: 'text', rank: 4},
  {path: 'unit_price', header: 'unit price', kind: 'centavos', rank: 3},
  {path: 'due', header: 'due', kind: 'text', rank: 4},
  {path: 'description', header: 'description', kind: 'text', rank: 7},
];

function parseMonth(typed: string): Month {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(typed.trim()) ?? [];
  if (year !== undefined) return {year: Number(year), month: Number(month)};
  throw usageError(`--month ${quote(typed)} is not a month.`, {
    code: 'invalid_month',
    hint: 'For example: --month 2026-10',
  });
}

const metadataColumns = (rows: readonly ExportedRow[]): Column[] =>
  [...new Set(rows.flatMap(({metadata}) => Object.keys(metadata)))].map((key) => ({
    path: `metadata.${key}`,
    header: `metadata.${key}`,
    kind: 'text',
  }));

/**
 * The rows as an import reads them: prices in pesos, and dates in which a spreadsheet cannot mix up day and month.
 * @param forTerminal false keeps texts exactly as they are
 */
export function csvOfExport(
  rows: readonly ExportedRow[],
  io: Pick<Io, 'checkSignal'>,
  forTerminal: boolean,
): Promise<string> {
  const columns = [...COLUMNS.map((column) => ({...column, kind: 'text' as const})), ...metadataColumns(rows)];
  const cells = rows.map((row) => ({
    ...row,
    unit_price: decimalPesos(row.unit_price),
    due: row.due === null ? null : namedMonth(row.due),
  }));
  return csv(cells, columns, io, {exact: !forTerminal});
}

/** `15-Dec-2026`, which Excel saves as 15-Dec-26; it would make 12/5/2026 of 2026-12-05. @param day `2026-12-15` */
function namedMonth(day: string): string {
  const [year, month, date] = day.split('-');
  return `${date}-${MONTHS[Number(month) - 1]!.slice(0, 3)}-${year}`;
}

/** The rows as data: prices in centavos. */
export const resultOfExport = (rows: readonly ExportedRow[]): Result =>
  resultOfRecords(
    rows.map((row) => ({...row})),
    COLUMNS,
    {all: [...COLUMNS, ...metadataColumns(rows)]},
  );
