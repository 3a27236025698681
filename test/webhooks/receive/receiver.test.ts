// The receiver, byte by byte: accepted and refused requests, statuses, and closing.

import {connect} from 'node:net';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {CentavoError} from '../../../src/common/errors.js';
import {startReceiver} from '../../../src/webhooks/receive/receiver.js';
import {PING_HEADER, pingBody} from '../../../src/webhooks/tunnels/verify-path.js';
import {eventBody, SECRET, signatureOf, unixNow} from '../../support/webhooks/events.js';
import {listener, openStore, requestBytes, TOKEN, until} from '../../support/webhooks/listener.js';
import {temporaryDirectory} from '../../support/cli.js';
import {ask} from '../../support/webhooks/sockets.js';
import {FAR, SOON, waitingTime} from '../../support/far-limits.js';

let at: string;
let up: Awaited<ReturnType<typeof listener>>;

beforeEach(async () => {
  at = temporaryDirectory();
  up = await listener(openStore(`${at}/deliveries.db`));
});

afterEach(async () => {
  await up.close();
});

const stored = () => up.store.list({limit: 100});
const again = async (options: Parameters<typeof listener>[1]): Promise<void> => {
  await up.close();
  up = await listener(openStore(`${at}/deliveries.db`), options);
};
/** A request of these lines, a body that is signed, and nothing else. */
const lines = (...given: string[]) => ask(up.receiver.port, `${given.join('\r\n')}\r\n\r\n`);
const host = () => `Host: 127.0.0.1:${up.receiver.port}`;

describe('a delivery that comes before the secret', () => {
  test.each([
    ['is judged when the secret is known', [SECRET], 200, 'genuine'],
    ['is not judged if the listener ends first', [], 503, undefined],
  ])('%s', async (_, known, status, verdict) => {
    let secrets: readonly string[] = [];
    let come!: () => void;
    const secretsKnown = new Promise<void>((resolve) => (come = resolve));
    let waiting = 0;
    await again({secrets: () => secrets, secretsKnown: () => ((waiting += 1), secretsKnown)});
    const posted = up.post();
    await until(() => waiting === 1);
    expect([up.deliveries, up.refused]).toEqual([[], []]);
    secrets = known;
    come();
    expect((await posted).status).toBe(status);
    const verdicts = up.deliveries.map(({verdict: {genuine}}) => (genuine ? 'genuine' : 'not'));
    expect(verdicts).toEqual(verdict === undefined ? [] : [verdict]);
    expect(up.refused).toEqual(verdict === undefined ? [{reason: 'not_stored', status: 503}] : []);
  });
});

