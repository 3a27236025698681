// The connections of a server: closing it ends the idle ones at once, and waits for those that a request came in on.

import type {IncomingMessage, Server, ServerResponse} from 'node:http';
import type {Socket} from 'node:net';

export interface Connections {
  /** True once closing has begun: an answer given now is the last of its connection. */
  readonly closing: () => boolean;
  readonly close: () => Promise<void>;
}

/** @param patience how long requests under way may take after closing has begun, in milliseconds */
export function trackConnections(server: Server, patience: number): Connections {
  const open = new Set<Socket>();
  const busy = new Set<Socket>();
  let closed: Promise<void> | undefined;
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.on('request', ({socket}: IncomingMessage, response: ServerResponse) => {
    busy.add(socket);
    response.on('close', () => {
      busy.delete(socket);
      if (closed) socket.end();
    });
  });
  return {
    closing: () => closed !== undefined,
    close: () =>
      (closed ??= new Promise((resolve) => {
        const limit = setTimeout(() => server.closeAllConnections(), patience);
        server.close(() => {
          clearTimeout(limit);
          resolve();
        });
        for (const socket of open) if (!busy.has(socket)) socket.destroy();
      })),
  };
}
