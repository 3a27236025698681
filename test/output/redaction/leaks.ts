// Random secrets, their encodings, and a search for leaked pieces.

import fc from 'fast-check';

/** Characters of a secret in a row that give it away. */
export const PIECE = 6;
/** Base64 needs more characters for the same bytes. */
const ENCODED_PIECE = 8;

export interface Secret {
  readonly kind: 'client' | 'key' | 'learned' | 'webhook';
  readonly text: string;
  /** The secret part: all but the prefix that names its kind. */
  readonly hidden: string;
}

const token = fc.stringMatching(/^[A-Za-z0-9]{24,40}$/);
const prefixed =
  (kind: Secret['kind']) =>
  ([prefix, rest]: [string, string]): Secret => ({kind, text: prefix + rest, hidden: rest});

/** Characters of possible secrets: spaces, quotes, regular-expression signs, other alphabets. */
const ODD = [...'abcXYZ019$^*+?.()[]{}|\\/-_=&%#@!~`\'"<>:;, ñÑé₱日本語😀ßпривет\t'];
const odd = fc
  .array(fc.constantFrom(...ODD), {minLength: 12, maxLength: 40})
  .map((characters) => characters.join(''))
  // Text around a secret is not part of it, and runs of one character are indistinguishable.
  .filter((text) => text.trim() === text && new Set(text).size > 8 && !/(.)\1{3}/u.test(text));

const ids = fc.constantFrom('pi', 'cs', 'cus_s', 'si', 'test_bstm');

export const keys = fc
  .tuple(fc.constantFrom('sk_test_', 'sk_live_', 'pk_test_', 'pk_live_'), token)
  .map(prefixed('key'));
export const webhookSecrets = fc.tuple(fc.constant('whsk_'), token).map(prefixed('webhook'));
export const clientSecrets = fc
  .tuple(
    fc.tuple(ids, token).map(([prefix, id]) => `${prefix}_${id.slice(0, 12)}_secret_`),
    token,
  )
  .map(prefixed('client'));
export const learned = odd.map((text): Secret => ({kind: 'learned', text, hidden: text}));

export const anySecret = fc.oneof(
  {arbitrary: keys, weight: 4},
  {arbitrary: webhookSecrets, weight: 1},
  {arbitrary: clientSecrets, weight: 2},
  {arbitrary: learned, weight: 3},
);

function* piecesOf(text: string, length: number): Generator<string> {
  for (let at = 0; at + length <= text.length; at++) yield text.slice(at, at + length);
}

/** Every piece that reveals a secret, plain and in base64 at any offset. */
function piecesOfSecret({text, hidden}: Secret): string[] {
  const encoded = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(hidden)]);
    // The first and last characters also encode the neighbouring bytes.
    return [...piecesOf(bytes.toString('base64').slice(4, -4), ENCODED_PIECE)];
  });
  const url = encodeURIComponent(hidden);
  return [
    ...piecesOf(hidden, PIECE),
    ...encoded,
    ...encoded.map((piece) => piece.replaceAll('+', '-').replaceAll('/', '_')),
    // For an encoded text, a whole encoding explains the most.
    ...(url === hidden ? [] : [url]),
    Buffer.from(`${text}:`).toString('base64').slice(0, -4),
    JSON.stringify(hidden).slice(1, -1),
  ];
}

/** Up to this many pieces of one length are searched one by one. */
const FEW = 20;

export interface Look {
  /** The position of the first leaked piece in the output; undefined if none. */
  readonly leak: string | undefined;
  readonly looked: number;
}

/** Searches output for any piece of these secrets. */
export function lookFor(secrets: readonly Secret[]): (printed: string) => Look {
  const byLength = new Map<number, Set<string>>();
  let looked = 0;
  for (const secret of secrets) {
    for (const piece of piecesOfSecret(secret)) {
      const known = byLength.get(piece.length) ?? new Set();
      byLength.set(piece.length, known.add(piece));
      looked++;
    }
  }
  return (printed) => {
    let found: string | undefined;
    for (const [length, pieces] of byLength) {
      if (pieces.size < FEW) for (const piece of pieces) found ??= printed.includes(piece) ? piece : undefined;
      else for (const piece of piecesOf(printed, length)) found ??= pieces.has(piece) ? piece : undefined;
    }
    const at = found === undefined ? 0 : printed.indexOf(found);
    return {
      leak: found === undefined ? undefined : `${found} in: ${printed.slice(Math.max(0, at - 100), at + 100)}`,
      looked,
    };
  };
}
