// Decides whether a delivery is genuine, from its bytes, its header, the secrets and the time alone.
// Stricter than the official SDK, which accepts every delivery that is accepted here.

import {createHmac, timingSafeEqual} from 'node:crypto';

export type WebhookMode = 'live' | 'test';

export type Verdict =
  | {
      readonly genuine: true;
      readonly mode: WebhookMode;
      /** Index in {@link VerifyOptions.secrets}. */
      readonly secretIndex: number;
      /** Time of the signature, in unix seconds. */
      readonly timestamp: number;
    }
  | {readonly genuine: false; readonly reason: Reason; readonly timestamp?: number};

export interface VerifyOptions {
  /** The exact bytes that arrived. */
  readonly body: Uint8Array;
  /** The values of all `Payrex-Signature` headers, in order; or the single value in `request.headers`. */
  readonly header: readonly string[] | string | null | undefined;
  /** Secrets that {@link isUsableSecret} refuses are ignored. */
  readonly secrets: readonly string[];
  /** Unix seconds. */
  readonly now: number;
  /** Maximum seconds between the signature and now, in either direction: 300 by default; 0 turns the check off. */
  readonly toleranceSeconds?: number;
  /** The only accepted mode; both by default. */
  readonly mode?: WebhookMode;
}

export const DEFAULT_TOLERANCE_SECONDS = 300;
export const SIGNATURE_HEADER = 'Payrex-Signature';
/** The header's name in lower case, as Node spells it. */
export const SIGNATURE = SIGNATURE_HEADER.toLowerCase();

const MAX_HEADER_LENGTH = 1024;
const MIN_SECRET_LENGTH = 12;

export interface Payload {
  readonly body: Uint8Array;
  readonly secret: string;
  readonly timestamp: number;
  readonly mode: WebhookMode;
}

interface Parts {
  readonly timestamp: string;
  readonly test: string;
  readonly live: string;
}

const digestOf = (secret: string, timestamp: string, body: Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();

/** True for a text without white space that is too long to be guessed. */
export const isUsableSecret = (secret: unknown): secret is string =>
  typeof secret === 'string' && secret.length >= MIN_SECRET_LENGTH && !/\s/.test(secret);

/**
 * Returns the signature header as the service writes it: `t=…,te=…,li=` in test mode, `t=…,te=,li=…` in live mode.
 * @param timestamp unix seconds
 * @throws RangeError for a secret that {@link isUsableSecret} refuses
 */
export function signPayload(payload: Payload): string {
  if (!isUsableSecret(payload.secret))
    throw new RangeError('the secret cannot be used to sign: it is blank, too short, or contains white space');
  return signatureWith(payload);
}

/** Like {@link signPayload}, but accepts any text as the secret. */
export function signatureWith({body, secret, timestamp, mode}: Payload): string {
  const digest = digestOf(secret, String(timestamp), body).toString('hex');
  return `t=${timestamp},te=${mode === 'test' ? digest : ''},li=${mode === 'live' ? digest : ''}`;
}

/** Never throws: refuses a value of the wrong type. */
export function inspectSignature(options: VerifyOptions): Verdict {
  try {
    return verifyEvent(options).verdict;
  } catch {
    // A Proxy can throw when it is read.
    return {genuine: false, reason: 'no_match'};
  }
}

/** Returns the verdict of {@link inspectSignature}, and the parsed body of a genuine delivery. */
export function verifyEvent(options: VerifyOptions): {verdict: Verdict; event?: Record<string, unknown>} {
  const {body, header, toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, ...given} = options ?? {};
  const secrets = Array.isArray(given.secrets) ? (given.secrets as readonly string[]) : [];
  const now = numberOf(given.now);
  const tolerance = numberOf(toleranceSeconds);
  const parts = parseHeader(valuesOf(header));
  if (typeof parts === 'string') return {verdict: {genuine: false, reason: parts}};
  const timestamp = Number(parts.timestamp);
  const refuse = (reason: Reason) => ({verdict: {genuine: false, reason, timestamp}}) as const;

  const digest = digestAndMode(parts);
  if (!('hex' in digest)) return refuse(digest.reason);
  const usable = secrets.some(isUsableSecret);
  if (!usable) return refuse('no_secret');
  if (!(body instanceof Uint8Array)) return refuse('no_match');
  const secretIndex = matchingSecret(secrets, parts.timestamp, body, digest.hex);
  if (secretIndex < 0) return refuse('no_match');
  // Checked after the signature: a wrong age may be the fault of this machine's clock.
  // NaN is refused: only an exact 0 turns the check off.
  const age = now - timestamp;
  if (tolerance !== 0 && !(Math.abs(age) <= tolerance)) return refuse(age < 0 ? 'too_new' : 'too_old');
  if (given.mode !== undefined && given.mode !== digest.mode) return refuse('wrong_mode');
  const event = signedEvent(body, digest.mode);
  if (typeof event === 'string') return refuse(event);
  return {verdict: {genuine: true, mode: digest.mode, secretIndex, timestamp}, event};
}

/** Returns NaN, which fails every comparison, for a value that is not a number. */
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);

