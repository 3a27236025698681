// Finds the webhooks that subscribe to an event, and queues the deliveries.

import type {WebhookFault} from '../serve/fault-injection.js';
import type {StoreReader, Store, StoredRecord} from '../store.js';

/** How long an event is retried, in seconds of the sandbox's clock. */
export const RETRY_WINDOW = 259_200;
const MAX_WEBHOOKS = 10_000;
/** Seconds. */
const DELAYS: Readonly<Partial<Record<WebhookFault, number>>> = {'late-webhook': 30, 'out-of-order-webhook': 5};

export const listensTo = ({status, events}: StoredRecord, type: string): boolean =>
  status === 'enabled' && (events as readonly string[]).includes(type);

/** Returns webhooks, oldest first. Types match exactly: no source shows wildcards. @param at skips newer webhooks */
export function subscribersTo(store: Store, type: string, at = Number.MAX_SAFE_INTEGER): StoredRecord[] {
  const {data} = store.list('webhook', {limit: MAX_WEBHOOKS});
  return data.filter((webhook) => webhook.created_at <= at && listensTo(webhook, type)).reverse();
}

export function enqueue(
  {store, now}: StoreReader,
  event: string,
  webhooks: readonly StoredRecord[],
  nextFault: () => WebhookFault | undefined,
): void {
  for (const {id} of webhooks) {
    const fault = nextFault();
    const due = now + ((fault && DELAYS[fault]) ?? 0);
    store.outbox.add({event, webhook: id, due, give_up: now + RETRY_WINDOW, fault});
  }
}
