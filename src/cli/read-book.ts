// Reads the account for a report of money, and lists the amounts and facts that the report lacks.

import type {Standing, UnknownFact} from '../accounting/standing.js';
import {UNKNOWN_WORDS} from '../accounting/words.js';
import type {Book, BookNeeds} from '../billing/reports/standings.js';
import type {Context} from '../context/context.js';
import {withReceipts} from './account-reads.js';
import {LIST_STATEMENTS} from './dry-run.js';
import {moneyHistory} from './presentation/standings.js';
import * as schema from './schema.js';

/** The statement that replaced a void one. */
export const REPLACEMENT = schema.record({id: schema.text, name: schema.text});

export const BOOK_LISTS = [LIST_STATEMENTS, 'checkout-sessions:list'];

/** @returns also `notSeen`: a line for each kind of payment or fact that the sums lack */
export async function readBookOf(
  context: Context,
  {customerId, ...needs}: BookNeeds & {readonly customerId?: string},
): Promise<Book & {readonly notSeen: readonly string[]}> {
  const {readBook} = await context.billing();
  const client = await context.client();
  const history = await moneyHistory(context);
  const now = await context.accountNow();
  const book = await withReceipts(context, (options) =>
    readBook(client, {...options, history, now, customerId}, needs),
  );
  const standings = book.entries.map(({standing}) => standing);
  return {...book, notSeen: notSeenIn(standings, {...book, isUnread: history.isUnread})};
}

/**
 * Returns a line for each kind of payment or fact that is left out: the same for every report and list of payments.
 * @param hasSessions a text says why sessions are left out
 */
export function notSeenIn(
  standings: readonly Standing[],
  {
    hasSessions,
    withoutAmount,
    isUnread,
  }: Pick<Book, 'withoutAmount'> & {readonly hasSessions: boolean | string; readonly isUnread?: boolean},
): string[] {
  const namesWithout = (fact: UnknownFact): string[] =>
    standings.flatMap(({name, unknown}) => (unknown.includes(fact) ? [name] : []));
  const facts = (['payment', 'paid_at', 'refunds', 'billed_at'] as const).map(
    (fact) => [fact, namesWithout(fact)] as const,
  );
  return [
    ...(hasSessions === true ? [] : [hasSessions || 'payments of checkout sessions, which the API did not list']),
    'payments of your own payment intents',
    'settlements recorded on other machines',
    'dates of refunds made elsewhere',
    'fees (not deducted) and payouts',
    ...(isUnread ? [UNKNOWN_WORDS.history] : []),
    ...[['amount', withoutAmount] as const, ...facts]
      .filter(([, names]) => names.length > 0)
      .map(
        ([fact, names]) =>
          `${UNKNOWN_WORDS[fact]} of ${names.join(', ')}${fact === 'paid_at' ? ': the last change counts' : ''}`,
      ),
  ];
}

export const noteNotSeen = ({io}: Context, notSeen: readonly string[]): void =>
  io.note(`Not included or not known: ${notSeen.join('; ')}.`, {style: 'dim'});
