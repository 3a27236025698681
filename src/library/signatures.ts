// Verifies webhook deliveries for users of the library. Each error has a sentence of its own, with the fix.

import type {Event} from '../api/types.js';
import {CentavoError, usageError, type ErrorDetails} from '../common/errors.js';
import {isJsonObject} from '../common/json.js';
import {diagnoseSignature} from '../webhooks/signature/diagnosis.js';
import {
  explainReason,
  inspectSignature,
  SIGNATURE,
  SIGNATURE_HEADER,
  type Reason,
  type Verdict,
  type VerifyOptions,
  type WebhookMode,
} from '../webhooks/signature/signature.js';
import {atCaller} from './caller-line.js';

/** A delivery that is not genuine, or cannot be checked. Answer 400 or 401, and do nothing with it. */
export class SignatureError extends CentavoError {
  /** `body_not_raw` if the given body is neither bytes nor text. */
  readonly reason: Reason | 'body_not_raw';

  constructor(reason: Reason | 'body_not_raw', message: string, details: ErrorDetails = {}) {
    super('refused', message, {code: 'not_genuine', ...details});
    this.name = 'SignatureError';
    this.reason = reason;
  }
}

export interface ConstructOptions {
  /** Maximum seconds between the signature and now, in either direction: 300 by default; 0 turns the check off. */
  readonly tolerance?: number;
  /** The only accepted mode; both by default. */
  readonly mode?: WebhookMode;
  /** A Date or unix seconds; the real time by default. */
  readonly now?: Date | number;
}

type Genuine = Extract<Verdict, {genuine: true}>;

/**
 * Returns the event of a genuine delivery. A switch on its type then tells which object its data is: the object of the
 * older documented shape, `data.resource`, is in `data` too.
 * @param body as it arrived, before any parser: bytes, or their text
 * @param header the value of `Payrex-Signature`
 * @param secret the webhook's own, whsk_…; several while one replaces another
 * @throws SignatureError; CentavoError kind `usage` for an option that cannot be right
 */
export const constructEvent: (
  body: Uint8Array | string,
  header: string | readonly string[] | null | undefined,
  secret: string | readonly string[],
  options?: ConstructOptions,
) => Event = atCaller((body, header, secret, options) => {
  const {tolerance, mode, now = new Date()} = options ?? {};
  const bytes = bytesOf(body);
  const seconds = now instanceof Date ? Math.floor(now.getTime() / 1000) : now;
  const secrets = typeof secret === 'string' ? [secret] : (secret ?? ['']);
  checkGenuine({body: bytes, header, secrets, now: seconds, toleranceSeconds: tolerance, mode});
  const event = JSON.parse(Buffer.from(bytes).toString('utf8')) as Event;
  const {resource, previous_attributes = {}} = (event.data ?? {}) as Readonly<Record<string, unknown>>;
  return isJsonObject(resource) ? ({...event, data: resource, previous_attributes} as Event) : event;
});

/**
 * Returns only for a genuine delivery, so that `if (verifySignature(…))` is right.
 * @throws SignatureError; CentavoError kind `usage` for an option that cannot be right
 */
export const verifySignature: (options: VerifyOptions) => Genuine = atCaller((options) =>
  checkGenuine({...options, body: bytesOf(options?.body)}),
);

/** Bytes. Earlier forms of a larger body are not tried: a forged delivery must not cost much. */
const MAX_DIAGNOSED = 65_536;

function checkGenuine(options: VerifyOptions): Genuine {
  checkOptions(options);
  checkHeader(options.header);
  const verdict = inspectSignature(options);
  if (verdict.genuine) return verdict;
  const {reason} = verdict;
  const {body, header, now} = options;
  const given: readonly unknown[] = Array.isArray(options.secrets) ? options.secrets : [];
  const secrets = given.map((value, index) => ({
    name: given.length === 1 ? 'the secret' : `[${index}]`,
    value: typeof value === 'string' ? value : '',
  }));
  const values = [header ?? []].flat().filter((value) => typeof value === 'string');
  const diagnosis = body.length > MAX_DIAGNOSED ? undefined : diagnoseSignature({...options, header: values, secrets});
  const known = diagnosis?.reason === reason ? diagnosis : undefined;
  throw refusal(
    reason,
    known?.explanation ?? `${explainReason(verdict, now)}.`,
    fixOf(reason, options) ?? known?.hint ?? '',
  );
}

