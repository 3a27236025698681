// SEED: ninety days of a believable Philippine merchant, a studio for web and print, lived through the sandbox's own actions.

import {createPayout} from '../paying/payouts.js';
import {act} from '../requests/router.js';
import {seededRandom} from '../seeded-random.js';
import type {Transaction} from '../transaction.js';
import {PEOPLE, type Person} from './names.js';
import {tellSessions} from './sessions.js';
import {tellStatements} from './statements.js';
import {HOUR, Story} from './story.js';

/** How many objects of each resource were made, by the resource's wire name. */
export type SeedCounts = Readonly<Record<string, number>>;

/** Fills the sandbox; the same randomness and instant give the same merchant. */
export function seed(tx: Transaction): SeedCounts {
  const before = tx.store.counts();
  // What the hosted pages call the merchant.
  tx.store.set('merchant_name', 'Habi Studio');
  const story = new Story(tx.now, seededRandom(Buffer.from(tx.bytes(4)).readUInt32LE()));
  const customerId = tellCustomers(story);
  tellStatements(story, PEOPLE.length, customerId);
  tellSessions(story);
  tellPayouts(story);
  tellWebhooks(story);
  story.tell(tx);
  return Object.fromEntries(
    Object.entries(tx.store.counts()).map(([name, count]) => [name, count - (before[name] ?? 0)]),
  );
}

const details = ({phone, city: [city, state, postalCode]}: Person) => ({
  ...(phone && {phone}),
  address: {city, state, postal_code: postalCode, country: 'PH'},
});

/** Gives the way to a customer's id by its place, once it is made. */
export function tellCustomers(story: Story): (place: number) => string {
  const ids: string[] = [];
  PEOPLE.forEach((person, place) => {
    const {name, email, prefix, metadata} = person;
    // All of them before the first statement, which is 88 days old at most.
    story.on(story.ago(90) + place * HOUR, (tx) => {
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

/** One that has arrived by now, one on its way, one just made: each of what moved since the one before. */
export function tellPayouts(story: Story): void {
  story.on(story.ago(31), (tx) => {
    const adjustment = {type: 'adjustment', id: null, amount: -25_000} as const;
    createPayout(tx, [...story.takeMovements(), adjustment], BANK);
  });
  story.on(story.ago(3.5), (tx) => void createPayout(tx, story.takeMovements(), BANK));
  story.on(story.ago(0.05), (tx) => void createPayout(tx, story.takeMovements(), BANK));
}

/** Registered last, so that nothing of the past is sent to them. */
export function tellWebhooks(story: Story): void {
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
    story.on(story.now, (tx) => {
      const {id} = act(tx, 'webhooks:create', hook);
      if (index === 2) act(tx, 'webhooks:disable', {}, id);
    });
  });
}
