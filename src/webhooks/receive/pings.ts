// Proof that a public URL leads here: a signed ping with a nonce that was announced before, answered and never stored.

import type {IncomingMessage} from 'node:http';
import {readEventFacts} from './delivery.js';
import {headerValues} from '../../http/requests.js';
import {SIGNATURE_HEADER, verifySignature} from '../signature/signature.js';
import {PING_EVENT_TYPE, PING_HEADER} from '../tunnels/ping.js';

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
  ) => {status: number; headers: Record<string, string>} | 'unexpected' | undefined;
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
      // The nonce has to be signed too: in the header alone, it would be anybody's.
      if (nonces.length > 1 || !expected.has(nonce) || !isPingOf(nonce, body)) return 'unexpected';
      const own = expected.get(nonce);
      const verdict = verifySignature({
        body,
        header: headerValues(request, SIGNATURE_HEADER.toLowerCase()),
        secrets: own === undefined ? secrets : [...secrets, own],
        now: Math.floor(now / 1000),
      });
      return verdict.genuine ? {status: 200, headers: {[PING_HEADER]: nonce}} : 'unexpected';
    },
  };
}

/** A ping is an event about nothing, which names its nonce. */
function isPingOf(nonce: string, body: Uint8Array): boolean {
  const {type, objectId} = readEventFacts(body);
  return type === PING_EVENT_TYPE && objectId === nonce;
}
