// A sandbox whose clock only tests move, and the calls that most tests make.

import {createSandbox, type Sandbox, type SandboxOptions} from '../../../src/sandbox/sandbox.js';
import {payStatement, type PayOptions} from '../../../src/sandbox/payments/pay-statement.js';
import {serialize} from '../../../src/sandbox/serialize.js';
import type {HttpMethod} from '../../../src/api/wire.js';

export const START = 1_800_000_000;
export const DAY = 86_400;

export type Wire = Record<string, any>;

export interface Answer {
  readonly status: number;
  readonly body: Wire;
}

export interface World {
  readonly sandbox: Sandbox;
  readonly call: (method: HttpMethod, target: string, body?: object | string, key?: string) => Promise<Answer>;
  /** The body of a request that must succeed. */
  readonly ok: (method: HttpMethod, target: string, body?: object | string) => Promise<Wire>;
  readonly advance: (seconds: number) => void;
  readonly pay: (id: string, options?: PayOptions) => ReturnType<typeof payStatement>;
  /** Events as they would be delivered, oldest first. */
  readonly events: () => Wire[];
  readonly types: () => string[];
  readonly customer: (fields?: object) => Promise<Wire>;
  /** A draft with one item and a due time. */
  readonly draft: (fields?: object, centavos?: number) => Promise<Wire>;
  readonly open: (fields?: object, centavos?: number) => Promise<Wire>;
  readonly session: (fields?: object) => Promise<Wire>;
  readonly intent: (fields?: object) => Promise<Wire>;
}

export function world(options: SandboxOptions = {}): World {
  const sandbox = createSandbox({now: () => START, ...options});

  const call: World['call'] = async (method, target, body, key = sandbox.keys.secret) => {
    const [path = '', query = ''] = target.split('?');
    const form = typeof body === 'string';
    const response = await sandbox.handle({
      method,
      path,
      query,
      headers: {
        authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
        'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
      },
      body: body === undefined ? undefined : Buffer.from(form ? body : JSON.stringify(body)),
    });
    const text = Buffer.from(response.body).toString();
    return {status: response.status, body: text ? (JSON.parse(text) as Wire) : {}};
  };

  const ok: World['ok'] = async (method, target, body) => {
    const answer = await call(method, target, body);
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  const customer = (fields = {}) =>
    ok('POST', '/customers', {name: 'Juan Dela Cruz', email: 'juan@example.com', currency: 'PHP', ...fields});

  const draft: World['draft'] = async (fields = {}, centavos = 150_000) => {
    const customerId = (fields as Wire).customer_id ?? (await customer()).id;
    const {id} = await ok('POST', '/billing_statements', {currency: 'PHP', ...fields, customer_id: customerId});
    await ok('POST', '/billing_statement_line_items', {
      billing_statement_id: id,
      description: 'Web design',
      unit_price: centavos,
      quantity: 1,
    });
    return ok('PUT', `/billing_statements/${id}`, {due_at: sandbox.now() + 10 * DAY});
  };

  return {
    sandbox,
    call,
    ok,
    advance: (seconds) => void sandbox.advanceClock(seconds),
    pay: (id, payOptions) => sandbox.perform((work) => payStatement(work, id, payOptions)),
    events: () =>
      sandbox
        .perform((work) => work.store.list('event', {limit: 10_000}).data.map((record) => serialize(record, work)))
        .reverse(),
    types() {
      return this.events().map(({type}) => type as string);
    },
    customer,
    draft,
    open: async (fields, centavos) => ok('POST', `/billing_statements/${(await draft(fields, centavos)).id}/finalize`),
    session: (fields = {}) =>
      ok('POST', '/checkout_sessions', {
        currency: 'PHP',
        line_items: [{name: 'T-shirt', amount: 45_000, quantity: 2}],
        success_url: 'https://shop.example/thanks',
        cancel_url: 'https://shop.example/cart',
        ...fields,
      }),
    intent: (fields = {}) => ok('POST', '/payment_intents', {amount: 125_050, currency: 'PHP', ...fields}),
  };
}
