// Who is told of an event, and what of that is still to be done.

import type {Store, Stored} from '../store.js';

/** What telling of an event needs of a request's work. */
export interface Telling {
  readonly store: Store;
  /** Unix seconds. */
  readonly now: number;
  readonly change: (record: Stored, fields: Record<string, unknown>) => unknown;
}

/** How long an event is tried, in seconds of the sandbox's clock (field notes, 7.4). */
export const RETRY_WINDOW = 259_200;
/** More webhooks than anyone has. */
const MOST_WEBHOOKS = 10_000;

export const listensTo = ({status, events}: Stored, type: string): boolean =>
  status === 'enabled' && (events as readonly string[]).includes(type);

/**
 * The enabled webhooks that listen to a kind of event, oldest first. Names are exact: no source shows a wildcard.
 * @param at unix seconds; webhooks made later are not told of what was before them
 */
export function subscribersTo(store: Store, type: string, at = Number.MAX_SAFE_INTEGER): Stored[] {
  const {data} = store.list('webhook', {limit: MOST_WEBHOOKS});
  return data.filter((webhook) => webhook.created_at <= at && listensTo(webhook, type)).reverse();
}

/** Puts an event into the outbox for each of these webhooks. */
export function fanOut(work: Telling, event: string, webhooks: readonly Stored[]): void {
  for (const {id} of webhooks)
    work.store.outbox.add({event, webhook: id, due: work.now, give_up: work.now + RETRY_WINDOW});
}

/** Forgets what was still to be sent to a webhook; for good, so that enabling it again resumes nothing. */
export function dropDeliveries(work: Telling, webhook: string, when: (type: string) => boolean = () => true): void {
  for (const pending of work.store.outbox.ofWebhook(webhook)) {
    const event = work.store.find('event', pending.event)?.record;
    if (event && !when(event.type as string)) continue;
    work.store.outbox.remove(pending);
    if (event) recount(work, event);
  }
}

/** Brings an event's `pending_webhooks` up to date. */
export function recount(work: Telling, event: Stored): void {
  const pending = work.store.outbox.ofEvent(event.id).filter(({extra}) => !extra).length;
  if (pending !== event.pending_webhooks) work.change(event, {pending_webhooks: pending});
}
