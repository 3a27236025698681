// A tunnel: a public URL whose requests arrive at a port of this machine while it is open.

import {CentavoError, type ErrorDetails} from '../../errors.js';

export interface Tunnel {
  /** The public base URL, without a slash at its end. */
  readonly url: string;
  /** Resolves when it has ended, with the reason: one line for a person, without secrets. Never rejects. */
  readonly closed: Promise<string>;
  /** Ends it, and resolves when nothing of it is left. May be called again. */
  readonly close: () => Promise<void>;
}

export interface OpenOptions {
  /** The port on 127.0.0.1 where requests are to arrive. */
  readonly localPort: number;
  /** Ends the tunnel, also while it is being opened. */
  readonly signal: AbortSignal;
}

export interface TunnelProvider {
  readonly name: string;
  /** What is missing on this machine, with what to do about it; undefined when nothing is. Starts nothing. */
  readonly missing: () => Promise<string | undefined>;
  /**
   * Resolves when the tunnel is ready, as far as the provider can tell; when it rejects, nothing is left running.
   * @throws CentavoError kind `unavailable` with a code that begins with `tunnel_`, kind `interrupted` when aborted
   */
  readonly open: (options: OpenOptions) => Promise<Tunnel>;
}

/** A failure of a tunnel, retryable by default. */
export const tunnelError = (code: `tunnel_${string}`, message: string, details: ErrorDetails = {}): CentavoError =>
  new CentavoError('unavailable', message, {code, retryable: true, ...details});

export const tunnelInterrupted = (): CentavoError =>
  new CentavoError('interrupted', 'the tunnel was interrupted before it was ready.');

/** A public address as a tunnel's URL, or undefined when it cannot be one. */
export function publicBase(text: string): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!plain || !/^https?:$/.test(url.protocol)) return undefined;
  return url.href.replace(/\/+$/, '');
}

/**
 * No tunnel: the receiver is reached at its own port, or by other means.
 * @param publicUrl the URL of those other means
 */
export const directProvider = (publicUrl?: string): TunnelProvider => ({
  name: 'none',
  missing: () => Promise.resolve(undefined),
  open: ({localPort, signal}) => {
    let end: (why: string) => void;
    const closed = new Promise<string>((resolve) => (end = resolve));
    const close = (): Promise<void> => {
      signal.removeEventListener('abort', close);
      end('it was closed');
      return Promise.resolve();
    };
    if (signal.aborted) void close();
    else signal.addEventListener('abort', close, {once: true});
    return Promise.resolve({url: publicUrl ?? `http://127.0.0.1:${localPort}`, closed, close});
  },
});
