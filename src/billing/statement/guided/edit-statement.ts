// Edits the items and the due date of a draft, or of a statement's copy, in the guided flow.

import {statementCustomerOf, dueTimeOf} from '../../../api/statement.js';
import type {BillingStatementData} from '../plan.js';
import type {Context} from '../../../context/context.js';
import {usageError} from '../../../common/errors.js';
import type {WantedStatement} from '../cli/compose-statement.js';
import {askForStatement, type GuideStart} from './flow.js';

interface Given extends Partial<Omit<GuideStart, 'customer'>> {
  readonly customerId?: string;
}

/** @returns undefined if the user quits, and nothing changes */
export async function editStatement(
  context: Context,
  statement: BillingStatementData,
  {items, dueAt, customerId, replaces, edits}: Given,
): Promise<WantedStatement | undefined> {
  if (!context.io.canAsk)
    throw usageError('invalid_flag', '--edit needs a terminal.', {hint: 'Use --item and --due instead.'});
  const {plannedItems} = await context.billing();
  const {id, name, email} = statementCustomerOf(statement);
  const isWhole = customerId === undefined && id !== undefined && name !== undefined && email !== undefined;
  const client = await context.client();
  const customer = isWhole
    ? {id, name, email}
    : await client.customers.get(customerId ?? statement.customer_id, {signal: context.signal});
  const start = {
    customer: {id: customer.id, name: customer.name, email: customer.email},
    items: items ?? plannedItems(statement),
    dueAt: dueAt ?? dueTimeOf(statement),
    replaces,
    edits,
  };
  const wanted = await askForStatement(context, {start});
  if (!wanted) context.io.note('Nothing was changed.');
  return wanted;
}
