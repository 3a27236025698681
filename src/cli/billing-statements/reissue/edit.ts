// Lets a person at a terminal change the items and the due date of a draft, or what a new statement takes over from another one.

import {customerOf, dueOf} from '../../../api/statement.js';
import type {Statement, StatementItem} from '../../../billing/compose/plan.js';
import type {Context} from '../../../context.js';
import {usageError} from '../../../errors.js';
import {guideStatement} from '../guided.js';
import {itemsOfPlan} from '../guided/opening.js';
import type {WantedStatement} from '../compose/run.js';

/** What was given on the command line already. */
interface Given {
  readonly items?: readonly StatementItem[];
  /** Unix seconds. */
  readonly dueAt?: number;
  /** Of another customer. */
  readonly customerId?: string;
  /** The open statement that the new one replaces, as people know it. */
  readonly replaces?: string;
  /** The statement is a draft that is edited itself. */
  readonly edits?: {
    readonly name: string;
    /** What saving it would change; nothing where it changes nothing. */
    readonly linesOf: (wanted: Pick<WantedStatement, 'dueAt' | 'items'>) => readonly string[];
  };
}

/** @throws CentavoError kind `usage` without a terminal, `refused` when it is called off */
export async function editStatement(
  context: Context,
  statement: Statement,
  {items, dueAt, customerId, replaces, edits}: Given,
): Promise<WantedStatement> {
  if (!context.io.canAsk)
    throw usageError('--edit needs a terminal.', {
      code: 'invalid_flag',
      hint: 'Use --item and --due instead.',
    });
  const {plannedItems} = await context.billing();
  const {id, name, email} = customerOf(statement);
  const isWhole = customerId === undefined && id !== undefined && name !== undefined && email !== undefined;
  const client = await context.client();
  const customer = isWhole
    ? {id, name, email}
    : await client.customers.get(customerId ?? statement.customer_id, {signal: context.signal});
  return guideStatement(context, {
    customer: {id: customer.id, name: customer.name, email: customer.email},
    items: (items ?? plannedItems(statement)).map(({description: text, quantity, unit_price: unitPrice}) => ({
      text,
      quantity,
      unitPrice,
    })),
    dueAt: dueAt ?? dueOf(statement),
    replaces,
    ...(edits && {
      edits: {
        name: edits.name,
        linesOf: (typed, due) => edits.linesOf({items: itemsOfPlan(typed), dueAt: due}),
      },
    }),
  });
}
