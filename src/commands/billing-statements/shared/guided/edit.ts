// Lets a person at a terminal change the items and the due date of a draft, or what a new statement takes over from another one.

import {customerOf, dueOf} from '../../../../api/statement.js';
import type {Statement} from '../../../../billing/compose/plan.js';
import type {Context} from '../../../../context.js';
import {usageError} from '../../../../ground/errors.js';
import type {WantedStatement} from '../compose/run.js';
import {guideStatement, type GuideStart} from './guide.js';

/** What was given on the command line already. */
interface Given extends Partial<Omit<GuideStart, 'customer'>> {
  readonly customerId?: string;
}

export async function editStatement(
  context: Context,
  statement: Statement,
  {items, dueAt, customerId, replaces, edits}: Given,
): Promise<WantedStatement> {
  if (!context.io.canAsk)
    throw usageError('invalid_flag', '--edit needs a terminal.', {hint: 'Use --item and --due instead.'});
  const {plannedItems} = await context.billing();
  const {id, name, email} = customerOf(statement);
  const isWhole = customerId === undefined && id !== undefined && name !== undefined && email !== undefined;
  const client = await context.client();
  const customer = isWhole
    ? {id, name, email}
    : await client.customers.get(customerId ?? statement.customer_id, {signal: context.signal});
  const start = {
    customer: {id: customer.id, name: customer.name, email: customer.email},
    items: items ?? plannedItems(statement),
    dueAt: dueAt ?? dueOf(statement),
    replaces,
    edits,
  };
  return guideStatement(context, {start});
}
