// Random text for ids and secrets, from bytes that are passed in, and repeatable random numbers.

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

/** Returns numbers in [0, 1) that depend only on the seed. Never for secrets: mulberry32 has 32 bits of state. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
