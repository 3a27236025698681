// What a composite statement will do, as words for a question and as requests for a dry run.

import type {ApiRequest} from '../api/wire.js';
import type {StatementPlan} from '../billing/compose.js';
import type {Client} from '../client/client.js';
import {formatPesos} from '../output/format.js';
import {shown} from './guarding/words.js';

/** What is wanted, with what people want to see of it. */
export interface Wanted extends StatementPlan {
  readonly total: number | undefined;
  readonly customerName: string | undefined;
  /** A customer to create first. */
  readonly newCustomer?: {readonly name: string; readonly email: string};
  /** Whose customer is still to be looked up, when that is only shown. */
  readonly customerEmail?: string;
}

/**
 * `create, finalize and send a billing statement of ₱31,000.00 for Juan Dela Cruz`.
 * @param comes what it comes to, where that is more or less than the items that are wanted
 */
export function describeSteps(
  {id, create, customerName, finalize, send, total}: Wanted,
  comes = total === undefined ? undefined : formatPesos(total),
): string {
  const verbs = [id ? 'complete' : 'create', ...(finalize ? ['finalize'] : []), ...(send ? ['send'] : [])];
  const joined = verbs.length > 1 ? `${verbs.slice(0, -1).join(', ')} and ${verbs.at(-1)}` : verbs[0]!;
  const what = id ? `billing statement ${id}` : 'a billing statement';
  const amount = comes === undefined ? '' : ` of ${comes}`;
  const customer = customerName || create?.customer_id;
  return `${joined} ${what}${amount}${customer ? ` for ${shown(customer)}` : ''}`;
}

/** Stands where the id of an object not made yet will be. */
const FUTURE_STATEMENT = 'bstm_…';
export const FUTURE_CUSTOMER = 'cus_…';

/** The requests of all steps, in order. */
export function planRequests(
  client: Client,
  {id, create, newCustomer, customerEmail, items, dueAt, finalize, send}: Wanted,
): ApiRequest[] {
  const statement = id ?? FUTURE_STATEMENT;
  const path = `/billing_statements/${statement}`;
  return [
    ...(customerEmail === undefined ? [] : [client.rawRequest('GET', '/customers', {email: customerEmail, limit: 5})]),
    ...(newCustomer ? [client.rawRequest('POST', '/customers', {...newCustomer, currency: 'PHP'})] : []),
    ...(id
      ? [client.rawRequest('GET', path)]
      : [
          client.rawRequest(
            'POST',
            '/billing_statements',
            newCustomer ? {...create, customer_id: FUTURE_CUSTOMER} : create,
          ),
        ]),
    ...items.map((item) =>
      client.rawRequest('POST', '/billing_statement_line_items', {...item, billing_statement_id: statement}),
    ),
    ...(dueAt === undefined ? [] : [client.rawRequest('PUT', path, {due_at: dueAt})]),
    ...(finalize ? [client.rawRequest('POST', `${path}/finalize`)] : []),
    ...(send ? [client.rawRequest('POST', `${path}/send`)] : []),
  ];
}
