// The encodings in which a secret may appear in another text: JSON, URLs, tables, shell quotes, base64.

import {escapeMarkup} from '../../common/escape-markup.js';
import {oneLineText, escapeControlsInJson} from '../format.js';

const SPECIAL = /[\\^$.*+?()[\]{}|/-]/g;

export const escapePattern = (text: string): string => text.replace(SPECIAL, String.raw`\$&`);

/** Patterns of a text in base64, for each offset in a group of three bytes, without letters that depend on others. */
export function base64CoresOf(text: string): string[] {
  const length = Buffer.byteLength(text);
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]).toString('base64');
    const core = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + length) * 8) / 6));
    // Base64 for URLs has other letters for these two.
    return core.replaceAll('+', '[+-]').replaceAll('/', '[/_]');
  });
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The encodings of a text in a URL; a lone surrogate has none. */
function inUrl(text: string): string[] {
  try {
    const [part, whole] = [encodeURIComponent(text), encodeURI(text)];
    // `%2F` is also written `%2f`, and in a form a space is a plus.
    const small = part.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
    return [part, whole, small, part.replaceAll('%20', '+'), inForm(text)];
  } catch {
    return [];
  }
}

const inForm = (text: string): string => new URLSearchParams({a: text}).toString().slice(2);

/** The text and its encodings, the longest first, since one may begin another. */
export function encodedFormsOf(text: string): string[] {
  const json = inJson(text);
  const forms = [
    text,
    oneLineText(text),
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
