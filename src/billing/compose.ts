// BILLING: what merchants do with statements, made of the API's calls. This file: one statement, from nothing to sent.
// The service takes four calls and more for that, in one order; each step can be taken again without doing it twice.

import type {Client} from '../client/client.js';
import {CentavoError} from '../errors.js';

export interface StatementItem {
  readonly description: string;
  readonly quantity: number;
  /** Centavos. */
  readonly unit_price: number;
}

/** What is wanted of a statement. */
export interface StatementPlan {
  /** A draft to go on with instead of making one. */
  readonly id?: string;
  /** Parameters of the create call; not needed with `id`. */
  readonly create?: {readonly customer_id: string; readonly currency: string; readonly [parameter: string]: unknown};
  readonly items: readonly StatementItem[];
  /** Unix seconds. */
  readonly dueAt?: number;
  readonly finalize: boolean;
  readonly send: boolean;
}

export type Statement = Awaited<ReturnType<Client['billingStatements']['get']>>;

/** A step that was taken, for whoever wants to show it. */
export type Step = 'draft' | 'due' | 'finalized' | 'item' | 'sent';

/** A step failed after something was made: `statementId` is what to go on with. */
export interface Interrupted {
  readonly error: CentavoError;
  readonly statementId: string | undefined;
  readonly failedAt: Step;
}

export interface Composed {
  readonly statement: Statement;
  readonly interrupted?: undefined;
}

interface Options {
  readonly signal?: AbortSignal;
}

/**
 * Takes the steps that are still missing, in the order that the service needs: draft, items, due time, finalize, send.
 * @returns the statement, or what stopped it
 */
export async function composeStatement(
  client: Client,
  plan: StatementPlan,
  onStep: (step: Step, id: string) => void,
  options: Options,
): Promise<Composed | {interrupted: Interrupted}> {
  let step: Step = 'draft';
  let id = plan.id;
  const took = (taken: Step) => onStep(taken, id!);
  try {
    let statement: Statement;
    if (id === undefined) {
      statement = (await client.billingStatements.create(plan.create!, options)) as Statement;
      id = statement.id;
      took('draft');
    } else statement = await client.billingStatements.get(id, options);

    if (statement.status === 'draft') {
      step = 'item';
      for (const item of missingItems(statement, plan.items)) {
        await client.billingStatementLineItems.create({...item, billing_statement_id: id}, options);
        took('item');
      }
      step = 'due';
      if (plan.dueAt !== undefined && statement.due_at !== plan.dueAt) {
        // The service drops the due time of a create, and asks for the payment settings on each update.
        const settings = statement.payment_settings as {payment_methods: string[]} | null;
        await client.billingStatements.update(
          id,
          {due_at: plan.dueAt, ...(settings && {payment_settings: settings})},
          options,
        );
        took('due');
      }
      step = 'finalized';
      if (plan.finalize) {
        await client.billingStatements.finalize(id, options);
        took('finalized');
      }
    }
    step = 'sent';
    if (plan.send) {
      await client.billingStatements.send(id, options);
      took('sent');
    }
    return {statement: await client.billingStatements.get(id, options)};
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    return {interrupted: {error, statementId: id, failedAt: step}};
  }
}

/** Those items that the statement does not have yet, each counted as often as it is wanted. */
export function missingItems(statement: Statement, wanted: readonly StatementItem[]): StatementItem[] {
  const keyOf = ({description, quantity, unit_price}: StatementItem) =>
    JSON.stringify([description, quantity, unit_price]);
  const present = ((statement.line_items ?? []) as StatementItem[]).map(keyOf);
  return wanted.filter((item) => {
    const at = present.indexOf(keyOf(item));
    if (at < 0) return true;
    present.splice(at, 1);
    return false;
  });
}

/**
 * The one customer with this e-mail address.
 * @throws CentavoError kind `not_found` when there is none, `usage` when there are several
 */
export async function customerByEmail(
  client: Client,
  email: string,
  options: Options,
): Promise<{readonly id: string; readonly name: string}> {
  const {data} = await client.customers.list({email, limit: 5}, options);
  if (data.length === 1) return data[0]!;
  if (data.length === 0) {
    throw new CentavoError('not_found', `no customer has the e-mail address ${email}.`, {
      code: 'customer_not_found',
      applied: 'no',
    });
  }
  throw new CentavoError(
    'usage',
    `${data.length === 5 ? 'several' : data.length} customers have the e-mail address ${email}.`,
    {
      code: 'customer_ambiguous',
      hint: `Say which with --customer: ${data.map(({id, name}) => `${id} (${name})`).join(', ')}`,
      applied: 'no',
    },
  );
}
