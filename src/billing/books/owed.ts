// Reads all statements of an account, and adds up who owes what.

import {MAXIMUM_PAGE} from '../../api/fields.js';
import {customerOf, hasEnded, numberOf, type StatementCustomer, type StatementLike} from '../../api/statement.js';
import type {Client} from '../../client/client.js';
import {CentavoError} from '../../ground/errors.js';
import {Aging} from './aging.js';
import type {Settlement} from './settlements.js';

export interface OwedOptions {
  /** Unix seconds. */
  readonly now: number;
  readonly customerId?: string;
  /** Settlements by the id of the statement; those that the service has ended are collected. */
  readonly settlements?: ReadonlyMap<string, Settlement>;
  readonly signal?: AbortSignal;
  /** Told after each page how many objects were read. */
  readonly onPage?: (what: 'customers' | 'statements', count: number) => void;
}

export interface SettledStatement extends Omit<Settlement, 'isCertain'> {
  readonly id: string;
  readonly number: string | null;
  readonly customer: StatementCustomer;
  readonly status: string;
}

export interface OwedNow {
  readonly aging: Aging;
  /** Last settled first. */
  readonly settled: readonly SettledStatement[];
}

/** More customers than this are named by walking their list. */
const FEW = 20;

export async function readOwed(client: Client, options: OwedOptions): Promise<OwedNow> {
  const {now, customerId, settlements, signal, onPage} = options;
  const aging = new Aging(now);
  const settled: SettledStatement[] = [];
  let count = 0;
  for await (const {data} of client.billingStatements.list({limit: MAXIMUM_PAGE}, {signal}).pages()) {
    for (const statement of data as readonly (StatementLike & {readonly id: string})[]) {
      const customer = customerOf(statement);
      if (customerId !== undefined && customer.id !== customerId) continue;
      aging.add(statement);
      const settlement = settlements?.get(statement.id);
      if (settlement && hasEnded(statement)) settled.push(settledOf(statement, settlement));
    }
    onPage?.('statements', (count += data.length));
  }
  await nameCustomers(client, aging, options);
  return {aging, settled: settled.sort((a, b) => b.at - a.at)};
}

const settledOf = (
  statement: StatementLike & {readonly id: string},
  {at, reason, amount}: Settlement,
): SettledStatement => ({
  id: statement.id,
  number: numberOf(statement) ?? null,
  customer: customerOf(statement),
  status: String(statement.status),
  at,
  reason,
  amount,
});

/** A list may say only the id of a customer. */
async function nameCustomers(client: Client, aging: Aging, {signal, onPage}: OwedOptions): Promise<void> {
  const missing = new Set(aging.unnamed);
  if (missing.size === 0) return;
  if (missing.size <= FEW) {
    for (const id of missing) {
      const customer = await client.customers.get(id, {signal}).catch((error: unknown) => {
        // A customer may have been deleted; the amount is owed all the same.
        if (!(error instanceof CentavoError) || error.kind !== 'not_found') throw error;
      });
      if (customer) aging.name(customerOf({customer}));
    }
    return;
  }
  let count = 0;
  for await (const {data} of client.customers.list({limit: MAXIMUM_PAGE}, {signal}).pages()) {
    for (const customer of data) {
      aging.name(customerOf({customer}));
      missing.delete(customer.id);
    }
    if (missing.size === 0) return;
    onPage?.('customers', (count += data.length));
  }
}
