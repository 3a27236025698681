// One delivery of a conformance run, and what the handler answered.

import {Readable} from 'node:stream';
import {setTimeout as pause} from 'node:timers/promises';
import {guardedLookup} from '../../http/addresses.js';
import {Poster} from '../../http/post.js';
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
const UNREACHABLE = new Set(['EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND']);

export function createSender({url, timeout, signal}: SenderOptions): Sender {
  const poster = new Poster({timeout, lookup: guardedLookup});
  return {
    send: async ({body, header, pieces = 1}) => {
      const {status, error, code, milliseconds} = await poster.post({
        url,
        headers: {
          'content-type': 'application/json',
          'content-length': String(body.byteLength),
          'user-agent': 'centavo webhooks test',
          ...(header !== undefined && {[SIGNATURE_HEADER]: header}),
        },
        body: pieces === 1 ? body : Readable.from(inPieces(body, pieces)),
        // The handler's time begins when it has the body.
        timeout: timeout + (pieces - 1) * PAUSE,
        signal,
      });
      return {status, error, unreachable: code !== undefined && UNREACHABLE.has(code), durationMs: milliseconds};
    },
    close: () => poster.close(),
  };
}

async function* inPieces(body: Uint8Array, count: number): AsyncGenerator<Buffer> {
  const size = Math.ceil(body.byteLength / count);
  for (let from = 0; from < body.byteLength; from += size) {
    if (from > 0) await pause(PAUSE);
    yield Buffer.from(body.subarray(from, from + size));
  }
}
