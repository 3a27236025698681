// Checkout sessions, a held card and a bare intent: what a shop's own pages leave behind.

import {pay, type PayOptions} from '../paying/payer.js';
import {act} from '../requests/router.js';
import {GOODS} from './names.js';
import {HOUR, type Timeline} from './timeline.js';

/** How long ago each was made, in days, and how it was paid; those without a way stay unpaid and expire after a day. */
const SESSIONS: readonly {readonly days: number; readonly way?: PayOptions; readonly lasts?: number}[] = [
  {days: 71, way: {method: 'gcash'}},
  {days: 58},
  {days: 44, way: {card: '5200828282828210'}},
  {days: 33, way: {method: 'maya'}},
  {days: 20},
  {days: 12, way: {method: 'qrph'}},
  {days: 6},
  {days: 2, way: {card: '4311780000241409'}},
  {days: 0.3},
  {days: 0.1, lasts: 72 * HOUR},
];

export function addSessions(timeline: Timeline): void {
  SESSIONS.forEach(({days, way, lasts}, index) => {
    const made = timeline.ago(days);
    let id = '';
    const lines = linesOf(timeline);
    timeline.on(made, (tx) => {
      id = act(tx, 'checkout-sessions:create', {
        ...shop(`CART-${7100 + index}`),
        line_items: lines,
        ...(lasts && {expires_at: made + lasts}),
      }).id;
    });
    if (way) timeline.on(made + timeline.whole(3, 25) * 60, (tx) => void timeline.paid(tx, id, way));
  });
  addHeldCard(timeline);
  timeline.on(timeline.ago(1.5), (tx) => {
    act(tx, 'payment-intents:create', {
      amount: 250_000,
      currency: 'PHP',
      description: 'Deposit, wedding shoot',
      payment_methods: ['card', 'gcash'],
    });
  });
}

const shop = (reference: string) => ({
  currency: 'PHP',
  customer_reference_id: reference,
  success_url: 'https://shop.habi.example/thanks',
  cancel_url: 'https://shop.habi.example/cart',
  metadata: {cart: reference},
});

/** A card that is charged when the order ships, which has not happened yet. */
function addHeldCard(timeline: Timeline): void {
  let id = '';
  timeline.on(timeline.ago(3), (tx) => {
    id = act(tx, 'checkout-sessions:create', {
      ...shop('PREORDER-18'),
      line_items: [{name: 'Limited print: Bayan ko', amount: 320_000, quantity: 1}],
      payment_methods: ['card'],
      payment_method_options: {card: {capture_type: 'manual'}},
    }).id;
  });
  timeline.on(timeline.ago(3) + 600, (tx) => void pay(tx, id, {}));
}

function linesOf(timeline: Timeline): Record<string, unknown>[] {
  const goods = new Set(Array.from({length: timeline.whole(1, 3)}, () => timeline.pick(GOODS)));
  return [...goods].map(({description, pesos, most}) => ({
    name: description,
    amount: Math.round(timeline.between(...pesos) / 10) * 10 * 100,
    quantity: timeline.whole(1, most),
  }));
}
