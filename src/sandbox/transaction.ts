// The transaction of one request: records, time, new ids and emitted events.

import type {EventType} from '../api/events.js';
import {shapes} from '../api/registry.js';
import {randomToken, type RandomBytes} from '../common/random.js';
import {enqueue, subscribersTo} from './delivery/subscribers.js';
import {eventData, withoutInternal} from './serialize.js';
import {notFound} from './api-problems.js';
import type {WebhookFault} from './serve/fault-injection.js';
import {StoreReader, type Store, type StoredRecord} from './store.js';

type NewFields = Record<string, unknown>;

export class Transaction extends StoreReader {
  /**
   * @param nextFault returns the fault of the next queued delivery
   * @param cause of the events: a request id, `page`, `studio`, `control`, `command`, or `timer:` and the kind of timer
   */
  constructor(
    store: Store,
    now: number,
    baseUrl: string,
    readonly bytes: RandomBytes,
    private readonly nextFault: () => WebhookFault | undefined,
    readonly cause: string,
  ) {
    super(store, now, baseUrl);
  }

  token(length?: number, alphabet?: string): string {
    return randomToken(this.bytes, length, alphabet);
  }

  /** Returns a transaction at an earlier time, for timers. */
  at(now: number, cause = this.cause): Transaction {
    return new Transaction(this.store, now, this.baseUrl, this.bytes, this.nextFault, cause);
  }

  get merchantId(): string | undefined {
    return this.store.setting('merchant_id');
  }

  create(prefix: string, fields: NewFields | ((id: string) => NewFields), parent?: string): StoredRecord {
    const id = prefix + this.token();
    const record = {
      id,
      resource: shapes.get(prefix)!.name,
      ...(typeof fields === 'function' ? fields(id) : fields),
      livemode: false,
      created_at: this.now,
      updated_at: this.now,
    };
    return this.store.insert(record, parent);
  }

  get(prefix: string, id: string): StoredRecord {
    const shape = shapes.get(prefix)!;
    const found = this.store.find(shape.name, id);
    if (!found || found.deleted) throw notFound(shape.title, id);
    return found.record;
  }

  /**
   * Returns `previous_attributes`: the old value of every given field, even if unchanged (recorded bodies).
   * If no value changed, returns none and keeps `updated_at`.
   */
  change(record: StoredRecord, fields: Record<string, unknown>): Record<string, unknown> {
    const names = Object.keys(fields);
    if (names.every((name) => JSON.stringify(record[name]) === JSON.stringify(fields[name]))) return {};
    const before = Object.fromEntries(names.map((name) => [name, record[name] ?? null]));
    Object.assign(record, {updated_at: this.now}, fields);
    this.store.save(record);
    return before;
  }

  /** Stores an event with the object's current state, and queues its deliveries. */
  emit(type: EventType, record: StoredRecord, previous: Record<string, unknown> = {}): void {
    const id = `evt_${this.token()}`;
    const webhooks = subscribersTo(this.store, type, this.now);
    this.store.insert(
      {
        id,
        resource: 'event',
        type,
        data: eventData(record, this),
        livemode: false,
        pending_webhooks: webhooks.length,
        previous_attributes: withoutInternal(previous),
        _cause: this.cause,
        _webhooks: webhooks.length,
        created_at: this.now,
        updated_at: this.now,
      },
      record.id,
    );
    enqueue(this, id, webhooks, this.nextFault);
  }
}
