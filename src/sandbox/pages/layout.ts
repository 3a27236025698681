// The frame of every payment page: stylesheet, reload script and strict security headers.

import {createHash} from 'node:crypto';
import type {ApiResponse} from '../../api/wire.js';
import {html, type Html, type HtmlPart, trusted} from '../../common/markup.js';

export interface HostedPage {
  readonly status?: number;
  readonly title: string;
  readonly main: Html;
  /** Origins of the images that the payer's browser may load. */
  readonly images?: readonly string[];
  /** True if a form may redirect to the merchant's own pages. */
  readonly leavesSite?: boolean;
  /** Reloads the page after a payment elsewhere. `reloading` works without scripts, for pages without text fields. */
  readonly autoReload?: 'in script' | 'reloading';
  /** State that the page was rendered from. The page reloads when the state changes. */
  readonly state?: string;
}

const PAGE_ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' fill='%230b6b5d'/%3E%3C/svg%3E";

/** Meta tags of every page, also in the studio. */
export const META = html`<meta charset="utf-8" />
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <meta name="color-scheme" content="light dark" />
  <meta name="robots" content="noindex" />`;

/** `form-action` must allow any host, because it covers redirects of the merchant's page too. */
const policy = (leavesSite: boolean, scripted: boolean, images: readonly string[]): string =>
  `default-src 'none'; style-src ${STYLE_HASH}; img-src ${['data:', ...images].join(' ')}; form-action 'self'${leavesSite ? ' http: https:' : ''}; ${scripted ? `script-src ${SCRIPT_HASH}; connect-src 'self'; ` : ''}base-uri 'none'; frame-ancestors 'none'`;

/** Response header with the state of a page that waits for a payment. */
const STATE_HEADER = 'x-waiting';

const headers = (leavesSite = false, state?: string, images: readonly string[] = []) => ({
  'content-security-policy': policy(leavesSite, state !== undefined, images),
  ...(state !== undefined && {[STATE_HEADER]: state}),
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
});

