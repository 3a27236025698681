// Requests to a fake service over HTTP, as the sandbox takes them, and answers.

import type {IncomingMessage, ServerResponse} from 'node:http';
import {buffer} from 'node:stream/consumers';
import type {ApiRequest, HttpMethod} from '../../../src/api/wire.js';

/** Reads a request. Its kind has no ids: `POST /billing_statements/:id/send`. */
export async function requestOf(request: IncomingMessage): Promise<ApiRequest & {kind: string; isChange: boolean}> {
  const [path = '', query = ''] = request.url!.split('?');
  const method = request.method as HttpMethod;
  const body = await buffer(request);
  return {
    ...{method, path, query, headers: request.headers as Record<string, string>},
    body: body.length > 0 ? body : undefined,
    kind: `${method} ${path.replace(/\/[a-z_]+_[A-Za-z0-9]{32}/, '/:id')}`,
    isChange: method !== 'GET',
  };
}

export const answerJson = (response: ServerResponse, status: number, body: object, headers = {}): void =>
  void response.writeHead(status, {'content-type': 'application/json', ...headers}).end(JSON.stringify(body));
