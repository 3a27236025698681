// Who may talk to a server on this machine: programs that mean it, not web pages that a browser happens to show.

import type {IncomingMessage} from 'node:http';
import {Problem} from './problems.js';

const refusal = (status: number, code: string, detail: string): Problem => new Problem(status, [{code, detail}]);

/** @throws Problem for a request that is not what an API client on this machine sends */
export function guard(request: IncomingMessage, port: number): void {
  if (request.method === 'TRACE' || !request.url?.startsWith('/')) {
    throw refusal(400, 'request_invalid', 'Only requests for a path on this server are answered.');
  }
  guardHost(request, port);
  guardBrowser(request);
}

/** A name other than the machine's own means that someone else's name was made to lead here (DNS rebinding). */
function guardHost({rawHeaders}: IncomingMessage, port: number): void {
  const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === 'host');
  if (hosts.length === 0) throw refusal(400, 'request_invalid', 'A Host header is needed.');
  const own = ['localhost', '127.0.0.1', '[::1]'].flatMap((name) => [
    `${name}:${port}`,
    ...(port === 80 ? [name] : []),
  ]);
  if (hosts.length > 1 || !own.includes(hosts[0]!.toLowerCase())) {
    throw refusal(421, 'host_not_allowed', `Only requests to localhost:${port} or 127.0.0.1:${port} are answered.`);
  }
}

/** Browsers say so when a page of another site, or a script of any, makes them ask. */
function guardBrowser({headers}: IncomingMessage): void {
  const site = headers['sec-fetch-site'];
  if (headers.origin !== undefined || site === 'cross-site' || site === 'same-site') {
    throw refusal(403, 'browser_not_allowed', 'The API is for programs: requests made by web pages are not answered.');
  }
}
