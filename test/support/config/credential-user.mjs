// Runs a credential command like a centavo command, and prints the result on stdout.
// Arguments: terminal or script, quiet or loud, a limit in milliseconds, the program, its arguments.

import {readFromCommand} from '../../../dist/config/keys/credential-command.js';

const [where, loudness, timeout, ...words] = process.argv.slice(2);
const controller = new AbortController();
process.on('SIGINT', () => controller.abort());
const said = await readFromCommand(words, {
  host: {env: process.env, kill: process.kill},
  signal: controller.signal,
  terminal: where === 'terminal',
  onStderr: loudness === 'quiet' ? undefined : (line) => process.stderr.write(`${line}\n`),
  timeout: Number(timeout),
}).then(
  (key) => `key=${key}.`,
  (error) => `code=${error.code}.`,
);
process.stdout.write(`${said}\n`);
