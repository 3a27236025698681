// Finds a customer by what people know of it.

import type {Client} from '../client/client.js';
import {CentavoError} from '../errors.js';

/**
 * The one customer with this e-mail address.
 * @throws CentavoError kind `not_found` when there is none, `usage` when there are several
 */
export async function customerByEmail(
  client: Client,
  email: string,
  options: {readonly signal?: AbortSignal},
): Promise<{readonly id: string; readonly name: string}> {
  const listed = await client.customers.list({email, limit: 5}, options);
  // A service that ignores the filter must not decide who is billed.
  const data = listed.data.filter((each) => String(each.email).toLowerCase() === email.toLowerCase());
  if (data.length === 1) return data[0]!;
  if (data.length === 0) {
    throw new CentavoError('not_found', `no customer has the email address ${email}.`, {
      code: 'customer_not_found',
      applied: 'no',
    });
  }
  throw new CentavoError(
    'usage',
    `${data.length === 5 ? 'several' : data.length} customers have the email address ${email}.`,
    {
      code: 'customer_ambiguous',
      hint: `Choose one with --customer: ${data.map(({id, name}) => `${id} (${name})`).join(', ')}`,
      applied: 'no',
    },
  );
}
