// The frame of every page: one document, one stylesheet inside it, no scripts, and headers that allow nothing else.

import type {ApiResponse} from '../../api/wire.js';
import {html, trusted, type Html, type Part} from './markup.js';
import {STYLE, STYLE_HASH} from './style.js';

export interface Page {
  /** 200 when not given. */
  readonly status?: number;
  readonly title: string;
  readonly main: Html;
  /** Whether a form of the page may lead to the merchant's own pages. */
  readonly leadsAway?: boolean;
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' fill='%230b6b5d'/%3E%3C/svg%3E";

/**
 * Browsers hold every redirect that follows a form against `form-action`. Where a merchant's page sends the payer on to
 * is not known, so that pages with a merchant's address behind their form name no host.
 */
const policy = (leadsAway: boolean): string =>
  `default-src 'none'; style-src ${STYLE_HASH}; img-src data:; form-action 'self'${leadsAway ? ' http: https:' : ''}; base-uri 'none'; frame-ancestors 'none'`;

const headers = (leadsAway = false) => ({
  'content-security-policy': policy(leadsAway),
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
});

export function pageResponse({status = 200, title, main, leadsAway}: Page): ApiResponse {
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · Sandbox</title>
        <link rel="icon" href="${trusted(ICON)}" />
        ${trusted(STYLE)}
      </head>
      <body>
        <header><p class="mark">Sandbox: no money moves</p></header>
        <main>${main}</main>
        <footer><p>A test page of the centavo sandbox on this computer. Times are Manila time.</p></footer>
      </body>
    </html> `;
  return {
    status,
    headers: {'content-type': 'text/html; charset=utf-8', ...headers(leadsAway)},
    body: Buffer.from(document.text),
  };
}

/** Sends the browser on with a GET, so that going back or reloading sends nothing again. */
export const seeOther = (location: string): ApiResponse => ({
  status: 303,
  headers: {location, ...headers()},
  body: new Uint8Array(),
});

/** The address if a browser may be sent to it: http or https, nothing that runs. */
export function webAddress(address: unknown): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const {protocol, href} = new URL(address);
  return protocol === 'http:' || protocol === 'https:' ? href : undefined;
}

export interface Ending {
  readonly status: number;
  readonly heading: string;
  readonly words: Part;
  /** A link to go on with. */
  readonly back?: {readonly href: string; readonly label: Part};
  readonly more?: Html;
}

/** A page on which there is nothing to pay: not there, not ready, no longer open, not allowed. */
export function ending({status, heading, words, back, more}: Ending): ApiResponse {
  const main = html`<div class="narrow sheet">
    <h1 class="plain">${heading}</h1>
    <p>${words}</p>
    ${more} ${back ? html`<p><a href="${back.href}">${back.label}</a></p>` : ''}
  </div>`;
  return pageResponse({status, title: heading, main});
}
