// Finds out why a handler refuses genuine events, by the wrong signatures and bodies that it accepts instead.

import {createHmac} from 'node:crypto';
import {isAccepted} from '../../http/webhook-sender.js';
import {bodyVariants, type NamedSecret} from '../signature/diagnosis.js';
import {isUsableSecret, signatureWith} from '../signature/signature.js';
import {compact, indented, withData, withSwappedModes, withWrongDigit, type CaseRunner, type Cause} from './cases.js';
import {CURES, type Framework} from './cures.js';

export interface RootCause extends Cause {
  /** The framework whose language writes JSON in the form that the handler verifies. */
  readonly framework?: Framework;
}

/** Functions that write JSON in a form of their own, with their frameworks. */
const WRITERS: readonly (readonly [name: string, framework: Framework])[] = [
  ['json_encode', 'Laravel'],
  ['json.dumps', 'Flask'],
];

export interface RootCauseOptions extends Pick<CaseRunner, 'event' | 'now' | 'send' | 'signing'> {
  /** True if the handler refuses even a plain event, and not only some bodies. */
  readonly refusesAll: boolean;
  /** Status of the refusal. */
  readonly status: number | undefined;
  /** Other secrets that the handler may have. */
  readonly otherSecrets: () => Promise<readonly NamedSecret[]>;
  /** The secret’s name, such as the secret in CENTAVO_WEBHOOK_SECRET. */
  readonly secretName: string;
}

/** Sends about 25 deliveries, each with a new signature. The handler may act on one of them. */
export async function findRootCause(options: RootCauseOptions): Promise<RootCause | undefined> {
  const {event, now, send, signing, refusesAll, status = 0, otherSecrets, secretName} = options;
  const accepts = async (body: Buffer, header: string): Promise<boolean> =>
    isAccepted((await send({body, header})).status);
  const sign = (body: Uint8Array, secret = signing.secret, timestamp = now()): string =>
    signatureWith({...signing, body, secret, timestamp});

  const plain = compact(event());
  // Such a handler does not refuse because of the signature.
  if (await accepts(plain, withWrongDigit(sign(plain)))) return undefined;
  for (const [body, variant] of variantsOf(event())) {
    if (await accepts(body, sign(variant.body))) {
      const writer = variant.forms?.find(([description]) => description === variant.description)?.[2];
      const form = writer ? `in the form of ${writer}` : variant.description;
      const what = variant.forms ? `JSON that was written again ${form}` : `the body ${form}`;
      const framework = WRITERS.find(([name]) => writer?.includes(name))?.[1];
      return {text: `your app verifies ${what}, not the raw body`, cure: CURES.rawBody, framework};
    }
  }
  if (!refusesAll) return undefined;

  for (const [header, text, cure] of [
    [withSwappedModes(sign(plain)), `your app reads the signature of the other mode`, CURES.mode],
    [sign(plain, signing.secret, now() * 1000), 'your app reads t as milliseconds', CURES.header],
    [inUpperCase(sign(plain)), 'your app compares with upper-case digits', CURES.header],
    [withDigest(sign(plain), signing.secret, plain, 'hex'), 'your app signs the body without t', CURES.header],
    [withDigest(sign(plain), signing.secret, plain, 'base64'), 'your app signs the body without t', CURES.header],
  ] as const)
    if (await accepts(plain, header)) return {text, cure};

  const {secret} = signing;
  const own: readonly NamedSecret[] = [
    {name: 'an empty secret', value: ''},
    ...['"', "'"].map((quote) => ({name: 'a secret with quotes around it', value: `${quote}${secret}${quote}`})),
    ...['\n', '\r\n', ' '].map((end) => ({name: 'a secret with white space at its end', value: `${secret}${end}`})),
    {name: 'a secret without whsk_, which is part of the key', value: secret.replace(/^whsk_/, '')},
  ];
  const others = (await otherSecrets()).filter(({value}) => isUsableSecret(value));
  for (const {name, value} of [...own, ...others])
    if (value !== secret && (await accepts(plain, sign(plain, value)))) {
      const isOther = own.every((each) => each.value !== value);
      return isOther
        ? {text: `your app has ${name}, and the test signs with ${secretName}`, cure: CURES.secret}
        : {text: `your app has ${name}`, cure: CURES.appSecret};
    }
  // With another status, something else than the signature may be wrong.
  if (![400, 401, 422].includes(status)) return undefined;
  return {
    text: `your app has another secret than ${secretName}, reads another header, or changes the body`,
    cure: CURES.secret,
  };
}

/** Yields bodies with forms that a handler may make of them. Each form differs in slashes, letters and line breaks. */
function* variantsOf(event: ReturnType<CaseRunner['event']>) {
  const description = 'Bayad 1/2 ni Niño, ni Nin\u0303o';
  // PHP writes an empty object as a list.
  const body = indented({...withData(event, {description}), previous_attributes: {status: 'open'}});
  yield [body, {description: 'read as Latin-1', body: Buffer.from(body.toString('latin1')), forms: undefined}] as const;
  for (const variant of bodyVariants(body)) if (!variant.body.equals(body)) yield [body, variant] as const;
}

const inUpperCase = (header: string): string => header.replace(/[0-9a-f]{64}/, (digest) => digest.toUpperCase());

const withDigest = (header: string, secret: string, body: Uint8Array, encoding: 'base64' | 'hex'): string =>
  header.replace(/[0-9a-f]{64}/, createHmac('sha256', secret).update(body).digest(encoding));
