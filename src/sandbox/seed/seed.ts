// SEED: ninety days of a believable Philippine merchant, a studio for web and print, lived through the sandbox's own actions.

import {chanceFrom} from '../chance.js';
import {tellCustomers, tellPayouts, tellWebhooks} from './account.js';
import {PEOPLE} from './people.js';
import {tellSessions} from './sessions.js';
import {tellStatements} from './statements.js';
import {Story} from './story.js';
import type {Work} from '../work.js';

/** How many objects of each resource were made, by the resource's wire name. */
export type SeedCounts = Readonly<Record<string, number>>;

/** Fills the sandbox; the same randomness and instant give the same merchant. */
export function seed(work: Work): SeedCounts {
  const before = work.store.counts();
  // What the hosted pages call the merchant.
  work.store.set('merchant_name', 'Habi Studio');
  const story = new Story(work.now, chanceFrom(Buffer.from(work.bytes(4)).readUInt32LE()));
  const customerId = tellCustomers(story);
  tellStatements(story, PEOPLE.length, customerId);
  tellSessions(story);
  tellPayouts(story);
  tellWebhooks(story);
  story.tell(work);
  return Object.fromEntries(
    Object.entries(work.store.counts()).map(([name, count]) => [name, count - (before[name] ?? 0)]),
  );
}
