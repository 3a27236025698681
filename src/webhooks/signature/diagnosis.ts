// Finds out why a delivery is not genuine, and how to fix it, by trying likely causes.

import {capitalized} from '../../common/errors.js';
import {isJsonObject, readJson} from '../../common/json.js';
import {
  explainReason,
  isUsableSecret,
  inspectSignature,
  type Reason,
  type VerifyOptions,
  type WebhookMode,
} from './signature.js';

export interface NamedSecret {
  /** Shown in place of the secret. */
  readonly name: string;
  readonly value: string;
}

export interface DiagnoseOptions extends Omit<VerifyOptions, 'header' | 'secrets'> {
  /** The values of all `Payrex-Signature` headers, in order. */
  readonly header: readonly string[];
  readonly secrets: readonly NamedSecret[];
}

/** The fields of the JSON output. */
export interface SignatureDiagnosis {
  readonly genuine: boolean;
  readonly reason: Reason | null;
  readonly mode: WebhookMode | null;
  /** Index of the secret that made the signature, from 0, even if something else is wrong. */
  readonly secret_index: number | null;
  readonly timestamp: number | null;
  /** Seconds since the signature; negative for a signature in the future. */
  readonly skew_seconds: number | null;
  readonly explanation: string;
  readonly hint: string | null;
}

/** Reasons why a delivery with a correct signature is not genuine. */
const SIGNED: readonly Reason[] = [
  'body_not_event',
  'body_not_json',
  'body_not_utf8',
  'mode_mismatch_body',
  'too_new',
  'too_old',
  'wrong_mode',
];

/** Never throws. */
export function diagnoseSignature(options: DiagnoseOptions): SignatureDiagnosis {
  const {secrets, now} = options;
  const verdict = inspectSignature({...options, secrets: secrets.map(({value}) => value)});
  const timestamp = verdict.timestamp ?? null;
  const common = {timestamp, skew_seconds: timestamp === null ? null : now - timestamp};
  if (verdict.genuine) {
    const {mode, secretIndex} = verdict;
    const explanation = `Signed in ${mode} mode with ${secretLabel(secrets, secretIndex)}, ${formatAge(now - verdict.timestamp)}.`;
    return {genuine: true, reason: null, mode, secret_index: secretIndex, ...common, explanation, hint: null};
  }
  const {reason} = verdict;
  const signer = SIGNED.includes(reason) ? secrets.findIndex((secret) => isSignedBy(options, secret.value)) : -1;
  const details = [
    ...(reason === 'no_secret' ? secrets.map(secretFault) : []),
    ...(signer >= 0 ? [`The signature itself is correct: it was made with ${secretLabel(secrets, signer)}.`] : []),
  ];
  return {
    genuine: false,
    reason,
    mode: diagnosedMode(options.header[0] ?? ''),
    secret_index: signer < 0 ? null : signer,
    ...common,
    explanation: [`${capitalized(explainReason(verdict, now))}.`, ...details].join(' '),
    hint: signatureHint(reason, options) ?? null,
  };
}

const formatAge = (seconds: number): string => (seconds < 0 ? `${-seconds} s in the future` : `${seconds} s ago`);

const secretLabel = (secrets: readonly NamedSecret[], index: number): string =>
  secrets.length === 1 ? secrets[0]!.name : `secret ${index + 1} of ${secrets.length} (${secrets[index]!.name})`;

/** True if the secret made the signature, even if something else is wrong. */
function isSignedBy(options: DiagnoseOptions, secret: string, body = options.body): boolean {
  const verdict = inspectSignature({...options, body, secrets: [secret], toleranceSeconds: 0, mode: undefined});
  return verdict.genuine || SIGNED.includes(verdict.reason);
}

function diagnosedMode(header: string): WebhookMode | null {
  const test = /(?:^|,) *te=[^,]/.test(header);
  const live = /(?:^|,) *li=[^,]/.test(header);
  return test === live ? null : test ? 'test' : 'live';
}

function secretFault({name, value}: NamedSecret): string {
  const fault =
    value === ''
      ? 'is empty'
      : value.trim() === ''
        ? 'is blank'
        : /[\r\n]$/.test(value)
          ? 'ends in a line break, which was probably pasted with it'
          : /\s/.test(value)
            ? 'contains white space'
            : 'is too short to be a secret';
  return `${capitalized(name)} ${fault}.`;
}

function signatureHint(reason: Reason, options: DiagnoseOptions): string | undefined {
  const header = options.header[0] ?? '';
  switch (reason) {
    case 'missing_header':
      return 'A proxy or framework may have removed it, or the service did not send this delivery.';
    case 'duplicate_header':
    case 'duplicate_key':
      return 'The service sends one header, with each part once. Something on the way may have added to it.';
    case 'malformed_header':
      return /\bv1=/.test(header)
        ? 'This looks like the header of another service.'
        : 'Pass it as it arrived, with t=…,te=…,li=… in this order.';
    case 'bad_timestamp':
      return /^t=\d{13}(,|$)/.test(header) ? 'It looks like milliseconds, but the service sends seconds.' : undefined;
    case 'bad_signature_format':
      return lowerCaseMatches(options)
        ? 'It matches in lower case. Something changed the letters on the way.'
        : undefined;
    case 'no_secret':
    case 'no_match':
      return hintForSecret(options) ?? (reason === 'no_match' ? hintForBody(options) : undefined);
    case 'too_old':
      return 'To check a stored delivery regardless of its age, use --tolerance 0. A delivery that arrives this late is a replay, or this machine’s clock is ahead.';
    case 'too_new':
      return 'This machine’s clock may be behind. Set it to the correct time.';
    case 'wrong_mode':
      return `It is genuine in ${diagnosedMode(header)} mode: --mode ${diagnosedMode(header)}.`;
    case 'mode_mismatch_body':
      return 'The signature may have been moved from one mode to the other in the header.';
    case 'body_not_event':
    case 'body_not_json':
    case 'body_not_utf8':
      return 'The service sends only events. Another program with the secret signed this.';
    default:
      return undefined;
  }
}

