// The proxy that the environment names, as an address that can be used; or the error that says which variable to mend.

import {CentavoError} from '../errors.js';

/**
 * `proxy.example:3128` is http's, as for other programs.
 * @throws CentavoError kind `config`; the address is not shown, since it may hold a password
 */
export function checkedProxy(text: string): string {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const fault =
    url === undefined || url.hostname === ''
      ? 'It is no URL.'
      : url.protocol !== 'http:' && url.protocol !== 'https:'
        ? `It begins with ${url.protocol}//, and a proxy is spoken to by http or https.`
        : isDecodable(url.username) && isDecodable(url.password)
          ? undefined
          : 'In its user name or password stands a % that begins no code: write it as %25.';
  if (fault === undefined) return address;
  throw new CentavoError('config', 'https_proxy does not hold the address of a proxy.', {
    code: 'invalid_proxy',
    why: fault,
    hint: 'For example: https_proxy=http://proxy.example:3128',
    applied: 'no',
  });
}

/** A password as it was given, with a % in it, is no part of a URL. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
