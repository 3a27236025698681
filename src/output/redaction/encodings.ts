// A text in the forms in which it may come to stand in another one: in JSON, a URL, a table, a shell's quotes, base64. Pure.

import {escapeMarkup} from '../../escape-markup.js';
import {clean, escapeControlsInJson} from '../format.js';

const SPECIAL = /[\\^$.*+?()[\]{}|/-]/g;

/** The text as a part of a regular expression that matches it and nothing else. */
export const escapePattern = (text: string): string => text.replace(SPECIAL, String.raw`\$&`);

/**
 * The text in base64, as patterns: it stands on one of three places in a group of bytes, and each time other letters come out.
 * What also depends on the bytes before and behind is left out.
 */
export function coresOf(text: string): string[] {
  const length = Buffer.byteLength(text);
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]).toString('base64');
    const core = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + length) * 8) / 6));
    // Each of two letters has another one in its place where it stands in a URL.
    return core.replaceAll('+', '[+-]').replaceAll('/', '[/_]');
  });
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A URL's own writing of a text; half a character has none. */
function inUrl(text: string): string[] {
  try {
    const [part, whole] = [encodeURIComponent(text), encodeURI(text)];
    // `%2F` is also written `%2f`, and in a form a space is a plus.
    const small = part.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
    return [part, whole, small, part.replaceAll('%20', '+'), formOf(text)];
  } catch {
    return [];
  }
}

const formOf = (text: string): string => new URLSearchParams({a: text}).toString().slice(2);

/** Every writing of a text that could be printed, itself included; the longest first, since one may begin another. */
export function formsOf(text: string): string[] {
  const json = inJson(text);
  const forms = [
    text,
    clean(text),
    json,
    escapeControlsInJson(json),
    inJson(json),
    escapeControlsInJson(inJson(json)),
    ...inUrl(text),
    text.replaceAll("'", String.raw`'\''`),
    json.replaceAll("'", String.raw`'\''`),
    text.replaceAll('"', '""'),
    escapeMarkup(text, '&apos;'),
    escapeMarkup(text, '&#39;'),
  ];
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}
