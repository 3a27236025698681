// Finds out why a handler refuses genuine events, by the wrong signatures and bodies that it accepts instead.

import {createHmac} from 'node:crypto';
import {isAccepted} from '../../http/webhook-sender.js';
import {bodyVariants, type NamedSecret} from '../signature/diagnosis.js';
import {compact, indented, withData, withSwappedModes, withWrongDigit, type CaseRunner, type Fault} from './cases.js';
import {CURES, type Cure} from './cures.js';

/** Statuses of a handler that refuses a signature. With another status, something else may be wrong. */
const NOT_GENUINE = [400, 401, 422];

export interface HandlerSecrets {
  readonly secret: string;
  /** The secret’s name, such as the secret in CENTAVO_WEBHOOK_SECRET. */
  readonly secretName: string;
  /** Other secrets that the handler may have. */
  readonly otherSecrets: () => Promise<readonly NamedSecret[]>;
}

/**
 * Sends about 25 deliveries, each with a new signature. The handler may act on one of them.
 * @param plainStatus status of a refused plain event, undefined if the handler refuses only some bodies
 */
export async function findRootCause(
  {event, now, send, sign}: CaseRunner,
  {secret, secretName, otherSecrets}: HandlerSecrets,
  plainStatus: number | undefined,
): Promise<Fault | undefined> {
  const accepts = async (body: Buffer, header: string) => isAccepted((await send({body, header})).status);

  const plain = compact(event());
  // Such a handler does not refuse because of the signature.
  if (await accepts(plain, withWrongDigit(sign(plain)))) return undefined;
  // Each form of this body differs: in slashes, letters and line breaks. PHP writes an empty object as a list.
  const data = {description: 'Bayad 1/2 ni Niño, ni Nin\u0303o'};
  const body = indented({...withData(event(), data), previous_attributes: {status: 'open'}});
  for (const variant of bodyVariants(body)) {
    if (variant.body.equals(body) || !(await accepts(body, sign(variant.body)))) continue;
    const writer = variant.forms?.find(([description]) => description === variant.description)?.[2];
    const form = writer ? `in the form of ${writer}` : variant.description;
    const what = variant.forms ? `JSON that was written again ${form}` : `the body ${form}`;
    return {text: `your app verifies ${what}, not the raw body`, cure: CURES.rawBody};
  }
  if (plainStatus === undefined) return undefined;

  const header = sign(plain);
  const [digest] = /[0-9a-f]{64}/.exec(header)!;
  const withoutTime = createHmac('sha256', secret).update(plain).digest('hex');
  const wrongSecrets: readonly NamedSecret[] = [
    {name: 'an empty secret', value: ''},
    ...['"', "'"].map((quote) => ({name: 'a secret with quotes around it', value: `${quote}${secret}${quote}`})),
    ...['\n', '\r\n', ' '].map((end) => ({name: 'a secret with white space at its end', value: `${secret}${end}`})),
    {name: 'a secret without whsk_, which is part of the key', value: secret.replace(/^whsk_/, '')},
    ...(await otherSecrets()).map(({name, value}) => ({
      name: `${name}, and the test signs with ${secretName}`,
      value,
    })),
  ];
  const mistakes: readonly (readonly [header: string, text: string, cure: Cure])[] = [
    [withSwappedModes(header), 'your app reads the signature of the other mode', CURES.mode],
    [sign(plain, {timestamp: now() * 1000}), 'your app reads t as milliseconds', CURES.header],
    [header.replace(digest, digest.toUpperCase()), 'your app compares with upper-case digits', CURES.header],
    [header.replace(digest, withoutTime), 'your app signs the body without t', CURES.header],
    ...wrongSecrets.map(
      ({name, value}) => [sign(plain, {secret: value}), `your app has ${name}`, CURES.secret] as const,
    ),
  ];
  for (const [wrong, text, cure] of mistakes) if (await accepts(plain, wrong)) return {text, cure};
  if (!NOT_GENUINE.includes(plainStatus)) return undefined;
  return {
    text: `your app has another secret than ${secretName}, reads another header, or changes the body`,
    cure: CURES.secret,
  };
}
