// Writes one key over and over, each time as long as a file is read in several pieces, until it is killed. Says when it begins.

import {randomBytes} from 'node:crypto';
import {createKeyFiles} from '../../../dist/config/keys/key-files.js';

const [directory, name, letter] = process.argv.slice(2);
const store = createKeyFiles({
  directory,
  user: process.getuid?.(),
  token: () => randomBytes(8).toString('hex'),
});
for (let round = 0; ; round++) {
  // Another may have written meanwhile, which is found when it is read back.
  await store.write(name, letter.repeat(100_000)).catch((error) => {
    if (error.details?.applied !== 'unknown') throw error;
  });
  if (round === 0) process.stdout.write('begun\n');
}
