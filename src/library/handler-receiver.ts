// Delivers events to a handler in this process, as a Fetch request.

import type {AsyncLocalStorage} from 'node:async_hooks';
import {abortPromise, withDeadline} from '../common/deadlines.js';
import type {EventReceiver} from '../sandbox/delivery/deliver.js';

/** A Fetch handler: Hono's `app.fetch`, a Next route, or a function of the test. */
export type WebhookHandler = (request: Request) => Promise<Response> | Response;

export interface HandlerOptions {
  /** The path of the request that a handler gets: `/webhooks/payrex` by default. */
  readonly path?: `/${string}`;
  /** `throw`: what the handler throws is thrown where the test waits. `retry`: it is a 500, as of a server. */
  readonly onThrow?: 'retry' | 'throw';
}

/** Milliseconds for a handler, as for a webhook over HTTP. */
const TIMEOUT = 10_000;

/** @param test set while the handler runs, and what it threw */
export function receiverOf(
  handler: WebhookHandler,
  {onThrow = 'throw'}: HandlerOptions,
  test: {readonly handling: AsyncLocalStorage<true>; readonly thrown: unknown[]},
): EventReceiver {
  const post: EventReceiver['post'] = async ({url, headers, body, signal}) => {
    const started = performance.now();
    const took = () => ({milliseconds: Math.round(performance.now() - started)});
    const request = new Request(url, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: body as Uint8Array,
    });
    try {
      return await withDeadline(TIMEOUT, signal, async (limit) => {
        const answering = test.handling.run(true, async () => handler(request));
        const response = await Promise.race([answering, abortPromise(limit)]);
        if (typeof response?.arrayBuffer !== 'function')
          throw new TypeError('The handler returned no Response. Return one: new Response(null, {status: 200})');
        const answer = Buffer.from(await response.arrayBuffer());
        return {
          ending: 'answered',
          status: response.status,
          headers: Object.fromEntries(response.headers),
          body: answer,
          ...took(),
        };
      });
    } catch (error) {
      if ((error as Error).name === 'TimeoutError')
        return {ending: 'timeout', error: `no response within ${TIMEOUT / 1000} s`, ...took()};
      if (onThrow === 'throw') test.thrown.push(error);
      const text = error instanceof Error ? error.message : String(error);
      return {ending: 'answered', status: 500, headers: {}, body: Buffer.from(text), ...took()};
    }
  };
  return {post, isInProcess: true};
}
