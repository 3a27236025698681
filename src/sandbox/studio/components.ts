// Components of studio pages.

import {STATE_WORDS} from '../../accounting/words.js';
import {formatPesos} from '../../common/pesos.js';
import {html, type Html, type HtmlPart, trusted} from '../../common/markup.js';
import {recordStanding} from '../record-standing.js';
import type {StoreReader, StoredRecord} from '../store.js';
import type {StudioContext} from './context.js';
import {ROWS} from './queries.js';
import {foreignText, humanized, objectNameOf, studioTime} from './format.js';

export const small = (part: HtmlPart): Html => html`<small>${part}</small>`;
export const muted = (part: HtmlPart): Html => html`<span class="soft">${part}</span>`;
export const code = (part: HtmlPart): Html => html`<code>${part}</code>`;
export const empty = (part: HtmlPart): Html => html`<p class="empty">${part}</p>`;
export const link = (to: string, label: HtmlPart, current?: false | 'page' | 'true'): Html =>
  html`<a href="${to}" ${current && trusted(`aria-current="${current}"`)}>${label}</a>`;
export const section = (title: HtmlPart, ...content: readonly HtmlPart[]): Html =>
  html`<section>
    <h2>${title}</h2>
    ${content}
  </section>`;
const TONES: Readonly<Record<string, readonly string[]>> = {
  good: 'completed delivered enabled paid succeeded successful'.split(' '),
  info: 'active awaiting_capture awaiting_next_action in_transit open pending processing stored waiting'.split(' '),
  warn: 'held not_forwarded refused retrying'.split(' '),
  bad: 'dropped failed given_up not_genuine'.split(' '),
};

export function badge(state: unknown, tone?: string): Html {
  const name = String(state);
  const [found = ''] = Object.entries(TONES).find(([, states]) => states.includes(name)) ?? [];
  return html`<span class="badge ${tone ?? found}">${humanized(name)}</span>`;
}

/** Renders the status of a response, as plain text for 2xx and 3xx. */
export function statusBadge(status: number | null): Html {
  if (status === null) return html`<span class="badge warn">No answer</span>`;
  return status < 400 ? html`${status}` : badge(status, status < 500 ? 'warn' : 'bad');
}

const TONE_OF = {dim: '', green: 'good', red: 'warn', yellow: 'info'} as const;
const HAVE_MONEY = ['billing_statement', 'checkout_session', 'payment', 'payment_intent'];

/** Renders what happened to the money of an object, or else its status. */
export function stateBadge(tx: StoreReader, record: StoredRecord): Html | '' {
  if (typeof record.status !== 'string') return '';
  if (!HAVE_MONEY.includes(record.resource)) return badge(record.status);
  const {label, style} = STATE_WORDS[recordStanding(tx, record).state];
  return badge(label, TONE_OF[style ?? 'dim']);
}

/** Formats a field as an amount, time, status, text or JSON. */
export function fieldValue(name: string, value: unknown, now: number): HtmlPart {
  if (value === null || value === undefined || value === '' || (value === 0 && name.endsWith('_at')))
    return muted('none');
  if (typeof value === 'number' && /amount|price|^fee$/.test(name)) return formatPesos(value);
  if (typeof value === 'number' && name.endsWith('_at')) return studioTime(value, now);
  if (name === 'status') return badge(value);
  return foreignText(typeof value === 'string' ? value : JSON.stringify(value), 120);
}

/** Renders a button that posts a form, but only at the address with the secret. */
export function button(
  {base, currentUrl, hasButtons}: StudioContext,
  verb: string,
  label: string,
  fields: Readonly<Record<string, string>> = {},
  {main = false, extra}: {readonly main?: boolean; readonly extra?: Html} = {},
): Html | '' {
  if (!hasButtons) return '';
  return html`<form method="post" action="${base}/act/${verb}">
    ${Object.entries({...fields, back: currentUrl}).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}${extra}
    <button ${main && trusted('class="main"')}>${label}</button>
  </form>`;
}

export const objectLink = ({base, tx}: StudioContext, record: StoredRecord): Html =>
  link(`${base}/${record.id}`, objectNameOf(record, tx));

export interface Title {
  readonly title: string;
  readonly numeric?: boolean;
  readonly wide?: boolean;
}

export const wide = (title: string): Title => ({title, wide: true});
export const right = (title: string): Title => ({title, numeric: true});

/** Renders a table. Phones show wide columns as text under a row's first cell. */
export function table(
  titles: readonly (Title | string)[],
  rows: readonly (readonly HtmlPart[])[],
  emptyText = 'None.',
): Html {
  if (rows.length === 0) return empty(emptyText);
  const columns = titles.map((title): Title => (typeof title === 'string' ? {title} : title));
  const kinds = columns.map(({numeric, wide: isWide}) => `${numeric ? 'number' : ''} ${isWide ? 'wide' : ''}`);
  const head = columns.map(({title}, index) => html`<th scope="col" class="${kinds[index]}">${title}</th>`);
  const body = rows.map((cells) => {
    const wides = cells.filter((cell, index) => columns[index]!.wide && /^[^<]|>[^<]/.test(html`${cell}`.text));
    const below = html`<small class="narrow">${wides.map((cell, index) => html`${index > 0 && ' · '}${cell}`)}</small>`;
    return cells.map((cell, index) => html`<td class="${kinds[index]}">${cell}${index === 0 && below}</td>`);
  });
  const tr = (cells: HtmlPart): Html =>
    html`<tr>
      ${cells}
    </tr>`;
  return html`<table>
    <thead>
      ${tr(head)}
    </thead>
    <tbody>
      ${body.map(tr)}
    </tbody>
  </table>`;
}

export const tabs = (choices: readonly (readonly [label: HtmlPart, href: string, isShown: boolean])[]): Html =>
  html`<p class="tabs">${choices.map(([label, href, isShown]) => link(href, label, isShown && 'true'))}</p>`;

/** Adds the defined parameters to a path. */
export function withQuery(path: string, query: Readonly<Record<string, number | string | undefined>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? path : `${path}?${given}`;
}

/** Shown under lists without an older page. */
export const newestOnly = empty(`Showing the newest ${ROWS}. There are more.`);

export const olderLink = (
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  next: number | undefined,
): Html | '' =>
  next === undefined ? '' : html`<p><a class="more" href="${withQuery(path, {...query, before: next})}">Older</a></p>`;
