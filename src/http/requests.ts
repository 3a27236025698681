// Who sends a request to a server on this machine: a program that means it, or a web page that a browser happens to show.

import type {IncomingMessage} from 'node:http';

/** The values of every header of this name, in order: Node joins them, and keeps only the first of some. */
export function headerValues({rawHeaders}: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name);
}

/**
 * Whether a Host header names this server. Another name means that someone else's name was made to lead here (DNS rebinding).
 * @param publicHosts further names under which the world knows it, with the port where one is written
 */
export function isOwnHost(host: string, port: number, publicHosts: readonly string[] = []): boolean {
  const name = host.toLowerCase();
  const own = ['localhost', '127.0.0.1', '[::1]'].flatMap((each) => [
    `${each}:${port}`,
    ...(port === 80 ? [each] : []),
  ]);
  return own.includes(name) || publicHosts.some((known) => known.toLowerCase() === name);
}

/** Browsers say so when a page of another site, or a script of any, makes them ask. */
export function isFromBrowser({headers}: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  return headers.origin !== undefined || site === 'cross-site' || site === 'same-site';
}
