// What the statements of a list come to, by their state: the line under the table.

import {daysOverdue, type StatementLike} from '../../api/statement.js';
import {formatPesos} from '../../pesos.js';

/** The states in the order in which they are told; others follow. */
const ORDER = ['overdue', 'not yet due', 'paid', 'in drafts', 'uncollectible', 'void'];

/**
 * `7 statements: ₱200,450.00 overdue, ₱45,778.00 not yet due, ₱96,000.00 paid`; nothing for fewer than two, or where an amount is
 * missing.
 * @param now unix seconds
 */
export function totalsLine(
  statements: readonly StatementLike[],
  {now, more}: {readonly now: number; readonly more: boolean},
): string | undefined {
  const totals = new Map<string, number>();
  for (const statement of statements) {
    const {amount} = statement;
    if (typeof amount !== 'number') return undefined;
    const state = stateOf(statement, now);
    totals.set(state, (totals.get(state) ?? 0) + amount);
  }
  if (statements.length < 2 || [...totals.values()].some((total) => !Number.isSafeInteger(total))) return undefined;
  const states = [...new Set([...ORDER, ...totals.keys()])].filter((state) => totals.has(state));
  const parts = states.map((state) => `${formatPesos(totals.get(state)!)} ${state}`).join(', ');
  return `${more ? `Of the ${statements.length} statements shown` : `${statements.length} statements`}: ${parts}`;
}

function stateOf(statement: StatementLike, now: number): string {
  const {status} = statement;
  if (status === 'open') return (daysOverdue(statement, now) ?? 0) > 0 ? 'overdue' : 'not yet due';
  return status === 'draft' ? 'in drafts' : String(status);
}
