// Formats times, amounts, states, names and untrusted text for studio pages.

import {capitalized} from '../../common/errors.js';
import {isDay, longDay, manilaDay, shortDay, timeOfDay} from '../../common/manila.js';
import {formatPesos} from '../../common/pesos.js';
import {html, type Html, shorten, trusted} from '../../common/markup.js';
import {pageMethodName} from '../pages/summary.js';
import {withoutLoggedSecrets} from '../requests/request-log.js';
import type {StoreReader, StoredRecord} from '../store.js';

// Controls and direction marks are printed as text. More than two accents on one letter would cover other lines.
const INVISIBLE_MARKS =
  // oxlint-disable-next-line eslint/no-control-regex
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
const ACCENTS = /(\p{M}{2})\p{M}+/gu;

/** Renders untrusted text, shortened and without secrets. */
export function foreignText(text: unknown, maxLength = 80): Html {
  const shown = shorten(safeText(String(text ?? '')), maxLength);
  return shown.endsWith('…') ? html`<bdi>${shown.slice(0, -1)}</bdi>…` : html`<bdi>${shown}</bdi>`;
}

/** Renders a number or an id without line breaks. */
export const unbrokenText = (text: unknown): Html => html`<span class="whole">${foreignText(text, 40)}</span>`;

/** Renders a dotted name, address or path that breaks after punctuation, not within a word or an id. */
export const breakableText = (text: unknown, maxLength?: number): Html =>
  trusted(foreignText(text, maxLength).text.replace(/(?<!<)[./@](?=\w)|_(?=[a-z]+[._])/g, '$&<wbr />'));

/** Removes secrets, and prints invisible marks as `<U+202E>`. */
export const safeText = (text: string): string =>
  withoutLoggedSecrets(text)
    .replace(ACCENTS, '$1')
    .replace(INVISIBLE_MARKS, (mark) => `<U+${mark.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`);

/** Shortens the ids in a text: `bstm_O0z6Cg…`. */
export const shortId = (id: string): string =>
  id.replace(/\b([a-z]+(?:_[a-z]+)*_)([A-Za-z0-9]{6})[A-Za-z0-9]{6,}/g, '$1$2…');

/** Makes a name readable: `Awaiting payment method`. */
export const humanized = (name: string): string => capitalized(name.replaceAll(/[_-]/g, ' '));

/** Formats a time of day: `07:12:52`. */
export const clockTime = (at: number): string => timeOfDay(at * 1000);

/** Formats a day and time: `Mon 23 Nov, 07:15`. */
export const clockText = (at: number): string =>
  `${longDay(at).slice(0, 3)} ${shortDay(at, at)}, ${clockTime(at).slice(0, 5)}`;

/** Renders a `time` element: `07:12:52` today, `23 Nov, 07:12` on other days. */
export function studioTime(at: unknown, now: number): Html | '' {
  if (!isDay(at)) return '';
  const isToday = manilaDay(at) === manilaDay(now);
  const text = isToday ? clockTime(at) : `${shortDay(at, now)}, ${clockTime(at).slice(0, 5)}`;
  return html`<time title="${shortDay(at, now)}, ${clockTime(at)}">${text}</time>`;
}

const DURATION_UNITS = [
  [86_400 * 2, 86_400, ' days'],
  [3600, 3600, ' h'],
  [60, 60, ' min'],
  [0, 1, ' s'],
] as const;

/** Formats a duration: `9 min`. */
export function duration(seconds: number): string {
  const [, size, unit] = DURATION_UNITS.find(([least]) => seconds >= least) ?? DURATION_UNITS.at(-1)!;
  return `${Math.max(0, Math.round(seconds / size)).toLocaleString('en')}${unit}`;
}

/** Formats a time relative to now: `in 9 min`, `now`, `3 days ago`. */
export const relative = (at: number, now: number): string =>
  at >= now ? upcoming(at, now) : `${duration(now - at)} ago`;

/** Formats a planned time, which is never in the past: `in 9 min`, `now`. */
export const upcoming = (at: number, now: number): string => (at > now ? `in ${duration(at - now)}` : 'now');

export const studioAmount = ({amount}: StoredRecord): string => (typeof amount === 'number' ? formatPesos(amount) : '');

/** Returns the label of a field, such as `due` or `amount received`. */
export const fieldName = (name: string): string => name.replace(/_at$/, '').replaceAll('_', ' ');

export function webhookName({description, url, id}: StoredRecord): Html {
  const label = typeof description === 'string' ? description : '';
  const address = URL.canParse(String(url)) ? new URL(String(url)) : undefined;
  if (LISTENER.test(label) && address) return foreignText(`listener on port ${address.port}`);
  if (label !== '') return foreignText(label, 40);
  return foreignText(address?.host ?? shortId(id), 40);
}

/** The description of a listener's webhook, with a lease id (webhooks/listen/registration). */
const LISTENER = /^centavo webhooks listen \w+$/;

/** Renders the name of an object, without its kind. */
export function objectNameOf(record: StoredRecord, tx: StoreReader): Html {
  const {resource, id} = record;
  const {type} = (resource === 'payment_method' ? record : (record.payment_method ?? {})) as {readonly type?: string};
  const names: Readonly<Record<string, unknown>> = {
    billing_statement: record.billing_statement_number,
    billing_statement_line_item: record.description,
    checkout_session: record.customer_reference_id,
    customer: record.name,
    event: record.type,
    payment_intent: tx.peek(record._source_id as string | null) ? undefined : record.description,
    refund: studioAmount(record),
  };
  if (resource === 'webhook') return webhookName(record);
  const name = names[resource];
  if (!name) return unbrokenText(type ? pageMethodName(type) : shortId(id));
  return resource === 'billing_statement' ? unbrokenText(name) : foreignText(name, 40);
}
