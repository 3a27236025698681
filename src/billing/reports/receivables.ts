// Reads all statements of an account, and adds up the amounts that customers owe.

import {
  knownFrom,
  standingOf,
  type LocalSettlement,
  type MoneyHistory,
  type MoneyState,
} from '../../accounting/standing.js';
import {settledAt} from '../../accounting/words.js';
import {statementCustomerOf, statementNumberOf, type StatementCustomer} from '../../api/statement.js';
import type {Client} from '../../client/client.js';
import {findCustomerById, customerPages, statementPages, type AccountReadOptions} from '../account/account-reader.js';
import {Aging} from './aging.js';

export interface ReceivablesOptions extends AccountReadOptions {
  /** Unix seconds. */
  readonly now: number;
  readonly customerId?: string;
  readonly history: MoneyHistory;
}

export interface SettledStatement extends Pick<LocalSettlement, 'amount' | 'reason'> {
  /** Unix seconds of the payment, or else of its record. */
  readonly at: number;
  readonly id: string;
  readonly number: string | null;
  readonly customer: StatementCustomer;
  /** Uncollectible if the rest was given up. */
  readonly state: MoneyState;
}

/** Maximum customers read by id. To name more, the customer list is read. */
const MAX_SINGLE_READS = 20;

/** Returns the debts, and the settled statements with the latest settlement first. */
export async function readReceivables(client: Client, options: ReceivablesOptions) {
  const {now, customerId, history} = options;
  const aging = new Aging();
  const settled: SettledStatement[] = [];
  for await (const {data} of statementPages(client, options))
    for (const statement of data) {
      const customer = statementCustomerOf(statement);
      if (customerId !== undefined && customer.id !== customerId) continue;
      const standing = standingOf(statement, knownFrom(history, statement), now);
      aging.add(statement, standing);
      const {id, settlement, state} = standing;
      if (!settlement) continue;
      const {reason, amount} = settlement;
      const number = statementNumberOf(statement) ?? null;
      settled.push({id, number, customer, state, at: settledAt(standing) ?? settlement.at, reason, amount});
    }
  return {aging, settled: settled.sort((a, b) => b.at - a.at)};
}

/** Reads missing names: a list of statements may contain only the ids of customers. */
export async function nameCustomers(client: Client, aging: Aging, options: AccountReadOptions): Promise<void> {
  const missing = new Set(aging.unnamed);
  if (missing.size === 0) return;
  if (missing.size <= MAX_SINGLE_READS) {
    for (const id of missing)
      aging.setName(statementCustomerOf({customer: await findCustomerById(client, id, options)}));
    return;
  }
  for await (const {data} of customerPages(client, options)) {
    for (const customer of data) {
      aging.setName(statementCustomerOf({customer}));
      missing.delete(customer.id);
    }
    if (missing.size === 0) return;
  }
}
