// Finds a recent open statement that already bills a customer for the same items.

import {statementCustomerOf} from '../../api/statement.js';
import type {Client} from '../../client/client.js';
import {DAY} from '../../common/manila.js';
import {statementPages} from '../account/account-reader.js';
import {differenceOf, itemsOf, type BillingStatementData, type StatementPlan} from './plan.js';

/** Seconds. An older statement with the same items is last month's: repeating it is intended. */
const RECENT = 20 * DAY;
const MOST_PAGES = 3;

/** Returns the newest recent open statement for the same customer and items. Reads at most 3 pages. @param options `now` in unix seconds */
export async function findIdenticalOpen(
  client: Client,
  {create, items}: StatementPlan,
  {now, signal}: {readonly now: number; readonly signal?: AbortSignal},
): Promise<BillingStatementData | undefined> {
  const isSameContent = (statement: BillingStatementData): boolean => {
    const {missing, surplus, foreign} = differenceOf(items, itemsOf(statement));
    return missing.length + surplus.length + foreign.length === 0;
  };
  const isIdentical = (statement: BillingStatementData): boolean =>
    statement.status === 'open' &&
    statement.created_at >= now - RECENT &&
    statementCustomerOf(statement).id === create?.customer_id &&
    isSameContent(statement);
  let pages = 0;
  for await (const {data} of statementPages(client, {signal})) {
    const found = data.find(isIdentical);
    const oldest = data.at(-1)?.created_at;
    if (found || ++pages === MOST_PAGES || (oldest !== undefined && oldest < now - RECENT)) return found;
  }
  return undefined;
}
