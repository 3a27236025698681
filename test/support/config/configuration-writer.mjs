// A process that sets a limit of its profile to 1, 2, 3 …, and prints each number once written.

import {configurationFile} from '../../../dist/config/configuration-file.js';

const [directory, name, times] = process.argv.slice(2);
let tokens = 0;
const configuration = configurationFile({
  directory: () => directory,
  user: process.getuid?.(),
  token: () => `${process.pid}x${tokens++}`,
});

for (let count = 1; count <= Number(times); count++) {
  await configuration.update((current) => ({
    ...current,
    profiles: {...current.profiles, [name]: {keys: {}, settings: {max_amount: count}}},
  }));
  process.stdout.write(`${count}\n`);
}
