// Seeds ninety days of data of an invented Philippine design studio, with the sandbox's own actions.

import {DAY} from '../../common/manila.js';
import {seededRandom} from '../../common/seeded-random.js';
import {CARDS} from '../payments/instruments.js';
import {payStatement, type PayOptions} from '../payments/pay-statement.js';
import {createPayout, type PayoutMovement} from '../payments/payout-deposits.js';
import {runAction} from '../requests/router.js';
import {runDueTimers} from '../timers.js';
import type {Transaction} from '../transaction.js';
import {GOODS, type SeedOffer, OFFERS, PEOPLE, type SeedPerson} from './names.js';

const HOUR = 3600;
const MERCHANT_NAME = 'merchant_name';

/**
 * Adds the seed data. The same random bytes and time give the same data.
 * @returns the number of new objects by resource; undefined if already seeded
 */
export function seed(tx: Transaction): Readonly<Record<string, number>> | undefined {
  if (tx.store.setting(MERCHANT_NAME) !== undefined) return undefined;
  const before = tx.store.counts();
  tx.store.set(MERCHANT_NAME, 'Habi Studio');
  const timeline = timelineTo(tx.now, seededRandom(Buffer.from(tx.bytes(4)).readUInt32LE()));
  addStatements(timeline, addCustomers(timeline));
  addSessions(timeline);
  addPayouts(timeline);
  addWebhooks(timeline);
  timeline.run(tx);
  if (Object.keys(before).length > 0) sortByTime(tx);
  return Object.fromEntries(
    Object.entries(tx.store.counts()).map(([name, count]) => [name, count - (before[name] ?? 0)]),
  );
}

/** Numbers all rows by time, below any new row. Earlier events of this sandbox stay newer than the seed's past. */
function sortByTime({store: {database}}: Transaction): void {
  for (const [table, at] of [
    ['objects', "body ->> '$.created_at'"],
    ['requests', "entry ->> '$.at'"],
  ])
    database.exec(
      `UPDATE ${table} SET seq = place FROM
         (SELECT seq AS was, -row_number() OVER (ORDER BY ${at} DESC, seq DESC) AS place FROM ${table}) WHERE seq = was`,
    );
}

const seedDetails = ({phone, city: [city, state, postalCode]}: SeedPerson) => ({
  ...(phone && {phone}),
  address: {city, state, postal_code: postalCode, country: 'PH'},
});

type Seeded = () => {readonly id: string};

function addCustomers(timeline: SeedTimeline): readonly Seeded[] {
  return PEOPLE.map((person, index) => {
    const {name, email, prefix, metadata} = person;
    // Before the first statement, which is at most 88 days old.
    return timeline.add(timeline.daysAgo(90) + index * HOUR, (tx) =>
      runAction(tx, 'customers:create', {
        name,
        email,
        currency: 'PHP',
        billing_details: seedDetails(person),
        ...(prefix && {billing_statement_prefix: prefix}),
        ...(metadata && {metadata}),
      }),
    );
  });
}

const BANK = {account_name: 'Habi Studio', account_number: '•••• 4410', bank_name: 'Bank of the Philippine Islands'};

/** Adds a deposited, an in-transit and a new payout, each with the movements since the previous payout. */
function addPayouts(timeline: SeedTimeline): void {
  timeline.add(timeline.daysAgo(31), (tx) => {
    const adjustment = {type: 'adjustment', id: null, amount: -25_000} as const;
    createPayout(tx, [...timeline.takeMovements(), adjustment], BANK);
  });
  timeline.add(timeline.daysAgo(3.5), (tx) => createPayout(tx, timeline.takeMovements(), BANK));
  timeline.add(timeline.daysAgo(0.05), (tx) => createPayout(tx, timeline.takeMovements(), BANK));
}

/** Creates the webhooks last, so that they receive no past events. */
function addWebhooks(timeline: SeedTimeline): void {
  const add = (site: string, description: string, ...events: readonly string[]): Seeded =>
    timeline.add(timeline.now, (tx) =>
      runAction(tx, 'webhooks:create', {
        url: `https://${site}.habi.example/${site === 'shop' ? 'payrex' : 'hooks'}`,
        events,
        description,
      }),
    );
  add('shop', 'Orders', 'billing_statement.paid', 'payment_intent.succeeded', 'refund.created');
  add('books', 'Bookkeeping', 'payout.created', 'payout.deposited');
  const staging = add('staging', 'Staging', 'billing_statement.created', 'billing_statement.paid');
  timeline.add(timeline.now, (tx) => runAction(tx, 'webhooks:disable', {}, staging().id));
}

/** Sessions created `days` ago; unpaid without `payOptions`. `lifetime` is in seconds. */
const SESSIONS: readonly {readonly days: number; readonly payOptions?: PayOptions; readonly lifetime?: number}[] = [
  {days: 71, payOptions: {method: 'gcash'}},
  {days: 58},
  {days: 44, payOptions: {card: '5200828282828210'}},
  {days: 33, payOptions: {method: 'maya'}},
  {days: 20},
  {days: 12, payOptions: {method: 'qrph'}},
  {days: 6},
  {days: 2, payOptions: {card: '4311780000241409'}},
  {days: 0.3},
  {days: 0.1, lifetime: 72 * HOUR},
];

