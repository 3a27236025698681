// Keeps a tunnel open: proves that it leads here, notices when it does not any more, opens it again, and says so.

import {follow} from '../../deadlines.js';
import {capitalized, CentavoError} from '../../errors.js';
import {tunnelError, type Tunnel, type TunnelProvider} from './tunnel.js';
import {reasonOf} from '../../thrown.js';

/** Milliseconds. */
const BASE_DELAY = 1000;
const LONGEST_DELAY = 30_000;
const DEFAULT_HEARTBEAT = 300_000;

/** A change of state. Each has the URL that is meant, and the first comes once. */
export type TunnelState =
  | {readonly state: 'ready'; readonly url: string}
  | {readonly state: 'disconnected'; readonly url: string; readonly why: string}
  | {
      readonly state: 'reconnected';
      readonly url: string;
      /** It is another URL than before: what was registered must be registered anew. */
      readonly urlChanged: boolean;
      /** How often it was tried, the last time included. */
      readonly attempts: number;
    };

export interface KeepTunnelOptions {
  readonly provider: TunnelProvider;
  readonly localPort: number;
  /** Ends it all. */
  readonly signal: AbortSignal;
  /** Resolves when what is sent to the URL arrives here. @throws CentavoError when it does not */
  readonly prove: (url: string, signal: AbortSignal) => Promise<unknown>;
  /** Told of each change, one at a time; what it throws ends it all. */
  readonly onState: (state: TunnelState) => unknown;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Sleeps this many milliseconds, or rejects when the signal aborts. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
  /** Give up instead of reconnecting, for those who are restarted from outside. */
  readonly exitOnDisconnect?: boolean;
  /** Milliseconds between two proofs of a tunnel that looks open; 0 for none. 5 minutes when not given. */
  readonly heartbeat?: number;
}

/** Milliseconds before an attempt: capped, exponential, with full jitter. @param failures in a row, 1 at least */
export const reconnectDelay = (failures: number, random: number): number =>
  random * Math.min(LONGEST_DELAY, BASE_DELAY * 2 ** (failures - 1));

/**
 * Resolves when the signal has aborted and nothing of the tunnel is left.
 * @throws CentavoError when the tunnel cannot be opened or proven the first time, is lost for good, or is lost with
 *   `exitOnDisconnect` (code `tunnel_lost`); whatever it throws, nothing of the tunnel is left
 */
export async function keepTunnel(options: KeepTunnelOptions): Promise<void> {
  const {signal, onState} = options;
  let known: string | undefined;
  /** In a row, without a tunnel that stayed: what the delay grows with. */
  let failures = 0;
  let attempts = 0;
  while (!signal.aborted) {
    if (failures > 0) {
      const delay = reconnectDelay(failures, options.random());
      await options.sleep(delay, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (signal.aborted) return;
    }
    attempts++;
    const tunnel = await openProven(options).catch((error: unknown) => {
      if (signal.aborted || (known !== undefined && mayRecover(error))) return undefined;
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
        known === undefined ? {state: 'ready', url} : {state: 'reconnected', url, urlChanged: url !== known, attempts},
      );
      known = url;
      attempts = 0;
      why = await untilLost(tunnel, options, () => (failures = 0));
    } finally {
      await tunnel.close();
    }
    if (signal.aborted) return;
    await onState({state: 'disconnected', url: known, why});
    if (options.exitOnDisconnect) {
      throw tunnelError('tunnel_lost', 'the tunnel was lost.', {
        why: sentence(why),
        hint: 'Without --exit-on-disconnect it is opened again.',
      });
    }
    failures++;
  }
}

const sentence = (why: string): string => `${capitalized(why).replace(/\.$/, '')}.`;

/** What is not an error of ours is a bug, and is not tried again and again. */
const mayRecover = (error: unknown): boolean => error instanceof CentavoError && error.details.retryable !== false;

/** Opens a tunnel and proves it; when that fails, it is closed again. */
async function openProven({provider, localPort, signal, prove}: KeepTunnelOptions): Promise<Tunnel> {
  const tunnel = await provider.open({localPort, signal});
  const over = new AbortController();
  const release = follow(over, signal);
  const lost = tunnel.closed.then(({why}): never => {
    throw tunnelError('tunnel_lost', 'the tunnel was lost as soon as it was open.', {why: sentence(why)});
  });
  try {
    await Promise.race([prove(tunnel.url, over.signal), lost]);
    return tunnel;
  } catch (error) {
    over.abort();
    await tunnel.close();
    throw error;
  } finally {
    release();
  }
}

/** Resolves with the reason when the tunnel has ended or leads here no more. @param onHealthy after each later proof */
async function untilLost(tunnel: Tunnel, options: KeepTunnelOptions, onHealthy: () => void): Promise<string> {
  const {signal, prove, sleep, heartbeat = DEFAULT_HEARTBEAT} = options;
  const over = new AbortController();
  const release = follow(over, signal);
  const beat = async (): Promise<string> => {
    for (;;) {
      await sleep(heartbeat, over.signal);
      if (over.signal.aborted) return 'it was stopped';
      await prove(tunnel.url, over.signal);
      onHealthy();
    }
  };
  const ended = tunnel.closed.then(({why}) => why);
  const silent =
    heartbeat > 0
      ? beat().catch((error: unknown) => {
          if (!(error instanceof CentavoError) && !over.signal.aborted) throw error;
          return messageOf(error);
        })
      : ended;
  const why = await Promise.race([ended, silent]);
  release();
  over.abort();
  return why;
}

const messageOf = (error: unknown): string => (error instanceof CentavoError ? error.message : reasonOf(error));
