// A delivery as it arrived, and an attempt to pass it on: what is stored, shown and replayed.

import type {Verdict} from './signature.js';

/** A header as it came: name and value, in the sender's order and case. */
export type RawHeader = readonly [name: string, value: string];

/** What a body says of itself, as far as it can be read. */
export interface EventFacts {
  readonly id?: string;
  readonly type?: string;
  readonly livemode?: boolean;
  /** The object that the event is about. */
  readonly objectId?: string;
  /** Centavos. */
  readonly amount?: number;
}

export interface Delivery {
  /** `dlv_` and 24 letters and digits. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Name of the profile that listened. */
  readonly profile: string;
  /**
   * The webhook that it came by: its id, or `secret:` and a fingerprint where only the secret was given.
   * Not there for what release 0.1.0 stored.
   */
  readonly webhook?: string;
  /** What stood behind the token in the URL, query included; `/` at least. */
  readonly path: string;
  readonly headers: readonly RawHeader[];
  /** The exact bytes. */
  readonly body: Uint8Array;
  readonly verdict: Verdict;
  readonly event: EventFacts;
  /** The first delivery by which the same webhook brought the same event, when this is not it. */
  readonly duplicateOf?: string;
}

/** One attempt to pass a delivery on. */
export interface ForwardAttempt {
  readonly deliveryId: string;
  readonly target: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** What the app answered; not there when it did not answer. */
  readonly status?: number;
  readonly error?: string;
  /** True when it was asked for by hand. */
  readonly replay?: boolean;
}

/** What the service notes in an event about sending it: both move from one attempt to the next, and the event is the same. */
const OF_SENDING = ['pending_webhooks', 'updated_at'] as const;

/** What makes two deliveries with one event id the same: of what is not genuine each byte, else what the event tells of. */
export function contentOf({verdict, body}: Pick<Delivery, 'body' | 'verdict'>): Uint8Array | string {
  if (!verdict.genuine) return body;
  try {
    const event = JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>;
    return JSON.stringify({...event, ...Object.fromEntries(OF_SENDING.map((name) => [name, null]))});
  } catch {
    return body;
  }
}

/**
 * The event in a body: the captured shape, where `data` is the object, or the documented one, where `data.resource` is.
 * What cannot be read is left out; a body that is no JSON has no facts.
 */
export function readEventFacts(body: Uint8Array): EventFacts {
  let event: Record<string, unknown>;
  try {
    event = JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return {};
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const data = event.data as Record<string, unknown> | null | undefined;
  const object = (typeof data?.resource === 'object' ? data.resource : data) as
    Record<string, unknown> | null | undefined;
  return {
    id: text(event.id),
    type: text(event.type),
    livemode: typeof event.livemode === 'boolean' ? event.livemode : undefined,
    objectId: text(object?.id),
    amount: Number.isSafeInteger(object?.amount) ? (object!.amount as number) : undefined,
  };
}
