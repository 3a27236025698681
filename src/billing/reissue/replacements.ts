// The statements that replace another one: each names it in its metadata.

import type {Client} from '../../client/client.js';
import {REPLACES_KEY} from '../compose/copy.js';
import type {Statement} from '../compose/plan.js';

/** The states in which a replacement counts: one that was voided itself replaces nothing any more. */
const LIVE: readonly string[] = ['draft', 'open', 'paid'];

/** A statement that is to be reissued, and what replaces it already. */
export interface Reissued {
  readonly old: Statement;
  /** Oldest first, drafts last. All runs use the first one, so that no two of them are finalized. */
  readonly replacements: readonly Statement[];
}

/** @param own ids of drafts that are known, in case the list does not show them yet */
export async function readReissued(
  client: Client,
  oldId: string,
  own: ReadonlySet<string>,
  options: {readonly signal?: AbortSignal},
): Promise<Reissued> {
  const {customer_id: customer} = (await client.billingStatements.get(oldId, options)) as Statement;
  const found = new Set<string>();
  for await (const listed of client.billingStatements.list({limit: 100}, options) as AsyncIterable<Statement>) {
    // What replaces a statement is newer.
    if (listed.id === oldId) break;
    // A list may leave out metadata: those that could be meant are then read one by one.
    const unclear = !listed.metadata && listed.customer_id === customer && LIVE.includes(String(listed.status));
    const {metadata} = unclear ? await client.billingStatements.get(listed.id, options) : listed;
    if ((metadata as Record<string, unknown> | null)?.[REPLACES_KEY] === oldId) found.add(listed.id);
  }
  const ids = [...[...found].reverse(), ...[...own].filter((id) => !found.has(id))];
  const replacements: Statement[] = [];
  for (const id of ids) {
    const statement = (await client.billingStatements.get(id, options).catch(goneIsNothing)) as Statement | undefined;
    if (statement && !statement.deleted && LIVE.includes(String(statement.status))) replacements.push(statement);
  }
  // Last, so that it is not older than what is known of its replacements.
  const old = (await client.billingStatements.get(oldId, options)) as Statement;
  return {old, replacements: replacements.toSorted((a, b) => Number(isDraft(a)) - Number(isDraft(b)))};
}

export const isDraft = ({status}: Statement): boolean => status === 'draft';

function goneIsNothing(error: unknown): undefined {
  if ((error as {kind?: unknown}).kind === 'not_found') return undefined;
  throw error;
}
