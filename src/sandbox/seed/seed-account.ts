// Ninety days of an invented Philippine merchant, a studio for web and print, made with the sandbox's own actions.

import {seededRandom} from '../../ground/random.js';
import {pay, type PayOptions} from '../paying/payer.js';
import {createPayout, type Movement} from '../paying/payout-deposits.js';
import {act} from '../requests/router.js';
import {runDueTimers} from '../timers.js';
import type {Transaction} from '../transaction.js';
import {GOODS, OFFERS, PEOPLE, type Person} from './names.js';

const HOUR = 3600;
const DAY = 86_400;
const MERCHANT_NAME = 'merchant_name';

/**
 * The same random bytes and instant give the same merchant.
 * @returns how many objects of each resource were made; undefined when the sandbox was filled before
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

/** Returns a function that gives a customer's id by its position, once the customer is created. */
function addCustomers(timeline: Timeline): (place: number) => string {
  const ids: string[] = [];
  PEOPLE.forEach((person, place) => {
    const {name, email, prefix, metadata} = person;
    // Before the first statement, which is at most 88 days old.
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

/** One that has arrived, one in transit and one just created, each with the movements since the one before. */
function addPayouts(timeline: Timeline): void {
  timeline.on(timeline.ago(31), (tx) => {
    const adjustment = {type: 'adjustment', id: null, amount: -25_000} as const;
    createPayout(tx, [...timeline.takeMovements(), adjustment], BANK);
  });
  timeline.on(timeline.ago(3.5), (tx) => void createPayout(tx, timeline.takeMovements(), BANK));
  timeline.on(timeline.ago(0.05), (tx) => void createPayout(tx, timeline.takeMovements(), BANK));
}

/** Created last, so that no past event is sent to them. */
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

/** `days` ago, and how each was paid. Those without a `way` expire unpaid. `lasts` is in seconds. */
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

type State = 'draft' | 'open' | 'overdue' | 'paid' | 'uncollectible' | 'void';

/** `age` is in days. */
const PROFILES: readonly {
  readonly state: State;
  readonly age: readonly [low: number, high: number];
  readonly count: number;
}[] = [
  {state: 'draft', age: [0.1, 6], count: 6},
  {state: 'open', age: [0.5, 10], count: 11},
  // Overdue by up to one month, two and three, so that every bucket of an aging report has some.
  {state: 'overdue', age: [12, 30], count: 4},
  {state: 'overdue', age: [40, 60], count: 3},
  {state: 'overdue', age: [70, 88], count: 3},
  {state: 'paid', age: [4, 88], count: 24},
  {state: 'void', age: [8, 80], count: 5},
  {state: 'uncollectible', age: [65, 88], count: 4},
];

const WAYS: readonly PayOptions[] = [
  {method: 'card'},
  {method: 'gcash'},
  {card: '5425233430109903'},
  {method: 'maya'},
  {method: 'qrph'},
  {card: '4701322211111234'},
  {method: 'gcash'},
  {card: '4000000760000002'},
];

/** By index among the paid statements. */
const REFUNDS: Readonly<Record<number, readonly [part: number, reason: string, remarks?: string]>> = {
  2: [0.25, 'requested_by_customer'],
  6: [1, 'service_not_provided'],
  9: [0.5, 'others', 'Delivered a week late; half was given back.'],
  15: [0.1, 'product_was_damaged'],
  19: [1, 'requested_by_customer'],
};

const FAILING_CARDS = ['4503300000000008', '4005550000000019', '4205260000000005'];

interface Case {
  readonly state: State;
  /** Among those of its profile. */
  readonly index: number;
  /** Unix seconds. */
  readonly made: number;
  readonly customerId: () => string;
  readonly orderId?: string;
}

function addStatements(timeline: Timeline, customers: number, customerId: (place: number) => string): void {
  let added = 0;
  for (const {state, age, count} of PROFILES) {
    for (let index = 0; index < count; index += 1) {
      const place = (added * 7) % customers;
      const orderId = added % 3 === 0 ? `HS-${2400 + added}` : undefined;
      addStatement(timeline, {
        state,
        index,
        made: timeline.ago(timeline.between(...age)),
        customerId: () => customerId(place),
        orderId,
      });
      added += 1;
    }
  }
}

function addStatement(timeline: Timeline, one: Case): void {
  const {state, index, made} = one;
  const lines = seededItems(timeline, state === 'draft' && index === 0 ? 0 : timeline.whole(1, 4));
  const due = dueTime(timeline, one);
  let id = '';
  timeline.on(made, (tx) => {
    id = act(tx, 'billing-statements:create', {
      customer_id: one.customerId(),
      currency: 'PHP',
      ...(one.orderId && {metadata: {'Order ID': one.orderId}}),
      // The first two paid statements save a payment method: a card and a wallet.
      ...(state === 'paid' && index < 2 && {setup_future_usage: 'off_session'}),
    }).id;
    for (const line of lines) act(tx, 'billing-statement-line-items:create', {...line, billing_statement_id: id});
    if (due) act(tx, 'billing-statements:update', {due_at: due}, id);
  });
  if (state === 'draft') return;
  timeline.on(made + 300, (tx) => {
    act(tx, 'billing-statements:finalize', {}, id);
    act(tx, 'billing-statements:send', {}, id);
  });
  addEnd(timeline, one, () => id);
}

function dueTime(timeline: Timeline, {state, index, made}: Case): number | undefined {
  if (state === 'draft') return index % 2 === 1 ? timeline.now + timeline.whole(7, 21) * DAY : undefined;
  // In the future for open statements and in the past for overdue ones, of which the youngest are twelve days old.
  if (state === 'open') return timeline.now + timeline.whole(2, 20) * DAY;
  return made + timeline.whole(7, 10) * DAY;
}

function addEnd(timeline: Timeline, {state, index, made}: Case, id: () => string): void {
  if (state === 'paid') addPayment(timeline, index, made, id);
  if (state === 'overdue' && index === 0) addFailure(timeline, made + 2 * DAY, index, id);
  if (state === 'void')
    timeline.on(made + timeline.whole(1, 5) * DAY, (tx) => void act(tx, 'billing-statements:void', {}, id()));
  if (state === 'uncollectible')
    timeline.on(made + 45 * DAY, (tx) => void act(tx, 'billing-statements:mark-uncollectible', {}, id()));
}

function addFailure(timeline: Timeline, at: number, index: number, id: () => string): void {
  timeline.on(at, (tx) => void pay(tx, id(), {card: FAILING_CARDS[index % FAILING_CARDS.length]}));
}

function addPayment(timeline: Timeline, index: number, made: number, id: () => string): void {
  const at = made + Math.round(timeline.between(0.1, Math.min(12, (timeline.now - made) / DAY - 1)) * DAY);
  if (index % 5 === 1) addFailure(timeline, at - HOUR / 2, index, id);
  let paymentId = '';
  let amount = 0;
  timeline.on(at, (tx) => ({id: paymentId, amount} = timeline.paid(tx, id(), WAYS[index % WAYS.length]!)));
  const refund = REFUNDS[index];
  if (!refund) return;
  const [part, reason, remarks] = refund;
  timeline.on(at + timeline.whole(2, 18) * HOUR, (tx) =>
    timeline.refund(tx, paymentId, Math.round(amount * part), reason, remarks),
  );
}

function seededItems(timeline: Timeline, count: number): Record<string, unknown>[] {
  const offers = new Set(Array.from({length: count}, () => timeline.pick(OFFERS)));
  return [...offers].map((offer) => ({
    description: offer.description,
    unit_price: Math.round(timeline.between(...offer.pesos) / 50) * 50 * 100,
    quantity: timeline.whole(1, offer.most),
  }));
}

type Step = (tx: Transaction) => void;

/** Steps that are added in any order and run in order of time, with the timers that fall due in between. */
class Timeline {
  /** The end of the timeline, in unix seconds. */
  readonly now: number;
  readonly #chance: () => number;
  readonly #steps: {at: number; step: Step}[] = [];
  #movements: Movement[] = [];

  constructor(now: number, chance: () => number) {
    this.now = now;
    this.#chance = chance;
  }

  /** @param at unix seconds */
  on(at: number, step: Step): void {
    this.#steps.push({at: Math.min(at, this.now), step});
  }

  /** Unix seconds. */
  ago(days: number): number {
    return this.now - Math.round(days * DAY);
  }

  between(low: number, high: number): number {
    return low + this.#chance() * (high - low);
  }

  /** Includes both bounds. */
  whole(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#chance() * choices.length)]!;
  }

  /** The amount is part of the next payout. */
  paid(tx: Transaction, id: string, options: PayOptions): {id: string; amount: number} {
    const payment = pay(tx, id, options).payment as {id: string; amount: number};
    this.#movements.push({type: 'payment', id: payment.id, amount: payment.amount});
    return payment;
  }

  refund(tx: Transaction, paymentId: string, centavos: number, reason: string, remarks?: string): void {
    const refund = act(tx, 'refunds:create', {
      payment_id: paymentId,
      amount: centavos,
      currency: 'PHP',
      reason,
      ...(remarks && {remarks}),
    });
    this.#movements.push({type: 'refund', id: refund.id, amount: -centavos});
  }

  /** Since this was last called. */
  takeMovements(): readonly Movement[] {
    const taken = this.#movements;
    this.#movements = [];
    return taken;
  }

  run(tx: Transaction): void {
    for (const {at, step} of this.#steps.sort((a, b) => a.at - b.at)) {
      const then = tx.at(at);
      runDueTimers(then);
      step(then);
    }
    runDueTimers(tx);
  }
}
