// Takes secrets of a known form out of a text: keys, webhook secrets, client secrets, Authorization.

import {base64CoresOf} from './encodings.js';

/**
 * What may be shown: nothing on stderr; on stdout links for customers, which have a client secret in their path; with
 * `--reveal` client secrets and webhook secrets too. Keys and Authorization are never shown.
 */
export type AllowedSecrets = 'links' | 'nothing' | 'secrets';

export const HIDDEN = '[redacted]';

type Replacement = readonly [RegExp, string | ((...parts: never[]) => string)];

/** These beginnings in base64, and all that follows; not links that may be shown, or secrets already hidden. */
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

// No word boundary before them: in JSON or a URL a secret may follow `\n` or `%20`, which end with a letter or digit.
// Four characters are enough: a message may have been cut within a secret.
const NEVER_SHOWN: readonly Replacement[] = [
  [/([sp]k_(?:test|live)_)[A-Za-z0-9_]{4,}/g, `$1${HIDDEN}`],
  // In base64, as keys are sent.
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

/** The part of a secret that only says what kind it is. */
export const prefixOf = (secret: string): string =>
  /^(?:[sp]k_(?:test|live)_|whsk_|(?:test_|live_)?[a-z]{1,8}_(?:s_)?[A-Za-z0-9]+_secret_)/.exec(secret)?.[0] ?? '';

const ENCODED_PREFIXES = ['sk_test_', 'sk_live_', 'pk_test_', 'pk_live_', 'whsk_', '_secret_'].flatMap(base64CoresOf);

/** Most texts do not match this, which saves trying twenty patterns. */
const SUSPECT = new RegExp(
  `k_(?:test|live)_|whsk_|secret|basic|bearer|authorization|${ENCODED_PREFIXES.join('|')}`,
  'i',
);

const replaceAll = (text: string, patterns: readonly Replacement[]): string =>
  SUSPECT.test(text)
    ? patterns.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement as string), text)
    : text;

export const redactKeys = (text: string): string => replaceAll(text, NEVER_SHOWN);

/** Takes out client secrets and webhook secrets. */
export function redactShared(text: string, shown: AllowedSecrets): string {
  if (shown === 'secrets') return text;
  const clientSecrets = shown === 'links' ? UNLINKED : CLIENT_SECRET;
  return replaceAll(text, [...WEBHOOK_SECRET, ...NAMED_SECRETS, ...clientSecrets]);
}

export const redact = (text: string, shown: AllowedSecrets = 'nothing'): string =>
  redactShared(redactKeys(text), shown);
