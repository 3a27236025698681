// Events that the service did not send: made and signed here, to show a handler what an event looks like.

import {withDeadline} from '../../deadlines.js';
import {wordsFor} from '../forward/exchange.js';
import {guardedLookup} from '../forward/guarded-lookup.js';
import {signPayload, SIGNATURE_HEADER, type WebhookMode} from './signature.js';

export interface SyntheticEvent {
  readonly type: string;
  /** The object that the event is about. */
  readonly data: Hash;
  readonly mode: WebhookMode;
  /** Unix seconds. */
  readonly now: number;
  /** The part of the id after `evt_`. */
  readonly token: string;
}

type Hash = Readonly<Record<string, unknown>>;

/** An event in the shape in which the service sends it. */
export const syntheticEvent = ({type, data, mode, now, token}: SyntheticEvent) => ({
  id: `evt_${token}`,
  resource: 'event',
  type,
  data,
  livemode: mode === 'live',
  pending_webhooks: 1,
  previous_attributes: {},
  created_at: now,
  updated_at: now,
});

const isHash = (value: unknown): value is Hash => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object with some fields set. Inside hashes, the other fields stay. */
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
    clock,
  }: {body: Uint8Array; secret: string; mode: WebhookMode; now: number; timeout: number; clock: () => number},
): Promise<SentEvent> {
  const {Agent, request} = await import('undici');
  const dispatcher = new Agent({connect: {lookup: guardedLookup}});
  const started = clock();
  try {
    return await withDeadline(timeout, undefined, async (signal) => {
      const answer = await request(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          [SIGNATURE_HEADER.toLowerCase()]: signPayload({body, secret, timestamp: now, mode}),
          'user-agent': 'centavo',
        },
        body: Buffer.from(body),
        // The deadline is the only limit.
        headersTimeout: 0,
        bodyTimeout: 0,
        dispatcher,
        signal,
      });
      await answer.body.dump({limit: 65_536});
      return {status: answer.statusCode, durationMs: clock() - started};
    });
  } catch (error) {
    const late = (error as Error).name === 'TimeoutError';
    const why = late ? `no answer within ${timeout / 1000} s` : wordsFor(error as NodeJS.ErrnoException);
    return {error: why, durationMs: clock() - started};
  } finally {
    await dispatcher.destroy();
  }
}
