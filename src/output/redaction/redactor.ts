// Takes secrets out of what is printed: those of a known form, and those that were read, whatever their form. It finds whole
// secrets in their plain encodings, and no parts: text that may hold a part of one is not printed at all (see system-errors.ts).

import {coresOf, escapePattern, formsOf} from './encodings.js';
import {HIDDEN, mask, prefixOf, redactKeys, redactShared, type Shown} from './patterns.js';

/** A key is never shown; the secret of a webhook is by `--reveal`. */
export type SecretKind = 'key' | 'webhook secret';

/**
 * Shorter secrets are not taken out: five characters are easily guessed, and as parts of words and numbers
 * they would tear up everything that is printed, and show by what is missing.
 */
const SHORTEST = 6;
/** What follows `sk_test_` is random: this many characters of it occur in no other text. */
const SHORTEST_BODY = 12;
/** In base64 the text may have a colon behind it, or an end. */
const BASE64_END = '[A-Za-z0-9+/_-]{0,3}={0,2}';

export class Redactor {
  readonly #patterns: Record<SecretKind, RegExp | undefined> = {key: undefined, 'webhook secret': undefined};
  readonly #learned: Record<SecretKind, Set<string>> = {key: new Set(), 'webhook secret': new Set()};
  #withheld = false;

  /** Takes this secret out of everything from now on. What was learned as a key stays one. */
  learn(secret: string | undefined, kind: SecretKind = 'key'): void {
    const text = secret?.trim() ?? '';
    const known = this.#learned[kind];
    if (text.length < SHORTEST || known.has(text) || HIDDEN.includes(text)) return;
    known.add(text);
    // The longest come first: a shorter one may begin another.
    const patterns = [...known].flatMap(patternsOf).sort((a, b) => b.length - a.length);
    this.#patterns[kind] = new RegExp(patterns.join('|'), 'g');
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

/** A secret in all its writings, and in base64; and without its known beginning, which may be written in another way or be missing. */
function patternsOf(secret: string): string[] {
  const {length} = prefixOf(secret);
  const body = length > 0 && secret.length - length >= SHORTEST_BODY ? [secret.slice(length)] : [];
  return [secret, ...body].flatMap((text) => {
    const cores = coresOf(text).filter((core) => core.length >= SHORTEST + 2);
    return [...formsOf(text).map(escapePattern), ...cores.map((core) => core + BASE64_END)];
  });
}
