// A process that uses the keychain: reads operations from stdin, and prints each result.

import {createKeychain} from '../../../dist/config/keys/keychain.js';

let input = '';
for await (const chunk of process.stdin) input += chunk;
const keychain = createKeychain({
  // Runs the asking process in place of this Node.
  node: process.argv[2] ?? process.execPath,
  host: {env: process.env, kill: process.kill},
  token: () => Math.random().toString(36).slice(2),
  // A busy machine takes long to start the asking process.
  timeout: 60_000,
});
const results = [];
for (const [operation, ...words] of JSON.parse(input))
  results.push(await keychain[operation](...words).catch((error) => ({error: error.code})));
process.stdout.write(JSON.stringify(results.map((result) => result ?? null)));
