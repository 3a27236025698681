// An account in a sandbox: requests to it, and objects that most tests need.

import type {HttpMethod} from '../../../src/api/wire.js';
import type {Sandbox} from '../../../src/sandbox/sandbox.js';

export const DAY = 86_400;

export type Wire = Record<string, any>;

export class Account<S extends Sandbox = Sandbox> {
  readonly sandbox: S;

  constructor(sandbox: S) {
    this.sandbox = sandbox;
  }

  /** @param body text for a form */
  readonly answer = async (
    method: HttpMethod,
    target: string,
    body?: object | string,
    key = this.sandbox.keys.secret,
  ): Promise<{readonly status: number; readonly body: Wire}> => {
    const [path = '', query = ''] = target.split('?');
    const isForm = typeof body === 'string';
    const authorization = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
    const response = await this.sandbox.handle({
      ...{method, path, query},
      headers: {authorization, 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json'},
      body: body === undefined ? undefined : Buffer.from(isForm ? body : JSON.stringify(body)),
    });
    const text = Buffer.from(response.body).toString();
    return {status: response.status, body: text ? (JSON.parse(text) as Wire) : {}};
  };

  /** The body of a request that must succeed. */
  readonly ok = async (method: HttpMethod, target: string, sent?: object | string): Promise<Wire> => {
    const {status, body} = await this.answer(method, target, sent);
    if (status >= 300) throw new Error(`${method} ${target}: ${status} ${JSON.stringify(body)}`);
    return body;
  };

  readonly customer = (fields: object = {}): Promise<Wire> =>
    this.ok('POST', '/customers', {name: 'Juan Dela Cruz', email: 'juan@example.com', currency: 'PHP', ...fields});

  /** With one item, of ₱1,500.00 by default, and a due time ten days from now. */
  readonly draft = async (fields: object = {}, centavos = 150_000): Promise<Wire> => {
    const customer_id = (fields as Wire).customer_id ?? (await this.customer()).id;
    const {id} = await this.ok('POST', '/billing_statements', {currency: 'PHP', ...fields, customer_id});
    const item = {description: 'Web design', unit_price: centavos, quantity: 1};
    await this.ok('POST', '/billing_statement_line_items', {billing_statement_id: id, ...item});
    return this.ok('PUT', `/billing_statements/${id}`, {due_at: this.sandbox.now() + 10 * DAY});
  };

  readonly open = async (fields?: object, centavos?: number): Promise<Wire> =>
    this.ok('POST', `/billing_statements/${(await this.draft(fields, centavos)).id}/finalize`);

  readonly session = (fields: object = {}): Promise<Wire> =>
    this.ok('POST', '/checkout_sessions', {
      currency: 'PHP',
      line_items: [{name: 'T-shirt', amount: 45_000, quantity: 2}],
      success_url: 'https://shop.example/thanks',
      cancel_url: 'https://shop.example/cart',
      ...fields,
    });

  readonly intent = (fields: object = {}): Promise<Wire> =>
    this.ok('POST', '/payment_intents', {amount: 125_050, currency: 'PHP', ...fields});
}