function refusal(reason: SignatureError['reason'], what: string, fix: string): SignatureError {
  const isUnchecked = reason === 'body_not_raw' || reason === 'no_secret';
  const words = `${what.charAt(0).toLowerCase()}${what.slice(1)} ${fix}`.trimEnd();
  const verdict = isUnchecked ? 'cannot be checked' : 'is not genuine';
  return new SignatureError(reason, `the webhook delivery ${verdict}: ${words}`);
}

/** Returns the fix in code, if it is not the same as for the command. */
function fixOf(reason: Reason, {body, header, mode}: VerifyOptions): string | undefined {
  switch (reason) {
    case 'missing_header':
      return `${SIGNATURE_HEADER} is ${header === '' ? 'empty' : Array.isArray(header) ? 'an empty list' : header}. Pass ${HEADER_VALUE}.`;
    case 'no_secret':
      return 'Pass the secret of the webhook, which starts with whsk_. If it is in an environment variable, check that the variable is set.';
    case 'no_match':
      return body.length === 0
        ? 'The body is empty: something may have read it before. Pass the bytes that arrived.'
        : undefined;
    case 'too_old':
      return 'It is a replay, or this machine’s clock is ahead. To accept a stored delivery of any age, set the tolerance to 0.';
    case 'wrong_mode':
      return `Only ${mode} mode is accepted here.`;
    default:
      return undefined;
  }
}

const HEADER_VALUE = `request.headers['${SIGNATURE}'], or request.headers.get('${SIGNATURE}') for a Fetch request`;

/** Refuses all headers of a request in place of one value, and names those that look like a signature. */
function checkHeader(header: unknown): void {
  if (typeof header !== 'object' || header === null || Array.isArray(header)) return;
  const names = header instanceof Headers ? [...header.keys()] : Object.keys(header);
  const fix = `Pass ${HEADER_VALUE}.`;
  if (names.some((name) => name.toLowerCase() === SIGNATURE))
    throw refusal('malformed_header', 'all headers were given, not one value.', fix);
  const similar = names.filter((name) => /signature/i.test(name)).slice(0, 3);
  const seen = similar.length > 0 ? ` They have ${similar.join(', ')}, which is not the header of this service.` : '';
  throw refusal('missing_header', `the given headers do not have ${SIGNATURE_HEADER}.${seen}`, fix);
}

/** Returns the body as bytes; a view from another realm counts too. @throws SignatureError for a parsed body */
function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body, 'utf8');
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  const has = (name: string): boolean => typeof (body as Record<string, unknown> | null)?.[name] === 'function';
  const refuse = (what: string, fix: string): SignatureError => refusal('body_not_raw', `the body is ${what}.`, fix);
  if (has('then')) throw refuse('a promise', 'Write await before it: await request.text().');
  const read = 'express.raw({type: () => true}), or await request.text()';
  if (has('getReader') || has('pipe')) throw refuse('a stream that was not read', `Read it with ${read}.`);
  if (body === undefined || body === null) throw refuse(String(body), `Read it before any parser, with ${read}.`);
  const kind = typeof body === 'object' ? 'an object, so something parsed it' : `a ${typeof body}`;
  throw refuse(kind, `Pass the bytes that arrived: use ${read}, in place of express.json() for this route.`);
}

/** @throws CentavoError kind `usage`: a mistake in the program, whatever was delivered */
function checkOptions({now, toleranceSeconds = 0, mode}: VerifyOptions): void {
  if (!Number.isFinite(now) || now > MAX_SECONDS)
    throw usageError('invalid_date', `now is ${now}, which is not a time in unix seconds.`, {
      why: now > MAX_SECONDS ? 'It looks like milliseconds. Pass a Date, or divide by 1000.' : undefined,
    });
  if (!(toleranceSeconds >= 0))
    throw usageError('invalid_duration', `the tolerance ${toleranceSeconds} is not a number of seconds, 0 or more.`);
  if (mode !== undefined && mode !== 'live' && mode !== 'test')
    throw usageError('invalid_choice', `the mode ${JSON.stringify(mode)} is neither 'live' nor 'test'.`);
}

/** Unix seconds of the year 5138; a larger number is in milliseconds. */
const MAX_SECONDS = 100_000_000_000;
