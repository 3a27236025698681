// HTML as values: text in a template is escaped, HTML is not.

import {escapeMarkup} from '../../escape-markup.js';

/** Text that is known to be safe to send as HTML; only {@link html} and {@link trusted} make it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a template can hold; nothing is shown for false, null and undefined. */
export type Part = Html | string | number | false | null | undefined | readonly Part[];

/** A template of HTML. Quote attributes in it: values are escaped for quotes, not for spaces. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, string, index) => text + written(parts[index - 1]) + string));
}

function written(part: Part): string {
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return (part as readonly Part[]).map(written).join('');
  return part === false || part === null || part === undefined ? '' : escapeMarkup(String(part), '&#39;');
}

/** HTML written by this program, such as a stylesheet. */
export const trusted = (text: string): Html => new Html(text);

/** How much of a foreign text a page shows, in characters. */
const LONGEST = 280;

// Controls do nothing on a page, but some browsers draw boxes for them. Line breaks stay.
// oxlint-disable-next-line eslint/no-control-regex
const CONTROLS = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/g;

/** A text no longer than this, with an ellipsis when it was cut. */
export function shorten(text: string, longest = LONGEST): string {
  const plain = text.replace(CONTROLS, ' ');
  const characters = Array.from(plain.slice(0, 2 * longest + 2));
  return characters.length > longest ? `${characters.slice(0, longest).join('')}…` : plain;
}

/** A foreign text, shortened and isolated, so that right-to-left letters and marks move nothing around it. */
export const stranger = (text: unknown, longest?: number): Html =>
  html`<bdi>${shorten(typeof text === 'string' ? text : '', longest)}</bdi>`;
