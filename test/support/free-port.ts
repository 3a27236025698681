// A free port, for programs that need a port number.

import {createServer} from 'node:net';

/** Systems assign ports from 32768 upwards, so a port below stays free until it is used. */
const FIRST = 20_000;
const COUNT = 12_000;

/** A free port of 127.0.0.1, at random, so that tests that run beside each other do not meet. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
