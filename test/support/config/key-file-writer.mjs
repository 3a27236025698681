// Rewrites one key, long enough to be read in several pieces, until killed. Prints a line at the start.

import {randomBytes} from 'node:crypto';
import {createKeyFiles} from '../../../dist/config/keys/key-files.js';

const [directory, name, letter] = process.argv.slice(2);
const store = createKeyFiles({
  directory,
  user: process.getuid?.(),
  token: () => randomBytes(8).toString('hex'),
});
for (let round = 0; ; round++) {
  // Another process may have written; reading back detects it.
  await store.write(name, letter.repeat(100_000)).catch((error) => {
    if (error.details?.applied !== 'unknown') throw error;
  });
  if (round === 0) process.stdout.write('begun\n');
}
