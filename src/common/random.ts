// Random text for ids and secrets, from bytes that are passed in.

export type RandomBytes = (size: number) => Uint8Array;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Characters of an id or a secret, after its prefix. */
const TOKEN_LENGTH = 32;

/** Returns random characters, each equally likely. */
export function randomToken(random: RandomBytes, length = TOKEN_LENGTH, alphabet = ALPHABET): string {
  const fair = 256 - (256 % alphabet.length);
  let token = '';
  while (token.length < length) {
    for (const byte of random(length))
      if (byte < fair && token.length < length) token += alphabet[byte % alphabet.length];
  }
  return token;
}
