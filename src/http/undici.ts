// Exports only the needed parts of undici: its index also loads fetch, caches and mocks, which slows the first request.

import type {Socket} from 'node:net';
import type {buildConnector as Build} from 'undici';
import buildUndiciConnector from 'undici/lib/core/connect.js';

export {default as Agent} from 'undici/lib/dispatcher/agent.js';
export {default as Pool} from 'undici/lib/dispatcher/pool.js';

type Connector = Build.connector;

/** Bytes. undici refuses longer headers. */
const MAX_HEADERS = 16 * 1024;
/** Any informational response but 101, after which no response follows. */
const INFORMATIONAL = /^HTTP\/1\.1 1(?!01)\d\d/;
const BEGINNING = 'HTTP/1.1 1';
/** Characters up to the end of the status. */
const STATUS_LENGTH = 12;

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

const statusOf = (start: Buffer): string => start.toString('latin1', 0, STATUS_LENGTH);

function skipInformational(socket: Socket): void {
  const {read, write} = socket;
  /** The start of a response; undefined once it was passed on. Each request begins one response. */
  let start: Buffer | undefined;
  socket.write = (...given: unknown[]) => {
    start ??= Buffer.alloc(0);
    return write.apply(socket, given as Parameters<typeof write>);
  };
  socket.read = (size) => {
    for (;;) {
      const chunk = read.call(socket, size) as Buffer | null;
      if (chunk === null || start === undefined) return chunk;
      start = Buffer.concat([start, chunk]);
      let status = statusOf(start);
      for (let end; INFORMATIONAL.test(status) && (end = start.indexOf('\r\n\r\n')) > 0; status = statusOf(start))
        start = start.subarray(end + 4);
      const isIncomplete = status.length < STATUS_LENGTH && BEGINNING.startsWith(status.slice(0, BEGINNING.length));
      if (start.length < MAX_HEADERS && (isIncomplete || INFORMATIONAL.test(status))) continue;
      const passed = start;
      start = undefined;
      return passed;
    }
  };
}