function addSessions(timeline: SeedTimeline): void {
  SESSIONS.forEach(({days, payOptions, lifetime}, index) => {
    const createdAt = timeline.daysAgo(days);
    const lines = seedItems(timeline, GOODS, {max: 3, centavos: 1000}).map(({description, price, quantity}) => ({
      name: description,
      amount: price,
      quantity,
    }));
    const session = timeline.add(createdAt, (tx) =>
      runAction(tx, 'checkout-sessions:create', {
        ...shop(`CART-${7100 + index}`),
        line_items: lines,
        ...(lifetime && {expires_at: createdAt + lifetime}),
      }),
    );
    if (payOptions)
      timeline.add(createdAt + timeline.integer(3, 25) * 60, (tx) => timeline.pay(tx, session().id, payOptions));
  });
  addHeldCard(timeline);
  timeline.add(timeline.daysAgo(1.5), (tx) =>
    runAction(tx, 'payment-intents:create', {
      amount: 250_000,
      currency: 'PHP',
      description: 'Deposit, wedding shoot',
      payment_methods: ['card', 'gcash'],
    }),
  );
}

const shop = (reference: string) => ({
  currency: 'PHP',
  customer_reference_id: reference,
  success_url: 'https://shop.habi.example/thanks',
  cancel_url: 'https://shop.habi.example/cart',
  metadata: {cart: reference},
});

/** Adds a held card payment for an order that has not shipped. */
function addHeldCard(timeline: SeedTimeline): void {
  const session = timeline.add(timeline.daysAgo(3), (tx) =>
    runAction(tx, 'checkout-sessions:create', {
      ...shop('PREORDER-18'),
      line_items: [{name: 'Limited print: Bayan ko', amount: 320_000, quantity: 1}],
      payment_methods: ['card'],
      payment_method_options: {card: {capture_type: 'manual'}},
    }),
  );
  timeline.add(timeline.daysAgo(3) + 600, (tx) => payStatement(tx, session().id, {}));
}

/** Picks different offers. @param limits `min` to `max` offers, with prices in multiples of `centavos` */
function seedItems(
  timeline: SeedTimeline,
  offers: readonly SeedOffer[],
  {min = 1, max, centavos}: {readonly min?: number; readonly max: number; readonly centavos: number},
) {
  const chosen = new Set(Array.from({length: timeline.integer(min, max)}, () => timeline.pick(offers)));
  return [...chosen].map((offer) => ({
    description: offer.description,
    price: Math.round((timeline.between(...offer.pesos) * 100) / centavos) * centavos,
    quantity: timeline.integer(1, offer.maxQuantity),
  }));
}

type SeedState = 'draft' | 'open' | 'overdue' | 'paid' | 'uncollectible' | 'void';