export function pageResponse(page: HostedPage): ApiResponse {
  const {status = 200, title, main, images, leavesSite, autoReload, state = ''} = page;
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        ${META}
        <title>${title} · Sandbox</title>
        <link rel="icon" href="${trusted(PAGE_ICON)}" />
        ${trusted(STYLE_TAG)}
        ${autoReload ? html`<meta name="${STATE_HEADER}" content="${state}" />${trusted(`<script>${SCRIPT}</script>`)}` : ''}
        ${autoReload === 'reloading' ? html`<noscript><meta http-equiv="refresh" content="10" /></noscript>` : ''}
      </head>
      <body>
        <header><p class="mark">Sandbox: no money moves</p></header>
        <main>${main}</main>
        <footer><p>A test page of the centavo sandbox on this computer. Times are Manila time.</p></footer>
      </body>
    </html> `;
  return {
    status,
    headers: {'content-type': 'text/html; charset=utf-8', ...headers(leavesSite, autoReload && state, images)},
    body: Buffer.from(document.text),
  };
}

/** Redirects with a GET, so that going back or reloading does not resend the form. */
export const seeOther = (
  location: string,
  responseHeaders: Readonly<Record<string, string>> = headers(),
): ApiResponse => ({
  status: 303,
  headers: {location, ...responseHeaders},
  body: new Uint8Array(),
});

/** Returns a valid http or https URL; otherwise undefined. */
export function webAddress(address: unknown): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const {protocol, href} = new URL(address);
  return protocol === 'http:' || protocol === 'https:' ? href : undefined;
}

interface EndedPageText extends Pick<HostedPage, 'autoReload'> {
  readonly status: number;
  readonly heading: string;
  readonly text: HtmlPart;
  readonly back?: {readonly href: string; readonly label: HtmlPart};
}

/** Returns a page without a payment form, such as for an expired link. */
export function endedPage({status, heading, text, back, autoReload}: EndedPageText): ApiResponse {
  const main = html`<div class="narrow sheet">
    <h1 class="plain">${heading}</h1>
    <p>${text}</p>
    ${back ? html`<p><a href="${back.href}">${back.label}</a></p>` : ''}
  </div>`;
  return pageResponse({status, title: heading, main, autoReload});
}

const CSS = `
:root {
  color-scheme: light dark;
  --paper: #f6f5f1; --card: #fff; --ink: #1c1f1e; --soft: #5a605d; --line: #dfddd5; --edge: #7f8682;
  --accent: #0b6b5d; --accent-deep: #084f45; --on-accent: #fff; --tint: #e9f2ef;
  --bad: #9d241c; --bad-tint: #fbeeec; --mark: #f3e3b3; --on-mark: #4a3a06;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #141716; --card: #1c201f; --ink: #eceeec; --soft: #a8b0ac; --line: #323735; --edge: #79827e;
    --accent: #72d0be; --accent-deep: #9be0d2; --on-accent: #06211c; --tint: #1f2d2a;
    --bad: #ffa59b; --bad-tint: #351f1c; --mark: #3d3418; --on-mark: #f1dea2;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 "Avenir Next", Avenir, "Segoe UI", "Noto Sans", system-ui, sans-serif;
  font-variant-numeric: tabular-nums lining-nums; overflow-wrap: anywhere;
}
h1, h2, p, dl, dd, ul, fieldset, legend, table { margin: 0; padding: 0; border: 0; }
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: 1px; }
a:hover { color: var(--accent-deep); text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; border-radius: 4px; }
.mark { background: var(--mark); color: var(--on-mark); text-align: center; font-size: .875rem; padding: .375rem 1rem; }
main { flex: 1; width: 100%; max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 3rem; }
footer { color: var(--soft); font-size: .8125rem; text-align: center; padding: 0 1.25rem 1.5rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.soft { color: var(--soft); }
.small { font-size: .875rem; }

.ask { display: grid; gap: 2rem; }
.ask > *, .narrow { min-width: 0; }
.fold:not([open]) + div { display: none; }
.narrow { max-width: 30rem; margin: 0 auto; }
@media (min-width: 56rem) {
  main { padding-top: 4rem; }
  .ask { grid-template-columns: minmax(0, 1fr) minmax(0, 25rem); gap: 5rem; align-items: start; }
  .fold { display: none; }
  .fold:not([open]) + div { display: block; }
}

h1 span { display: block; font-size: 1.0625rem; font-weight: 500; line-height: 1.4; letter-spacing: 0; color: var(--soft); padding-bottom: .25rem; }
h1 b { font-weight: 600; color: var(--ink); }
h1 { font-size: 2.5rem; font-weight: 600; line-height: 1.15; letter-spacing: -.02em; }
h1.plain { font-size: 1.75rem; letter-spacing: -.015em; }
h2 { font-size: 1rem; font-weight: 600; }
.about { margin-top: .75rem; white-space: pre-line; }

table { width: 100%; border-collapse: collapse; margin-top: 1.75rem; }
th, td { padding: .75rem 0; text-align: left; vertical-align: top; font-weight: 400; border-bottom: 1px solid var(--line); }
th small { display: block; font-size: .875rem; color: var(--soft); }
th:has(.pic) { position: relative; padding-left: 3.25rem; height: 4rem; }
.pic { position: absolute; left: 0; top: .875rem; width: 2.5rem; height: 2.5rem; border-radius: 8px; object-fit: cover; overflow: hidden; font-size: 0; background: var(--tint); color: var(--accent); }
svg.pic { padding: .5rem; }
td { text-align: right; white-space: nowrap; padding-left: 1.5rem; }
tfoot th, tfoot td { font-weight: 600; border-bottom: 0; padding-top: 1rem; }
.facts { display: grid; grid-template-columns: minmax(6rem, auto) minmax(0, 1fr); gap: .5rem 1.5rem; margin-top: 1.5rem; font-size: .9375rem; }
.facts dt { color: var(--soft); }
.late { display: block; color: var(--bad); font-weight: 600; }

.panel, .sheet { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 1.5rem 1.25rem; }
@media (min-width: 30rem) { .panel, .sheet { padding: 1.75rem; } }
form > * + *, .sheet > * + *, .panel > * + * { margin-top: 1.25rem; }
legend { font-weight: 600; padding-bottom: .75rem; }
.choice { border: 1px solid var(--line); border-radius: 10px; margin-top: .5rem; }
.choice > label { display: grid; grid-template-columns: auto 1fr; column-gap: .75rem; padding: .75rem 1rem; cursor: pointer; align-items: center; border-radius: 10px; }
.choice > label small { grid-column: 2; color: var(--soft); font-size: .875rem; line-height: 1.3; }
.choice input[type="radio"] { width: 1.125rem; height: 1.125rem; margin: 0; accent-color: var(--accent); }
.choice > label:hover { background: var(--tint); }
.choice:has(> label > input:checked) { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
.choice:has(> label > input:focus-visible) { outline: 3px solid var(--accent); outline-offset: 3px; }
.choice input[type="radio"]:focus-visible { outline: none; }
.card { padding: .25rem 1rem 1rem; display: grid; gap: .875rem; }
@supports selector(:has(a)) { .choice:not(:has(> label > input:checked)) > .card { display: none; } }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: .875rem; align-items: start; }

.field label { display: block; font-size: .875rem; font-weight: 500; padding-bottom: .25rem; }
.field input, select {
  width: 100%; min-width: 0; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge);
  border-radius: 8px; padding: .5625rem .75rem; min-height: 2.75rem;
}
.field input::placeholder { color: var(--soft); opacity: 1; }
.field input:focus-visible, select:focus-visible { outline-offset: 1px; }
.field [aria-invalid="true"] { border: 2px solid var(--bad); }
.wrong { color: var(--bad); font-size: .875rem; padding-top: .25rem; }

