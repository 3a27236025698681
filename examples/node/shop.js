// A tiny shop: an order, its checkout session, the webhook that marks it paid, and a refund.

import {CentavoError, constructEvent, SignatureError} from 'centavo';

export class Shop {
  /** By their number; a real shop has a table. */
  orders = new Map();
  #seen = new Set();
  #client;
  #webhookSecret;

  /** @param {{client: import('centavo').Client, webhookSecret: string}} options */
  constructor({client, webhookSecret}) {
    this.#client = client;
    this.#webhookSecret = webhookSecret;
  }

  /** Returns the address of the payment page. `amount` is in centavos. */
  async checkout(number, item) {
    const session = await this.#client.checkoutSessions.create({
      currency: 'PHP',
      line_items: [item],
      success_url: 'https://shop.example/thanks',
      cancel_url: 'https://shop.example/cart',
      metadata: {order: number},
    });
    this.orders.set(number, {session: session.id, amount: session.amount, status: 'open', shipped: 0});
    return session.url;
  }

  /** Returns why the last payment failed, or null. */
  async problem(number) {
    const session = await this.#client.checkoutSessions.get(this.orders.get(number).session);
    return session.payment_intent.last_payment_error?.code ?? null;
  }

  async refund(number) {
    const order = this.orders.get(number);
    order.status = 'refunding';
    try {
      await this.#client.refunds.create({
        payment_id: order.payment,
        amount: order.amount,
        currency: 'PHP',
        reason: 'requested_by_customer',
        metadata: {order: number},
      });
    } catch (error) {
      // It may have been made. Sending it again could pay twice: the event refund.created decides.
      if (error instanceof CentavoError && error.details.applied === 'unknown') return;
      order.status = 'paid';
      throw error;
    }
  }

  /** @param {Request} request as a route of Next, Hono, SvelteKit or Remix gets it */
  async webhook(request) {
    let event;
    try {
      event = constructEvent(await request.text(), request.headers.get('payrex-signature'), this.#webhookSecret);
    } catch (error) {
      if (error instanceof SignatureError) return new Response(error.message, {status: 401});
      throw error;
    }
    const order = this.orders.get(event.data.metadata?.order);
    if (order && !this.#seen.has(event.id)) {
      this.#seen.add(event.id);
      if (event.type === 'payment_intent.succeeded') {
        order.status = 'paid';
        order.payment = event.data.latest_payment.id;
        order.shipped++;
      } else if (event.type === 'refund.created') order.status = 'refunded';
    }
    return new Response('ok');
  }
}
