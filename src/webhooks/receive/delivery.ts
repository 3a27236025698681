// Deliveries and forwarding attempts, as they are stored, shown and replayed.

import {createHash} from 'node:crypto';
import {isJsonObject} from '../../common/json.js';
import {SIGNATURE, verifySignature, type Verdict} from '../signature/signature.js';

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
  /** Id of the webhook that sent it, or {@link secretName}. */
  readonly webhook?: string;
  /** The rest of the URL after the token, with the query; at least `/`. */
  readonly path: string;
  readonly headers: readonly RawHeader[];
  /** The exact bytes. */
  readonly body: Uint8Array;
  readonly verdict: Verdict;
  readonly event: EventFacts;
  /** Id of the first delivery of the same event by the same webhook. */
  readonly duplicateOf?: string;
}

/** The app's answer. Bodies and header values are cut, and cookies have no values. */
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
  /** Only the newest are kept. */
  readonly response?: AppResponse;
  /** For an answer that is not 2xx: its first words, and the likely cause. */
  readonly excerpt?: string;
  readonly likelyCause?: string;
  readonly replay?: boolean;
}

/** The reason why an event is still waiting. */
export interface WaitingDelivery {
  /** The earlier event about the same object that holds it, if one does. */
  readonly heldBy?: {readonly deliveryId: string; readonly event: EventFacts};
  /** Milliseconds since the epoch: the next attempt, of the earlier event if one holds it; 0 when it is made now. */
  readonly nextAttemptAt?: number;
}

/**
 * Makes unique ids in the order of time: indexes then grow at their end, which halves the work of a commit.
 * @param now milliseconds since the epoch
 * @param token random letters and digits, different in each process
 */
export function deliveryIds(now: () => number, token: (length: number) => string): () => string {
  const run = token(10);
  let count = 0;
  return () => `dlv_${now().toString(36).padStart(9, '0')}${(count++).toString(36).padStart(5, '0')}${run}`;
}

/** True if the received signature is of this secret. @param age limits its age too */
export function isSignedWith(
  {headers, body}: Delivery,
  secret: string,
  age: {readonly now: number; readonly toleranceSeconds: number} = {now: 0, toleranceSeconds: 0},
): boolean {
  const header = headers.filter(([name]) => name.toLowerCase() === SIGNATURE).map(([, value]) => value);
  return verifySignature({body, header, secrets: [secret], ...age}).genuine;
}

/** Names a webhook by its secret, without revealing it. */
export const secretName = (secret: string): string =>
  `secret:${createHash('sha256').update(`webhook ${secret}`).digest('hex').slice(0, 12)}`;

function parseBody({buffer, byteOffset, byteLength}: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Deliveries of one event id with equal content are duplicates. @param event the parsed body, if it is known */
export function deliveryContentOf(
  {verdict, body}: Pick<Delivery, 'body' | 'verdict'>,
  event?: Record<string, unknown>,
): Uint8Array | string {
  if (!verdict.genuine) return body;
  const content = event ?? parseBody(body);
  if (content === undefined) return body;
  // These differ between attempts of the service to deliver an event.
  return JSON.stringify({...(content as object), pending_webhooks: null, updated_at: null});
}

/** Omits unreadable fields. A body that is not JSON has no facts. */
export const readEventFacts = (body: Uint8Array): EventFacts => eventFactsOf(parseBody(body));

/** Events have the object in `data` (observed) or in `data.resource` (documented). */
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
