// The command that shows whether a change in doubt was made.

import type {RegisteredOperation} from '../api/registry.js';
import {shellQuote} from '../input/words.js';

/**
 * `centavo billing-statements get bstm_…`, or a list where a new object would stand first.
 * @param ids of the objects that it was to change
 * @param account the flags of the account that it is about
 */
export function checkCommand(
  {resource, operation, verb}: RegisteredOperation,
  ids: readonly string[],
  params: Readonly<Record<string, unknown>>,
  account: string,
): string {
  if (operation.returns.kind === 'nothing' && operation.reaches === undefined) return askBeforeRepeating('sent');
  const parent = params.billing_statement_id;
  if (resource.topic === 'billing-statement-line-items' && typeof parent === 'string')
    return `Check: centavo billing-statements get ${shellQuote(parent)}${account}`;
  if (ids.length > 0 && 'get' in resource.operations)
    return `Check: centavo ${resource.topic} get ${ids.map(shellQuote).join(' ')}${account}`;
  if (resource.topic === 'customers' && typeof params.email === 'string')
    return `Check: centavo customers list --email ${shellQuote(params.email)}${account}`;
  if ('list' in resource.operations) return `Check: centavo ${resource.topic} list --limit 5${account}`;
  if (typeof params.payment_id === 'string')
    return `Check: centavo payments get ${shellQuote(params.payment_id)}${account}`;
  return `The API has no list of ${resource.shape.title}s (${verb}): look in the dashboard before you try again.`;
}

/** The same of a request that the contract does not have: a look at the object, or at the list, that its path names. */
export const checkRequest = (path: string, account: string): string =>
  `Check: centavo api GET ${shellQuote(path.split('/').slice(0, 3).join('/'))}${account}`;

/** For what leaves nothing that can be read. @param what `sent` */
export const askBeforeRepeating = (what: string): string =>
  `No command can tell whether it was ${what}: ask the customer or look in the dashboard before you repeat it.`;
