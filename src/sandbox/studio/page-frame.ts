// The frame of studio pages: navigation, clock, message and strict security headers.

import type {ApiResponse} from '../../api/wire.js';
import {META} from '../pages/layout.js';
import {html, type Html, type HtmlPart, shorten, trusted} from '../../common/markup.js';
import {RESOURCE_KINDS} from './resource-kinds.js';
import * as ui from './components.js';
import type {StudioContext, StudioView} from './context.js';
import {cursor, waitingEvents} from './queries.js';
import {clockText, duration, foreignText, safeText} from './format.js';

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** With `same-origin`, browsers send the Origin header with a form. */
export const HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
};

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect x='1' y='1' width='14' height='14' rx='4' fill='%230b6b5d'/%3E%3C/svg%3E";

export function withFrame(context: StudioContext, {status = 200, title, section, main}: StudioView): ApiResponse {
  const {tx, listeners, ahead, home, base, message, query} = context;
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        ${META}
        <title>${shorten(safeText(title))} · centavo sandbox</title>
        <link rel="icon" href="${trusted(ICON)}" />
        <link rel="stylesheet" href="${base}/style.css" />
        <script src="${base}/live.js" defer data-pulse="${base}/pulse" data-seen="${cursor(tx, listeners)}"></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header>
          <a class="brand" href="${home}"><b>centavo</b> <span>sandbox</span></a>
          <form role="search" action="${base}/search">
            <input
              type="search"
              name="q"
              aria-label="Find"
              placeholder="Find an id, number, email or name"
              value="${query.get('q')}"
            />
          </form>
          <p class="clock" data-live>
            <a href="${base}/clock">${clockText(tx.now)}</a
            >${ahead > 0 && html` <span class="badge warn">+${duration(ahead)}</span>`}
          </p>
          <p class="pulse" role="status" hidden>Up to date</p>
        </header>
        <div class="frame">
          <details class="menu"><summary>Menu</summary></details>
          <nav aria-label="Pages" data-live>${navigation(context, section)}</nav>
          <main id="main" tabindex="-1">
            ${message && html`<p class="message ${message.failed && 'failed'}" role="status" tabindex="-1" autofocus>${foreignText(message.text, 400)}</p>`}
            <div data-live>${main}</div>
          </main>
        </div>
      </body>
    </html> `;
  return textResponse('text/html', document.text, status);
}

export const textResponse = (type: string, content: string, status = 200): ApiResponse => ({
  status,
  headers: {'content-type': `${type}; charset=utf-8`, ...HEADERS},
  body: Buffer.from(content),
});

function navigation({tx, home, base}: StudioContext, section: string | undefined): Html {
  const counts = tx.store.counts();
  const failing = waitingEvents(tx).reduce((sum, each) => sum + each.failing, 0);
  const navigationItem = (path: string, name: string, note: HtmlPart, href = `${base}/${path}`): Html =>
    html`<li>${ui.link(href, html`${name} ${note && html`<span>${note}</span>`}`, section === path && 'page')}</li>`;
  const count = (resource: string): string => (counts[resource] ?? 0).toLocaleString('en');
  return html`<ul>
      ${navigationItem('today', 'Today', '', home)}
    </ul>
    <h2>Activity</h2>
    <ul>
      ${navigationItem('events', 'Events', failing > 0 ? html`<b class="bad">${failing} failing</b>` : count('event'))}
      ${navigationItem('requests', 'Requests', '')} ${navigationItem('mail', 'Mail', '')}
      ${navigationItem('clock', 'Clock', '')}
    </ul>
    <h2>Objects</h2>
    <ul>
      ${Object.entries(RESOURCE_KINDS).map(([path, {singular, resource}]) => navigationItem(path, `${singular}s`, count(resource)))}
    </ul>`;
}