.alert { background: var(--bad-tint); border-left: 4px solid var(--bad); border-radius: 6px; padding: .875rem 1rem; scroll-margin-top: 1.25rem; }
.alert h2 { color: var(--bad); }
.alert ul { list-style: none; }
.alert a { color: var(--bad); }
.alert:focus-visible { outline: 1px solid var(--bad); outline-offset: 0; border-radius: 6px; }
.note { background: var(--tint); border-radius: 6px; padding: .75rem 1rem; font-size: .9375rem; }

button, .button {
  display: block; width: 100%; min-height: 3rem; padding: .6875rem 1rem; border-radius: 10px; border: 1px solid var(--accent);
  font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer;
  background: var(--accent); color: var(--on-accent);
}
button:hover, .button:hover { background: var(--accent-deep); border-color: var(--accent-deep); color: var(--on-accent); }
button.second { background: transparent; color: var(--ink); border-color: var(--edge); }
button.second:hover { background: var(--tint); color: var(--ink); border-color: var(--ink); }
button + button { margin-top: .75rem; }
.back { text-align: center; }

summary { cursor: pointer; color: var(--accent); font-size: .875rem; font-weight: 500; padding: .25rem 0; }
details > * + * { margin-top: .75rem; }
.cards { list-style: none; font-size: .875rem; border-top: 1px solid var(--line); }
.cards li { border-bottom: 1px solid var(--line); }
.cards a, .cards li > span { display: block; padding: .5rem .25rem; text-decoration: none; }
.cards a:hover { background: var(--tint); }
.cards b { display: block; font-weight: 500; letter-spacing: .02em; white-space: nowrap; }
.cards i { font-style: normal; color: var(--soft); }

.qr { background: #fff; border-radius: 10px; max-width: 17rem; margin-inline: auto; }
.id { font-size: .8125rem; }
.qr svg { display: block; width: 100%; height: auto; }
.seal { display: block; width: 3rem; height: 3rem; color: var(--accent); margin-bottom: 1rem; }
@media print { body { background: #fff; color: #000; } .sheet { border: 0; } .button, .back, footer { display: none; } }
`;

const STYLE_TAG = `<style>${CSS}</style>`;

/** Checks the page's state every two seconds. Reloads the page if the state changed, unless a form was sent. */
const SCRIPT = `
let sent = false;
const shown = document.querySelector('meta[name="${STATE_HEADER}"]').content;
addEventListener('submit', () => (sent = true));
const poll = async () => {
  const answer = await fetch(location.pathname, {method: 'HEAD', redirect: 'manual'}).catch(() => undefined);
  if (sent) return;
  if (answer && answer.status < 500 && answer.headers.get('${STATE_HEADER}') !== shown) location.replace(location.pathname);
  else setTimeout(poll, 2000);
};
setTimeout(poll, 2000);
`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const STYLE_HASH = hashOf(CSS);
const SCRIPT_HASH = hashOf(SCRIPT);
