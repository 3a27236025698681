// How many webhooks an event is still to be sent to.

import type {Stored} from '../store.js';
import type {Transaction} from '../transaction.js';

/** Deletes what was still to be sent to a webhook, so that enabling it again resumes nothing. */
export function dropDeliveries(tx: Transaction, webhook: string, when: (type: string) => boolean = () => true): void {
  for (const queued of tx.store.outbox.ofWebhook(webhook)) {
    const event = tx.store.find('event', queued.event)!.record;
    if (!when(event.type as string)) continue;
    tx.store.outbox.remove(queued);
    recount(tx, event);
  }
}

/** Brings an event's `pending_webhooks` up to date. */
export function recount(tx: Transaction, event: Stored): void {
  const queued = tx.store.outbox.ofEvent(event.id).filter(({extra}) => !extra).length;
  if (queued !== event.pending_webhooks) tx.change(event, {pending_webhooks: queued});
}
