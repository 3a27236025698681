// Exports only the needed parts of undici: its index also loads fetch, caches and mocks, which slows the first request.

import type {Socket} from 'node:net';
import type {buildConnector as Build} from 'undici';
import buildUndiciConnector from 'undici/lib/core/connect.js';

export {default as Agent} from 'undici/lib/dispatcher/agent.js';
export {default as Pool} from 'undici/lib/dispatcher/pool.js';

type Connector = Build.connector;

/** Bytes. undici refuses longer headers. */
const MAX_HEADERS = 16 * 1024;
/** Whole informational responses at the start of a response; after a 101 no response follows. */
const INFORMATIONAL = /^(?:HTTP\/1\.1 1(?!01)\d\d[^\0]*?\r\n\r\n)+/;
/** True if the rest may make an informational response. */
const mayBecomeInformational = (text: string) => 'HTTP/1.1 1'.startsWith(text) || /^HTTP\/1\.1 1(?!01)/.test(text);

/** Returns undici's connector. Its connections skip informational responses. */
export const buildConnector = (options: Build.BuildOptions): Connector =>
  skippingInformational(buildUndiciConnector(options));

/** undici ends a connection at a `100 Continue` that the request did not ask for. */
export const skippingInformational =
  (connect: Connector): Connector =>
  (target, done) =>
    connect(target, (...made) => {
      if (made[1]) skipInformational(made[1]);
      done(...made);
    });

function skipInformational(socket: Socket): void {
  const {read, write} = socket;
  /** The start of a response; undefined once it was passed on. Each request begins one response. */
  let start: string | undefined;
  socket.write = (...given: unknown[]) => {
    start ??= '';
    return write.apply(socket, given as Parameters<typeof write>);
  };
  socket.read = (size) => {
    for (;;) {
      const chunk = read.call(socket, size) as Buffer | null;
      if (chunk === null || start === undefined) return chunk;
      start = (start + chunk.toString('latin1')).replace(INFORMATIONAL, '');
      if (start.length < MAX_HEADERS && mayBecomeInformational(start)) continue;
      const passed = Buffer.from(start, 'latin1');
      start = undefined;
      return passed;
    }
  };
}
