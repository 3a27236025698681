// The command that shows whether a change in doubt was made.

import type {RegisteredOperation} from '../api/registry.js';
import {shellQuote} from './shell.js';

/** `centavo billing-statements get bstm_…`, or a list where a new object would stand first. */
export function checkCommand(
  {resource, verb}: RegisteredOperation,
  ids: readonly string[],
  params: Readonly<Record<string, unknown>>,
): string {
  const parent = params.billing_statement_id;
  if (typeof parent === 'string') return `Check: centavo billing-statements get ${parent}`;
  if (ids[0] && 'get' in resource.operations) return `Check: centavo ${resource.topic} get ${ids[0]}`;
  if (resource.topic === 'customers' && typeof params.email === 'string')
    return `Check: centavo customers list --email ${shellQuote(params.email)}`;
  if ('list' in resource.operations) return `Check: centavo ${resource.topic} list --limit 5`;
  if (typeof params.payment_id === 'string') return `Check: centavo payments get ${params.payment_id}`;
  return `The API has no list of ${resource.shape.title}s (${verb}): look in the dashboard before you try again.`;
}
