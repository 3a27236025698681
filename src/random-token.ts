// Random letters and digits: ids, secrets, and what must not be guessed. Pure; the bytes arrive from outside.

/** Cryptographically random bytes, or a test's own. */
export type RandomBytes = (size: number) => Uint8Array;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** Length of what follows an id's prefix, and of a secret. */
const TOKEN_LENGTH = 32;

/** Characters of the alphabet, each as likely as the others. */
export function randomToken(random: RandomBytes, length = TOKEN_LENGTH, alphabet = ALPHABET): string {
  const fair = 256 - (256 % alphabet.length);
  let token = '';
  while (token.length < length) {
    for (const byte of random(length))
      if (byte < fair && token.length < length) token += alphabet[byte % alphabet.length];
  }
  return token;
}
