// A TLS server with one response for every request; it counts them.

import {once} from 'node:events';
import {createServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import {onTestFinished} from 'vitest';
import {GOOD, LEAF_KEY} from './certificates.js';

/** @param options of `tls.createServer`, instead of a valid certificate */
export async function serveTls(
  options: object = {},
  answer: object = {},
): Promise<{url: string; port: number; requests: () => number}> {
  let count = 0;
  const server = createServer({key: LEAF_KEY, cert: GOOD, ...options}, (_request, response) => {
    count++;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const {port} = server.address() as AddressInfo;
  return {url: `https://127.0.0.1:${port}`, port, requests: () => count};
}
