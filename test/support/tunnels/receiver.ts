// A loopback receiver: verifies each body, and sends back the nonce of a ping.

import {createServer} from 'node:http';
import {onTestFinished} from 'vitest';
import {PING_HEADER} from '../../../src/webhooks/tunnels/verify-path.js';
import {verifySignature} from '../../../src/webhooks/signature/signature.js';

export const SECRET = 'whsk_stand_in_secret_1';

export interface Received {
  readonly genuine: boolean;
  readonly ping?: string;
}

/** @returns the port, and the arrived bodies */
export async function receiver(): Promise<{port: number; received: Received[]}> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const header = request.headersDistinct['payrex-signature'] ?? [];
      const {genuine} = verifySignature({body, header, secrets: [SECRET], now: Math.floor(Date.now() / 1000)});
      const ping = request.headers[PING_HEADER] as string | undefined;
      received.push({genuine, ping});
      if (ping !== undefined && genuine) response.setHeader(PING_HEADER, ping);
      response.writeHead(genuine ? 200 : 401).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {port: (server.address() as {port: number}).port, received};
}
