// Socket servers in place of the API: one answer ends each connection.

import {keptAnswer, socketServer} from './sockets.js';

export type RawServer = Awaited<ReturnType<typeof rawServer>>;

/** @param script bytes to answer each request with; undefined leaves it open */
export async function rawServer(script: (request: string) => string | undefined) {
  const requests: string[] = [];
  const server = await socketServer({
    answer: (socket, {bytes}) => {
      requests.push(bytes.toString('latin1'));
      const answer = script(requests.at(-1)!);
      if (answer !== undefined) socket.end(answer);
    },
  });
  return {...server, requests: requests as readonly string[]};
}

/** An answer that ends the connection. */
export const httpAnswer = (status: string, body: string, headers: Readonly<Record<string, string>> = {}): string =>
  keptAnswer(status, body, {...headers, connection: 'close'});

export const TEST_KEY = 'sk_test_MadeUpForTests0123456789abcdef';
export const LIVE_KEY = 'sk_live_MadeUpForTests0123456789abcdef';
export const PUBLIC_KEY = 'pk_test_MadeUpForTests0123456789abcdef';

/** True if the text contains a key in any readable form. */
export const showsKey = (text: string): boolean =>
  /MadeUpForTests/.test(text) || [TEST_KEY, LIVE_KEY, PUBLIC_KEY].some((key) => text.includes(encoded(key)));

const encoded = (key: string): string => Buffer.from(`${key}:`).toString('base64').slice(0, 24);
