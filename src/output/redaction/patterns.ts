// Removes secrets of a known form from a text: keys, webhook secrets, client secrets, Authorization.

import {base64CoresOf} from './encodings.js';

/**
 * Secrets that may be shown. On stderr: `nothing`. On stdout: `links` for customers, with a client secret in the path.
 * With `--reveal`: client and webhook `secrets` too. Keys and Authorization are never shown.
 */
export type AllowedSecrets = 'links' | 'nothing' | 'secrets';

export const HIDDEN = '[redacted]';

type Replacement = readonly [RegExp, string | ((...parts: never[]) => string)];

/** Hides base64 that contains one of these beginnings, unless the decoded text has nothing to hide. */
const base64Of = (shown: AllowedSecrets, ...beginnings: readonly string[]): Replacement => [
  new RegExp(`(?:${beginnings.flatMap(base64CoresOf).join('|')})[A-Za-z0-9+/_-]{4,}=*`, 'g'),
  (found: string, at: number, text: string) => {
    let start = at;
    while (start > 0 && /[A-Za-z0-9+/_-]/.test(text[start - 1]!)) start--;
    const decoded = Buffer.from(text.slice(start, at) + found, 'base64').toString('latin1');
    const isClear = beginnings.some((each) => decoded.includes(each)) && redact(decoded, shown) === decoded;
    return isClear ? found : HIDDEN;
  },
];

// A secret need not start at a word boundary: in JSON or a URL, `\n` or `%20` may come before.
// Four characters are enough: a message may have been cut within a secret.
const NEVER_SHOWN: readonly Replacement[] = [
  [/([sp]k_(?:test|live)_)[A-Za-z0-9_]{4,}/g, `$1${HIDDEN}`],
  // Keys in base64, as they are sent.
  base64Of('secrets', 'sk_test_', 'sk_live_', 'pk_test_', 'pk_live_'),
  // Credentials contain capitals or digits; "Basic authentication" is only words.
  [/\b([Bb]asic(?:\s|%20|\+)+)(?=[A-Za-z0-9+/][A-Za-z0-9+/]*[A-Z0-9+/=])[A-Za-z0-9+/=]{8,}/g, `$1${HIDDEN}`],
  [/\b(Bearer\s+)[^\s"']+/gi, `$1${HIDDEN}`],
  [
    /\b((?:proxy-)?authorization\\*["']?\s{0,9}[:=]\s{0,9}\\*["']?)(?!(?:[a-z][\w-]{0,20}\s{1,9})?\[redacted\])((?:[a-z][\w-]{0,20}\s{1,9})?)[^\s"'\\,;]{6,}/gi,
    `$1$2${HIDDEN}`,
  ],
];

const WEBHOOK_SECRET: readonly Replacement[] = [
  [/(whsk_)[A-Za-z0-9_-]{4,}/g, `$1${HIDDEN}`],
  base64Of('links', 'whsk_'),
];

/** The text after `_secret_`; not the short words of a code such as `client_secret_used`. */
const TOKEN = '(?:[A-Za-z0-9]{8,}|(?=[a-z]{0,6}[A-Z0-9])[A-Za-z0-9]{4,7})';
const CLIENT_SECRET: readonly Replacement[] = [
  [new RegExp(`(_secret_)${TOKEN}`, 'g'), `$1${HIDDEN}`],
  base64Of('nothing', '_secret_'),
];
/** Client secrets outside the path of a link. */
const UNLINKED: readonly Replacement[] = [
  [
    new RegExp(
      String.raw`(_secret_(?<!https?:\\?/\\?/[^\s"'<>?#&=/\\@]{1,255}\\?/[^\s"'<>?#&=@]{1,300}))${TOKEN}`,
      'g',
    ),
    `$1${HIDDEN}`,
  ],
  base64Of('links', '_secret_'),
];
/** Values of any form under the API's names for secrets, in JSON, in JSON within JSON, in a query. */
const NAMED_SECRETS: readonly Replacement[] = [
  [
    /((?:client_?secret|secret_?key)"\s*:\s*")((?:[^"\\]|\\.)*)(?=")/gi,
    (_: string, before: string, value: string) => before + maskSecret(value),
  ],
  [
    /((?:client_?secret|secret_?key)(\\+)"\s*:\s*\2")((?:(?!(?<!\\)\2").)*)/gi,
    (_: string, before: string, _escape: string, value: string) => before + maskSecret(value),
  ],
  [
    /\b(client_secret(?:=|%3D))([^\s"'&\\]+)/gi,
    (_: string, before: string, value: string) => before + maskSecret(value),
  ],
];

export const maskSecret = (secret: string): string => (secret === '' ? '' : `${prefixOf(secret)}${HIDDEN}`);

/** Returns the start of a secret that shows only its kind. */
export const prefixOf = (secret: string): string =>
  /^(?:[sp]k_(?:test|live)_|whsk_|(?:test_|live_)?[a-z]{1,8}_(?:s_)?[A-Za-z0-9]+_secret_)/.exec(secret)?.[0] ?? '';

const ENCODED_PREFIXES = ['sk_test_', 'sk_live_', 'pk_test_', 'pk_live_', 'whsk_', '_secret_'].flatMap(base64CoresOf);

/** Most texts do not match this pattern, which saves trying twenty patterns. */
const SUSPECT = new RegExp(
  `k_(?:test|live)_|whsk_|secret|basic|bearer|authorization|${ENCODED_PREFIXES.join('|')}`,
  'i',
);

const replaceAll = (text: string, patterns: readonly Replacement[]): string =>
  patterns.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement as string), text);

export const redactKeys = (text: string): string => (SUSPECT.test(text) ? replaceAll(text, NEVER_SHOWN) : text);

/** Removes client secrets and webhook secrets that may not be shown. */
export function redactShared(text: string, shown: AllowedSecrets): string {
  if (shown === 'secrets' || !SUSPECT.test(text)) return text;
  const clientSecrets = shown === 'links' ? UNLINKED : CLIENT_SECRET;
  return replaceAll(text, [...WEBHOOK_SECRET, ...NAMED_SECRETS, ...clientSecrets]);
}

export const redact = (text: string, shown: AllowedSecrets = 'nothing'): string =>
  redactShared(redactKeys(text), shown);