const lowerCaseMatches = (options: DiagnoseOptions): boolean =>
  options.secrets.some(({value}) => isSignedBy({...options, header: [(options.header[0] ?? '').toLowerCase()]}, value));

function hintForSecret(options: DiagnoseOptions): string | undefined {
  for (const {name, value} of options.secrets) {
    const bare = value.trim().replace(/^(["'])(.*)\1$/, '$2');
    if (/^[sp]k_(test|live)_/.test(bare))
      return `${capitalized(name)} is an API key. Use the secret of the webhook, which starts with whsk_.`;
    if (bare !== value && isUsableSecret(bare)) {
      const extra = value.trim() === value ? 'quotes' : 'white space';
      return isSignedBy(options, bare)
        ? `Without the ${extra} around it, ${name} matches.`
        : `Remove the ${extra} around it. The secret cannot be used as it is.`;
    }
  }
  return undefined;
}

function hintForBody(options: DiagnoseOptions): string {
  for (const {description, body, forms} of bodyVariants(options.body))
    for (const {value} of options.secrets)
      if (isSignedBy(options, value, body)) {
        const writers = forms ? writersOf(textOf(options.body), forms) : '';
        return `The service signed the body ${description}, which is not the body given here. ${writers}Verify the raw body, before anything parses it.`;
      }
  const mode = diagnosedMode(options.header[0] ?? '');
  return `It is signed in ${mode} mode. Check that this is the ${mode} secret of the webhook that sent it, and that these are the exact bytes.`;
}

/** The programs whose form of JSON the text has, as a sentence; empty if it has none of them. */
function writersOf(text: string, forms: readonly JsonForm[]): string {
  const writers = forms.flatMap(([, form, writer = '']) => (form === text && writer ? [writer] : []));
  return writers.length === 0 ? '' : `It was parsed and written again, in the form of ${writers.join(' or ')}. `;
}

interface BodyVariant {
  /** For example, `without the line break at its end`. */
  readonly description: string;
  readonly body: Buffer;
  /** The other forms of the same JSON, if this is one of them. */
  readonly forms?: readonly JsonForm[];
}

/** `writer`: the function that writes this form by default. */
type JsonForm = readonly [description: string, form: string, writer?: string];

const textOf = (body: Uint8Array) => Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');

/** Yields forms that a body may have had before a change in transit, likeliest first. */
export function* bodyVariants(body: Uint8Array): Generator<BodyVariant> {
  const text = textOf(body);
  const variant = (description: string, changed: string): BodyVariant => ({description, body: Buffer.from(changed)});
  yield variant('without the line break at its end', text.replace(/\r?\n$/, ''));
  yield variant('with a line break at its end', `${text}\n`);
  yield variant('without the byte order mark', text.replace(/^\uFEFF/, ''));
  yield variant('without blanks around it', text.trim());
  yield variant('with LF line breaks', text.replaceAll('\r\n', '\n'));
  yield variant('with CRLF line breaks', text.replace(/\r?\n/g, '\r\n'));
  yield {description: 'before it was encoded a second time', body: Buffer.from(text, 'latin1')};
  yield variant('in Unicode form C', text.normalize('NFC'));
  yield variant('in Unicode form D', text.normalize('NFD'));
  yield* serialisations(text);
}

/** Yields the same JSON as various libraries write it. */
function* serialisations(text: string): Generator<BodyVariant> {
  let value: unknown;
  try {
    value = readJson(text);
  } catch {
    return;
  }
  const compact = JSON.stringify(value);
  const ascii = (json: string): string =>
    json.replace(/[\u0080-\uFFFF]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const slashes = (json: string): string => json.replaceAll('/', '\\/');
  const withBlanks = (json: unknown) => JSON.stringify(json, null, 1).replace(/,\n */g, ', ').replace(/\n */g, '');
  const spaced = withBlanks(value);
  const forms: readonly JsonForm[] = [
    ['as compact JSON', compact, 'JSON.stringify'],
    ['as compact JSON with escaped slashes', slashes(compact)],
    ['as compact JSON in ASCII', ascii(compact)],
    ['as compact JSON in ASCII with escaped slashes', slashes(ascii(compact)), 'PHP’s json_encode'],
    ['as JSON with blanks', spaced],
    ['as JSON with blanks in ASCII', ascii(spaced), 'Python’s json.dumps'],
    ['as JSON with sorted keys and blanks in ASCII', ascii(withBlanks(sorted(value)))],
    ['as compact JSON with sorted keys', JSON.stringify(sorted(value))],
    ['as JSON indented by 2', JSON.stringify(value, null, 2)],
    ['as JSON indented by 4', JSON.stringify(value, null, 4)],
  ];
  for (const [description, form] of forms) yield {description, body: Buffer.from(form, 'utf8'), forms};
}

/** Sorts the keys of objects at every depth. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, sorted(each)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
