// Finds the statement that bills a customer for the same already: whoever bills again is told of it.

import {MAXIMUM_PAGE} from '../api/fields.js';
import {customerOf} from '../api/statement.js';
import type {Client} from '../client/client.js';
import {DAY} from '../manila.js';
import {itemsOf, type Statement, type StatementItem, type StatementPlan} from './compose/plan.js';

/** Statements older than this are last month's, and are meant to be repeated. */
const RECENT = 20 * DAY;
const MOST_PAGES = 3;

/**
 * The newest open statement with the same customer and items that was made in the last 20 days, as far as it is in the first pages.
 * @param now unix seconds
 * @throws CentavoError
 */
export async function identicalOpen(
  client: Client,
  {create, items}: StatementPlan,
  {now, signal}: {readonly now: number; readonly signal?: AbortSignal},
): Promise<Statement | undefined> {
  const wanted = contentOf(items);
  const isIdentical = (statement: Statement): boolean =>
    statement.status === 'open' &&
    statement.created_at >= now - RECENT &&
    customerOf(statement).id === create?.customer_id &&
    contentOf(itemsOf(statement)) === wanted;
  let pages = 0;
  for await (const {data} of client.billingStatements.list({limit: MAXIMUM_PAGE}, {signal}).pages()) {
    const found = (data as Statement[]).find(isIdentical);
    const oldest = data.at(-1)?.created_at;
    if (found || ++pages === MOST_PAGES || (oldest !== undefined && oldest < now - RECENT)) return found;
  }
  return undefined;
}

/** The items in any order, as one text. */
const contentOf = (items: readonly StatementItem[]): string =>
  items
    .map(({description, quantity, unit_price}) => JSON.stringify([description, quantity, unit_price]))
    .sort()
    .join('\n');
