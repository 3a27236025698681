// One delivery of a conformance run, and what the handler answered. A connection for each, as a sender that nobody knows makes it.

import {Readable} from 'node:stream';
import {setTimeout as pause} from 'node:timers/promises';
import {withDeadline} from '../../deadlines.js';
import {guardedLookup} from '../forward/guarded-lookup.js';
import {SIGNATURE_HEADER} from '../signature/signature.js';

export interface Sending {
  readonly body: Uint8Array;
  /** The signature; none when it is left out. */
  readonly header?: string;
  /** Sends the body in so many pieces, with pauses between them. */
  readonly pieces?: number;
}

export interface Answer {
  readonly status?: number;
  /** Why there is no answer, in words. */
  readonly error?: string;
  /** True when nothing could be sent: nobody listens there. */
  readonly unreachable?: boolean;
  readonly durationMs: number;
}

export interface Sender {
  /** Never throws. */
  readonly send: (sending: Sending) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

export interface SenderOptions {
  readonly url: URL;
  /** Milliseconds for a whole delivery. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

/** Milliseconds between the pieces of a body. */
const PAUSE = 10;
const LARGEST_ANSWER = 64 * 1024;
const UNREACHABLE = new Set(['EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND']);

export async function createSender({url, timeout, signal}: SenderOptions): Promise<Sender> {
  const {Agent} = await import('undici');
  const agent = new Agent({connect: {timeout, lookup: guardedLookup}, headersTimeout: timeout, bodyTimeout: timeout});
  return {
    send: async ({body, header, pieces = 1}) => {
      const started = performance.now();
      const elapsed = (): number => Math.round(performance.now() - started);
      const deliver = async (limit: AbortSignal): Promise<Answer> => {
        const answer = await agent.request({
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'content-length': String(body.byteLength),
            'user-agent': 'centavo webhooks test',
            ...(header === undefined ? {} : {[SIGNATURE_HEADER]: header}),
          },
          body: pieces === 1 ? Buffer.from(body) : Readable.from(inPieces(body, pieces)),
          signal: limit,
          reset: true,
        });
        await answer.body.dump({limit: LARGEST_ANSWER});
        return {status: answer.statusCode, durationMs: elapsed()};
      };
      try {
        // The handler’s time begins when it has the body.
        return await withDeadline(timeout + (pieces - 1) * PAUSE, signal, deliver);
      } catch (error) {
        const {code = '', message, name} = error as {code?: string; message: string; name?: string};
        const slow = name === 'TimeoutError' || /TIMEOUT/.test(code);
        return {
          error: slow ? `no answer within ${timeout / 1000} s` : wordsOf(code, message),
          unreachable: UNREACHABLE.has(code),
          durationMs: elapsed(),
        };
      }
    },
    close: () => agent.destroy(),
  };
}

const wordsOf = (code: string, message: string): string =>
  code === 'ECONNREFUSED'
    ? 'connection refused'
    : code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE'
      ? 'connection closed without an answer'
      : code || message;

async function* inPieces(body: Uint8Array, count: number): AsyncGenerator<Buffer> {
  const size = Math.ceil(body.byteLength / count);
  for (let from = 0; from < body.byteLength; from += size) {
    if (from > 0) await pause(PAUSE);
    yield Buffer.from(body.subarray(from, from + size));
  }
}
