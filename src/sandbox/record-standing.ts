// Decides the money of a stored object. The sandbox does not know payments outside the service.

import {replacedBy, replacementLookup} from '../accounting/replacements.js';
import {NO_HISTORY, standingOf, type Standing} from '../accounting/standing.js';
import {STATE_WORDS, UNKNOWN_END} from '../accounting/words.js';
import {serialize} from './serialize.js';
import type {StoreReader, StoredRecord} from './store.js';

/** No limit in practice. */
const ALL = 100_000;
const replacements = new WeakMap<StoreReader, ReturnType<typeof replacementLookup>>();

export function recordStanding(tx: StoreReader, record: StoredRecord): Standing {
  const wire = serialize(record, tx);
  const standing = standingOf(wire, {}, tx.now);
  if (standing.state !== 'void') return standing;
  const known =
    replacements.get(tx) ??
    replacementLookup(
      tx.store.list('billing_statement', {limit: ALL, where: (each) => replacedBy(each) !== undefined}).data,
      NO_HISTORY,
    );
  replacements.set(tx, known);
  return standingOf(wire, {replacement: known(record.id)}, tx.now);
}

/** `It was replaced by JUAN-0004.`, with what only another machine may know. */
export function moneyText(tx: StoreReader, record: StoredRecord): string {
  const standing = recordStanding(tx, record);
  const sentence = `It ${STATE_WORDS[standing.state].sentence(standing, tx.now)}.`;
  return standing.unknown.includes('ended_why') ? `${sentence} ${UNKNOWN_END}` : sentence;
}
