// No tunnel: the receiver is reached at its own port, or at an address that something else leads there.

import type {OpenOptions, Tunnel, TunnelEnd, TunnelProvider} from './tunnel.js';

/** @param publicUrl where something else leads to the port; the port itself when not given */
export const directProvider = (publicUrl?: string): TunnelProvider => ({
  name: 'none',
  check: () => Promise.resolve({ok: true}),
  open: ({localPort, signal}: OpenOptions): Promise<Tunnel> => {
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
