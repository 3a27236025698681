// Lets a person at a terminal change the items and the due date of a draft, or what a new statement takes over from another one.

import {customerOf, dueOf} from '../../../../api/statement.js';
import type {Statement, StatementItem} from '../../../../billing/compose/plan.js';
import type {Context} from '../../../../context.js';
import {usageError} from '../../../../ground/errors.js';
import type {WantedStatement} from '../compose/run.js';
import {plannedItem, typedItem} from '../items.js';
import {guideStatement} from './guide.js';

/** What was given on the command line already. */
interface Given {
  readonly items?: readonly StatementItem[];
  /** Unix seconds. */
  readonly dueAt?: number;
  readonly customerId?: string;
  /** The open statement that the new one replaces, as people know it. */
  readonly replaces?: string;
  /** For a draft that is itself edited. */
  readonly edits?: {
    readonly name: string;
    /** What saving it would change. */
    readonly linesOf: (wanted: Pick<WantedStatement, 'dueAt' | 'items'>) => readonly string[];
  };
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
  return guideStatement(context, {
    customer: {id: customer.id, name: customer.name, email: customer.email},
    items: (items ?? plannedItems(statement)).map(typedItem),
    dueAt: dueAt ?? dueOf(statement),
    replaces,
    ...(edits && {
      edits: {
        name: edits.name,
        linesOf: (typed, due) => edits.linesOf({items: typed.map(plannedItem), dueAt: due}),
      },
    }),
  });
}
