// Which process delivers: of those that stay, one; the others stand by. Commands that end leave it to that one.

import type {Store} from './store.js';

/**
 * How long a host counts as there after it last said so, and how often it says so, in seconds of the world outside. After one that was
 * killed, events wait so long; two at once are harmless, since each delivery is leased.
 */
export const HOST_SECONDS = 5;
const RENEWAL_SECONDS = 2;

const NAME = 'delivery_host';

interface Host {
  readonly token: string;
  /** Unix seconds of the world outside. */
  readonly until: number;
  /** One that has faults to cause takes over from one that has none: what it was asked for would not happen otherwise. */
  readonly faults: boolean;
}

function hostOf(store: Store): Host | undefined {
  const text = store.setting(NAME);
  return text === undefined ? undefined : (JSON.parse(text) as Host);
}

/** True when some process delivers by itself. @param outside unix seconds of the world outside */
export function hasHost(store: Store, outside: number): boolean {
  const host = hostOf(store);
  return host !== undefined && host.until > outside;
}

/** True when this process is the host and need not say so yet. */
export function isHost(store: Store, token: string, outside: number): boolean {
  const host = hostOf(store);
  return host?.token === token && host.until - outside > HOST_SECONDS - RENEWAL_SECONDS;
}

/** True when this process may become the host, or stay it. */
export function mayHost(store: Store, token: string, outside: number, faults: boolean): boolean {
  const host = hostOf(store);
  const taken = host && host.token !== token && host.until > outside;
  return !taken || (faults && !host.faults);
}

/** Makes this process the host, if it may be. Belongs into a transaction. */
export function becomeHost(store: Store, token: string, outside: number, faults: boolean): boolean {
  if (!mayHost(store, token, outside, faults)) return false;
  store.set(NAME, JSON.stringify({token, until: outside + HOST_SECONDS, faults} satisfies Host));
  return true;
}

export function leaveHost(store: Store, token: string): void {
  if (hostOf(store)?.token === token) store.unset(NAME);
}
