// SEED: ninety days of a believable Philippine merchant, a studio for web and print, lived through the sandbox's own actions.

import {createPayout} from '../paying/payouts.js';
import {act} from '../requests/router.js';
import {seededRandom} from '../seeded-random.js';
import type {Transaction} from '../transaction.js';
import {PEOPLE, type Person} from './names.js';
import {addSessions} from './sessions.js';
import {addStatements} from './statements.js';
import {HOUR, Timeline} from './timeline.js';

/** How many objects of each resource were made, by the resource's wire name. */
export type SeedCounts = Readonly<Record<string, number>>;

/** Fills the sandbox; the same randomness and instant give the same merchant. */
export function seed(tx: Transaction): SeedCounts {
  const before = tx.store.counts();
  // What the hosted pages call the merchant.
  tx.store.set('merchant_name', 'Habi Studio');
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

/** One payout that has arrived, one in transit and one just created, each with what moved since the one before. */
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
