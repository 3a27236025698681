// A tunnel: while it is open, requests to its public URL arrive at a port of this machine.

import {onAbort} from '../../common/deadlines.js';
import {CentavoError, type ErrorDetails} from '../../common/errors.js';

export interface Tunnel {
  /** The public base URL, without a slash at the end. */
  readonly url: string;
  /** Resolves with the reason, one line without secrets, when the tunnel has ended. Never rejects. */
  readonly closed: Promise<string>;
  readonly close: () => Promise<void>;
}

export interface OpenOptions {
  readonly localPort: number;
  readonly signal: AbortSignal;
}

export interface TunnelProvider {
  readonly name: string;
  /** The missing part on this machine and how to get it, if any. Starts nothing. */
  readonly missing: () => Promise<string | undefined>;
  /** Resolves when the provider reports the tunnel as ready. If it rejects, nothing keeps running. */
  readonly open: (options: OpenOptions) => Promise<Tunnel>;
}

/** Retryable by default. */
export const tunnelError = (code: `tunnel_${string}`, message: string, details: ErrorDetails = {}): CentavoError =>
  new CentavoError('unavailable', message, {code, retryable: true, ...details});

export const tunnelInterrupted = (): CentavoError =>
  new CentavoError('interrupted', 'the tunnel was interrupted before it was ready.');

/** Undefined for an address that cannot be a tunnel's URL. */
export function publicBase(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!plain || !/^https?:$/.test(url.protocol)) return undefined;
  return url.href.replace(/\/+$/, '');
}

/** No tunnel: the receiver is reached at its own port, or through `publicUrl`. */
export const directProvider = (publicUrl?: string): TunnelProvider => ({
  name: 'none',
  missing: () => Promise.resolve(undefined),
  open: ({localPort, signal}) => {
    let close!: () => Promise<void>;
    const closed = new Promise<string>((resolve) => (close = async () => resolve('it was closed')));
    void closed.then(onAbort(signal, () => void close()));
    return Promise.resolve({url: publicUrl ?? `http://127.0.0.1:${localPort}`, closed, close});
  },
});
