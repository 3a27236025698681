// A small shop, as a user of the library would write it: checkout, webhook and refund.

import {
  CentavoError,
  constructEvent,
  idOf,
  SignatureError,
  type Client,
  type Event,
  type Id,
} from '../../../src/index.js';

export interface Order {
  readonly id: string;
  readonly item: string;
  /** Centavos. */
  readonly amount: number;
  status: 'open' | 'paid' | 'refunded' | 'refunding';
  payment?: Id<'pay_'> | null;
}

interface ShopOptions {
  readonly payments: Client;
  /** The secret of the webhook. */
  readonly secret: string;
  readonly sendReceipt: (order: Order) => void;
}

export function createShop({payments, secret, sendReceipt}: ShopOptions) {
  const orders = new Map<string, Order>();
  const handled = new Set<string>();

  async function checkout({id, item, amount}: Pick<Order, 'amount' | 'id' | 'item'>) {
    const session = await payments.checkoutSessions.create({
      currency: 'PHP',
      line_items: [{name: item, amount, quantity: 1}],
      success_url: `https://shop.example/orders/${id}`,
      cancel_url: 'https://shop.example/cart',
      metadata: {order: id},
    });
    orders.set(id, {id, item, amount, status: 'open'});
    return session;
  }

  /** The route of the webhook. An event may come twice, and must be acted on once. */
  async function webhook(request: Request): Promise<Response> {
    let event: Event;
    try {
      event = constructEvent(await request.text(), request.headers.get('payrex-signature'), secret);
    } catch (error) {
      if (error instanceof SignatureError) return new Response(error.message, {status: 401});
      throw error;
    }
    if (!handled.has(event.id)) act(event);
    handled.add(event.id);
    return new Response('ok');
  }

  function act(event: Event): void {
    if (event.type === 'payment_intent.succeeded') {
      const order = orders.get(event.data.metadata?.order ?? '');
      if (!order) return;
      sendReceipt(order);
      Object.assign(order, {status: 'paid', payment: idOf(event.data.latest_payment)});
    } else if (event.type === 'refund.created') {
      const order = [...orders.values()].find(({payment}) => payment === event.data.payment_id);
      if (order) order.status = 'refunded';
    }
  }

  async function refund(id: string): Promise<void> {
    const order = orders.get(id);
    if (!order?.payment || order.status !== 'paid') throw new Error(`Order ${id} cannot be refunded.`);
    const {payment, amount} = order;
    order.status = 'refunding';
    try {
      await payments.refunds.create({payment_id: payment, amount, currency: 'PHP', reason: 'requested_by_customer'});
    } catch (error) {
      // The refund may have been made. Its event will tell; another request could refund twice.
      if (error instanceof CentavoError && error.details.applied === 'unknown') return;
      order.status = 'paid';
      throw error;
    }
  }

  return {checkout, webhook, refund, order: (id: string) => orders.get(id)};
}
