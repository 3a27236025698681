// Deliveries and forwarding attempts, as they are stored, shown and replayed.

import {createHash} from 'node:crypto';
import {isJsonObject} from '../../common/json.js';
import {SIGNATURE, inspectSignature, type Verdict} from '../signature/signature.js';

export type RawHeader = readonly [name: string, value: string];

export interface EventFacts {
  readonly id?: string;
  readonly type?: string;
  readonly livemode?: boolean;
  readonly objectId?: string;
  /** Centavos. */
  readonly amount?: number;
}

export interface Delivery {
  /** `dlv_` and 24 letters and digits. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly profile: string;
  /** Id of the webhook, or the {@link secretName} of a given secret. */
  readonly webhook?: string;
  /** Path after the token, and query; at least `/`. */
  readonly path: string;
  readonly headers: readonly RawHeader[];
  /** The exact bytes that arrived. */
  readonly body: Uint8Array;
  readonly verdict: Verdict;
  readonly event: EventFacts;
  /** Id of the first delivery of the same event by the same webhook. */
  readonly duplicateOf?: string;
}

/** The app's response. Long bodies and header values are cut; cookie values are redacted. */
export interface AppResponse {
  readonly headers: readonly RawHeader[];
  readonly body: string;
  readonly cut: boolean;
}

export interface ForwardAttempt {
  readonly deliveryId: string;
  readonly target: string;
  readonly attempt: number;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly status?: number;
  readonly error?: string;
  /** Kept for the newest attempts only. */
  readonly response?: AppResponse;
  /** For an attempt that the app did not accept: an excerpt of the response, and the likely cause. */
  readonly excerpt?: string;
  readonly likelyCause?: string;
  readonly replay?: boolean;
}

/** The reason why an event is still waiting. */
export interface WaitingDelivery {
  /** The earlier event of the same object that must be delivered first, if any. */
  readonly heldBy?: {readonly deliveryId: string; readonly event: EventFacts};
  /** Next attempt (of the earlier event, if any), in milliseconds since the epoch; 0 if due now. */
  readonly nextAttemptAt?: number;
}

/**
 * Makes unique ids in order of time. Indexes then grow at their end, which halves the work of a commit.
 * @param now milliseconds since the epoch
 * @param token random letters and digits, different in each process
 */
export function deliveryIds(now: () => number, token: (length: number) => string): () => string {
  const run = token(10);
  let count = 0;
  return () => `dlv_${now().toString(36).padStart(9, '0')}${(count++).toString(36).padStart(5, '0')}${run}`;
}

/** True if the signature was made with this secret. @param age limits the signature's age; unlimited by default */
export function isSignedWith(
  {headers, body}: Delivery,
  secret: string,
  age: {readonly now: number; readonly toleranceSeconds: number} = {now: 0, toleranceSeconds: 0},
): boolean {
  const header = headers.filter(([name]) => name.toLowerCase() === SIGNATURE).map(([, value]) => value);
  return inspectSignature({body, header, secrets: [secret], ...age}).genuine;
}

/** Names a webhook by its secret, without revealing the secret. */
export const secretName = (secret: string): string =>
  `secret:${createHash('sha256').update(`webhook ${secret}`).digest('hex').slice(0, 12)}`;

function parseBody({buffer, byteOffset, byteLength}: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Returns the content by which deliveries of one event id are duplicates. @param event the parsed body, if known */
export function deliveryContentOf(
  {verdict, body}: Pick<Delivery, 'body' | 'verdict'>,
  event?: Record<string, unknown>,
): Uint8Array | string {
  if (!verdict.genuine) return body;
  const content = event ?? parseBody(body);
  if (content === undefined) return body;
  // These fields differ between the service's attempts to deliver an event.
  return JSON.stringify({...(content as object), pending_webhooks: null, updated_at: null});
}

/** Omits unreadable fields. A body that is not JSON has no facts. */
export const readEventFacts = (body: Uint8Array): EventFacts => eventFactsOf(parseBody(body));

/** Reads the object from `data` (as observed) or `data.resource` (as documented). */
export function eventFactsOf(event: unknown): EventFacts {
  if (!isJsonObject(event)) return {};
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const data = isJsonObject(event.data) ? event.data : {};
  const {id, amount} = isJsonObject(data.resource) ? data.resource : data;
  return {
    id: text(event.id),
    type: text(event.type),
    livemode: typeof event.livemode === 'boolean' ? event.livemode : undefined,
    objectId: text(id),
    amount: Number.isSafeInteger(amount) ? (amount as number) : undefined,
  };
}
