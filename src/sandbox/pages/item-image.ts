// The image of an item on the checkout page: the default one, or its own if the page may load it.

import {isIP} from 'node:net';
import {webAddress} from './layout.js';
import {html, type Html, shorten, trusted, untrusted} from '../../common/markup.js';

const DEFAULT_IMAGE = trusted(
  '<svg class="pic" viewBox="0 0 24 24" aria-hidden="true"><path d="M4 9h16l-1 11H5zM8 9V7a4 4 0 0 1 8 0v2" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round"/></svg>',
);

/** Returns the origin to allow in the page's policy; undefined if a policy cannot name it, or for plain http. */
export function imageOrigin(address: unknown): string | undefined {
  const href = webAddress(address);
  if (href === undefined) return undefined;
  const {origin, protocol, hostname} = new URL(href);
  if (hostname === 'localhost' || hostname === '127.0.0.1') return origin;
  // A policy has neither addresses nor odd characters, and `*` would name every host.
  const canBeNamed = /^[a-z\d-]+(\.[a-z\d-]+)*$/.test(hostname) && isIP(hostname) === 0;
  return protocol === 'https:' && canBeNamed ? origin : undefined;
}

/** @param isLoaded true if the payer's browser may load it */
export function itemImage(address: unknown, name: string, isLoaded: boolean): Html {
  const href = webAddress(address);
  if (isLoaded && imageOrigin(href))
    return html`<img
      class="pic"
      src="${href}"
      alt="Image of ${shorten(name, 60)}"
      width="40"
      height="40"
      loading="lazy"
      referrerpolicy="no-referrer"
    />`;
  return html`${href !== undefined && html`<small>Image from ${untrusted(new URL(href).host, 60)}</small>`}
  ${DEFAULT_IMAGE}`;
}
