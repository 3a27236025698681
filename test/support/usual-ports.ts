// Files whose tests use the ports of an app and of the sandbox, 3000 and 4010, run one after the other.

import {connect, createServer, type Socket} from 'node:net';
import {afterAll, beforeAll} from 'vitest';

/** Whoever listens here has the usual ports. */
const TURN = 4009;
/** Milliseconds; the documents take minutes. */
const LIMIT = 900_000;

/** Waits until no other file has the ports, also of another clone, and gives them back after the last test. */
export function takeUsualPorts(): void {
  const waiting = new Set<Socket>();
  const turn = createServer((socket) => void waiting.add(socket.on('error', () => {})));
  beforeAll(async () => {
    const isMine = () =>
      new Promise<boolean>((resolve) => {
        turn.once('error', () => resolve(false)).listen(TURN, '127.0.0.1', () => resolve(true));
      });
    while (!(await isMine()))
      await new Promise((resolve) => {
        connect(TURN, '127.0.0.1')
          .on('error', () => {})
          .once('close', resolve)
          .resume();
      });
  }, LIMIT);
  afterAll(() => {
    turn.close();
    for (const socket of waiting) socket.destroy();
  });
}

/** True if a program listens at the port. */
export const isTaken = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
