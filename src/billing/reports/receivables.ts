// Reads all statements of an account, and adds up the amounts that customers owe.

import {
  statementCustomerOf,
  hasEnded,
  statementNumberOf,
  settlementOf,
  type StatementCustomer,
} from '../../api/statement.js';
import type {LocalSettlement} from '../../accounting/standing.js';
import type {Client} from '../../client/client.js';
import {findCustomerById, customerPages, statementPages, type AccountReadOptions} from '../account/account-reader.js';
import {Aging} from './aging.js';

export interface ReceivablesOptions extends AccountReadOptions {
  /** Unix seconds. */
  readonly now: number;
  readonly customerId?: string;
  /** Settlements by statement id. Only settled statements that are void or uncollectible are returned. */
  readonly settlements?: ReadonlyMap<string, LocalSettlement>;
}

export interface SettledStatement extends Pick<LocalSettlement, 'amount' | 'at' | 'reason'> {
  readonly id: string;
  readonly number: string | null;
  readonly customer: StatementCustomer;
  readonly status: string;
}

/** Maximum customers read by id. To name more, the customer list is read. */
const MAX_SINGLE_READS = 20;

/** Returns the debts, and the settled statements with the latest settlement first. */
export async function readReceivables(client: Client, options: ReceivablesOptions) {
  const {now, customerId, settlements} = options;
  const aging = new Aging(now);
  const settled: SettledStatement[] = [];
  for await (const {data} of statementPages(client, options))
    for (const statement of data) {
      const customer = statementCustomerOf(statement);
      if (customerId !== undefined && customer.id !== customerId) continue;
      aging.add(statement);
      const settlement = settlements && settlementOf(settlements, statement);
      const {id, status} = statement;
      if (!settlement || !hasEnded(statement)) continue;
      const {at, reason, amount} = settlement;
      settled.push({
        at,
        reason,
        amount,
        id,
        number: statementNumberOf(statement) ?? null,
        customer,
        status: String(status),
      });
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
