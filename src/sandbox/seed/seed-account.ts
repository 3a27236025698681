// SEED: ninety days of a believable Philippine merchant, a studio for web and print, made with the sandbox's own actions.

import {pay, type PayOptions} from '../paying/payer.js';
import {createPayout} from '../paying/payout-deposits.js';
import {act} from '../requests/router.js';
import {seededRandom} from '../seeded-random.js';
import type {Transaction} from '../transaction.js';
import {GOODS, PEOPLE, type Person} from './names.js';
import {addStatements} from './statements.js';
import {HOUR, Timeline} from './timeline.js';

const MERCHANT_NAME = 'merchant_name';

/**
 * Fills the sandbox. The same random bytes and instant give the same merchant.
 * @returns how many objects of each resource were made, by the resource's wire name; undefined when it was filled before
 */
export function seed(tx: Transaction): Readonly<Record<string, number>> | undefined {
  if (tx.store.setting(MERCHANT_NAME) !== undefined) return undefined;
  const before = tx.store.counts();
  // What the hosted pages call the merchant.
  tx.store.set(MERCHANT_NAME, 'Habi Studio');
  const timeline = new Timeline(tx.now, seededRandom(Buffer.from(tx.bytes(4)).readUInt32LE()));
  const customerId = addCustomers(timeline);
  addStatements(timeline, PEOPLE.length, customerId);
  addSessions(timeline);
  addPayouts(timeline);
  addWebhooks(timeline);
  timeline.run(tx);
  return Object.fromEntries(
    Object.entries(tx.store.counts()).map(([name, count]) => [name, count - (before[name] ?? 0)]),
  );
}

const details = ({phone, city: [city, state, postalCode]}: Person) => ({
  ...(phone && {phone}),
  address: {city, state, postal_code: postalCode, country: 'PH'},
});

/** @returns a function that gives a customer's id by its position, once the customer is created */
function addCustomers(timeline: Timeline): (place: number) => string {
  const ids: string[] = [];
  PEOPLE.forEach((person, place) => {
    const {name, email, prefix, metadata} = person;
    // All of them before the first statement, which is at most 88 days old.
    timeline.on(timeline.ago(90) + place * HOUR, (tx) => {
      ids[place] = act(tx, 'customers:create', {
        name,
        email,
        currency: 'PHP',
        billing_details: details(person),
        ...(prefix && {billing_statement_prefix: prefix}),
        ...(metadata && {metadata}),
      }).id;
    });
  });
  return (place) => ids[place]!;
}

const BANK = {account_name: 'Habi Studio', account_number: '•••• 4410', bank_name: 'Bank of the Philippine Islands'};

/** One payout that has arrived, one in transit and one just created, each with the movements since the one before. */
function addPayouts(timeline: Timeline): void {
  timeline.on(timeline.ago(31), (tx) => {
    const adjustment = {type: 'adjustment', id: null, amount: -25_000} as const;
    createPayout(tx, [...timeline.takeMovements(), adjustment], BANK);
  });
  timeline.on(timeline.ago(3.5), (tx) => void createPayout(tx, timeline.takeMovements(), BANK));
  timeline.on(timeline.ago(0.05), (tx) => void createPayout(tx, timeline.takeMovements(), BANK));
}

/** Registered last, so that no past event is sent to them. */
function addWebhooks(timeline: Timeline): void {
  const hooks = [
    {
      url: 'https://shop.habi.example/payrex',
      events: ['billing_statement.paid', 'payment_intent.succeeded', 'refund.created'],
      description: 'Orders',
    },
    {
      url: 'https://books.habi.example/hooks',
      events: ['payout.created', 'payout.deposited'],
      description: 'Bookkeeping',
    },
    {
      url: 'https://staging.habi.example/hooks',
      events: ['billing_statement.created', 'billing_statement.paid'],
      description: 'Staging',
    },
  ];
  hooks.forEach((hook, index) => {
    timeline.on(timeline.now, (tx) => {
      const {id} = act(tx, 'webhooks:create', hook);
      if (index === 2) act(tx, 'webhooks:disable', {}, id);
    });
  });
}

/** Checkout sessions: how many days ago each was made, and how it was paid. Those without a way stay unpaid and expire. */
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

function addSessions(timeline: Timeline): void {
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