describe('a genuine delivery', () => {
  test('is stored before it is reported, and reported before it is answered', async () => {
    const seen: string[] = [];
    await again({
      onDelivery: ({id}) => seen.push(`told ${up.store.get(id) !== undefined}`),
      respond: async ({id}) => {
        seen.push(`answered ${up.store.get(id) !== undefined}`);
        return {status: 202, headers: {'content-type': 'text/plain'}, body: Buffer.from('queued')};
      },
    });
    const {status, text} = await up.post();
    expect([status, text.split('\r\n\r\n')[1]]).toEqual([202, 'queued']);
    expect(text).toMatch(/^content-type: text\/plain\r$/m);
    expect(seen).toEqual(['told true', 'answered true']);
  });

  test('is stored unchanged: bytes, headers in order and case, path and query', async () => {
    const body = eventBody();
    const signature = signatureOf(body);
    expect(
      (await up.post(body, {path: '/shop//a%2F?x=1&y=%20', headers: ['X-Twice: 1', 'x-TWICE: 2', 'X-High: \xE9']}))
        .status,
    ).toBe(200);
    const [delivery] = stored();
    expect(Buffer.from(delivery!.body).equals(body)).toBe(true);
    expect(delivery).toMatchObject({
      path: '/shop//a%2F?x=1&y=%20',
      profile: 'test',
      verdict: {genuine: true, mode: 'test', secretIndex: 0},
      event: {id: 'evt_1', type: 'billing_statement.paid', objectId: 'bstm_1', amount: 125_050, livemode: false},
    });
    expect(delivery!.headers).toEqual([
      ['Host', `127.0.0.1:${up.receiver.port}`],
      ['Content-Type', 'application/json'],
      ['Payrex-Signature', signature],
      ['X-Twice', '1'],
      ['x-TWICE', '2'],
      ['X-High', '\xE9'],
      ['Content-Length', String(body.length)],
      ['Connection', 'close'],
    ]);
  });

  test.each([
    ['', '/'],
    ['?a=1', '/?a=1'],
    ['/', '/'],
    ['/x', '/x'],
  ])('with %j after the token has the path %j', async (given, path) => {
    await up.post(eventBody(), {path: given});
    expect(stored()[0]!.path).toBe(path);
  });

  test('may be signed with any current secret, and the secrets may change', async () => {
    let secrets = ['whsk_old_old_old_old'];
    await again({secrets: () => secrets});
    const body = eventBody();
    expect((await up.post(body)).status).toBe(401);
    secrets = ['whsk_old_old_old_old', SECRET];
    expect((await up.post(body)).status).toBe(200);
    expect(stored()[0]!.verdict).toMatchObject({genuine: true, secretIndex: 1});
  });

  test('that is a duplicate names the first one', async () => {
    await up.post();
    await up.post();
    const [second, first] = stored();
    expect(second!.duplicateOf).toBe(first!.id);
    expect(up.deliveries.map(({duplicateOf}) => duplicateOf)).toEqual([undefined, first!.id]);
  });

  test('in chunks is assembled, without trailers', async () => {
    const body = eventBody();
    const half = body.length >> 1;
    const chunk = (part: Buffer) =>
      Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
    const head = (signature: string) =>
      `POST /${TOKEN} HTTP/1.1\r\n${host()}\r\n${signature}Transfer-Encoding: chunked\r\nTrailer: Payrex-Signature\r\nConnection: close\r\n\r\n`;
    const rest = Buffer.concat([
      chunk(body.subarray(0, half)),
      chunk(body.subarray(half)),
      Buffer.from(`0\r\nPayrex-Signature: ${signatureOf(body)}\r\n\r\n`),
    ]);
    const signed = Buffer.from(head(`Payrex-Signature: ${signatureOf(body)}\r\n`));
    expect((await ask(up.receiver.port, Buffer.concat([signed, rest]))).status).toBe(200);
    expect(Buffer.from(stored()[0]!.body).equals(body)).toBe(true);
    expect((await ask(up.receiver.port, Buffer.concat([Buffer.from(head('')), rest]))).status).toBe(401);
    expect(up.deliveries[1]!.verdict).toEqual({genuine: false, reason: 'missing_header'});
  });

  test('after another one on the same connection is accepted too', async () => {
    const [one, two] = [eventBody({id: 'evt_1'}), eventBody({id: 'evt_2'})];
    const first = requestBytes(up.receiver.port, one).toString('latin1').replace('Connection: close\r\n', '');
    const {text} = await ask(
      up.receiver.port,
      Buffer.concat([Buffer.from(first, 'latin1'), requestBytes(up.receiver.port, two)]),
    );
    expect(text.match(/HTTP\/1.1 200/g)).toHaveLength(2);
    expect(stored()).toHaveLength(2);
  });

  test('may use a public host name, once it is known', async () => {
    let publicHosts: string[] = [];
    await again({publicHosts: () => publicHosts});
    const request = () => {
      const text = requestBytes(up.receiver.port, eventBody()).toString('latin1');
      return Buffer.from(text.replace(/Host: .*\r/, 'Host: Shop-One.trycloudflare.com\r'), 'latin1');
    };
    expect((await ask(up.receiver.port, request())).status).toBe(421);
    publicHosts = ['shop-one.trycloudflare.com'];
    expect((await ask(up.receiver.port, request())).status).toBe(200);
  });
});

