// Formats values for users: pesos, Manila times, and foreign text made harmless.

import {boundedText} from '../common/bounded-text.js';
import {BigJsonNumber, writeJson} from '../common/json.js';
import {toManila} from '../common/manila.js';
import {formatPesos} from '../common/pesos.js';

/** Returns Manila time as `2026-12-15 23:59`, or the number outside the years 0 to 9999. @param at unix seconds */
export function formatTime(at: number): string {
  return manilaParts(at)?.slice(0, 16).replace('T', ' ') ?? String(at);
}

/** Returns Manila time as `2026-12-15T23:59:59+08:00`, or the number. @param at unix seconds */
export function isoTime(at: number): string {
  const time = manilaParts(at);
  return time ? `${time.slice(0, 19)}+08:00` : String(at);
}

function manilaParts(at: number): string | undefined {
  const date = toManila(at);
  // toISOString writes a sign before years outside 0 to 9999.
  return Number.isNaN(date.getTime()) || /^[+-]/.test(date.toISOString()) ? undefined : date.toISOString();
}

/** Characters that act on a terminal or are invisible: controls, lone surrogates, bidi marks, fillers, tags. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const ZERO_WIDTH_JOINER = '\u200D';
const VARIATION_SELECTOR = /^\p{Variation_Selector}$/u;
/** Pictographs, and scripts whose characters have variants. */
const HAS_VARIANTS = /[\p{Emoji}\p{Script=Han}\p{Script=Mongolian}]$/u;

/** The only filter for foreign text at a terminal. Keeps joiners and variation selectors that change a character. */
export const escapeControls = (text: string, write: (character: string) => string): string =>
  text.replace(CONTROLS, (character, offset: number) => {
    if (character === ZERO_WIDTH_JOINER && joinsPictographs(text, offset)) return character;
    if (VARIATION_SELECTOR.test(character) && HAS_VARIANTS.test(text.slice(Math.max(0, offset - 2), offset)))
      return character;
    return write(character);
  });

/** True for a joiner between pictographs. Checks only its neighbours: a name may be a hundred thousand joiners. */
const joinsPictographs = (text: string, offset: number): boolean =>
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?$/u.test(text.slice(Math.max(0, offset - 3), offset)) &&
  /^\p{Extended_Pictographic}/u.test(text.slice(offset + 1, offset + 3));

/** Returns a text as one line, with codes in place of control characters. */
export const oneLineText = (text: string): string =>
  escapeControls(text, (character) => {
    if (character === '\n') return '⏎';
    return character === '\t' ? ' ' : escapedCharacter(character);
  });

const escapedCharacter = (character: string): string => {
  const code = character.codePointAt(0)!;
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
};

// oxlint-disable-next-line no-control-regex
const COLOUR = /(\u001B\[(?:[012]|22|3[1-9]|38;5;16;48;5;231)m)/;

/** Like {@link oneLineText}, but keeps line breaks (CRLF in CSV) and centavo's own colours. */
export const multiLineText = (text: string): string =>
  text
    .split(COLOUR)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : escapeControls(part, (character) =>
            /[\n\t\r]/.test(character) ? character : escapedCharacter(character),
          ).replace(/\r(?!\n)/g, escapedCharacter),
    )
    .join('');

/** Returns JSON with control characters escaped: harmless on a terminal, and parsed to the same value. */
export const toJson = (value: unknown, indent?: number): string => escapeControlsInJson(writeJson(value, indent));

export const escapeControlsInJson = (json: string): string =>
  escapeControls(json, (character) =>
    character === '\n'
      ? character
      : [...Array(character.length).keys()]
          .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
          .join(''),
  );

export type ValueKind = 'boolean' | 'centavos' | 'object' | 'status' | 'text' | 'timestamp';

/** Formats any value of the API as one line of text. */
export function formatValue(value: unknown, kind: ValueKind): string {
  if (value === null || value === undefined || value === '') return '';
  if (kind === 'centavos' && typeof value === 'number') return formatPesos(value);
  if (kind === 'timestamp' && typeof value === 'number') return value === 0 ? '' : formatTime(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return oneLineText(describe(value));
}

/** Guesses the kind of a field from its name: the API names times and amounts alike everywhere. */
export function kindOfName(path: string): ValueKind {
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (name.endsWith('_at')) return 'timestamp';
  return /(^|_)(amount|price|fee)(_|$)/.test(name) ? 'centavos' : 'text';
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return value.map(describe).join(', ');
  if (typeof value !== 'object' || value === null || value instanceof BigJsonNumber) return String(value);
  // Related objects are shown by name, or else by id, and other objects by their fields.
  const {name, id, deleted, type, ...rest} = value as Readonly<Record<string, unknown>>;
  if (typeof name === 'string' && name) return name;
  if (typeof id === 'string') return deleted === true ? `${id} (deleted)` : id;
  // An object with a type, such as a payment method, shows the type first, then the fields under that name.
  const {[String(type)]: details, ...otherFields} = rest;
  return [
    ...[type, details].filter((part) => part !== null && part !== undefined).map(describe),
    ...Object.entries(otherFields)
      .map(([key, inner]) => [key, typeof inner === 'number' ? formatValue(inner, kindOfName(key)) : inner] as const)
      .filter(([, inner]) => inner !== null && inner !== undefined && inner !== '' && inner !== type)
      .map(([key, inner]) => `${key}=${describe(inner)}`),
  ].join(' ');
}

/** Breaks a text between words, to `width` characters if possible. @param hangingIndent extra indent after line 1 */
export function wrapText(text: string, width: number, indent = 0, hangingIndent = 0): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(' '.repeat(last === undefined ? indent : indent + hangingIndent) + word);
  }
  return lines;
}

const TRAILING_COMMAND = /^(.*?:) ((?:(?:centavo|chmod|env|export|mv|rm|source|sudo) |--)\S.*)$/;

/** Maximum characters of a printed line. */
const MAX_LINE = 1000;

/** Cuts a line, but no command at its end. @param whole true for a line that programs read */
export const boundedLine = (line: string, whole = false): string =>
  whole || line.length <= MAX_LINE || TRAILING_COMMAND.test(line) ? line : boundedText(line, MAX_LINE);

/** Folds a sentence to `width` characters. Keeps a command at the end whole for copying, on its own line if needed. */
export function foldSentence(text: string, width: number): string[] {
  if (text.length <= width) return [text];
  const [, sentence = text, command] = TRAILING_COMMAND.exec(text) ?? [];
  const indent = text.length - text.trimStart().length;
  const lines = wrapText(sentence.trimStart(), width, indent);
  if (command === undefined) return lines;
  const last = `${lines.at(-1)!} ${command}`;
  return last.length > width ? [...lines, ' '.repeat(indent) + command] : [...lines.slice(0, -1), last];
}
