// Which webhooks get an event, and its way into the outbox.

import type {Reading} from '../reading.js';
import type {WebhookFault} from '../serve/faults.js';
import type {Store, Stored} from '../store.js';

/** How long an event is tried, in seconds of the sandbox's clock. */
export const RETRY_WINDOW = 259_200;
/** More webhooks than anyone has. */
const MOST_WEBHOOKS = 10_000;
/** How long these faults delay an event, in seconds. */
const DELAYS: Readonly<Partial<Record<WebhookFault, number>>> = {'late-webhook': 30, 'out-of-order-webhook': 5};

export const listensTo = ({status, events}: Stored, type: string): boolean =>
  status === 'enabled' && (events as readonly string[]).includes(type);

/**
 * The enabled webhooks that listen to a kind of event, oldest first. Names are exact: no source shows a wildcard.
 * @param at unix seconds; webhooks that were created later are left out
 */
export function subscribersTo(store: Store, type: string, at = Number.MAX_SAFE_INTEGER): Stored[] {
  const {data} = store.list('webhook', {limit: MOST_WEBHOOKS});
  return data.filter((webhook) => webhook.created_at <= at && listensTo(webhook, type)).reverse();
}

/** Puts an event into the outbox for each of these webhooks. @param nextFault returns the fault of each */
export function enqueue(
  {store, now}: Reading,
  event: string,
  webhooks: readonly Stored[],
  nextFault: () => WebhookFault | undefined,
): void {
  for (const {id} of webhooks) {
    const fault = nextFault();
    const due = now + ((fault && DELAYS[fault]) ?? 0);
    store.outbox.add({event, webhook: id, due, give_up: now + RETRY_WINDOW, fault});
  }
}