const PROFILES: readonly (readonly [state: SeedState, count: number, lowestDays: number, highestDays: number])[] = [
  ['draft', 6, 0.1, 6],
  ['open', 11, 0.5, 10],
  // Overdue by up to one, two and three months, for every bucket of an aging report.
  ['overdue', 4, 12, 30],
  ['overdue', 3, 40, 60],
  ['overdue', 3, 70, 88],
  ['paid', 24, 4, 88],
  ['void', 5, 8, 80],
  ['uncollectible', 4, 65, 88],
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

/** By index of the paid statement. `part` of the payment, up to 1. */
const REFUNDS: Readonly<Record<number, readonly [part: number, reason: string, remarks?: string]>> = {
  2: [0.25, 'requested_by_customer'],
  6: [1, 'service_not_provided'],
  9: [0.5, 'others', 'Delivered a week late; half was given back.'],
  15: [0.1, 'product_was_damaged'],
  19: [1, 'requested_by_customer'],
};

const FAILING_CARDS = [CARDS.insufficient_funds, CARDS.declined, CARDS.wrong_cvc];

interface Case {
  readonly state: SeedState;
  readonly index: number;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly customer: Seeded;
  readonly orderId?: string;
}

function addStatements(timeline: SeedTimeline, customers: readonly Seeded[]): void {
  let added = 0;
  for (const [state, count, ...days] of PROFILES) {
    for (let index = 0; index < count; index += 1) {
      addStatement(timeline, {
        state,
        index,
        createdAt: timeline.daysAgo(timeline.between(...days)),
        customer: customers[(added * 7) % customers.length]!,
        orderId: added % 3 === 0 ? `HS-${2400 + added}` : undefined,
      });
      added += 1;
    }
  }
}

function addStatement(timeline: SeedTimeline, plan: Case): void {
  const {state, index, createdAt} = plan;
  const isEmpty = state === 'draft' && index === 0;
  const lines = isEmpty ? [] : seedItems(timeline, OFFERS, {max: 4, centavos: 5000});
  const due = dueTime(timeline, plan);
  const statement = timeline.add(createdAt, (tx) => {
    const {id} = runAction(tx, 'billing-statements:create', {
      customer_id: plan.customer().id,
      currency: 'PHP',
      ...(plan.orderId && {metadata: {'Order ID': plan.orderId}}),
      // The first two paid statements save a card and a wallet.
      ...(state === 'paid' && index < 2 && {setup_future_usage: 'off_session'}),
    });
    for (const {description, price, quantity} of lines)
      runAction(tx, 'billing-statement-line-items:create', {
        billing_statement_id: id,
        description,
        unit_price: price,
        quantity,
      });
    if (due) runAction(tx, 'billing-statements:update', {due_at: due}, id);
    return {id};
  });
  if (state === 'draft') return;
  timeline.add(createdAt + 300, (tx) => {
    runAction(tx, 'billing-statements:finalize', {}, statement().id);
    runAction(tx, 'billing-statements:send', {}, statement().id);
  });
  if (state === 'paid') addPayment(timeline, plan, statement);
  if (state === 'overdue' && index === 0) addFailure(timeline, createdAt + 2 * DAY, index, statement);
  if (state === 'void')
    timeline.add(createdAt + timeline.integer(1, 5) * DAY, (tx) =>
      runAction(tx, 'billing-statements:void', {}, statement().id),
    );
  if (state === 'uncollectible')
    timeline.add(createdAt + 45 * DAY, (tx) =>
      runAction(tx, 'billing-statements:mark-uncollectible', {}, statement().id),
    );
}

function dueTime(timeline: SeedTimeline, {state, index, createdAt}: Case): number | undefined {
  if (state === 'draft') return index % 2 === 1 ? timeline.now + timeline.integer(7, 21) * DAY : undefined;
  // Open statements are due in the future. Overdue statements, at least twelve days old, are due in the past.
  if (state === 'open') return timeline.now + timeline.integer(2, 20) * DAY;
  return createdAt + timeline.integer(7, 10) * DAY;
}

function addFailure(timeline: SeedTimeline, at: number, index: number, statement: Seeded): void {
  timeline.add(at, (tx) => payStatement(tx, statement().id, {card: FAILING_CARDS[index % FAILING_CARDS.length]}));
}

function addPayment(timeline: SeedTimeline, {index, createdAt}: Case, statement: Seeded): void {
  const at = createdAt + Math.round(timeline.between(0.1, Math.min(12, (timeline.now - createdAt) / DAY - 1)) * DAY);
  if (index % 5 === 1) addFailure(timeline, at - HOUR / 2, index, statement);
  const payment = timeline.add(at, (tx) => timeline.pay(tx, statement().id, WAYS[index % WAYS.length]!));
  const refund = REFUNDS[index];
  if (!refund) return;
  const [part, reason, remarks] = refund;
  timeline.add(at + timeline.integer(2, 18) * HOUR, (tx) => {
    const {id, amount} = payment();
    timeline.refund(tx, id, Math.round(amount * part), reason, remarks);
  });
}

type SeedTimeline = ReturnType<typeof timelineTo>;

/**
 * Collects steps in any order, and runs them by time, with the timers due in between.
 * @param now the end of the timeline, in unix seconds
 */
function timelineTo(now: number, chance: () => number) {
  const steps: {at: number; step: (tx: Transaction) => unknown}[] = [];
  let movements: PayoutMovement[] = [];
  const between = (low: number, high: number): number => low + chance() * (high - low);
  return {
    now,
    /** Returns a function that gives the step's result after the run. @param at unix seconds */
    add: <T>(at: number, step: (tx: Transaction) => T): (() => T) => {
      let result: T;
      steps.push({at: Math.min(at, now), step: (tx) => (result = step(tx))});
      return () => result;
    },
    /** Returns unix seconds. */
    daysAgo: (days: number): number => now - Math.round(days * DAY),
    between,
    /** Returns a random integer, including both bounds. */
    integer: (low: number, high: number): number => Math.floor(between(low, high + 1)),
    pick: <T>(choices: readonly T[]): T => choices[Math.floor(chance() * choices.length)]!,
    /** Pays a statement or session, and adds the payment to the next payout. */
    pay: (tx: Transaction, id: string, options: PayOptions): {id: string; amount: number} => {
      const payment = payStatement(tx, id, options).payment as {id: string; amount: number};
      movements.push({type: 'payment', id: payment.id, amount: payment.amount});
      return payment;
    },
    refund: (tx: Transaction, payment: string, amount: number, reason: string, remarks?: string): void => {
      const params = {payment_id: payment, amount, currency: 'PHP', reason, ...(remarks && {remarks})};
      movements.push({type: 'refund', id: runAction(tx, 'refunds:create', params).id, amount: -amount});
    },
    /** Returns the movements since the last call. */
    takeMovements: (): readonly PayoutMovement[] => {
      const taken = movements;
      movements = [];
      return taken;
    },
    run: (tx: Transaction): void => {
      for (const {at, step} of steps.sort((a, b) => a.at - b.at)) {
        const earlier = tx.at(at);
        runDueTimers(earlier);
        step(earlier);
      }
      runDueTimers(tx);
    },
  };
}
