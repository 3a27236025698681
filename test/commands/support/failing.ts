// The merchant's sandbox over HTTP, with one request that goes wrong on purpose: refused before it is acted on, or its answer lost after.

import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {HttpMethod} from '../../../src/api/wire.js';
import type {Merchant} from './merchant.js';

export type Failure = 'answer lost' | 'refused';

export interface FailingServer {
  readonly url: string;
  /** `POST /billing_statements/…` without ids, in the order of arrival; GETs are left out. */
  readonly changes: readonly string[];
  readonly close: () => Promise<void>;
}

/** @param at which change goes wrong, the first being 1; 0 for none */
export async function failingServer(merchant: Merchant, at = 0, failure: Failure = 'refused'): Promise<FailingServer> {
  const changes: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [path = '', query = ''] = request.url!.split('?');
    const isChange = request.method !== 'GET';
    if (isChange) changes.push(`${request.method} ${path.replace(/\/[a-z_]+_[A-Za-z0-9]{32}/, '/:id')}`);
    const fails = isChange && changes.length === at;
    if (fails && failure === 'refused') {
      response.writeHead(400, {'content-type': 'application/json'});
      return response.end(JSON.stringify({errors: [{code: 'not_today', detail: 'Not today.'}]}));
    }
    const answer = await merchant.sandbox.handle({
      method: request.method as HttpMethod,
      path,
      query,
      headers: request.headers as Record<string, string>,
      body: chunks.length > 0 ? Buffer.concat(chunks) : undefined,
    });
    if (fails) return request.socket.resetAndDestroy();
    response.writeHead(answer.status, answer.headers);
    return response.end(answer.status === 204 ? undefined : answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    changes,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