const valuesOf = (header: unknown): readonly unknown[] =>
  Array.isArray(header) ? header : header === undefined || header === null ? [] : [header];

/** Checks parts by name and by position, since the official SDK uses the position alone. */
function parseHeader(values: readonly unknown[]): Parts | Reason {
  if (values.length > 1) return 'duplicate_header';
  const value = values[0] ?? '';
  if (typeof value !== 'string') return 'malformed_header';
  if (value.trim() === '') return 'missing_header';
  if (value.length > MAX_HEADER_LENGTH) return 'header_too_long';
  if (!/^[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/.test(value)) return 'malformed_header';
  const pairs = value.split(',').map((part, index) => (index === 0 ? part : part.replace(/^ +/, '')));
  const keyed = pairs.map((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? {key: pair, value: undefined} : {key: pair.slice(0, at), value: pair.slice(at + 1)};
  });
  const known = keyed.filter(({key}) => key === 't' || key === 'te' || key === 'li').map(({key}) => key);
  if (new Set(known).size < known.length) return 'duplicate_key';
  const [t, te, li] = keyed;
  if (t?.key !== 't' || te?.key !== 'te' || li?.key !== 'li') return 'malformed_header';
  if (t.value === undefined || te.value === undefined || li.value === undefined) return 'malformed_header';
  if (!/^[1-9][0-9]{0,10}$/.test(t.value)) return 'bad_timestamp';
  return {timestamp: t.value, test: te.value, live: li.value};
}

function digestAndMode({test, live}: Parts): {hex: string; mode: WebhookMode} | {reason: Reason} {
  if (test !== '' && live !== '') return {reason: 'both_modes'};
  const hex = test || live;
  if (hex === '') return {reason: 'no_signature'};
  if (!/^[0-9a-f]{64}$/.test(hex)) return {reason: 'bad_signature_format'};
  return {hex, mode: test === '' ? 'live' : 'test'};
}

/** Tries every usable secret, so that the time taken does not show which secret matched. */
function matchingSecret(secrets: readonly string[], timestamp: string, body: Uint8Array, hex: string): number {
  const expected = Buffer.from(hex, 'hex');
  let found = -1;
  for (const [index, secret] of secrets.entries()) {
    if (!isUsableSecret(secret)) continue;
    const same = timingSafeEqual(digestOf(secret, timestamp, body), expected);
    if (same && found < 0) found = index;
  }
  return found;
}

const UTF8 = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true});

function signedEvent(body: Uint8Array, mode: WebhookMode): Reason | Record<string, unknown> {
  let text: string;
  try {
    text = UTF8.decode(body);
  } catch {
    return 'body_not_utf8';
  }
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    return 'body_not_json';
  }
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return 'body_not_event';
  const {livemode} = event as {livemode?: unknown};
  // An event may omit `livemode`, but must not contradict the mode of the signature.
  if (typeof livemode === 'boolean' && livemode !== (mode === 'live')) return 'mode_mismatch_body';
  return event as Record<string, unknown>;
}

const REASON_TEXTS = {
  bad_signature_format: 'the signature is not 64 lowercase hexadecimal digits',
  bad_timestamp: 'the timestamp is not a number of unix seconds',
  body_not_event: 'the body is signed, but is not an event',
  body_not_json: 'the body is signed, but is not JSON',
  body_not_utf8: 'the body is signed, but is not UTF-8',
  both_modes: 'it is signed for both test and live mode',
  duplicate_header: 'it has the signature header more than once',
  duplicate_key: 'the signature header has the same part twice',
  header_too_long: `the signature header is longer than ${MAX_HEADER_LENGTH} characters`,
  malformed_header: 'the signature header is not of the form t=…,te=…,li=…',
  missing_header: 'it has no signature header',
  mode_mismatch_body: 'the body is for a different mode than the signature',
  no_match: 'the signature does not match any known secret',
  no_secret: 'no usable secret to check it with',
  no_signature: 'the signature is empty',
  too_new: 'it was signed in the future',
  too_old: 'it was signed too long ago',
  wrong_mode: 'it is signed for the other mode',
};

/** Why a delivery is not genuine. */
export type Reason = keyof typeof REASON_TEXTS;

/** Includes the signature's age if the age is the reason. @param now unix seconds */
export function explainReason(verdict: Extract<Verdict, {genuine: false}>, now: number): string {
  const text = REASON_TEXTS[verdict.reason];
  if (verdict.timestamp === undefined || (verdict.reason !== 'too_old' && verdict.reason !== 'too_new')) return text;
  const difference = Math.abs(now - verdict.timestamp);
  return `${text}: ${difference} s ${verdict.reason === 'too_old' ? 'ago' : 'ahead'} by this machine’s clock`;
}
