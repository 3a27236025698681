// Raw clients and servers over sockets.

import {connect} from 'node:net';
import {socketServer, type RawRequest} from '../services/sockets.js';

/** Sends these bytes. @returns the whole response, and the milliseconds until the server ended the connection */
export async function ask(port: number, bytes: Uint8Array | string) {
  const from = performance.now();
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => {}).write(bytes);
  await new Promise((resolve) => socket.on('close', resolve));
  return {status: Number(text.split(' ')[1] ?? 0), text, took: performance.now() - from};
}

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

export type RawApp = Awaited<ReturnType<typeof rawApp>>;

/** An app made of sockets. @param answer returns the response, or undefined for none */
export async function rawApp(answer: (request: RawRequest, count: number) => string | void = () => OK, onPort = 0) {
  const {port, requests, close} = await socketServer(
    {
      answer: (socket, request, count) => {
        const said = answer(request, count);
        if (said !== undefined) socket.write(said);
      },
    },
    onPort,
  );
  return {port, url: new URL(`http://127.0.0.1:${port}/hook`), seen: requests, close};
}
