// Which requests the served sandbox accepts: those of programs on this machine, not those that web pages make browsers send.

import type {IncomingMessage} from 'node:http';
import {headerValues, isFromBrowser, isOwnHost} from '../../http/requests.js';
import {Problem} from '../problems.js';

const refusal = (status: number, code: string, detail: string): Problem => new Problem(status, [{code, detail}]);

/**
 * @param page whether it asks for a page, which people's browsers may open
 * @throws Problem for a request that is not what an API client, or a person's browser, on this machine sends
 */
export function guard(request: IncomingMessage, port: number, page: boolean): void {
  if (request.method === 'TRACE' || !request.url?.startsWith('/')) {
    throw refusal(400, 'request_invalid', 'Only requests for a path on this server are answered.');
  }
  guardHost(request, port);
  if (page) guardPage(request);
  else guardBrowser(request);
}

function guardHost(request: IncomingMessage, port: number): void {
  const hosts = headerValues(request, 'host');
  if (hosts.length === 0) throw refusal(400, 'request_invalid', 'A Host header is needed.');
  if (hosts.length > 1 || !isOwnHost(hosts[0]!, port))
    throw refusal(421, 'host_not_allowed', `Only requests to localhost:${port} or 127.0.0.1:${port} are answered.`);
}

function guardBrowser(request: IncomingMessage): void {
  if (isFromBrowser(request))
    throw refusal(403, 'browser_not_allowed', 'The API is for programs: requests made by web pages are not answered.');
}

/** A page may be opened from anywhere at the top level; only a page of this server may post to it. */
function guardPage({method, headers}: IncomingMessage): void {
  const {origin, host, 'sec-fetch-site': site, 'sec-fetch-dest': place = 'document'} = headers;
  if (place !== 'document') throw refusal(403, 'browser_not_allowed', 'A page is not shown inside of another page.');
  if (method === 'GET' || method === 'HEAD') return;
  // Pages that send no referrer send no origin either (`null`), so then only Sec-Fetch-Site counts.
  const ownOrigin = origin === undefined || origin === `http://${host}` || (origin === 'null' && site !== undefined);
  if (!ownOrigin || (site !== undefined && site !== 'same-origin'))
    throw refusal(403, 'browser_not_allowed', 'This was sent by a page of another site, and nothing was done.');
}
