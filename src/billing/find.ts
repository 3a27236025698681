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
  const listed = await client.customers.list({email, limit: 5}, options);
  // A service that does not heed the filter must not decide who is billed.
  const data = listed.data.filter((each) => String(each.email).toLowerCase() === email.toLowerCase());
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

/** What a statement of a run is known by. */
interface Search {
  readonly key: string;
  readonly customer: string;
  /** Unix seconds; statements from well before it are not looked at. */
  readonly since: number;
}

/** Ids of the statements that carry a run's key, oldest first. */
export async function statementsWithKey(
  client: Client,
  {key, customer, since}: Search,
  options: Options,
): Promise<string[]> {
  const found: string[] = [];
  for await (const listed of client.billingStatements.list({limit: 100}, options) as AsyncIterable<Statement>) {
    if (listed.created_at < since - CLOCK_DIFFERENCE) break;
    // A list may leave out metadata: those that could be the run's own are then read one by one.
    const unclear = !listed.metadata && listed.customer_id === customer && listed.status === 'draft';
    const {metadata} = unclear ? await client.billingStatements.get(listed.id, options) : listed;
    if ((metadata as Record<string, unknown> | null)?.[RUN_KEY] === key) found.unshift(listed.id);
  }
  return found;
}
