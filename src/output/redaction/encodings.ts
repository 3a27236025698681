// The encodings in which a secret may appear in another text: JSON, URLs, tables, shell quotes, base64.

import {escapeMarkup} from '../../common/escape-markup.js';
import {oneLineText, escapeControlsInJson} from '../format.js';

const SPECIAL = /[\\^$.*+?()[\]{}|/-]/g;

export const escapePattern = (text: string): string => text.replace(SPECIAL, String.raw`\$&`);

/** Returns patterns of a text in base64, for each offset in three bytes, without letters that neighbours change. */
export function base64CoresOf(text: string): string[] {
  const length = Buffer.byteLength(text);
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.from('\0'.repeat(before) + text).toString('base64');
    const core = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + length) * 8) / 6));
    // Base64 for URLs uses `-` and `_` instead.
    return core.replaceAll('+', '[+-]').replaceAll('/', '[/_]');
  });
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Returns the encodings of a text in a URL; none for a lone surrogate. */
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

/** Returns the text and its encodings, longest first, since a shorter form may start a longer form. */
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
