// Reads forwarding targets: a port, a path, host:port or a URL. Another machine must be allowed explicitly.

import {isForbiddenHost, isLoopbackHost} from '../../http/addresses.js';
import {readEventFilter, type EventFilter} from '../../input/event-filter.js';
import {InvalidInput} from '../../input/invalid-input.js';

export interface TargetOptions {
  readonly base?: URL;
  readonly allowRemote?: boolean;
}

export interface ForwardTarget {
  readonly url: URL;
  readonly accepts: EventFilter;
}

const TARGET_FORMS = 'Use a port (3000), a path (/hook), host:port/path, or a URL.';

/** A bare port means `localhost`: the app may listen on its IPv4 or its IPv6 address. */
export function readTarget(text: string, {base, allowRemote = false}: TargetOptions = {}): InvalidInput | URL {
  const invalid = (why: string): InvalidInput =>
    new InvalidInput(`${JSON.stringify(text)} is not a valid forwarding address.`, {
      code: 'invalid_target',
      why,
      hint: TARGET_FORMS,
    });
  // `URL` silently drops or changes these characters.
  if (text === '' || /[\s\\\p{Cc}\p{Cf}]/u.test(text)) return invalid('It is empty, or has spaces or backslashes.');
  if (text.startsWith('//')) return invalid('It has no host.');
  if (text.startsWith('/')) {
    if (!base) return invalid('It is a path without a port.');
    return new URL(text, base);
  }
  const [, port, rest] = /^(\d+)(?:([/?#].*))?$/.exec(text) ?? [];
  if (port && (Number(port) < 1 || Number(port) > 65_535)) return invalid('A port is a number from 1 to 65535.');
  const bare = port ? `localhost:${Number(port)}${rest ?? ''}` : text;
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(bare) ? bare : `http://${bare}`;
  if (!/^https?:\/\//i.test(full)) return invalid('Only http and https are supported.');
  if (!URL.canParse(full)) return invalid('It is not a valid address.');
  const url = new URL(full);
  if (url.port === '0') return invalid('Port 0 does not exist.');
  url.hash = '';
  const authority = /^https?:\/\/([^/?#]*)/i.exec(full)![1]!;
  return checkedTarget(url, authority, allowRemote);
}

/** @param authority user, host and port as typed, because `URL` turns 2130706433 into 127.0.0.1 */
function checkedTarget(url: URL, authority: string, allowRemote: boolean): InvalidInput | URL {
  const refuse = (why: string, hint?: string, override?: string): InvalidInput =>
    new InvalidInput(`${url.protocol}//${url.host} is not a safe forwarding address.`, {
      isUnsafe: true,
      code: 'unsafe_url',
      why,
      hint,
      override,
    });
  if (authority.includes('@')) return refuse('It contains a user name or password.');
  if (url.hostname.endsWith('.')) return refuse('Its name ends in a dot.', 'Remove the dot.');
  if (isForbiddenHost(url.hostname))
    return refuse('It is a link-local, metadata or otherwise special address.', 'For this machine, use localhost.');
  const host = authority.replace(/:\d*$/, '').toLowerCase();
  if (/^[\d.]+$|^localhost$/.test(url.hostname) && host !== url.hostname)
    return refuse(`It is another form of ${url.hostname}.`, `Use ${url.hostname}.`);
  if (!isLoopbackHost(url.hostname) && !allowRemote)
    return refuse('It is another machine, and deliveries contain customer data.', undefined, '--forward-remote');
  return url;
}

/** Reads a pattern of event types, and their target: `payment_intent.*=3001/pay`. */
export function readRoute(text: string, options?: TargetOptions): InvalidInput | ForwardTarget {
  const at = text.indexOf('=');
  if (at < 1)
    return new InvalidInput(`${JSON.stringify(text)} is not a route.`, {
      code: 'invalid_route',
      why: 'It needs an event pattern before an equals sign.',
      hint: "For example: --route 'payment_intent.*=3001/pay'",
    });
  const accepts = readEventFilter(text.slice(0, at));
  if (accepts instanceof InvalidInput) return accepts;
  const url = readTarget(text.slice(at + 1), options);
  return url instanceof InvalidInput ? url : {url, accepts};
}

export const firstMatchWins = (targets: readonly ForwardTarget[]): ForwardTarget[] =>
  targets.map(({url, accepts}, index) => ({
    url,
    accepts: (type) => accepts(type) && !targets.slice(0, index).some((earlier) => earlier.accepts(type)),
  }));
