// One request to an app, and what came of it. Nothing that an app does takes longer, or more memory, than it is given.

import type {Dispatcher, Pool} from 'undici';
import {abortionOf} from '../../deadlines.js';
import {isLoopbackHost} from './addresses.js';
import {answeredHeaders} from './forward-headers.js';
import {guardedLookup} from './guarded-lookup.js';
import {nameOf} from '../../thrown.js';

/** How much of an answer's body is read, in bytes. */
const LARGEST_ANSWER = 64 * 1024;
/** How long an idle connection is kept, in milliseconds: not longer than any app keeps it. */
const KEEP_ALIVE = 1000;

/** `stopped`: by us. */
export type Ending = 'answered' | 'stopped' | 'timeout' | 'unreachable';

export interface Exchange {
  readonly ending: Ending;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** As much of it as is read. */
  readonly body?: Buffer;
  readonly error?: string;
}

export interface ExchangerOptions {
  /** For a whole exchange. */
  readonly timeoutMilliseconds: number;
  /** Connections to one app. */
  readonly connections: number;
  /** Accepts any certificate of this machine. */
  readonly insecure: boolean;
}

export class Exchanger {
  readonly #options: ExchangerOptions;
  /** Begun at once: the first delivery need not wait for it. */
  readonly #undici = import('undici');
  readonly #pools = new Map<string, Promise<Pool>>();
  readonly #underWay = new Set<AbortController>();

  constructor(options: ExchangerOptions) {
    this.#options = options;
  }

  /** Never throws. @param headers flat: names and values in turn */
  async post(url: URL, query: string, headers: string[], body: Uint8Array): Promise<Exchange> {
    const {timeoutMilliseconds} = this.#options;
    const ending = new AbortController();
    const {signal} = ending;
    const late: Exchange = {ending: 'timeout', error: `no answer within ${timeoutMilliseconds / 1000} s`};
    const timer = setTimeout(() => ending.abort(late), timeoutMilliseconds);
    this.#underWay.add(ending);
    try {
      const pool = await this.#poolOf(url);
      const asking = pool.request({
        path: pathWith(url, query),
        method: 'POST',
        headers,
        body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
        signal,
      });
      // undici heeds a signal only once it has a connection.
      const answer = await Promise.race([asking, abortionOf(signal)]);
      return {
        ending: 'answered',
        status: answer.statusCode,
        headers: answeredHeaders(answer.headers),
        body: await readStart(answer.body),
      };
    } catch (error) {
      if (signal.aborted) return signal.reason as Exchange;
      return {ending: 'unreachable', error: wordsFor(error as NodeJS.ErrnoException)};
    } finally {
      clearTimeout(timer);
      this.#underWay.delete(ending);
    }
  }

  #poolOf({origin, hostname}: URL): Promise<Pool> {
    const known = this.#pools.get(origin);
    if (known) return known;
    const {timeoutMilliseconds, connections, insecure} = this.#options;
    const made = this.#undici.then(
      ({Pool: UndiciPool}) =>
        new UndiciPool(origin, {
          connections,
          // The deadline is the only limit of an exchange.
          headersTimeout: 0,
          bodyTimeout: 0,
          keepAliveTimeout: KEEP_ALIVE,
          keepAliveMaxTimeout: KEEP_ALIVE,
          connect: {
            timeout: timeoutMilliseconds,
            lookup: guardedLookup,
            rejectUnauthorized: !(insecure && isLoopbackHost(hostname)),
          },
        }),
    );
    this.#pools.set(origin, made);
    return made;
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    const stopped: Exchange = {ending: 'stopped', error: 'stopped before it had answered'};
    for (const ending of this.#underWay) ending.abort(stopped);
    for (const pool of this.#pools.values()) await (await pool).destroy().catch(() => {});
  }
}

/** The target's own query comes first. */
function pathWith({pathname, search}: URL, query: string): string {
  if (query === '') return pathname + search;
  return `${pathname}${search === '' ? '?' : `${search}&`}${query}`;
}

/** The app has answered once its head is there: a body that breaks off, or never ends, takes nothing back. */
async function readStart(body: Dispatcher.ResponseData['body']): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size >= LARGEST_ANSWER) break;
    }
  } catch {}
  return Buffer.concat(chunks).subarray(0, LARGEST_ANSWER);
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there (ECONNREFUSED)',
  ECONNRESET: 'the connection was reset (ECONNRESET)',
  EHOSTUNREACH: 'there is no way to it (EHOSTUNREACH)',
  ENOTFOUND: 'the host name is not known (ENOTFOUND)',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time (UND_ERR_CONNECT_TIMEOUT)',
  UND_ERR_HEADERS_OVERFLOW: 'its answer has too many headers (UND_ERR_HEADERS_OVERFLOW)',
  UND_ERR_SOCKET: 'the connection was closed before it had answered (UND_ERR_SOCKET)',
};

/** Why there is no answer, for a person. */
export function wordsFor(error: NodeJS.ErrnoException & {errors?: NodeJS.ErrnoException[]}): string {
  // Of localhost both addresses are tried, and both errors are told.
  const code = error.code ?? error.errors?.[0]?.code ?? '';
  if (code.startsWith('HPE_')) return `its answer is no HTTP (${code})`;
  return WORDS[code] ?? `the connection failed (${code || nameOf(error)})`;
}
