// Exports the statements of a month as rows of an import file for the next month.

import {statementCustomerOf, dueTimeOf, statementNumberOf} from '../../api/statement.js';
import type {Client} from '../../client/client.js';
import {
  DAY,
  endOfManilaDay,
  toManila,
  type Month,
  monthAfter,
  monthOf,
  monthText,
  startOfMonth,
} from '../../common/manila.js';
import {getStatement, type AccountReadOptions} from '../account/account-reader.js';
import {monthPeriod} from '../reports/month-report.js';
import type {Book, BookNeeds} from '../reports/standings.js';
import {createParamsOf, plannedItems} from '../statement/copy.js';
import {EXTERNAL_ID} from '../statement/metadata-keys.js';
import type {BillingStatementData} from '../statement/plan.js';

/** A line item, as one row of an import file. */
export interface ExportedRow {
  readonly external_id: string;
  readonly customer: string;
  readonly customer_name: string | null;
  readonly item: string;
  readonly quantity: number;
  /** Centavos. */
  readonly unit_price: number;
  /** `2026-12-15` */
  readonly due: string | null;
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface ExportOptions extends AccountReadOptions {
  readonly month: Month;
  /** Unix seconds. If omitted, each due date moves by one month. */
  readonly dueAt?: number;
}

export interface MonthExport {
  /** One for each item, in order; the oldest statement first. */
  readonly rows: readonly ExportedRow[];
  readonly statements: number;
  /** Number of omitted statements: drafts, and void statements that were not paid outside the service. */
  readonly leftOut: number;
}

export const exportNeeds = (month: Month): BookNeeds => ({
  ...{period: monthPeriod(month), dates: true},
  isEntry: (movements) => movements.some(({type}) => type === 'billing'),
});

/** Returns rows for the statements of a book that was read with {@link exportNeeds}. */
export async function exportMonth(
  client: Client,
  {entries, drafts}: Book,
  options: ExportOptions,
): Promise<MonthExport> {
  const kept = entries.filter(({standing: {state}}) => state !== 'void' && state !== 'replaced');
  const rows: ExportedRow[] = [];
  for (const {object} of kept) {
    const isWhole = Array.isArray(object.line_items) && object.metadata !== undefined;
    const statement = isWhole ? object : await getStatement(client, object.id, options);
    rows.push(...rowsOf(statement, options));
  }
  return {rows, statements: kept.length, leftOut: drafts + entries.length - kept.length};
}

function rowsOf(statement: BillingStatementData, {month, dueAt}: ExportOptions): ExportedRow[] {
  const {description, metadata = {}} = createParamsOf(statement);
  const {[EXTERNAL_ID]: _, ...kept} = metadata as Record<string, unknown>;
  const due = dueTimeOf(statement);
  const heading = {
    // Derived from the number, so that exporting a month twice bills no customer twice.
    external_id: `${monthText(monthAfter(month))}-${statementNumberOf(statement) ?? statement.id}`,
    customer: statement.customer_id,
    customer_name: statementCustomerOf(statement).name ?? null,
    due: dueAt === undefined ? (due === undefined ? null : dayText(addMonth(due))) : dayText(dueAt),
    description: typeof description === 'string' ? description : null,
    metadata: Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, String(value)])),
  };
  const items = plannedItems(statement);
  return items.map(({description: item, quantity, unit_price}) => ({...heading, item, quantity, unit_price}));
}

/** Returns the end of the same day of the next month in Manila, or of its last day. @param at unix seconds */
function addMonth(at: number): number {
  const next = monthAfter(monthOf(at));
  const day = toManila(at).getUTCDate();
  const last = toManila(startOfMonth(monthAfter(next)) - DAY).getUTCDate();
  return endOfManilaDay(startOfMonth(next) + (Math.min(day, last) - 1) * DAY);
}

const dayText = (at: number): string => toManila(at).toISOString().slice(0, 10);
