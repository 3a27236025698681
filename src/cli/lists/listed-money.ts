// Lists of statements: what happened to their money, their receipts, and the totals below.

import {isInPeriod, type Movement} from '../../accounting/movements.js';
import {STATES, type MoneyState, type Standing} from '../../accounting/standing.js';
import {STATE_WORDS} from '../../accounting/words.js';
import type {ListEnvelope} from '../../api/wire.js';
import type {PaymentReceipt, ReceiptReader} from '../../billing/reports/receipts.js';
import type {BillingStatementData} from '../../billing/statement/plan.js';
import type {Context} from '../../context/context.js';
import {formatPesos} from '../../common/pesos.js';
import type {DescribedCall} from '../../guard/describe-change.js';
import {displayedObject} from '../presentation/results.js';
import {isPaid, standingsOf} from '../presentation/standings.js';
import type {ListFilter} from './list-filters.js';

export interface ListedItem {
  readonly id: string;
  readonly [field: string]: unknown;
}

interface MoneyList extends Pick<DescribedCall, 'registered'> {
  readonly context: Context;
  readonly filter: ListFilter | undefined;
  readonly reader?: ReceiptReader;
  readonly receipts: Map<string, PaymentReceipt>;
}

/** States in the order of the totals, with other words than in a column. The other states follow. */
const TOTAL_WORDS: Partial<Record<MoneyState, string>> = {
  overdue: 'overdue',
  open: 'not yet due',
  approving: 'not yet due',
  draft: 'in drafts',
  paid: 'paid',
};

/** Returns `7 billing statements: ₱200,450.00 overdue, ₱96,000.00 paid`; empty for one object or unknown amounts. */
export async function totalsOf(
  plan: MoneyList,
  {data: rows, has_more: isPart}: ListEnvelope<ListedItem>,
): Promise<string[]> {
  const {title} = plan.registered.operation.returns.shape;
  if (rows.length < 2) return [];
  const standings = await standingsIn(plan, rows);
  const amounts = rows.map(({amount}) => amount);
  if (!amounts.every((amount): amount is number => Number.isSafeInteger(amount))) return [];
  const wordsOf = (state: MoneyState): string => TOTAL_WORDS[state] ?? STATE_WORDS[state].label;
  const order = [...(Object.keys(TOTAL_WORDS) as MoneyState[]), ...STATES].map(wordsOf);
  const sums = new Map<string, bigint>();
  for (const [index, {id}] of rows.entries()) {
    const standing = standings.get(id);
    const words = standing ? wordsOf(standing.state) : 'in all';
    sums.set(words, (sums.get(words) ?? 0n) + BigInt(amounts[index]!));
  }
  const parts = [...sums].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const words = parts.map(([words, sum]) => `${formatPesos(sum)} ${words}`);
  return [`${isPart ? `Of the ${rows.length} shown` : `${rows.length} ${title}s`}: ${words.join(', ')}`];
}

/** Returns what happened to the money of listed statements, by id; empty for other objects. */
export async function standingsIn(
  {context, registered, receipts}: MoneyList,
  items: readonly ListedItem[],
): Promise<ReadonlyMap<string, Standing>> {
  const {shape} = registered.operation.returns;
  if (shape.name !== 'billing_statement') return new Map();
  return standingsOf(
    context,
    items.map((item) => displayedObject(shape, item, receipts)),
  );
}

/** Reads receipts into the plan. @returns the objects paid or settled in the filter's period; all without a period */
export async function readReceipts(plan: MoneyList, items: readonly ListedItem[]): Promise<readonly ListedItem[]> {
  const {reader, filter, context, receipts} = plan;
  if (!reader) return items;
  const {mapWithLimit} = await context.billing();
  const paid = items.filter(isPaid) as readonly unknown[] as readonly BillingStatementData[];
  await mapWithLimit(paid, async (statement) => receipts.set(statement.id, await reader.receiptOf(statement)));
  const period = filter?.paid;
  if (!period) return items;
  const standings = await standingsIn(plan, items);
  const isIn = ({type, at}: Movement): boolean =>
    (type === 'payment' || type === 'settlement') && isInPeriod(at ?? undefined, period);
  return items.filter(({id}) => standings.get(id)!.movements.some(isIn));
}
