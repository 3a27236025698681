// The totals below a list of money: what the statements that are shown come to, by where they stand.

import type {Shape} from '../../api/operation.js';
import {daysOverdue, type StatementLike} from '../../api/statement.js';
import {formatPesos} from '../../pesos.js';

/** The states of statements in the order in which they matter, and in words. */
const STATES: readonly (readonly [state: string, words: string])[] = [
  ['overdue', 'overdue'],
  ['open', 'not yet due'],
  ['draft', 'in drafts'],
  ['paid', 'paid'],
  ['settled', 'settled'],
  ['uncollectible', 'uncollectible'],
  ['void', 'void'],
];

/**
 * `7 billing statements: ₱200,450.00 overdue, ₱45,778.00 not yet due, ₱96,000.00 paid`; nothing for one object, or where
 * amounts are not known.
 * @param isPart whether the list has more than is shown
 * @param now unix seconds
 * @param settled by id, those that were settled outside the service
 */
export function totalsOf(
  {fields, title}: Shape,
  rows: readonly StatementLike[],
  {isPart, now, settled}: {isPart: boolean; now: number; settled?: ReadonlyMap<string, unknown>},
): string[] {
  if (!('amount' in fields) || rows.length < 2) return [];
  const amounts = rows.map(({amount}) => amount);
  if (!amounts.every((amount): amount is number => Number.isSafeInteger(amount))) return [];
  const sums = new Map<string, bigint>();
  for (const [index, row] of rows.entries()) {
    const state = 'due_at' in fields ? stateOf(row, now, settled?.has(String(row.id)) ?? false) : '';
    sums.set(state, (sums.get(state) ?? 0n) + BigInt(amounts[index]!));
  }
  const inWords = (state: string): string => STATES.find(([each]) => each === state)?.[1] ?? (state || 'in all');
  const ordered = [...STATES.map(([state]) => state), ...sums.keys()].filter((state) => sums.has(state));
  const parts = [...new Set(ordered)].map((state) => `${formatPesos(sums.get(state)!)} ${inWords(state)}`);
  return [`${isPart ? `Of the ${rows.length} shown` : `${rows.length} ${title}s`}: ${parts.join(', ')}`];
}

function stateOf(statement: StatementLike, now: number, isSettled: boolean): string {
  if (isSettled && statement.status === 'void') return 'settled';
  return (daysOverdue(statement, now) ?? 0) > 0 ? 'overdue' : String(statement.status);
}
