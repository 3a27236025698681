// Prints random secrets in every way, and counts the searched pieces.

import fc from 'fast-check';
import {expect} from 'vitest';
import {anySecret, lookFor, type Secret} from './leaks.js';
import {PRINTS} from './places.js';
import {PLAIN, terminal, type Terminal, type TerminalOptions} from '../../support/output/recorded-terminal.js';

/** Secrets per batch; each batch is printed in every way. */
const BATCH = 50;

/** A terminal or a pipe with these secrets registered. */
function informed(secrets: readonly Secret[], options: TerminalOptions): Terminal {
  const shown = terminal({env: PLAIN, columns: 200, ...options});
  for (const {kind, text} of secrets) if (kind === 'learned') shown.io.addSecret(text);
  return shown;
}

/** Fails at the first printed piece of a secret. @returns a summary in one sentence */
export async function walkThrough(count: number, seed: number): Promise<string> {
  const counted = {secrets: 0, pieces: 0, bytes: 0};
  const ways = Object.entries(PRINTS);
  await fc.assert(
    fc.asyncProperty(fc.array(anySecret, {minLength: BATCH, maxLength: BATCH}), async (secrets) => {
      const look = lookFor(secrets);
      const texts = secrets.map(({text}) => text);
      const [atTerminal, inPipe] = [informed(secrets, {}), informed(secrets, {tty: false})];
      counted.secrets += secrets.length;
      for (const [name, print] of ways) {
        const {io, out, err} = name === 'tabs' ? inPipe : atTerminal;
        const before = [out().length, err().length];
        await print(io, texts);
        const printed = out().slice(before[0]) + err().slice(before[1]);
        const {leak, looked} = look(printed);
        expect(leak, name).toBeUndefined();
        expect(printed.length, name).toBeGreaterThan(BATCH);
        counted.pieces += looked;
        counted.bytes += printed.length;
      }
    }),
    // Counterexamples are not shrunk: shrinking fifty secrets takes too long.
    {seed, numRuns: Math.ceil(count / BATCH), endOnFailure: true},
  );
  const checks = counted.secrets * ways.length;
  return `seed ${seed}: ${counted.secrets} secrets in ${ways.length} ways of printing, ${checks} checks; ${counted.pieces} looks for a piece in ${(counted.bytes / 1e6).toFixed(1)} MB, none found.`;
}
