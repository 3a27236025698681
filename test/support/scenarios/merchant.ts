// A merchant in a sandbox file, made in the test's own process: objects in whatever state a command needs to work on.

import {join} from 'node:path';
import type {HttpMethod} from '../../../src/api/wire.js';
import {createEmbeddedSandbox, type EmbeddedSandbox} from '../../../src/sandbox/embedded.js';

type Wire = Record<string, any>;

const DAY = 86_400;

export class Merchant {
  readonly sandbox: EmbeddedSandbox;

  /**
   * @param dataDirectory where `centavo` is told to keep its data
   * @param now unix seconds; the real time if left out
   * @param random where ids and links come from; real chance if left out
   */
  constructor(dataDirectory: string, now?: () => number, random?: (size: number) => Uint8Array) {
    this.sandbox = createEmbeddedSandbox({path: join(dataDirectory, 'sandbox.db'), now, random});
  }

  async call(method: HttpMethod, target: string, body?: object): Promise<Wire> {
    const [path = '', query = ''] = target.split('?');
    const authorization = `Basic ${Buffer.from(`${this.sandbox.keys.secret}:`).toString('base64')}`;
    const response = await this.sandbox.handle({
      method,
      path,
      query,
      headers: {authorization, 'content-type': 'application/json'},
      body: body && Buffer.from(JSON.stringify(body)),
    });
    const text = Buffer.from(response.body).toString('utf8');
    if (response.status >= 300) throw new Error(`${method} ${target}: ${response.status} ${text}`);
    return text ? (JSON.parse(text) as Wire) : {};
  }

  customer(fields: object = {}): Promise<Wire> {
    return this.call('POST', '/customers', {
      name: 'Juan Dela Cruz',
      email: 'juan@example.com',
      currency: 'PHP',
      ...fields,
    });
  }

  /** With one item of ₱1,500.00 and a due time ten days from now. */
  async draft(fields: Wire = {}): Promise<Wire> {
    const customer = (fields.customer_id as string | undefined) ?? ((await this.customer()).id as string);
    const {id} = await this.call('POST', '/billing_statements', {currency: 'PHP', ...fields, customer_id: customer});
    await this.call('POST', '/billing_statement_line_items', {
      billing_statement_id: id,
      description: 'Web design',
      unit_price: 150_000,
      quantity: 1,
    });
    return this.call('PUT', `/billing_statements/${id}`, {due_at: this.sandbox.now() + 10 * DAY});
  }

  async open(fields: Wire = {}): Promise<Wire> {
    const {id} = await this.draft(fields);
    return this.call('POST', `/billing_statements/${id}/finalize`);
  }

  async lineItem(): Promise<Wire> {
    return ((await this.draft()).line_items as Wire[])[0]!;
  }

  intent(fields: object = {}): Promise<Wire> {
    return this.call('POST', '/payment_intents', {amount: 125_050, currency: 'PHP', ...fields});
  }

  /** An intent whose ₱1,250.50 are held on a card. */
  async held(): Promise<Wire> {
    const intent = await this.intent({
      payment_methods: ['card'],
      payment_method_options: {card: {capture_type: 'manual'}},
    });
    return this.sandbox.pay(intent.id as string, {}).payment_intent;
  }

  async payment(): Promise<Wire> {
    return this.sandbox.pay((await this.intent()).id as string, {}).payment!;
  }

  async refund(): Promise<Wire> {
    return this.call('POST', '/refunds', {
      payment_id: (await this.payment()).id,
      amount: 10_000,
      currency: 'PHP',
      reason: 'others',
    });
  }

  session(): Promise<Wire> {
    return this.call('POST', '/checkout_sessions', {
      currency: 'PHP',
      line_items: [{name: 'T-shirt', amount: 45_000, quantity: 2}],
      success_url: 'https://shop.example/thanks',
      cancel_url: 'https://shop.example/cart',
    });
  }

  webhook(): Promise<Wire> {
    return this.call('POST', '/webhooks', {url: 'https://shop.example/hooks', events: ['payment_intent.succeeded']});
  }

  async customerSession(): Promise<Wire> {
    return this.call('POST', '/customer_sessions', {customer_id: (await this.customer()).id});
  }

  async setupIntent(): Promise<Wire> {
    return this.call('POST', '/setup_intents', {customer_id: (await this.customer()).id});
  }

  /** A customer who has paid a statement with a card that was saved for later. */
  async saved(): Promise<{customer: string; method: string}> {
    const {id} = await this.customer();
    const statement = await this.open({customer_id: id, setup_future_usage: 'off_session'});
    this.sandbox.pay(statement.id as string, {});
    const {data} = await this.call('GET', `/customers/${id}/payment_methods`);
    return {customer: id as string, method: (data as Wire[])[0]!.id as string};
  }

  /** The id of a payout with transactions; only the seed creates payouts. */
  async payout(): Promise<string> {
    const {data} = this.sandbox.perform((work) => work.store.list('payout', {limit: 1}));
    if (data[0]) return data[0].id;
    await this.sandbox.seed();
    return this.payout();
  }

  close(): void {
    this.sandbox.close();
  }
}

/** The number of webhooks in this folder's sandbox. */
export async function webhooksLeft(directory: string): Promise<number> {
  const merchant = new Merchant(directory);
  const {data} = await merchant.call('GET', '/webhooks');
  merchant.close();
  return (data as unknown[]).length;
}
