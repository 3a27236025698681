// A merchant in a sandbox file, made in the test's own process: objects in whatever state a command needs to work on.

import {join} from 'node:path';
import {createEmbeddedSandbox, type EmbeddedSandbox} from '../../../src/sandbox/embedded.js';
import {Account, type Wire} from '../sandbox/account.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

export class Merchant extends Account<EmbeddedSandbox> {
  /**
   * @param dataDirectory where `centavo` is told to keep its data; `:memory:` for an account that only a service serves
   * @param now unix seconds; the real time if left out
   * @param random where ids and links come from; real chance if left out
   */
  constructor(dataDirectory: string, now?: () => number, random?: (size: number) => Uint8Array) {
    const path = dataDirectory === ':memory:' ? dataDirectory : join(dataDirectory, 'sandbox.db');
    super(createEmbeddedSandbox({path, now, random}));
  }

  readonly call = this.ok;

  async lineItem(): Promise<Wire> {
    return ((await this.draft()).line_items as Wire[])[0]!;
  }

  /** An intent whose ₱1,250.50 are held on a card. */
  async held(): Promise<Wire> {
    const intent = await this.intent({
      payment_methods: ['card'],
      payment_method_options: {card: {capture_type: 'manual'}},
    });
    return controlOf(this.sandbox).pay(intent.id as string, {}).payment_intent!;
  }

  async payment(): Promise<Wire> {
    return controlOf(this.sandbox).pay((await this.intent()).id as string, {}).payment!;
  }

  async refund(): Promise<Wire> {
    return this.call('POST', '/refunds', {
      payment_id: (await this.payment()).id,
      amount: 10_000,
      currency: 'PHP',
      reason: 'others',
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
    controlOf(this.sandbox).pay(statement.id as string, {});
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
