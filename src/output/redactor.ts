// Takes secrets out of what is printed: those that have a form, and those that were learned when they were read, whatever their form.

import {coresOf, escapePattern, formsOf} from './encodings.js';
import {HIDDEN, mask, prefixOf, redactKeys, redactShared, type Shown} from './redact.js';

/** A key is never shown; the secret of a webhook is by `--reveal`. */
export type SecretKind = 'key' | 'webhook secret';

/**
 * Shorter ones are not taken out: what has five characters is guessed sooner than it is read,
 * and as a part of words and numbers it would tear up all that is printed, and be told by what is missing.
 */
const SHORTEST = 6;
/** Of a secret that was cut off, so much behind its known part is worth hiding. */
const SHORTEST_CUT = 4;
/** What follows `sk_test_` is random; so much of that is in no other text. */
const SHORTEST_BODY = 12;
/** Nothing cuts a text later than this. */
const LONGEST_CUT = 200;
/** In base64 the text may have a colon behind it, or an end. */
const BASE64_END = '[A-Za-z0-9+/_-]{0,3}={0,2}';

export class Redactor {
  readonly #patterns: Record<SecretKind, RegExp | undefined> = {key: undefined, 'webhook secret': undefined};
  /** Of each secret, the patterns of the whole and of its beginnings. */
  readonly #learned: Record<SecretKind, Map<string, readonly [string[], string[]]>> = {
    key: new Map(),
    'webhook secret': new Map(),
  };
  #withheld = false;

  /** Takes this out of everything from now on, whatever it is and however it is written. What is learned as a key stays one. */
  learn(secret: string | undefined, kind: SecretKind = 'key'): void {
    const text = secret?.trim() ?? '';
    const known = this.#learned[kind];
    if (text.length < SHORTEST || known.has(text) || HIDDEN.includes(text)) return;
    const writings = [text, ...bodyOf(text)];
    known.set(text, [writings.flatMap(wholePatterns), writings.flatMap(cutPatterns)]);
    const all = [...known.values()];
    // Whole ones come first, and the longest of them: a part would leave the rest.
    const whole = all.flatMap(([patterns]) => patterns).sort((a, b) => b.length - a.length);
    this.#patterns[kind] = new RegExp([...whole, ...all.flatMap(([, patterns]) => patterns)].join('|'), 'g');
  }

  /** True when something was kept off stdout that `--reveal` would have shown. */
  get withheld(): boolean {
    return this.#withheld;
  }

  /** @param showing exact secrets that are printed on purpose */
  text(text: string, shown: Shown, showing: readonly string[] = []): string {
    const kept = showing.filter(Boolean).flatMap(formsOf);
    if (kept.length === 0) return this.#redact(text, shown);
    const parts = text.split(new RegExp(`(${kept.map(escapePattern).join('|')})`));
    return parts.map((part, index) => (index % 2 === 1 ? part : this.#redact(part, shown))).join('');
  }

  /** A value whose name says that it is a secret. */
  named(value: unknown): unknown {
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    this.#withheld = true;
    return mask(String(value));
  }

  #redact(text: string, shown: Shown): string {
    if (text.length < SHORTEST) return text;
    const withoutKeys = redactKeys(this.#forget(text, 'key'));
    if (shown === 'secrets') return withoutKeys;
    const safe = redactShared(this.#forget(withoutKeys, 'webhook secret'), shown);
    if (safe !== withoutKeys && shown === 'links') this.#withheld = true;
    return safe;
  }

  #forget(text: string, kind: SecretKind): string {
    const pattern = this.#patterns[kind];
    return pattern === undefined ? text : text.replace(pattern, mask);
  }
}

/** What makes a secret one, without its beginning: that may stand before it in another writing, or be missing. */
function bodyOf(secret: string): string[] {
  const {length} = prefixOf(secret);
  return length > 0 && secret.length - length >= SHORTEST_BODY ? [secret.slice(length)] : [];
}

/** A secret in all its writings, and in base64. */
function wholePatterns(secret: string): string[] {
  const cores = coresOf(secret).filter((core) => core.length >= SHORTEST + 2);
  return [...formsOf(secret).map(escapePattern), ...cores.map((core) => core + BASE64_END)];
}

/** The beginning of a secret, where a text was cut to its length: an ellipsis, a quote or the end follows. */
function cutPatterns(secret: string): string[] {
  const least = Math.max(SHORTEST + 2, prefixOf(secret).length + SHORTEST_CUT);
  return [secret, JSON.stringify(secret).slice(1, -1)].flatMap((form) => {
    if (form.length <= least) return [];
    const rest = [...form.slice(least, LONGEST_CUT)].map(escapePattern);
    const further = rest.reduceRight((inner, character) => `(?:${character}${inner})?`, '');
    return [String.raw`${escapePattern(form.slice(0, least))}${further}(?=…|\\*["'\s]|$)`];
  });
}
