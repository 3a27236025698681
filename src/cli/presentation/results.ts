// Builds printable results of API objects: their columns, and values computed for display.

import type {Field} from '../../api/fields.js';
import type {Shape} from '../../api/operation.js';
import {shapes} from '../../api/registry.js';
import {itemSumOf, methodOf, paymentLinkOf, paymentOf, unixTimeOf} from '../../api/statement.js';
import {isJsonObject} from '../../common/json.js';
import type {PaymentReceipt} from '../../billing/reports/receipts.js';
import type {ValueKind} from '../../output/format.js';
import type {ResultColumn, CommandResult, ResultRow} from '../../output/result.js';

const RESULT_KINDS: Partial<Record<Field['kind'], ValueKind>> = {
  centavos: 'centavos',
  timestamp: 'timestamp',
  boolean: 'boolean',
  hash: 'object',
  items: 'object',
  metadata: 'object',
  related: 'object',
};

/** `billing_statement_number` becomes `number`; `due_at` becomes `due`, unless another field has that name. */
function headerOf(name: string, shape: Shape): string {
  const short = name.replace(/_at$/, '');
  return (short in shape.fields ? name : short).replace(`${shape.name}_`, '').replaceAll('_', ' ');
}

const columnOf =
  (shape: Shape) =>
  (name: string): ResultColumn => ({
    path: name,
    header: headerOf(name, shape),
    kind: name === 'status' ? 'status' : (RESULT_KINDS[shape.fields[name]!.kind] ?? 'text'),
    ...(LINKS.has(`${shape.name}.${name}`) && {whole: true}),
    ...(shape.fields[name]!.kind === 'id' && {
      isId: true,
      shortens: FOUND_BY_START.has(shape.fields[name]!.prefix!),
    }),
  });

/** Returns the columns at a terminal. A path into a related object is also the header by default. */
const tableColumns = (shape: Shape): ResultColumn[] =>
  Object.entries(shape.table).map(([name, shown]) => {
    const field = shape.fields[name];
    const options = typeof shown === 'number' ? {rank: shown} : shown;
    return {
      ...(field ? columnOf(shape)(name) : {path: name, header: name, kind: 'text'}),
      ...(!('cut' in options) && {whole: true}),
      ...(field?.kind === 'integer' && {align: 'right'}),
      ...options,
    };
  });

/** Prefixes of ids that a command line accepts shortened. */
const FOUND_BY_START = new Set(['bstm_', 'cus_']);

const LINKS = new Set(['billing_statement.url', 'billing_statement.billing_statement_url', 'checkout_session.url']);

/** Field with the sum of a checkout session's items, for a session without an amount. */
export const COMPUTED_AMOUNT = 'computed_amount';

const COMPUTED: ResultColumn = {path: COMPUTED_AMOUNT, header: 'computed amount', kind: 'centavos'};

/** Resources that may have no amount. Their lists in a pipe always have a column for the sum. */
const SUMMED = new Set(['checkout_session']);

/** Constants, and fields that repeat others. A single object at a terminal omits them. */
const HIDDEN_FIELDS = new Set([
  'resource',
  'livemode',
  'currency',
  'customer_id',
  COMPUTED_AMOUNT,
  'merchant_id',
  'billing_statement_url',
  'billing_details_collection',
  'next_billing_statement_sequence_number',
  'consolidated_net_amount',
  'consolidated_status',
]);

/** Fields of a statement's standing, which `withStandings` fills in. */
const STANDING: readonly ResultColumn[] = [
  {path: 'state', header: 'state', kind: 'status'},
  {path: 'owed', header: 'owed', kind: 'centavos'},
  {path: 'refunded', header: 'refunded', kind: 'centavos'},
  {path: 'settled_reason', header: 'settled reason', kind: 'text'},
  {path: 'replaced_by', header: 'replaced by', kind: 'object'},
  {path: 'unknown', header: 'unknown', kind: 'text'},
];

/** Columns with a statement's payment. The API has the values in the payment, which a list may omit. */
const PAID: readonly ResultColumn[] = [
  {path: 'paid_at', header: 'paid', kind: 'timestamp', rank: 3},
  {path: 'method', header: 'method', kind: 'text', rank: 3},
];
export const asksForPayment = (fields: readonly string[] = []): boolean =>
  fields.some((field) => PAID.some(({path, header}) => field === path || field === header));

/** Receipts of payments that the rows omit, by statement id. */
export type ReceiptsById = ReadonlyMap<string, PaymentReceipt>;

