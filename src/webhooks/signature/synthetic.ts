// An event that the service did not send: made here, signed here, for handlers that are to see one of a real account's objects.

import {guardedLookup} from '../../http/addresses.js';
import {Poster} from '../../http/post.js';
import {signPayload, SIGNATURE_HEADER, type WebhookMode} from './signature.js';

export interface SyntheticEvent {
  readonly type: string;
  /** The object that the event is about. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly mode: WebhookMode;
  /** Unix seconds. */
  readonly now: number;
  /** What follows `evt_`. */
  readonly token: string;
}

/** The bytes of an event in the shape in which the service sends them. */
export function syntheticBody({type, data, mode, now, token}: SyntheticEvent): Uint8Array {
  const event = {
    id: `evt_${token}`,
    resource: 'event',
    type,
    data,
    livemode: mode === 'live',
    pending_webhooks: 1,
    previous_attributes: {},
    created_at: now,
    updated_at: now,
  };
  return Buffer.from(JSON.stringify(event));
}

type Hash = Readonly<Record<string, unknown>>;

const isHash = (value: unknown): value is Hash => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object with what is set; what stands next to it inside hashes stays. */
export const mergeInto = (object: Hash, set: Hash): Hash => ({
  ...object,
  ...Object.fromEntries(
    Object.entries(set).map(([key, value]) => {
      const old = object[key];
      return [key, isHash(old) && isHash(value) ? mergeInto(old, value) : value];
    }),
  ),
});

export interface SentEvent {
  readonly status?: number;
  readonly error?: string;
  readonly durationMs: number;
}

/**
 * Posts signed bytes once; redirects are not followed.
 * @param now unix seconds, for the signature
 * @param timeout milliseconds
 */
export async function postSigned(
  url: string,
  {
    body,
    secret,
    mode,
    now,
    timeout,
  }: {body: Uint8Array; secret: string; mode: WebhookMode; now: number; timeout: number},
): Promise<SentEvent> {
  const poster = new Poster({timeout, lookup: guardedLookup});
  const {status, error, milliseconds} = await poster.post({
    url: new URL(url),
    headers: {
      'content-type': 'application/json',
      [SIGNATURE_HEADER.toLowerCase()]: signPayload({body, secret, timestamp: now, mode}),
      'user-agent': 'centavo',
    },
    body,
  });
  await poster.close();
  return {status, error, durationMs: milliseconds};
}
