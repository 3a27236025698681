// Reads all statements of an account, and adds up the amounts that customers owe.

import {knownFrom, standingOf, type MoneyHistory} from '../../accounting/standing.js';
import {statementCustomerOf} from '../../api/statement.js';
import type {Client} from '../../client/client.js';
import {findCustomerById, customerPages, statementPages, type AccountReadOptions} from '../account/account-reader.js';
import {Aging} from './aging.js';

export interface ReceivablesOptions extends AccountReadOptions {
  /** Unix seconds. */
  readonly now: number;
  readonly customerId?: string;
  readonly history: MoneyHistory;
}

/** Maximum customers read by id. To name more, the customer list is read. */
const MAX_SINGLE_READS = 20;

/** Adds up the debts of an account, or of one customer. */
export async function readReceivables(client: Client, options: ReceivablesOptions): Promise<Aging> {
  const {now, customerId, history} = options;
  const aging = new Aging();
  for await (const {data} of statementPages(client, options))
    for (const statement of data) {
      if (customerId !== undefined && statementCustomerOf(statement).id !== customerId) continue;
      aging.add(statement, standingOf(statement, knownFrom(history, statement), now));
    }
  return aging;
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