interface ResultOptions {
  readonly receipts?: ReceiptsById;
  /** True to add the payment columns. */
  readonly isPaid?: boolean;
}

/** @param document the JSON output: an object or a page */
export function apiResultOf(
  shape: Shape,
  rows: readonly object[],
  document: unknown,
  kind: CommandResult['shape'],
  {receipts, isPaid = false}: ResultOptions = {},
): CommandResult {
  // Times come last, as the least important columns.
  const times = ['created_at', 'updated_at'].filter((name) => name in shape.fields);
  const names = [...Object.keys(shape.fields).filter((name) => !times.includes(name)), ...times];
  const shown = rows.map((row) => displayedObject(shape, row as ResultRow, receipts));
  const columns = shape.columns.map(columnOf(shape)).map(computing(shown));
  const unusual = unusualColumns(shown);
  const deleted = unusual.filter(({path}) => path === 'deleted');
  const [foremost, ...rest] = tableColumns(shape).map(computing(shown));
  const [standing, known] = shape.name === 'billing_statement' ? [STANDING, PAID] : [[], []];
  const paid = isPaid ? PAID : [];
  return {
    rows: rows as CommandResult['rows'],
    shown,
    document,
    // Scripts count columns, so columns that only some objects have come last. At a terminal `deleted` comes second.
    columns: [...columns, ...standing, ...deleted, ...(SUMMED.has(shape.name) ? [COMPUTED] : []), ...paid],
    atTerminal: [foremost!, ...deleted.map((column) => ({...column, rank: 1})), ...rest, ...paid],
    all: [...names.map(columnOf(shape)).map(computing(shown)), ...standing, ...known, ...unusual],
    formatters: async () => (await import('./format-values.js')).valueFormattersOf(shape),
    omitted: HIDDEN_FIELDS,
    shape: kind,
    ...(shape.name === 'billing_statement' && rows.every((row) => !('deleted' in row)) && {view: viewStatement}),
    empty: `No ${shape.title}s found.`,
  };
}

const viewStatement: CommandResult['view'] = async (row, options) =>
  (await import('./statement-view.js')).statementView(row, options);

const computes = (rows: readonly ResultRow[]): boolean => rows.some((row) => row[COMPUTED_AMOUNT] !== undefined);

/** Shows the computed sum in the amount column where an amount is missing. */
const computing =
  (rows: readonly ResultRow[]) =>
  (column: ResultColumn): ResultColumn =>
    column.path === 'amount' && computes(rows) ? {...column, computed: COMPUTED_AMOUNT} : column;

const unusualColumns = (rows: readonly ResultRow[]): ResultColumn[] => [
  ...(rows.some((row) => row.deleted === true) ? [{path: 'deleted', header: 'deleted', kind: 'boolean'} as const] : []),
  ...(computes(rows) ? [COMPUTED] : []),
];

/** Like {@link displayedObject}, but finds the shape by the `resource` field. Returns other values unchanged. */
export function displayedValue(row: ResultRow): ResultRow {
  const shape = [...shapes.values()].find(({name}) => name === row?.resource);
  return shape ? displayedObject(shape, row) : row;
}

/** Returns the object as displayed in every format except JSON without `--fields`. */
export function displayedObject(shape: Shape, row: ResultRow, receipts?: ReceiptsById): ResultRow {
  const shown: Record<string, unknown> = {...row};
  if ('customer_id' in shape.fields && 'customer' in shape.fields) shown.customer = row.customer || row.customer_id;
  if (shape.name === 'billing_statement') {
    const link = paymentLinkOf(row) ?? null;
    const {payment, at, method} = receipts?.get(String(row.id)) ?? {};
    const {payment_intent: intent} = row;
    if (payment) shown.payment_intent = {...(isJsonObject(intent) ? intent : {id: intent}), latest_payment: payment};
    const listedPayment = paymentOf(shown);
    Object.assign(shown, {
      ...{url: link, billing_statement_url: link},
      ...{
        paid_at: at ?? unixTimeOf(listedPayment?.created_at) ?? null,
        method: method ?? (listedPayment && methodOf(listedPayment)) ?? null,
      },
    });
  }
  if (SUMMED.has(shape.name) && typeof row.amount !== 'number') {
    const sum = itemSumOf(row.line_items);
    if (sum !== undefined) shown[COMPUTED_AMOUNT] = sum;
  }
  return shown;
}
