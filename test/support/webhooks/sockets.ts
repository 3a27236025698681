// Raw clients and servers over sockets.

import {once} from 'node:events';
import {connect, createServer, type AddressInfo, type Socket} from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** All bytes of the response. */
  readonly text: string;
  /** Milliseconds until the server ended the connection. */
  readonly took: number;
}

/** Sends these bytes, and returns the response once the server ends the connection. */
export function ask(port: number, bytes: Uint8Array | string): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const from = performance.now();
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      resolve({status: Number(text.split(' ')[1] ?? 0), text, took: performance.now() - from});
    });
    socket.write(bytes);
  });
}

/** A request received by an app, and a way to answer it. */
export interface Seen {
  /** From the request line to the last byte of the body. */
  readonly bytes: Buffer;
  readonly line: string;
  /** In order, as written. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  readonly socket: Socket;
}

export interface RawApp {
  readonly port: number;
  readonly url: URL;
  readonly seen: Seen[];
  readonly close: () => Promise<void>;
}

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** An app made of sockets. @param answer returns the response, or undefined for none */
export async function rawApp(
  answer: (request: Seen, count: number) => string | void = () => OK,
  port = 0,
): Promise<RawApp> {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let pending = Buffer.alloc(0);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      for (let request = take(pending, socket); request; request = take(pending, socket)) {
        pending = pending.subarray(request.bytes.length);
        seen.push(request);
        const said = answer(request, seen.length);
        if (said !== undefined) socket.write(said);
      }
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const {port: actual} = server.address() as AddressInfo;
  return {
    port: actual,
    url: new URL(`http://127.0.0.1:${actual}/hook`),
    seen,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function take(bytes: Buffer, socket: Socket): Seen | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = lines.map((one) => [one.slice(0, one.indexOf(':')), one.slice(one.indexOf(':') + 1).trim()] as const);
  const length = Number(headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1] ?? 0);
  if (bytes.length < end + 4 + length) return undefined;
  const whole = Buffer.from(bytes.subarray(0, end + 4 + length));
  return {bytes: whole, line, headers, body: whole.subarray(end + 4), socket};
}
