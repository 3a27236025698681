// A TLS server with one response for every request; it counts them.

import {createServer} from 'node:https';
import {onTestFinished} from 'vitest';
import {listen} from '../services/sockets.js';
import {GOOD, LEAF_KEY} from './certificates.js';

/** @param options of `tls.createServer`, instead of a valid certificate */
export async function serveTls(options: object = {}, answer: object = {}) {
  let count = 0;
  const server = createServer({key: LEAF_KEY, cert: GOOD, ...options}, (_request, response) => {
    count++;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  server.on('tlsClientError', () => {});
  const {port} = await listen(server, onTestFinished);
  return {url: `https://127.0.0.1:${port}`, port, requests: () => count};
}