describe('a delivery that is not genuine', () => {
  test.each<[string, (body: Buffer) => {signature: string; headers?: string[]}, string]>([
    ['unsigned', () => ({signature: ''}), 'missing_header'],
    ['signed by another', (body) => ({signature: signatureOf(body, {secret: 'whsk_another_secret'})}), 'no_match'],
    ['old', (body) => ({signature: signatureOf(body, {timestamp: unixNow() - 400})}), 'too_old'],
    ['of the future', (body) => ({signature: signatureOf(body, {timestamp: unixNow() + 400})}), 'too_new'],
    [
      'signed twice',
      (body) => ({signature: signatureOf(body), headers: [`Payrex-Signature: ${signatureOf(body)}`]}),
      'duplicate_header',
    ],
    [
      'signed twice in another case',
      (body) => ({signature: signatureOf(body), headers: ['PAYREX-SIGNATURE: x']}),
      'duplicate_header',
    ],
    [
      'signed once and then by nothing',
      (body) => ({signature: signatureOf(body), headers: ['payrex-signature:']}),
      'duplicate_header',
    ],
  ])('%s: the same 401 for all, reported and not stored', async (_, make, reason) => {
    const body = eventBody();
    const {status, text} = await up.post(body, make(body));
    expect(status).toBe(401);
    expect(text.split('\r\n\r\n')[1]).toBe('');
    expect(up.deliveries.map(({verdict}) => verdict)).toMatchObject([{genuine: false, reason}]);
    expect(stored()).toEqual([]);
    expect(up.refused).toEqual([]);
  });

  test('is accepted without verification, with its verdict stored', async () => {
    await again({verify: false});
    expect((await up.post(Buffer.from('not json'), {signature: ''})).status).toBe(200);
    expect(stored()[0]!.verdict).toEqual({genuine: false, reason: 'missing_header'});
    expect(stored()[0]!.event).toEqual({});
  });

  test('of the other mode is refused if a mode is required', async () => {
    await again({mode: 'live'});
    expect((await up.post()).status).toBe(401);
    expect(up.deliveries[0]!.verdict).toMatchObject({reason: 'wrong_mode'});
  });
});

