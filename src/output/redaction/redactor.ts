// Removes secrets from output: secrets of a known form, and secrets that centavo read. Finds whole secrets in
// plain encodings only. Text that may contain part of a secret is never printed (see system-errors.ts).

import {base64CoresOf, escapePattern, encodedFormsOf} from './encodings.js';
import {HIDDEN, maskSecret, prefixOf, redactKeys, redactShared, type AllowedSecrets} from './patterns.js';

/** A key is never shown; a webhook secret is shown with `--reveal`. */
export type SecretKind = 'key' | 'webhook secret';

/** Characters. Removing shorter secrets from words and numbers would garble the output and reveal the secret. */
const MIN_LENGTH = 6;
/** Characters after a prefix such as `sk_test_`: a random text of this length occurs in no other text. */
const MIN_BODY_LENGTH = 12;
/** In base64, a colon or padding may follow a secret. */
const BASE64_END = '[A-Za-z0-9+/_-]{0,3}={0,2}';

export class Redactor {
  readonly #patterns: Record<SecretKind, RegExp | undefined> = {key: undefined, 'webhook secret': undefined};
  readonly #secrets: Record<SecretKind, Set<string>> = {key: new Set(), 'webhook secret': new Set()};
  #withheld = false;

  /** Hides a secret of at least {@link MIN_LENGTH} characters. A secret known as a key stays a key. */
  addSecret(secret: string | undefined, kind: SecretKind = 'key'): void {
    const text = secret?.trim() ?? '';
    const known = this.#secrets[kind];
    if (text.length < MIN_LENGTH || known.has(text) || HIDDEN.includes(text)) return;
    known.add(text);
    // Longest first: a shorter pattern may match the start of a longer secret.
    const patterns = [...known].flatMap(patternsOf).sort((a, b) => b.length - a.length);
    this.#patterns[kind] = new RegExp(patterns.join('|'), 'g');
  }

  /** True if something was hidden on stdout that `--reveal` would have shown. */
  get withheld(): boolean {
    return this.#withheld;
  }

  /** @param showing secrets to print on purpose */
  text(text: string, shown: AllowedSecrets, showing: readonly string[] = []): string {
    const kept = showing.filter(Boolean).flatMap(encodedFormsOf);
    if (kept.length === 0) return this.#redact(text, shown);
    const parts = text.split(new RegExp(`(${kept.map(escapePattern).join('|')})`));
    return parts.map((part, index) => (index % 2 === 1 ? part : this.#redact(part, shown))).join('');
  }

  /** Masks a text or number whose field name marks it as a secret. */
  maskNamed(value: unknown): unknown {
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    this.#withheld = true;
    return maskSecret(String(value));
  }

  /** Hides also a secret in the path of a link, on stdout. */
  unlinked(text: string): string {
    const safe = this.#redact(text, 'nothing');
    if (safe !== text) this.#withheld = true;
    return safe;
  }

  #redact(text: string, shown: AllowedSecrets): string {
    if (text.length < MIN_LENGTH) return text;
    const withoutKeys = redactKeys(this.#mask(text, 'key'));
    if (shown === 'secrets') return withoutKeys;
    const safe = redactShared(this.#mask(withoutKeys, 'webhook secret'), shown);
    if (safe !== withoutKeys && shown === 'links') this.#withheld = true;
    return safe;
  }

  #mask(text: string, kind: SecretKind): string {
    const pattern = this.#patterns[kind];
    return pattern === undefined ? text : text.replace(pattern, maskSecret);
  }
}

/** Matches a secret in all its encodings, also without its prefix, which may be encoded differently or missing. */
function patternsOf(secret: string): string[] {
  const {length} = prefixOf(secret);
  const body = length > 0 && secret.length - length >= MIN_BODY_LENGTH ? [secret.slice(length)] : [];
  return [secret, ...body].flatMap((text) => {
    const cores = base64CoresOf(text).filter((core) => core.length >= MIN_LENGTH + 2);
    return [...encodedFormsOf(text).map(escapePattern), ...cores.map((core) => core + BASE64_END)];
  });
}
