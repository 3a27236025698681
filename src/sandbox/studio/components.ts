// Parts that pages of the studio are made of.

import {formatPesos} from '../../common/pesos.js';
import {html, type Html, type HtmlPart, trusted} from '../pages/markup.js';
import type {StoreReader, StoredRecord} from '../store.js';
import {ROWS} from './queries.js';
import {foreignText, humanized, isOverdue, objectNameOf, studioTime} from './format.js';

/** What a page is made from. */
export interface StudioContext {
  readonly tx: StoreReader;
  /** Seconds by which the sandbox's clock is ahead. */
  readonly ahead: number;
  /** Of the sandbox's file. */
  readonly path: string;
  readonly home: string;
  /** The beginning of every other address. */
  readonly base: string;
  /** Whether the address has the secret, so that there are buttons. */
  readonly hasButtons: boolean;
  /** Of this page, with its query. */
  readonly currentUrl: string;
  readonly query: URLSearchParams;
  /** Of a list: where the page before it has ended. */
  readonly before?: number;
  readonly message?: Message;
}

export interface Message {
  readonly text: string;
  readonly failed?: boolean;
}

export interface StudioView {
  readonly status?: number;
  readonly title: string;
  /** Of the navigation: the word of an address. */
  readonly section?: string;
  readonly main: Html;
}

export const smallText = (part: HtmlPart): Html => html`<small>${part}</small>`;
export const mutedText = (part: HtmlPart): Html => html`<span class="soft">${part}</span>`;
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
  info: 'active awaiting_capture awaiting_next_action in_transit open pending processing waiting'.split(' '),
  warn: 'overdue refused retrying'.split(' '),
  bad: 'dropped failed given_up'.split(' '),
};

/** A state as a word in its colour. */
export function badge(state: unknown, tone?: string): Html {
  const name = String(state);
  const [found = ''] = Object.entries(TONES).find(([, states]) => states.includes(name)) ?? [];
  return html`<span class="badge ${tone ?? found}">${humanized(name)}</span>`;
}

/** The status of an answer: plain when it is 2xx or 3xx. */
export function statusBadge(status: number | null): Html {
  if (status === null) return html`<span class="badge warn">No answer</span>`;
  return status < 400 ? html`${status}` : badge(status, status < 500 ? 'warn' : 'bad');
}

export const stateBadge = (record: StoredRecord, now: number): Html | '' =>
  typeof record.status === 'string' ? badge(isOverdue(record, now) ? 'overdue' : record.status) : '';

/** The value of a field, as people read it: an amount, a time, a state, or JSON. */
export function formatValue(name: string, value: unknown, now: number): HtmlPart {
  if (value === null || value === undefined || value === '' || (value === 0 && name.endsWith('_at')))
    return mutedText('none');
  if (typeof value === 'number' && /amount|price|^fee$/.test(name)) return formatPesos(value);
  if (typeof value === 'number' && name.endsWith('_at')) return studioTime(value, now);
  if (name === 'status') return badge(value);
  return foreignText(typeof value === 'string' ? value : JSON.stringify(value), 120);
}

/** A button that posts, under the printed address only. */
export function postButton(
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

/** An object by its name, leading to its page. */
export const objectLink = ({base, tx}: StudioContext, record: StoredRecord): Html =>
  link(`${base}/${record.id}`, objectNameOf(record, tx));

/** Of a column. */
export interface Title {
  readonly title: string;
  readonly numeric?: boolean;
  /** Left out on a phone. */
  readonly wide?: boolean;
}

export const wideColumn = (title: string): Title => ({title, wide: true});
export const rightColumn = (title: string): Title => ({title, numeric: true});

/** Its columns for wide screens are repeated as text under the first cell of a row on a phone. */
export function studioTable(
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

/** Choices of one list, of which one is shown. */
export const studioTabs = (choices: readonly (readonly [label: HtmlPart, href: string, isShown: boolean])[]): Html =>
  html`<p class="tabs">${choices.map(([label, href, isShown]) => link(href, label, isShown && 'true'))}</p>`;

/** The address of a page with these parameters; empty ones are left out. */
export function withQuery(path: string, query: Readonly<Record<string, number | string | undefined>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? path : `${path}?${given}`;
}

/** Under what has no older page. */
export const newestOnly = empty(`Showing the newest ${ROWS}. There are more.`);

/** Under a list of which there is more. */
export const olderLink = (
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  next: number | undefined,
): Html | '' =>
  next === undefined ? '' : html`<p><a class="more" href="${withQuery(path, {...query, before: next})}">Older</a></p>`;
