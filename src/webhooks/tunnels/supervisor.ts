// Keeps a tunnel open: verifies that requests arrive here, and reopens the tunnel if not.

import {linkAbort, wasAborted} from '../../common/deadlines.js';
import {capitalized, CentavoError} from '../../common/errors.js';
import {backoffDelay} from '../../http/retry.js';
import {tunnelError, type OpenOptions, type Tunnel, type TunnelProvider} from './tunnel.js';

const RECONNECT_SCHEDULE = {first: 1000, maxDelay: 30_000};
const DEFAULT_HEARTBEAT = 300_000;

export type TunnelState =
  | {readonly state: 'ready'; readonly url: string}
  | {readonly state: 'disconnected'; readonly url: string; readonly why: string}
  /** `urlChanged`: true if the webhook needs the new URL. */
  | {readonly state: 'reconnected'; readonly url: string; readonly urlChanged: boolean};

export interface KeepTunnelOptions extends OpenOptions {
  readonly provider: TunnelProvider;
  /** Rejects with a CentavoError when requests to the URL do not arrive here. */
  readonly verify: (url: string, signal: AbortSignal) => Promise<unknown>;
  /** Called for one change at a time. {@link keepTunnel} rejects if the call fails. */
  readonly onState: (state: TunnelState) => unknown;
  readonly random: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
  /** Milliseconds between checks of an open tunnel: 300 000 by default; 0 for none. */
  readonly heartbeat?: number;
}

/** Milliseconds: exponential, capped, with full jitter. @param failures in a row, at least 1 */
export const reconnectDelay = (failures: number, random: number): number =>
  random * backoffDelay(failures, RECONNECT_SCHEDULE);

/** Resolves when the signal aborts. Closes the tunnel then, and after an error. */
export async function keepTunnel(options: KeepTunnelOptions): Promise<void> {
  const {signal, onState} = options;
  let lastUrl: string | undefined;
  /** Failures since the last successful check. */
  let failures = 0;
  while (!signal.aborted) {
    const pause = (): Promise<unknown> => options.sleep(reconnectDelay(failures, options.random()), signal);
    if (failures > 0 && (await wasAborted(pause(), signal))) return;
    const tunnel = await openVerified(options).catch((error: unknown) => {
      if (signal.aborted || (lastUrl !== undefined && mayReconnect(error))) return undefined;
      throw error;
    });
    if (tunnel === undefined) {
      failures++;
      continue;
    }
    let why: string;
    try {
      if (signal.aborted) return;
      const {url} = tunnel;
      await onState(
        lastUrl === undefined ? {state: 'ready', url} : {state: 'reconnected', url, urlChanged: url !== lastUrl},
      );
      lastUrl = url;
      why = await waitUntilLost(tunnel, options, () => (failures = 0));
    } finally {
      await tunnel.close();
    }
    if (signal.aborted) return;
    await onState({state: 'disconnected', url: lastUrl, why});
    failures++;
  }
}

/** True if a retry may help. Errors other than a CentavoError are bugs. */
const mayReconnect = (error: unknown): boolean => error instanceof CentavoError && error.details.retryable !== false;

async function openVerified({provider, localPort, signal, verify}: KeepTunnelOptions): Promise<Tunnel> {
  const tunnel = await provider.open({localPort, signal});
  const abort = new AbortController();
  const release = linkAbort(abort, signal);
  const lost = tunnel.closed.then((why): never => {
    const sentence = `${capitalized(why).replace(/\.$/, '')}.`;
    throw tunnelError('tunnel_lost', 'the tunnel was lost right after it was opened.', {why: sentence});
  });
  try {
    await Promise.race([verify(tunnel.url, abort.signal), lost]);
    return tunnel;
  } catch (error) {
    abort.abort();
    await tunnel.close();
    throw error;
  } finally {
    release();
  }
}

/** Resolves with the reason for the loss of the tunnel. @param onHealthy called after each successful check */
async function waitUntilLost(tunnel: Tunnel, options: KeepTunnelOptions, onHealthy: () => void): Promise<string> {
  const {signal, verify, sleep, heartbeat = DEFAULT_HEARTBEAT} = options;
  const abort = new AbortController();
  const release = linkAbort(abort, signal);
  const waitUntilUnreachable = async (): Promise<string> => {
    try {
      while (!(await wasAborted(sleep(heartbeat, abort.signal), abort.signal))) {
        await verify(tunnel.url, abort.signal);
        onHealthy();
      }
    } catch (error) {
      if (error instanceof CentavoError) return error.message;
      if (!abort.signal.aborted) throw error;
    }
    return 'it was stopped';
  };
  const why = await Promise.race(heartbeat > 0 ? [tunnel.closed, waitUntilUnreachable()] : [tunnel.closed]);
  release();
  abort.abort();
  return why;
}
