// A process of its own that speaks to the keychain once, and ends. A native call may block its thread for good,
// so it is made in another thread, and this one stays free to watch.

import {Worker} from 'node:worker_threads';
import type {KeychainAnswer, KeychainRequest} from './keychain-protocol.js';

/** No other way ends a process in which a native call hangs: a normal exit waits for its thread. */
const end = (): void => void process.kill(process.pid, 'SIGKILL');

const answer = (said: KeychainAnswer): void => void process.stdout.write(`${JSON.stringify(said)}\n`, end);

function start(request: KeychainRequest): void {
  const failed = (message: string): void =>
    answer({outcome: 'failed', stage: 'use', message, intact: request.operation === 'read'});
  setTimeout(end, request.limit);
  // Of several answers the first one counts, and a thread ends after it has answered.
  new Worker(new URL('./keychain-worker.js', import.meta.url), {workerData: request})
    .once('message', answer)
    .once('error', (error: NodeJS.ErrnoException) => failed([error.code, error.message].filter(Boolean).join(': ')))
    .once('exit', () => failed('it ended without an answer'));
}

let line = '';
let started = false;
process.stdout.on('error', end);
// Whoever asked holds the input open. That it ends means that nobody waits for an answer any more.
process.stdin
  .setEncoding('utf8')
  .on('error', end)
  .on('end', end)
  .on('data', (chunk: string) => {
    line += chunk;
    if (started || !line.endsWith('\n')) return;
    started = true;
    start(JSON.parse(line) as KeychainRequest);
  });
