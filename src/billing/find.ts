// Finds customers and statements by what people know of them.

import type {Client} from '../client/client.js';
import {CentavoError} from '../errors.js';
import type {Statement} from './plan.js';

interface Options {
  readonly signal?: AbortSignal;
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

/** The metadata key by which a run finds the draft that it created when the answer was lost. */
export const RUN_KEY = 'centavo_key';
/** How far the clocks of this machine and of the service may differ, in seconds. */
const CLOCK_DIFFERENCE = 86_400;

/**
 * The statements that carry this run's key, oldest first.
 * @param since unix seconds; statements from well before it are not looked at
 */
export async function statementsWithKey(
  client: Client,
  key: string,
  since: number,
  options: Options,
): Promise<Statement[]> {
  const found: Statement[] = [];
  for await (const statement of client.billingStatements.list({limit: 100}, options) as AsyncIterable<Statement>) {
    if ((statement.metadata as Record<string, unknown> | null)?.[RUN_KEY] === key) found.unshift(statement);
    if (statement.created_at < since - CLOCK_DIFFERENCE) break;
  }
  return found;
}
