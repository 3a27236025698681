// HTML templates that escape text.

import {escapeMarkup} from './escape-markup.js';

/** Safe HTML, made only by {@link html} and {@link trusted}. */
export class Html {
  constructor(readonly text: string) {}
}

/** False, null and undefined render nothing. */
export type HtmlPart = Html | string | number | false | null | undefined | readonly HtmlPart[];

/** Escapes the values. Templates must quote attributes, because spaces are not escaped. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  let lines = unindented.get(strings);
  if (!lines) unindented.set(strings, (lines = strings.map((string) => string.replace(/\n\s+/g, '\n'))));
  return new Html(lines.reduce((text, string, index) => text + markupOf(parts[index - 1]) + string));
}

/** Templates without their indentation. */
const unindented = new WeakMap<TemplateStringsArray, readonly string[]>();

function markupOf(part: HtmlPart): string {
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return (part as readonly HtmlPart[]).map(markupOf).join('');
  return part === false || part === null || part === undefined ? '' : escapeMarkup(String(part), '&#39;');
}

/** Marks HTML of this program, such as a stylesheet, as safe. */
export const trusted = (text: string): Html => new Html(text);

const MAX_UNTRUSTED_LENGTH = 280;

// Some browsers draw boxes for control characters. Line breaks stay.
// oxlint-disable-next-line eslint/no-control-regex
const CONTROLS = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/g;

export function shorten(text: string, maxLength = MAX_UNTRUSTED_LENGTH): string {
  const plain = text.replace(CONTROLS, ' ');
  const characters = Array.from(plain.slice(0, 2 * maxLength + 2));
  return characters.length > maxLength ? `${characters.slice(0, maxLength).join('')}…` : plain;
}

/** Shortens untrusted text and isolates its direction from the text around it. */
export const untrusted = (text: unknown, maxLength?: number): Html =>
  html`<bdi>${shorten(typeof text === 'string' ? text : '', maxLength)}</bdi>`;
