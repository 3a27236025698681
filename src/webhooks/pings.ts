// Proof that a public URL leads here: a signed request with a number that was announced before, answered and never stored.

import type {IncomingMessage} from 'node:http';
import {headerValues} from './receiver-guards.js';
import {SIGNATURE_HEADER, verifySignature} from './signature.js';

/** Carries the nonce. */
export const PING_HEADER = 'x-centavo-ping';

/** The body that a ping has to have. */
export const pingBody = (nonce: string): Buffer => Buffer.from(JSON.stringify({ping: nonce}));

export interface Pings {
  /**
   * Lets a ping with this nonce be answered, as often as it comes, until what is returned is called.
   * @param secret that may sign it besides those of the receiver; for a path that is proven before an endpoint has a secret
   */
  readonly expect: (nonce: string, secret?: string) => () => void;
  /** Undefined for what is no ping. @param now milliseconds since the epoch */
  readonly answer: (
    request: IncomingMessage,
    body: Uint8Array,
    secrets: readonly string[],
    now: number,
  ) => {status: number; headers: Record<string, string>; body: Uint8Array} | 'unexpected' | undefined;
}

export function expectedPings(): Pings {
  const expected = new Map<string, string | undefined>();
  return {
    expect: (nonce, secret) => {
      expected.set(nonce, secret);
      return () => void expected.delete(nonce);
    },
    answer: (request, body, secrets, now) => {
      const nonces = headerValues(request, PING_HEADER);
      if (nonces.length === 0) return undefined;
      const [nonce = ''] = nonces;
      if (nonces.length > 1 || !expected.has(nonce) || !pingBody(nonce).equals(body)) return 'unexpected';
      const own = expected.get(nonce);
      const verdict = verifySignature({
        body,
        header: headerValues(request, SIGNATURE_HEADER.toLowerCase()),
        secrets: own === undefined ? secrets : [...secrets, own],
        now: Math.floor(now / 1000),
      });
      if (!verdict.genuine) return 'unexpected';
      return {status: 200, headers: {'content-type': 'text/plain'}, body: Buffer.from(nonce)};
    },
  };
}
