// A process that runs each command line of stdin, JSON of words and a data folder, and prints its status and output as JSON.

import {randomBytes} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {setTimeout as delay} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {runCommandLine} from '../../../dist/cli/dispatch/dispatch.js';
import {loadCommand} from '../../../dist/command-table.js';
import {createContext} from '../../../dist/context/context.js';
import {processIdentityOf} from '../../../dist/processes/process-identity.js';

const root = new URL('../../../', import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, root), 'utf8'));
const parts = {
  root: fileURLToPath(root),
  pjson: read('package.json'),
  index: read('bundle/commands.json'),
  loadCommand,
};

console.log('ready');
for await (const line of createInterface({input: process.stdin})) {
  const {words, directory} = JSON.parse(line);
  const said = {stdout: '', stderr: ''};
  const stream = (name) => ({
    write: (text, done) => {
      said[name] += text;
      done?.();
      return true;
    },
    on: () => {},
  });
  const context = createContext({
    stdin: {},
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env: {...process.env, HOME: directory, CENTAVO_DATA_DIR: directory},
    platform: process.platform,
    version: '0.0.0',
    readInputBytes: async () => Buffer.alloc(0),
    now: Date.now,
    random: Math.random,
    sleep: (milliseconds, signal) => delay(milliseconds, undefined, {signal}),
    signal: new AbortController().signal,
    identity: processIdentityOf(process.pid, 0),
    kill: (pid, signal) => process.kill(pid, signal),
    interrupt: () => {},
    suspend: () => {},
    execArgv: [],
    self: [],
    atExit: () => () => {},
    randomBytes,
    user: process.getuid?.(),
  });
  const status = await runCommandLine(words, {context, parts, received: () => undefined});
  console.log(JSON.stringify({status, ...said}));
}
