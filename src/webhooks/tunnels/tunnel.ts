// The interface of a tunnel, which carries requests from a public URL to a port of this machine.

import {onAbort} from '../../common/deadlines.js';
import {CentavoError, type ErrorDetails} from '../../common/errors.js';

export interface Tunnel {
  /** The public base URL, without a slash at the end. */
  readonly url: string;
  /** Resolves when the tunnel ends, with the reason: one line without secrets. Never rejects. */
  readonly closed: Promise<string>;
  readonly close: () => Promise<void>;
}

export interface OpenOptions {
  readonly localPort: number;
  readonly signal: AbortSignal;
}

export interface TunnelProvider {
  readonly name: string;
  /** Resolves with the missing program and how to install it, if any. Starts nothing. */
  readonly missing: () => Promise<string | undefined>;
  /** Resolves when the provider reports the tunnel as ready. After a rejection, nothing keeps running. */
  readonly open: (options: OpenOptions) => Promise<Tunnel>;
}

/** Creates an error of kind `unavailable`, retryable by default. */
export const tunnelError = (code: `tunnel_${string}`, message: string, details: ErrorDetails = {}): CentavoError =>
  new CentavoError('unavailable', message, {code, retryable: true, ...details});

export const tunnelInterrupted = (): CentavoError =>
  new CentavoError('interrupted', 'the tunnel was interrupted before it was ready.');

/** Returns the URL without a slash at the end; undefined if it cannot be a tunnel's URL. */
export function publicBase(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!plain || !/^https?:$/.test(url.protocol)) return undefined;
  return url.href.replace(/\/+$/, '');
}

/** Opens no tunnel: the receiver is reached at its own port, or through `publicUrl`. */
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
