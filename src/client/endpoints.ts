// Allowed addresses: named base URLs, URLs that a key may be sent to, and the proxy.

import type {Encoding} from '../api/wire.js';
import {CentavoError, refusedError} from '../common/errors.js';

export const ENDPOINTS: Readonly<Record<string, {readonly baseUrl: string; readonly encoding: Encoding}>> = {
  payrex: {baseUrl: 'https://api.payrexhq.com', encoding: 'form'},
  // The default address of `sandbox serve`.
  sandbox: {baseUrl: 'http://127.0.0.1:4010', encoding: 'json'},
};

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname);

/** Checks that a key may be sent to the URL: https anywhere, http to loopback only, no path or query. */
export function checkedBaseUrl(baseUrl: string): URL {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new CentavoError('config', 'the base URL is not a valid URL.', {
      hint: 'For example: https://host or http://127.0.0.1:4010',
    });
  }
  if (url.username || url.password)
    throw refusedError('unsafe_url', 'the base URL contains a user name or password.', {
      hint: 'Put the key in CENTAVO_SECRET_KEY instead.',
    });
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))
    throw refusedError('unsafe_url', `${url.protocol}//${url.host} is not a safe address for a key.`, {
      why: 'Plain http is allowed only to this machine.',
      hint: `Use https://${url.host}`,
    });
  if (url.pathname !== '/' || url.search || url.hash)
    throw new CentavoError('config', `the base URL ${url.origin} must not have a path or query.`);
  return url;
}

/** Checks a proxy; `proxy.example:3128` means http. Errors do not show the address, which may hold a password. */
export function checkedProxy(text: string): string {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const fault =
    url === undefined || url.hostname === ''
      ? 'It is not a valid URL.'
      : url.protocol !== 'http:' && url.protocol !== 'https:'
        ? `It starts with ${url.protocol}//, but a proxy must use http or https.`
        : isDecodable(url.username) && isDecodable(url.password)
          ? undefined
          : 'A % in its user name or password must be written as %25.';
  if (fault === undefined) return address;
  throw new CentavoError('config', 'https_proxy is not the address of a proxy.', {
    code: 'invalid_proxy',
    why: fault,
    hint: 'For example: https_proxy=http://proxy.example:3128',
  });
}

/** True if this part of a URL is percent-encoded correctly. A password with a bare % is not. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
