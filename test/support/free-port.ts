// A free port, for programs that need a port number.

import {once} from 'node:events';
import {createServer} from 'node:net';

/** Systems assign ports from 32768 upwards, so a port below stays free until it is used. */
const FIRST = 20_000;
const COUNT = 12_000;

/** A free port of 127.0.0.1, at random, so that tests that run beside each other do not meet. */
export async function freePort(): Promise<number> {
  const port = FIRST + Math.floor(Math.random() * COUNT);
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return freePort();
  }
  await new Promise((resolve) => server.close(resolve));
  return port;
}
