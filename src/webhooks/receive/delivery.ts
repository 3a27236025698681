// A delivery as it arrived, and an attempt to forward it: what is stored, shown and replayed.

import {createHash} from 'node:crypto';
import {isHash} from '../../json.js';
import type {Verdict} from '../signature/signature.js';

/** A header as the sender wrote it: name and value. */
export type RawHeader = readonly [name: string, value: string];

/** What an event says about itself, as far as the body can be read. */
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
  /** The webhook that sent it: its id, or {@link secretName}. Release 0.1.0 did not store it. */
  readonly webhook?: string;
  /** What followed the token in the URL, query included; at least `/`. */
  readonly path: string;
  readonly headers: readonly RawHeader[];
  /** The exact bytes. */
  readonly body: Uint8Array;
  readonly verdict: Verdict;
  readonly event: EventFacts;
  /** The first delivery of the same event by the same webhook, when this is a duplicate. */
  readonly duplicateOf?: string;
}

/** One attempt to forward a delivery. */
export interface ForwardAttempt {
  readonly deliveryId: string;
  readonly target: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** What the app answered; missing when it did not answer. */
  readonly status?: number;
  readonly error?: string;
  /** True for an attempt that the user asked for. */
  readonly replay?: boolean;
}

/**
 * Makes ids in the order of time, none twice: the store's indexes then grow at their end, which is half the work of a commit.
 * @param now milliseconds since the epoch
 * @param token random letters and digits, which tell two processes apart
 */
export function deliveryIds(now: () => number, token: (length: number) => string): () => string {
  const run = token(10);
  let count = 0;
  return () => `dlv_${now().toString(36).padStart(9, '0')}${(count++).toString(36).padStart(5, '0')}${run}`;
}

/** The name of a webhook of which only the secret is known. It does not reveal the secret. */
export const secretName = (secret: string): string =>
  `secret:${createHash('sha256').update(`webhook ${secret}`).digest('hex').slice(0, 12)}`;

function parsed({buffer, byteOffset, byteLength}: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'));
  } catch {
    return undefined;
  }
}

/**
 * What has to be equal for two deliveries of one event id to be duplicates: the event if genuine, or else every byte.
 * @param event the parsed body, if it is known
 */
export function contentOf(
  {verdict, body}: Pick<Delivery, 'body' | 'verdict'>,
  event?: Record<string, unknown>,
): Uint8Array | string {
  if (!verdict.genuine) return body;
  const content = event ?? parsed(body);
  if (content === undefined) return body;
  // The service changes these from one attempt at an event to the next.
  return JSON.stringify({...(content as object), pending_webhooks: null, updated_at: null});
}

/**
 * The facts of an event, in the observed shape (`data` is the object) or the documented one (`data.resource` is).
 * What cannot be read is left out. A body that is not JSON has no facts.
 */
export const readEventFacts = (body: Uint8Array): EventFacts => factsOf(parsed(body));

/** {@link readEventFacts} of a parsed body. */
export function factsOf(event: unknown): EventFacts {
  if (!isHash(event)) return {};
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