describe('allowed senders', () => {
  const cases: [string, number, string, () => string[]][] = [
    ['two hosts', 400, 'host', () => [`POST /${TOKEN} HTTP/1.1`, host(), host()]],
    ['no host in HTTP/1.0', 400, 'host', () => [`POST /${TOKEN} HTTP/1.0`]],
    ['another host', 421, 'host', () => [`POST /${TOKEN} HTTP/1.1`, 'Host: evil.test']],
    ['a host that only begins like ours', 421, 'host', () => [`POST /${TOKEN} HTTP/1.1`, `${host()}.evil.test`]],
    ['the host on another port', 421, 'host', () => [`POST /${TOKEN} HTTP/1.1`, 'Host: 127.0.0.1:1']],
    ['a whole URL for another host', 421, 'host', () => [`POST http://evil.test/${TOKEN} HTTP/1.1`, host()]],
    [
      'a whole URL for our host',
      421,
      'host',
      () => [`POST http://127.0.0.1:${up.receiver.port}/${TOKEN} HTTP/1.1`, host()],
    ],
    ['the server as such', 421, 'host', () => ['OPTIONS * HTTP/1.1', host()]],
    ['TRACE', 405, 'method', () => [`TRACE /${TOKEN} HTTP/1.1`, host()]],
    ['GET', 405, 'method', () => [`GET /${TOKEN} HTTP/1.1`, host()]],
    ['PUT', 405, 'method', () => [`PUT /${TOKEN} HTTP/1.1`, host(), 'Content-Length: 0']],
    ['HEAD', 405, 'method', () => [`HEAD /${TOKEN} HTTP/1.1`, host()]],
    ['CONNECT', 405, 'method', () => ['CONNECT evil.test:443 HTTP/1.1', 'Host: evil.test:443']],
    [
      'a WebSocket',
      405,
      'method',
      () => [`GET /${TOKEN} HTTP/1.1`, host(), 'Connection: Upgrade', 'Upgrade: websocket'],
    ],
    ['an upgrade', 400, 'upgrade', () => [`POST /${TOKEN} HTTP/1.1`, host(), 'Connection: Upgrade', 'Upgrade: h2c']],
    ['a page of another site', 403, 'browser', () => [`POST /${TOKEN} HTTP/1.1`, host(), 'Origin: http://evil.test']],
    ['a page that hides its origin', 403, 'browser', () => [`POST /${TOKEN} HTTP/1.1`, host(), 'Origin: null']],
    ['a form of another site', 403, 'browser', () => [`POST /${TOKEN} HTTP/1.1`, host(), 'Sec-Fetch-Site: cross-site']],
    ['a page of the same site', 403, 'browser', () => [`POST /${TOKEN} HTTP/1.1`, host(), 'Sec-Fetch-Site: same-site']],
    [
      'a preflight',
      403,
      'browser',
      () => [`OPTIONS /${TOKEN} HTTP/1.1`, host(), 'Origin: http://evil.test', 'Access-Control-Request-Method: POST'],
    ],
    ['no token', 404, 'path', () => ['POST / HTTP/1.1', host()]],
    ['a wrong token', 404, 'path', () => [`POST /${TOKEN.replace('a', 'A')} HTTP/1.1`, host()]],
    ['a short token', 404, 'path', () => [`POST /${TOKEN.slice(0, -1)} HTTP/1.1`, host()]],
    ['a longer token', 404, 'path', () => [`POST /${TOKEN}6 HTTP/1.1`, host()]],
    ['the token behind something', 404, 'path', () => [`POST /x/../${TOKEN} HTTP/1.1`, host()]],
    ['a packed body', 415, 'content_encoding', () => [`POST /${TOKEN} HTTP/1.1`, host(), 'Content-Encoding: gzip']],
    [
      'a body packed twice',
      415,
      'content_encoding',
      () => [`POST /${TOKEN} HTTP/1.1`, host(), 'Content-Encoding: identity', 'Content-Encoding: br'],
    ],
    [
      '101 headers',
      431,
      'too_many_headers',
      () => [`POST /${TOKEN} HTTP/1.1`, host(), ...Array.from({length: 100}, (_, n) => `x-${n}: 1`)],
    ],
    [
      '2000 headers',
      431,
      'too_many_headers',
      () => [`POST /${TOKEN} HTTP/1.1`, host(), ...Array.from({length: 2000}, (_, n) => `x${n}:1`)],
    ],
  ];

  test.each(cases)('%s: %i', async (_, status, reason, request) => {
    const {status: answered, text} = await lines(...request());
    expect(answered).toBe(status);
    expect(up.refused).toEqual([{reason, status}]);
    expect(text.toLowerCase()).not.toContain('access-control');
    expect(text).not.toContain(TOKEN);
    expect(stored()).toEqual([]);
  });

  test("accepts loopback names, an identity body, and a browser's address bar", async () => {
    const body = eventBody();
    for (const name of ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST']) {
      const text = requestBytes(up.receiver.port, body, {
        headers: ['Content-Encoding: identity', 'Sec-Fetch-Site: none', 'Sec-Fetch-Mode: cors'],
      }).toString('latin1');
      const request = Buffer.from(text.replace(/Host: [^:]*/, `Host: ${name}`), 'latin1');
      expect((await ask(up.receiver.port, request)).status).toBe(200);
    }
  });

  test('accepts 100 headers', async () => {
    expect((await up.post(eventBody(), {headers: Array.from({length: 95}, (_, n) => `x-${n}: 1`)})).status).toBe(200);
    expect(stored()[0]!.headers).toHaveLength(100);
  });
});

