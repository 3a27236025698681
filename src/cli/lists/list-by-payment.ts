// Filters a list of billing statements by payment, and says what it leaves out. Loaded only for such a list.

import {isInPeriod, type Movement, type Period} from '../../accounting/movements.js';
import type {Standing} from '../../accounting/standing.js';
import type {Context} from '../../context/context.js';
import {moneyHistory} from '../presentation/standings.js';
import * as book from '../read-book.js';

/**
 * Returns the statements paid or settled in the period, by the dates that `paid` and `month` count.
 * @param received gets their standings, and those without an amount, which cannot be counted
 */
export function paidIn<Item extends {readonly id: string}>(
  period: Period,
  items: readonly Item[],
  standings: ReadonlyMap<string, Standing>,
  received: Standing[],
): Item[] {
  const isIn = ({type, bookedAt}: Movement): boolean =>
    (type === 'payment' || type === 'settlement') && isInPeriod(bookedAt, period);
  const isPaidIn = ({movements}: Standing): boolean => movements.some(isIn);
  received.push(...[...standings.values()].filter((each) => each.unknown.includes('amount') || isPaidIn(each)));
  return items.filter(({id}) => isPaidIn(standings.get(id)!));
}

/** Returns what the list leaves out: what `paid` leaves out, and checkout sessions. The list shows no refunds. */
async function notSeenIn(context: Context, received: readonly Standing[]): Promise<string[]> {
  const {isUnread} = await moneyHistory(context);
  const dated = received.map((each) => ({...each, unknown: each.unknown.filter((fact) => fact === 'paid_at')}));
  const withoutAmount = received.flatMap(({name, unknown}) => (unknown.includes('amount') ? [name] : []));
  const hasSessions = 'payments of checkout sessions (see centavo paid)';
  return book.notSeenIn(dated, {hasSessions, withoutAmount, isUnread});
}

export async function documentOf<Page extends {readonly data: unknown}>(
  context: Context,
  received: readonly Standing[],
  {data, ...page}: Page,
) {
  return {...page, not_seen: await notSeenIn(context, received), data};
}

export const noteGaps = async (context: Context, received: readonly Standing[]): Promise<void> =>
  book.noteNotSeen(context, await notSeenIn(context, received));
