// What a tunnel is: a public URL whose requests arrive at a port of this machine for as long as it is open.

import {CentavoError, type ErrorDetails} from '../../errors.js';

/** How a tunnel ended. */
export interface TunnelEnd {
  /** `closed` from here, by `close` or by the signal; `lost` otherwise. */
  readonly reason: 'closed' | 'lost';
  /** One line for a person, without secrets. */
  readonly why: string;
}

export interface Tunnel {
  /** Where the public side begins, without a slash at its end. */
  readonly url: string;
  /** Never rejects. */
  readonly closed: Promise<TunnelEnd>;
  /** Ends it; resolves when nothing of it is left. May be called again. */
  readonly close: () => Promise<void>;
}

export type TunnelCheck = {readonly ok: true} | {readonly ok: false; readonly hint: string};

export interface OpenOptions {
  /** The port on 127.0.0.1 at which requests shall arrive. */
  readonly localPort: number;
  /** Ends the tunnel, whether it is still being opened or open already. */
  readonly signal: AbortSignal;
}

export interface TunnelProvider {
  readonly name: string;
  /** Whether what it needs is on this machine. Starts nothing. */
  readonly check: () => Promise<TunnelCheck>;
  /**
   * Resolves when the tunnel is ready, as far as the provider can tell; when it rejects, nothing is left running.
   * @throws CentavoError kind `unavailable` with a code that begins with `tunnel_`, kind `interrupted` when aborted
   */
  readonly open: (options: OpenOptions) => Promise<Tunnel>;
}

/** A failure of a tunnel; it may be tried again unless said otherwise. */
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
 * No tunnel: the receiver is reached at its own port, or where something else leads there.
 * @param publicUrl where that is; the port itself when not given
 */
export const directProvider = (publicUrl?: string): TunnelProvider => ({
  name: 'none',
  check: () => Promise.resolve({ok: true}),
  open: ({localPort, signal}) => {
    let end: (end: TunnelEnd) => void;
    const closed = new Promise<TunnelEnd>((resolve) => (end = resolve));
    const close = (): Promise<void> => {
      signal.removeEventListener('abort', close);
      end({reason: 'closed', why: 'it was closed'});
      return Promise.resolve();
    };
    if (signal.aborted) void close();
    else signal.addEventListener('abort', close, {once: true});
    return Promise.resolve({url: publicUrl ?? `http://127.0.0.1:${localPort}`, closed, close});
  },
});
