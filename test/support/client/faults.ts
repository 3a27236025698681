// Faults of a connection or a response, each as the behaviour of a server after a request.

import type {Socket} from 'node:net';
import {gzipSync} from 'node:zlib';
import {keptAnswer, type RawRequest, type Script} from '../services/sockets.js';

/**
 * The outcome of a read. `lost`: retried, then unavailable; `cut`: the same, after a response began;
 * `torn`: either, since a reset discards unread bytes; `garbled`: not retried; `silent`: the deadline passed.
 */
export type ReadEnding = 'cut' | 'garbled' | 'lost' | 'silent' | 'torn';

export interface Fault {
  readonly title: string;
  readonly read: ReadEnding;
  /** @param good the response without the fault */
  readonly script: (good: object) => Script;
}

type Answer = (socket: Socket, request: RawRequest, good: object) => void;

const fault = (title: string, read: ReadEnding, answer: Answer): Fault => ({
  title,
  read,
  script: (good) => ({answer: (socket, request) => answer(socket, request, good)}),
});

const says = (title: string, read: ReadEnding, bytes: Buffer | string | ((good: object) => Buffer | string)) =>
  fault(title, read, (socket, _request, good) => {
    socket.end(typeof bytes === 'function' ? bytes(good) : bytes);
  });

export const RESET = (socket: Socket): void => {
  socket.resetAndDestroy();
};
const head = (extra: string): string => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${extra}\r\n`;

/** Before a whole request was read. */
export const RESET_AT_FIRST_BYTES: Fault = {
  title: 'a reset at the first bytes of the request',
  read: 'lost',
  script: () => ({begin: (socket) => (RESET(socket), true)}),
};

/** Connections that break. */
export const CUTS: readonly Fault[] = [
  {
    title: 'an end as soon as it is accepted',
    read: 'lost',
    script: () => ({connect: (socket) => socket.end()}),
  },
  RESET_AT_FIRST_BYTES,
  fault('a reset after the request was read and applied', 'lost', RESET),
  fault('an end after the request was read and applied', 'lost', (socket) => socket.end()),
  says('half a status line', 'lost', 'HTTP/1.1 20'),
  says('half the headers', 'lost', 'HTTP/1.1 200 OK\r\ncontent-type: appli'),
  says('a body shorter than its length', 'cut', (good) => head('content-length: 4000\r\n') + JSON.stringify(good)),
  fault('a body shorter than its length, then a reset', 'torn', (socket, _request, good) => {
    socket.write(head('content-length: 4000\r\n') + JSON.stringify(good), () => setImmediate(RESET, socket));
  }),
  says('a chunked body without its last chunk', 'cut', head('transfer-encoding: chunked\r\n') + '5\r\n{"id"\r\n'),
  says('a thousand times 100 Continue', 'lost', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000)),
  says(
    'an upgrade that nobody asked for',
    'lost',
    'HTTP/1.1 101 Switching\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n',
  ),
];

/** Answers that do not come in time. */
export const SILENCES: readonly Fault[] = [
  fault('no answer', 'silent', () => {}),
  fault('headers and then nothing', 'silent', (socket) => socket.write(head('content-length: 4000\r\n'))),
  fault('one byte now and then, for ever', 'silent', (socket) => {
    socket.write(head('content-length: 4000\r\n'));
    const timer = setInterval(() => socket.write(' '), 20);
    socket.on('close', () => clearInterval(timer));
  }),
];

/** Bytes that are not an HTTP response, or one that is refused. */
export const GARBAGE: readonly Fault[] = [
  says('a chunk size that is none', 'garbled', head('transfer-encoding: chunked\r\n') + 'zz\r\n{}\r\n0\r\n\r\n'),
  says(
    'a length and chunks at once',
    'garbled',
    head('content-length: 2\r\ntransfer-encoding: chunked\r\n') + '2\r\n{}\r\n0\r\n\r\n',
  ),
  says('two different lengths', 'garbled', head('content-length: 2\r\ncontent-length: 3\r\n') + '{} '),
  says('bytes of TLS', 'garbled', Buffer.from([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 3, 3, 0, 0, 0])),
  says('noise', 'garbled', '\u0000\u0001garbage\r\n\r\n'),
  says('a frame of HTTP/2', 'garbled', Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0])),
  says('a header of 20 KB', 'garbled', (good) => keptAnswer(200, good, {'x-long': 'a'.repeat(20_000)})),
  says('lines that end in LF alone', 'garbled', 'HTTP/1.1 200 OK\ncontent-length: 2\n\n{}'),
  says('a folded header', 'garbled', head('x-folded: a\r\n b\r\ncontent-length: 2\r\n') + '{}'),
  says('a CR in a header', 'garbled', head('x-cr: a\rb\r\ncontent-length: 2\r\n') + '{}'),
  says('a status of two digits', 'garbled', 'HTTP/1.1 99 What\r\ncontent-length: 2\r\n\r\n{}'),
  fault('a body of 64 MiB', 'garbled', (socket) => {
    socket.write(head(`content-length: ${64 * 1024 * 1024}\r\n`));
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    const more = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', more);
    more();
  }),
];

const body = (title: string, text: Buffer | string | ((good: object) => string), type = 'application/json') =>
  fault(title, 'garbled', (socket, _request, good) => {
    const bytes = Buffer.from(typeof text === 'function' ? text(good) : text);
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${bytes.length}\r\n\r\n`);
    socket.write(bytes);
  });

/** Valid HTTP with an unexpected body. */
export const WRONG_ANSWERS: readonly Fault[] = [
  body('a gzip body that nobody asked for', gzipSync(Buffer.alloc(1_000_000))),
  body('a web page', '<!doctype html><title>Sign in</title>', 'text/html'),
  body('a web page that claims to be JSON', '<html></html>'),
  body('bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])),
  body('half a JSON text, its length right', (good) => JSON.stringify(good).slice(0, -3) || '{'),
  ...[301, 302, 303, 307, 308].map((status) =>
    says(`a ${status} to the same place`, 'garbled', keptAnswer(status, '', {location: '/customers/cus_elsewhere'})),
  ),
];

export const EMPTY_BODY = body('an empty body', '');
export const ANOTHER_OBJECT = body('another object of the same kind', (good) => JSON.stringify(withOtherId(good)));

/** JSON that is not the expected object; for `send`, which returns nothing, any JSON is accepted. */
export const WRONG_OBJECTS: readonly Fault[] = [
  EMPTY_BODY,
  body('null', 'null'),
  body('a list', '[]'),
  body('a text', '"x"'),
  body('an empty object', '{}'),
  body('an object of another kind', '{"id":"pay_3Fa9","resource":"payment","amount":2000}'),
  ANOTHER_OBJECT,
];

function withOtherId(good: object): object {
  const {data} = good as {data?: {id: string}[]};
  if (data) return {...good, data: [{...data[0], id: 'pay_3Fa9'}]};
  const id = (good as {id?: string}).id ?? '';
  return {...good, id: `${id}Other`};
}