describe('malformed HTTP', () => {
  const start = () => `POST /${TOKEN} HTTP/1.1\r\n${host()}\r\n`;
  const cases: [string, number, () => Buffer | string][] = [
    ['no host', 400, () => `POST /${TOKEN} HTTP/1.1\r\n\r\n`],
    ['CL.TE', 400, () => `${start()}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['TE.CL', 400, () => `${start()}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n`],
    ['xchunked', 400, () => `${start()}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['chunked, identity', 400, () => `${start()}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ['a space before the colon', 400, () => `${start()}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
    ['two lengths', 400, () => `${start()}Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc`],
    ['the same length twice', 400, () => `${start()}Content-Length: 2\r\nContent-Length: 2\r\n\r\nab`],
    ['+2', 400, () => `${start()}Content-Length: +2\r\n\r\nab`],
    ['2, 2', 400, () => `${start()}Content-Length: 2, 2\r\n\r\nab`],
    ['0x2', 400, () => `${start()}Content-Length: 0x2\r\n\r\nab`],
    ['a length of 20 digits', 400, () => `${start()}Content-Length: 99999999999999999999\r\n\r\nab`],
    ['lines that end in LF', 400, () => `POST /${TOKEN} HTTP/1.1\nHost: 127.0.0.1:${up.receiver.port}\n\n`],
    ['a CR alone', 400, () => `${start()}X: a\rb\r\n\r\n`],
    ['a folded line', 400, () => `${start()}X: a\r\n b\r\n\r\n`],
    ['a NUL', 400, () => `${start()}X: a\0b\r\n\r\n`],
    ['a space in a name', 400, () => `${start()}X y: 1\r\n\r\n`],
    ['a method that is not known', 400, () => `BREW /${TOKEN} HTTP/1.1\r\n${host()}\r\n\r\n`],
    ['a path that is not ASCII', 400, () => Buffer.from(`POST /\xE9 HTTP/1.1\r\n${host()}\r\n\r\n`, 'latin1')],
    [
      '20 KB of a chunk’s extension',
      413,
      () => `${start()}Transfer-Encoding: chunked\r\n\r\n1;a=${'b'.repeat(20_480)}\r\na\r\n0\r\n\r\n`,
    ],
    ['a chunk of more than there is', 400, () => `${start()}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\na`],
    ['a chunk that ends in LF', 400, () => `${start()}Transfer-Encoding: chunked\r\n\r\n1\na\n0\n\n`],
    ['20 KB of one header', 431, () => `${start()}X: ${'a'.repeat(20_480)}\r\n\r\n`],
    ['20 KB of path', 431, () => `POST /${'a'.repeat(20_480)} HTTP/1.1\r\n${host()}\r\n\r\n`],
    ['HTTP/2', 400, () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', 400, () => Buffer.from('16030100050100000100', 'hex')],
  ];

  test.each(cases)('%s: %i', async (_, status, request) => {
    expect((await ask(up.receiver.port, request())).status).toBe(status);
    expect(up.refused.map(({status: told}) => told)).toEqual([status]);
    expect(stored()).toEqual([]);
  });

  test('an unknown expectation: 417', async () => {
    expect((await lines(`POST /${TOKEN} HTTP/1.1`, host(), 'Expect: miracles', 'Connection: close')).status).toBe(417);
  });

  test('Expect: 100-continue is answered', async () => {
    const {text} = await up.post(eventBody(), {headers: ['Expect: 100-continue']});
    expect(text).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200/);
  });
});

describe('sizes', () => {
  /** A genuine event of this many bytes. */
  const ofSize = (bytes: number): Buffer => {
    const empty = eventBody({description: ''});
    return eventBody({description: 'a'.repeat(bytes - empty.length)});
  };
  const LIMIT = 1024 * 1024;

  test('accepts 1 MiB, and not one byte more', async () => {
    expect((await up.post(ofSize(LIMIT))).status).toBe(200);
    await again({limits: {headersMilliseconds: FAR, requestMilliseconds: FAR, idleMilliseconds: FAR}});
    const {status, took} = await up.post(ofSize(LIMIT + 1));
    expect(status).toBe(413);
    expect(took).toBeLessThan(SOON);
    expect(stored()).toHaveLength(1);
    expect(up.refused).toEqual([{reason: 'body_too_large', status: 413}]);
  });

  test('100 MiB and endless chunks: answers, closes the connection, and keeps little in memory', async () => {
    const before = process.memoryUsage().rss;
    const flood = (head: string, chunk: Buffer) =>
      new Promise<string>((resolve) => {
        const socket = connect(up.receiver.port, '127.0.0.1');
        let text = '';
        let open = true;
        const pour = (): void => {
          if (open && socket.write(chunk)) setImmediate(pour);
        };
        socket.on('data', (data) => (text += data.toString('latin1')));
        socket.on('drain', pour);
        socket.on('error', () => {});
        socket.on('close', () => {
          open = false;
          resolve(text);
        });
        socket.write(`POST /${TOKEN} HTTP/1.1\r\n${host()}\r\n${head}\r\n\r\n`);
        pour();
      });
    const block = Buffer.alloc(65_536, 97);
    const answers = await Promise.all([
      flood(`Content-Length: ${100 * LIMIT}`, block),
      flood('Transfer-Encoding: chunked', Buffer.concat([Buffer.from('10000\r\n'), block, Buffer.from('\r\n')])),
    ]);
    for (const text of answers) expect(text).toMatch(/^HTTP\/1.1 413 /);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * LIMIT);
  });

  test('the limit is configurable', async () => {
    await again({limits: {bodyBytes: 100}});
    expect((await up.post(Buffer.alloc(101))).status).toBe(413);
  });
});

describe('deadlines', () => {
  /** Milliseconds from one byte to the next. */
  const PACE = 20;

  /** Sends this text byte by byte, with pauses. */
  const slowly = (bytes: Buffer): Promise<{status: number; sent: number}> =>
    new Promise((resolve) => {
      const socket = connect(up.receiver.port, '127.0.0.1');
      let text = '';
      let sent = 0;
      const timer = setInterval(() => socket.write(bytes.subarray(sent, ++sent)), PACE);
      socket.on('data', (data) => (text += data.toString()));
      socket.on('error', () => {});
      socket.on('close', () => {
        clearInterval(timer);
        resolve({status: Number(text.split(' ')[1] ?? 0), sent});
      });
    });

  test('headers byte by byte: 408', async () => {
    await again({limits: {headersMilliseconds: 200, requestMilliseconds: FAR}});
    const {status, sent} = await slowly(requestBytes(up.receiver.port, eventBody()));
    expect(status).toBe(408);
    expect(sent * PACE).toBeLessThan(1000);
    expect(up.refused).toEqual([{reason: 'timeout', status: 408}]);
  });

  test('a missing body: 408', async () => {
    await again({limits: {headersMilliseconds: 200, requestMilliseconds: 500}});
    const whole = requestBytes(up.receiver.port, eventBody());
    const head = whole.subarray(0, whole.indexOf('\r\n\r\n') + 4);
    const waited = waitingTime();
    const {status, took} = await ask(up.receiver.port, head);
    expect(status).toBe(408);
    expect(took).toBeGreaterThan(400);
    expect(waited()).toBeLessThan(1500);
    expect(stored()).toEqual([]);
    expect(up.deliveries).toEqual([]);
  });

  test('silence: 408', async () => {
    await again({limits: {headersMilliseconds: 200, requestMilliseconds: FAR}});
    const waited = waitingTime();
    expect((await ask(up.receiver.port, '')).status).toBe(408);
    expect(waited()).toBeLessThan(1000);
  });

  test('a response may take longer than every deadline', async () => {
    let cut: Promise<{status: number}[]> | undefined;
    await again({
      limits: {headersMilliseconds: 1000, requestMilliseconds: 1500},
      // Responds after each limit has cut off later idle connections.
      respond: async () => {
        const {port} = up.receiver;
        cut = Promise.all([
          ask(port, ''),
          ask(port, `POST /${TOKEN} HTTP/1.1\r\n${host()}\r\nContent-Length: 9\r\n\r\n`),
        ]);
        await cut;
        return {status: 200};
      },
    });
    expect((await up.post()).status).toBe(200);
    expect(await cut).toMatchObject([{status: 408}, {status: 408}]);
  });

  test('ignores a sender that disconnects midway', async () => {
    const socket = connect(up.receiver.port, '127.0.0.1');
    const whole = requestBytes(up.receiver.port, eventBody());
    await new Promise((resolve) => socket.write(whole.subarray(0, whole.length - 5), resolve));
    socket.resetAndDestroy();
    expect((await up.post()).status).toBe(200);
    expect(up.deliveries).toHaveLength(1);
    expect(up.failures).toEqual([]);
  });

  test('closes connections above the limit, and accepts again once the idle ones end', async () => {
    await again({limits: {connections: 8, headersMilliseconds: 3000}});
    const silent = Array.from({length: 8}, () => ask(up.receiver.port, ''));
    expect((await ask(up.receiver.port, requestBytes(up.receiver.port, eventBody()))).status).toBe(0);
    expect(up.refused[0]).toEqual({reason: 'too_many_connections', status: 0});
    await Promise.all(silent);
    expect((await up.post()).status).toBe(200);
  });
});

test('600 simultaneous connections: every event is stored once', async () => {
  const insist = async (id: string): Promise<number> => {
    for (;;) {
      const {status} = await up.post(eventBody({id}));
      if (status !== 0) return status;
    }
  };
  const waited = waitingTime();
  const statuses = await Promise.all(Array.from({length: 600}, (_, index) => insist(`evt_${index}`)));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(waited()).toBeLessThan(10_000);
  const stored = up.store.list({limit: 1000});
  expect(new Set(stored.map(({event}) => event.id)).size).toBe(600);
});

describe('pings', () => {
  const OWN = 'ping-secret-of-this-run';
  const body = (nonce: string) => Buffer.from(pingBody(nonce, 'test', unixNow()));
  const ping = (nonce: string, {header = nonce, secret = OWN} = {}) =>
    up.post(body(nonce), {headers: [`${PING_HEADER}: ${header}`], signature: signatureOf(body(nonce), {secret})});

  test('with an expected nonce are answered each time, and never stored', async () => {
    const forget = up.receiver.expectPing('n-1', OWN);
    for (let times = 0; times < 2; times++) {
      const {status, text} = await ping('n-1');
      expect(status).toBe(200);
      expect(text).toMatch(/^x-centavo-ping: n-1\r$/m);
    }
    forget();
    expect((await ping('n-1')).status).toBe(401);
    expect(stored()).toEqual([]);
    expect(up.deliveries).toEqual([]);
  });

  test.each<[string, () => Promise<{status: number}>]>([
    ['that were not announced', () => ping('n-2')],
    ['signed by another', () => ping('n-1', {secret: 'somebody-else-s-secret'})],
    ['signed with a webhook secret', () => ping('n-1', {secret: SECRET})],
    ['whose nonce is not what was signed', () => ping('n-2', {header: 'n-1'})],
    [
      'with two nonces',
      () =>
        up.post(body('n-1'), {
          headers: [`${PING_HEADER}: n-1`, `${PING_HEADER}: n-1`],
          signature: signatureOf(body('n-1'), {secret: OWN}),
        }),
    ],
    ['that are events', () => up.post(eventBody(), {headers: [`${PING_HEADER}: n-1`]})],
  ])('%s are refused', async (_, send) => {
    up.receiver.expectPing('n-1', OWN);
    expect((await send()).status).toBe(401);
    expect(up.refused).toEqual([{reason: 'ping', status: 401}]);
    expect(stored()).toEqual([]);
  });
});

describe('failures', () => {
  test('a failing response: 500, and reported', async () => {
    await again({respond: () => Promise.reject(new Error('a bug'))});
    expect((await up.post()).status).toBe(500);
    expect(up.failures).toEqual([new Error('a bug')]);
    expect(stored()).toHaveLength(1);
  });

  test('a port in use is a usage error', async () => {
    const options = {store: up.store, profile: 'x', token: TOKEN, secrets: () => [], now: Date.now, newId: () => ''};
    const taken = startReceiver({...options, port: up.receiver.port, respond: async () => ({status: 200})});
    await expect(taken).rejects.toThrow(CentavoError);
    await expect(taken).rejects.toMatchObject({kind: 'usage', code: 'port_in_use'});
  });
});

describe('closing', () => {
  test('answers requests in flight and accepts no more', async () => {
    let answer: (() => void) | undefined;
    await again({
      limits: {headersMilliseconds: FAR, requestMilliseconds: FAR},
      respond: () => new Promise((resolve) => (answer = () => resolve({status: 200}))),
    });
    const underWay = up.post();
    const silent = ask(up.receiver.port, '');
    await until(() => answer !== undefined);
    const {port} = up.receiver;
    const waited = waitingTime();
    const closing = up.receiver.close(FAR);
    await silent;
    expect(waited()).toBeLessThan(1500);
    expect((await ask(port, requestBytes(port, eventBody()))).status).toBe(0);
    answer!();
    expect((await underWay).status).toBe(200);
    await closing;
  });

  test('cuts off slow requests', async () => {
    await again({respond: () => new Promise(() => {})});
    const underWay = up.post();
    await until(() => stored().length === 1);
    const waited = waitingTime();
    await up.receiver.close(100);
    expect(waited()).toBeLessThan(1000);
    expect((await underWay).status).toBe(0);
  });
});

test('listens on loopback only', async () => {
  const {readFileSync} = await import('node:fs');
  const hex = up.receiver.port.toString(16).toUpperCase().padStart(4, '0');
  if (process.platform !== 'linux') return;
  const listening = ['tcp', 'tcp6']
    .flatMap((kind) => readFileSync(`/proc/net/${kind}`, 'utf8').split('\n'))
    .filter((line) => line.includes(`:${hex} `) && line.includes(' 0A '));
  expect(listening.map((line) => line.trim().split(/\s+/)[1])).toEqual([`0100007F:${hex}`]);
});
