// Two customers with one email address cannot be told apart by it, so a person is asked before there are two.

import type {Context} from '../../context.js';
import type {Change} from '../../guard/change.js';
import {shown} from '../../guard/describe.js';
import {asking} from '../billing-statements/compose/identical.js';

/**
 * The change, with a question that says who has the address, if anyone but the customer who is changed has it.
 * @param email that the customer is to get
 * @param id of the customer who is changed; undefined for a new one
 * @throws CentavoError of the look-up
 */
export async function askingIfShared(
  context: Context,
  change: Change,
  email: string,
  id: string | undefined,
): Promise<Change> {
  const {customersWithEmail} = await context.billing();
  const found = await customersWithEmail(await context.client(), email, {signal: context.signal});
  const [first, ...others] = found.filter((each) => each.id !== id);
  if (!first) return change;
  const count = others.length;
  const who =
    count === 0 ? `${shown(first.name)} has` : `${shown(first.name)} and ${count} other${count > 1 ? 's' : ''} have`;
  return asking(change, `, although ${who} the email address ${email} already`);
}
