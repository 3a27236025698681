// The forwarder before apps that take, refuse, fail, hang and lie: what reaches them, how often, in which order, and what senders are told.

import {createHash} from 'node:crypto';
import type {Socket} from 'node:net';
import {createRequire} from 'node:module';
import {beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest';
import type {ForwardAttempt} from '../../../src/webhooks/receive/delivery.js';
import {everyEvent, readEventFilter} from '../../../src/input/event-filter.js';
import {valueOrThrow} from '../../../src/input/invalid-input.js';
import {guardedLookup} from '../../../src/http/addresses.js';
import {loadUndici} from '../../../src/http/send-request.js';
import {temporaryDirectory} from '../../support/cli.js';
import {freePort} from '../../support/free-port.js';
import type {ForwarderOptions} from '../../../src/webhooks/forward/forwarder.js';
import type {ReceiverOptions} from '../../../src/webhooks/receive/receiver.js';
import {eventBody, SECRET, signatureOf} from '../../support/webhooks/events.js';
import {forwarding, openStore, OWNER, until, type Forwarding} from '../../support/webhooks/listener.js';
import {socketServer, type RawRequest} from '../../support/services/sockets.js';
import {OK, rawApp, type RawApp} from '../../support/webhooks/sockets.js';
import {FAR, SOON, waitingTime} from '../../support/far-limits.js';

let at: string;

// On a busy machine, loading it may exceed the shortest limit here.
beforeAll(async () => void (await loadUndici()));
beforeEach(() => {
  at = temporaryDirectory();
});

const QUICK = {first: 20, maxDelay: 40};
const NEVER = {first: 600_000, maxDelay: 600_000};

async function app(answer?: Parameters<typeof rawApp>[0], port?: number): Promise<RawApp> {
  const made = await rawApp(answer, port);
  onTestFinished(() => made.close());
  return made;
}

async function up(
  url: URL,
  options: Partial<ForwarderOptions> = {},
  receiving: Partial<ReceiverOptions> = {},
): Promise<Forwarding> {
  const made = await forwarding(openStore(`${at}/deliveries.db`), url, options, receiving);
  onTestFinished(() => made.close());
  return made;
}

const says = (status: number, more = '') => `HTTP/1.1 ${status} Status\r\n${more}Content-Length: 0\r\n\r\n`;
const header = ({fields}: RawRequest, name: string): string[] =>
  fields.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value);
const marks = (request: RawRequest) => Number(header(request, 'x-centavo-attempt')[0]);
const idOf = ({body}: RawRequest): string => (JSON.parse(body.toString()) as {id: string}).id;

describe('the forwarded request', () => {
  test('keeps method, query and headers in order and case, and adds ours', async () => {
    const target = await app();
    const {post, store, receiver} = await up(new URL(`${target.url.href}?mine=1`));
    const body = eventBody();
    const signature = signatureOf(body);
    const {status} = await post(body, {
      path: '/behind?theirs=2&x=%20',
      signature,
      headers: [
        'User-Agent: PayRex/1',
        'X-Twice: 1',
        'x-TWICE: 2',
        'X-Empty:',
        'X-High: caf\xE9',
        'Accept: */*',
        'Accept-Encoding: gzip',
      ],
    });
    expect(status).toBe(200);
    const [request] = target.seen;
    expect(request!.line).toBe('POST /hook?mine=1&theirs=2&x=%20 HTTP/1.1');
    expect(request!.body.equals(body)).toBe(true);
    const names = request!.fields.map(([name]) => name.toLowerCase());
    expect(names.filter((name) => ['host', 'content-length', 'transfer-encoding'].includes(name)).sort()).toEqual([
      'content-length',
      'host',
    ]);
    expect(header(request!, 'host')).toEqual([`127.0.0.1:${target.port}`]);
    expect(
      request!.fields.filter(([name]) => !['host', 'connection', 'content-length'].includes(name.toLowerCase())),
    ).toEqual([
      ['Content-Type', 'application/json'],
      ['Payrex-Signature', signature],
      ['User-Agent', 'PayRex/1'],
      ['X-Twice', '1'],
      ['x-TWICE', '2'],
      ['X-Empty', ''],
      ['X-High', 'caf\xE9'],
      ['Accept', '*/*'],
      ['Accept-Encoding', 'gzip'],
      ['X-Forwarded-For', '127.0.0.1'],
      ['X-Forwarded-Host', `127.0.0.1:${receiver.port}`],
      ['X-Forwarded-Proto', 'http'],
      ['X-Centavo-Delivery', store.list({limit: 1})[0]!.id],
      ['X-Centavo-Attempt', '1'],
    ]);
  });

  test('drops connection headers, and always keeps the signature', async () => {
    const target = await app();
    const {post} = await up(target.url);
    const headers = [
      ...[
        'Connection: X-Secret, payrex-signature',
        'X-Secret: 1',
        'Keep-Alive: timeout=5',
        'TE: trailers',
        'Proxy-Authorization: x',
      ],
      ...[
        'Proxy-Connection: close',
        'Trailer: X-T',
        'X-Centavo-Attempt: 9',
        'X-Centavo-Other: 9',
        'Expect: 100-continue',
      ],
    ];
    expect((await post(eventBody(), {headers})).text).toContain('HTTP/1.1 200 OK');
    const [request] = target.seen;
    const names = request!.fields.map(([name]) => name.toLowerCase());
    for (const gone of [
      'x-secret',
      'keep-alive',
      'te',
      'proxy-authorization',
      'proxy-connection',
      'trailer',
      'x-centavo-other',
      'expect',
    ]) {
      expect(names).not.toContain(gone);
    }
    expect(names).toContain('payrex-signature');
    expect(header(request!, 'x-centavo-attempt')).toEqual(['1']);
  });

  test('keeps the forwarded headers of a tunnel', async () => {
    const target = await app();
    const {post} = await up(target.url);
    await post(eventBody(), {headers: ['X-Forwarded-For: 203.0.113.9', 'X-Forwarded-Proto: https']});
    const [request] = target.seen;
    expect(header(request!, 'x-forwarded-for')).toEqual(['203.0.113.9']);
    expect(header(request!, 'x-forwarded-proto')).toEqual(['https']);
    expect(header(request!, 'x-forwarded-host')).toHaveLength(1);
  });

  test('keeps the exact bytes of any body', async () => {
    const target = await app();
    const {post} = await up(target.url, {}, {verify: false});
    const everyByte = Buffer.from(Array.from({length: 256}, (_, index) => index));
    const bodies = [
      everyByte,
      Buffer.from('\r\n\r\nPOST / HTTP/1.1\r\n\r\n\0'),
      Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80]),
      Buffer.alloc(0),
      Buffer.from('{"a":"\\ud800","b":1.0e0,  "a":2}\n'),
      ...Array.from({length: 40}, (_, index) =>
        createHash('shake256', {outputLength: 1 + index * 997})
          .update(`${index}`)
          .digest(),
      ),
      createHash('shake256', {outputLength: 1024 * 1024})
        .update('1 MiB')
        .digest(),
    ];
    for (const body of bodies) expect((await post(body)).status).toBe(200);
    expect(target.seen.map(({body}) => body.length)).toEqual(bodies.map(({length}) => length));
    expect(target.seen.every(({body}, index) => body.equals(bodies[index]!))).toBe(true);
  });

  test('is accepted by the official client', async () => {
    const target = await app();
    const {post} = await up(target.url);
    const payrex = createRequire(import.meta.url)('payrex-node')('sk_test_x') as {
      webhooks: {parseEvent: (body: string, signature: string, secret: string) => {id: string; type: string}};
    };
    const bodies = ['plain', 'ñ ₱ 🧾 \u2028', 'quote " back \\ slash / \u0007', 'x'.repeat(900_000)].map(
      (description, index) => eventBody({id: `evt_${index}`, description}),
    );
    for (const body of bodies) await post(body);
    expect(target.seen).toHaveLength(4);
    for (const [index, request] of target.seen.entries()) {
      const event = payrex.webhooks.parseEvent(
        request.body.toString('utf8'),
        header(request, 'payrex-signature')[0]!,
        SECRET,
      );
      expect([event.id, event.type]).toEqual([`evt_${index}`, 'billing_statement.paid']);
    }
  });
});

describe('the response to the sender', () => {
  test.each([200, 201, 204, 302, 307, 400, 401, 404, 410, 413, 422, 429, 500, 503])(
    'the app’s own %i',
    async (status) => {
      const target = await app(() => says(status, 'Location: http://127.0.0.1:1/\r\nSet-Cookie: a=b\r\n'));
      const {post, deliveries} = await up(target.url, {retry: false});
      const {status: told, text} = await post();
      expect(told).toBe(status);
      expect(text.toLowerCase()).not.toMatch(/set-cookie|location/);
      expect(target.seen).toHaveLength(1);
      expect(deliveries).toHaveLength(1);
    },
  );

  test('with the beginning of its body', async () => {
    const target = await app(() => 'HTTP/1.1 422 No\r\nContent-Type: text/x\r\nContent-Length: 5\r\n\r\nwrong');
    const {post} = await up(target.url);
    const {text} = await post();
    expect(text).toMatch(/^content-type: text\/x\r$/m);
    expect(text.split('\r\n\r\n')[1]).toBe('wrong');
  });

  test('is 502 if nothing listens', async () => {
    const {post, store} = await up(new URL(`http://localhost:${await freePort()}/`), {retry: false});
    expect((await post()).status).toBe(502);
    const {id} = store.list({limit: 1})[0]!;
    await until(() => store.forwards.attempts(id).length === 1);
    expect(store.forwards.attempts(id)[0]).toMatchObject({
      attempt: 1,
      error: 'the connection was refused (ECONNREFUSED)',
    });
    expect(store.forwards.attempts(id)[0]).not.toHaveProperty('status');
  });

  test.each<[string, (request: RawRequest) => string | void, number]>([
    ['resets', ({socket}) => void socket.resetAndDestroy(), 502],
    ['hangs up', ({socket}) => void socket.end(), 502],
    ['speaks no HTTP', () => 'SSH-2.0-OpenSSH_9\r\n\r\n', 502],
    ['has headers without end', () => `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(20_000)}`, 502],
    [
      'resets in its body',
      ({socket}) => {
        socket.write('HTTP/1.1 201 OK\r\nContent-Length: 100\r\n\r\nhalf', () =>
          setImmediate(() => socket.resetAndDestroy()),
        );
      },
      201,
    ],
    ['says to wait, and then answers', () => `HTTP/1.1 102 Processing\r\n\r\n${OK}`, 200],
  ])('of an app that %s', async (_, answer, status) => {
    const target = await app(answer);
    const {post} = await up(target.url, {retry: false, timeoutMilliseconds: FAR});
    const {status: told, took} = await post();
    expect(told).toBe(status);
    expect(took).toBeLessThan(SOON);
    expect(target.seen).toHaveLength(1);
  });

  test.each<[string, Parameters<typeof rawApp>[0], number]>([
    ['says nothing', () => {}, 504],
    ['stops in its headers', () => 'HTTP/1.1 200 OK\r\nContent-', 504],
    ['stops in its body', () => 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', 200],
    ['says to wait, and then nothing', () => 'HTTP/1.1 103 Early Hints\r\n\r\n', 504],
  ])('of an app that %s, at the timeout', async (_, answer, status) => {
    const target = await app(answer);
    const {post} = await up(target.url, {retry: false, timeoutMilliseconds: 600});
    const waited = waitingTime();
    expect((await post()).status).toBe(status);
    expect(waited()).toBeLessThan(2000);
    expect(target.seen).toHaveLength(1);
  });

  test('survives a response of 1 GB', async () => {
    const block = Buffer.alloc(1024 * 1024, 98);
    const before = process.memoryUsage().rss;
    let poured = 0;
    const target = await app(({socket}) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${1024 ** 3}\r\n\r\n`);
      const pour = (): void => {
        while (socket.writable && poured < 1024 && ++poured && socket.write(block));
      };
      socket.on('drain', pour);
      pour();
    });
    const {post} = await up(target.url, {timeoutMilliseconds: FAR});
    const {status, text, took} = await post();
    expect(status).toBe(200);
    expect(text.split('\r\n\r\n')[1]).toHaveLength(64 * 1024);
    expect(took).toBeLessThan(SOON);
    expect(poured).toBeLessThan(200);
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024);
  });

  test('passes on an early refusal of a large body', async () => {
    const begin = (socket: Socket) => (
      socket.end('HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
      true
    );
    const {url, close} = await socketServer({begin});
    onTestFinished(close);
    const {post} = await up(new URL(url), {retry: false});
    expect((await post(eventBody({description: 'x'.repeat(1_000_000)}))).status).toBe(413);
  });

  test("drops the app's invalid headers", async () => {
    const target = await app(({socket}) => {
      socket.write(Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/₱\r\nContent-Length: 0\r\n\r\n', 'utf8'));
    });
    const {post, failures} = await up(target.url);
    expect((await post()).status).toBe(200);
    expect(failures).toEqual([]);
  });

  test('does not follow a redirect', async () => {
    const elsewhere = await app();
    const target = await app(() => says(307, `Location: ${elsewhere.url.href}\r\n`));
    const {post} = await up(target.url);
    expect((await post()).status).toBe(307);
    expect(elsewhere.seen).toEqual([]);
  });

  test('is 200 without a target, and the event is stored', async () => {
    const target = await app();
    const {post, store, forwarder} = await up(target.url, {
      targets: [{url: target.url, accepts: valueOrThrow(readEventFilter('payment.*'))}],
    });
    expect((await post()).status).toBe(200);
    expect(target.seen).toEqual([]);
    expect(store.list({limit: 10})).toHaveLength(1);
    expect(forwarder.targetsOf({type: 'payment.failed'})).toEqual([target.url.href]);
    expect(forwarder.targetsOf({})).toEqual([]);
  });

  test('comes from the first target that refused', async () => {
    const [good, bad] = [await app(), await app(() => says(418))];
    const targets = [good, bad].map(({url}) => ({url, accepts: everyEvent}));
    const {post} = await up(good.url, {targets});
    expect((await post()).status).toBe(418);
    expect([good.seen.length, bad.seen.length]).toEqual([1, 1]);
  });
});

describe('retries', () => {
  test.each<[string, (request: RawRequest, count: number) => string | void]>([
    ['500', (_, count) => (count < 3 ? says(500) : OK)],
    ['408', (_, count) => (count < 3 ? says(408) : OK)],
    ['429', (_, count) => (count < 3 ? says(429) : OK)],
    ['a reset', ({socket}, count) => (count < 3 ? void socket.resetAndDestroy() : OK)],
    ['silence', (_, count) => (count < 3 ? undefined : OK)],
  ])('after %s, until accepted, each with its number', async (_, answer) => {
    const attempts: ForwardAttempt[] = [];
    const target = await app(answer);
    const {post, store, forwarder} = await up(target.url, {
      retry: QUICK,
      timeoutMilliseconds: 200,
      onAttempt: (one) => attempts.push(one),
    });
    const {status} = await post();
    expect(status).toBeGreaterThanOrEqual(400);
    await until(() => forwarder.pending() === 0);
    expect(target.seen.map(marks)).toEqual([1, 2, 3]);
    const {id} = store.list({limit: 1})[0]!;
    expect(target.seen.map((request) => header(request, 'x-centavo-delivery'))).toEqual([[id], [id], [id]]);
    expect(store.forwards.attempts(id)).toEqual(attempts);
    expect(attempts.map(({attempt}) => attempt)).toEqual([1, 2, 3]);
    expect(store.forwards.state(id, target.url.href)).toBe('delivered');
  });

  test.each([302, 400, 401, 404, 410, 413])('does not retry after %i', async (status) => {
    const target = await app(() => says(status));
    const {post, store, forwarder} = await up(target.url, {retry: QUICK});
    await post();
    await until(() => forwarder.pending() === 0);
    expect(target.seen).toHaveLength(1);
    const {id} = store.list({limit: 1, failed: true})[0]!;
    expect(store.forwards.state(id, target.url.href)).toBe('given_up');
  });

  test('end after the maximum number of attempts', async () => {
    const target = await app(() => says(500));
    const {post, store, forwarder} = await up(target.url, {retry: {...QUICK, tries: 4}});
    await post();
    await until(() => forwarder.pending() === 0);
    expect(target.seen.map(marks)).toEqual([1, 2, 3, 4]);
    expect(store.list({limit: 1, failed: true})).toHaveLength(1);
  });

  test('follow Retry-After up to our own delay', async () => {
    const times: number[] = [];
    const target = await app((_, count) => {
      times.push(performance.now());
      return count === 1 ? says(503, 'Retry-After: 99999\r\n') : OK;
    });
    const {post, forwarder} = await up(target.url, {retry: {first: 10, maxDelay: 250}});
    const {status, text} = await post();
    expect([status, /^retry-after: 99999\r$/m.test(text)]).toEqual([503, true]);
    await until(() => forwarder.pending() === 0);
    expect(times[1]! - times[0]!).toBeGreaterThan(200);
  });

  test('resume as soon as the app listens, without a new event', async () => {
    const port = await freePort();
    const url = new URL(`http://127.0.0.1:${port}/hook`);
    const {post, forwarder} = await up(url, {retry: NEVER});
    const ids = Array.from({length: 20}, (_, index) => `evt_${index}`);
    for (const id of ids) expect((await post(eventBody({id, objectId: `bstm_${id}`}))).status).toBe(502);
    expect(forwarder.pending()).toBe(20);
    const target = await app(() => OK, port);
    await until(() => forwarder.pending() === 0);
    expect(target.seen.map(idOf).sort()).toEqual([...ids].sort());
    expect(target.seen.every((request) => marks(request) === 2)).toBe(true);
  });

  test.each<[string, (made: Forwarding, url: URL) => unknown]>([
    ['a replay was accepted', ({forwarder, store}, url) => forwarder.replay(store.list({limit: 2})[1]!, url)],
    ['the app was started anew', ({forwarder}) => forwarder.retryNow()],
  ])('of all waiting events come at once if %s', async (_, mend) => {
    const target = await app((__, count) => (count === 1 ? says(500) : OK));
    const made = await up(target.url, {retry: NEVER});
    await made.post(eventBody({id: 'evt_1', objectId: 'a'}));
    expect((await made.post(eventBody({id: 'evt_2', objectId: 'a'}))).status).toBe(503);
    await mend(made, target.url);
    await until(() => made.forwarder.pending() === 0);
    expect(target.seen.map(idOf)).toEqual(['evt_1', 'evt_1', 'evt_2']);
  });
});

test('an app that centavo starts gets its first attempts when it accepts connections, also after a restart', async () => {
  const port = await freePort();
  const notices: string[] = [];
  const {post, store, forwarder} = await up(new URL(`http://127.0.0.1:${port}/hook`), {
    retry: NEVER,
    onAppAwaited: (message) => notices.push(message),
  });
  const waits = `waiting for the app on 127.0.0.1:${port}`;
  for (const round of [1, 2]) {
    const answers = ['a', 'b'].map((each) => post(eventBody({id: `evt_${each}${round}`, objectId: `${each}${round}`})));
    await until(() => notices.length === round);
    const target = await app(() => OK, port);
    expect((await Promise.all(answers)).map(({status}) => status)).toEqual([200, 200]);
    await target.close();
  }
  await until(() => forwarder.pending() === 0);
  expect(notices).toEqual([waits, waits]);
  const attempts = store.list({limit: 10}).flatMap(({id}) => store.forwards.attempts(id));
  expect(attempts.map(({status, attempt}) => [status, attempt])).toEqual(Array.from({length: 4}, () => [200, 1]));
  const last = post(eventBody({id: 'evt_last', objectId: 'c'}));
  await until(() => notices.length === 3);
  await forwarder.drain(FAR);
  expect((await last).status).toBe(502);
});

describe('order', () => {
  test('holds events about one object during retries; others pass', async () => {
    const target = await app((request, count) => (idOf(request) === 'evt_1' && count < 3 ? says(500) : OK));
    const {post, forwarder} = await up(target.url, {retry: {first: 2000, maxDelay: 2000}});
    expect((await post(eventBody({id: 'evt_1', objectId: 'a'}))).status).toBe(500);
    const [held, passing] = await Promise.all([
      post(eventBody({id: 'evt_2', objectId: 'a'})),
      post(eventBody({id: 'evt_3', objectId: 'b'})),
    ]);
    expect(held.status).toBe(503);
    expect(held.text).toContain('is being retried first');
    expect(passing.status).toBe(200);
    await until(() => forwarder.pending() === 0);
    expect(target.seen.map(idOf)).toEqual(['evt_1', 'evt_3', 'evt_1', 'evt_2']);
  });

  test('reports a held event once, with the blocking event and next attempt', async () => {
    const held: unknown[] = [];
    const target = await app((_, count) => (count < 3 ? says(500) : OK));
    const {post, forwarder, store} = await up(target.url, {
      retry: NEVER,
      now: () => 1_900_000_000_000,
      onHeld: (one) => held.push(one),
    });
    for (const id of ['evt_1', 'evt_2', 'evt_3']) await post(eventBody({id, objectId: 'a'}));
    const [third, second, first] = store.list({limit: 3});
    const until600 = 1_900_000_000_000 + NEVER.first * 0.75;
    const heldBy = {deliveryId: first!.id, event: first!.event};
    const told = [second!, third!].map(({id: deliveryId, event}) => {
      return {deliveryId, event, target: target.url.href, heldBy, nextAttemptAt: until600};
    });
    expect(held).toEqual(told);
    const waiting = [first!, second!, third!].map((one) => store.forwards.waitingFor(one, () => true, until600 - 1));
    expect(waiting).toEqual([
      {nextAttemptAt: until600},
      {heldBy, nextAttemptAt: until600},
      {heldBy, nextAttemptAt: until600},
    ]);
    // No process retries it without a listener.
    expect(store.forwards.waitingFor(second!, () => false, 0)).toEqual({heldBy});
    // Once the time has passed, none is shown.
    expect(store.forwards.waitingFor(first!, () => true, until600)).toEqual({nextAttemptAt: 0});
    expect(store.forwards.waitingFor(second!, () => true, until600)).toEqual({heldBy, nextAttemptAt: 0});
    // A second failure is not reported again.
    forwarder.retryNow();
    await until(() => target.seen.length === 2 && store.forwards.attempts(first!.id).length === 2);
    forwarder.retryNow();
    await until(() => forwarder.pending() === 0);
    expect(held).toHaveLength(2);
    expect(target.seen.map(idOf)).toEqual(['evt_1', 'evt_1', 'evt_1', 'evt_2', 'evt_3']);
    await until(() => store.forwards.waitingFor(third!, () => true, 0) === undefined);
  });

  test('can be turned off', async () => {
    const held: unknown[] = [];
    const target = await app((request) => (idOf(request) === 'evt_1' ? says(500) : OK));
    const options = {retry: NEVER, ordered: false, onHeld: (one: unknown) => held.push(one)};
    const {post} = await up(target.url, options);
    expect((await post(eventBody({id: 'evt_1', objectId: 'a'}))).status).toBe(500);
    expect((await post(eventBody({id: 'evt_2', objectId: 'a'}))).status).toBe(200);
    expect(held).toEqual([]);
  });

  test('sends events about one object one at a time, in order', async () => {
    let underWay = 0;
    const target = await app(({socket}) => {
      expect(++underWay).toBe(1);
      setTimeout(() => {
        underWay--;
        socket.write(OK);
      }, 5);
    });
    const {post, deliveries} = await up(target.url);
    const answers = await Promise.all(Array.from({length: 20}, (_, index) => post(eventBody({id: `evt_${index}`}))));
    expect(new Set(answers.map(({status}) => status))).toEqual(new Set([200]));
    expect(target.seen.map(idOf)).toEqual(deliveries.map(({event}) => event.id));
  });

  test('respects the concurrency limit and loses nothing', async () => {
    const waiting: RawRequest[] = [];
    let most = 0;
    const target = await app((request) => {
      most = Math.max(most, waiting.push(request));
      if (waiting.length < 3) return;
      // Long enough for a fourth, if it were allowed.
      setTimeout(() => {
        for (const {socket} of waiting.splice(0)) socket.write(OK);
      }, 20);
    });
    const {post} = await up(target.url, {concurrency: 3});
    await Promise.all(Array.from({length: 30}, (_, n) => post(eventBody({id: `evt_${n}`, objectId: `o${n}`}))));
    expect(target.seen).toHaveLength(30);
    expect(most).toBe(3);
  });

  test('sends the next while recording the last; draining waits for the disk', async () => {
    const target = await app();
    const {post, store, forwarder} = await up(target.url, {concurrency: 1});
    const record = store.forwards.recordAttempt.bind(store.forwards);
    let write = (): void => {};
    const disk = new Promise<void>((resolve) => (write = resolve));
    store.forwards.recordAttempt = (...given) => disk.then(() => record(...given));
    for (const n of [1, 2]) expect((await post(eventBody({id: `evt_${n}`, objectId: `o${n}`}))).status).toBe(200);
    const states = () => store.list({limit: 2}).map(({id}) => store.forwards.state(id, target.url.href));
    expect(states()).toEqual(['pending', 'pending']);
    const drained = forwarder.drain(FAR);
    write();
    await drained;
    expect(states()).toEqual(['delivered', 'delivered']);
  });

  test("answers a sender no later than one attempt's timeout", async () => {
    const target = await app(() => {});
    const {post} = await up(target.url, {timeoutMilliseconds: 300});
    const waited = waitingTime();
    const answers = await Promise.all([1, 2, 3].map((n) => post(eventBody({id: `evt_${n}`}))));
    expect(waited()).toBeLessThan(1500);
    expect(answers.map(({status}) => status).every((status) => status === 504 || status === 503)).toBe(true);
    expect(target.seen).toHaveLength(1);
  });
});

describe('the sender’s own retries', () => {
  test('of an accepted event are answered 200 and not forwarded, also after a restart', async () => {
    const target = await app();
    const first = await forwarding(openStore(`${at}/deliveries.db`), target.url);
    expect((await first.post()).status).toBe(200);
    await until(() => first.forwarder.pending() === 0);
    expect((await first.post()).status).toBe(200);
    await first.close();
    const {post, store} = await up(target.url);
    const {status, text} = await post();
    expect(status).toBe(200);
    expect(text).toContain('already');
    expect(target.seen).toHaveLength(1);
    expect(store.list({limit: 10})).toHaveLength(3);
  });

  test('of a waiting event become its next attempt', async () => {
    const target = await app((_, count) => (count === 1 ? says(500) : OK));
    const {post, store, forwarder} = await up(target.url, {retry: NEVER});
    expect((await post()).status).toBe(500);
    await until(() => store.forwards.attempts(store.list({limit: 1})[0]!.id).length === 1);
    expect((await post()).status).toBe(200);
    expect(target.seen.map(marks)).toEqual([1, 2]);
    await until(() => forwarder.pending() === 0);
    const [again, original] = store.list({limit: 2});
    expect(header(target.seen[1]!, 'x-centavo-delivery')).toEqual([original!.id]);
    expect(store.forwards.attempts(again!.id).map(({attempt}) => attempt)).toEqual([1, 2]);
  });

  test('of an event in flight wait for it: no second copy is sent', async () => {
    let answer: (() => void) | undefined;
    const target = await app(({socket}) => void (answer = () => socket.write(OK)));
    const {post, deliveries} = await up(target.url);
    const posts = Array.from({length: 5}, () => post());
    await until(() => deliveries.length === 5 && answer !== undefined);
    answer!();
    expect((await Promise.all(posts)).map(({status}) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(target.seen).toHaveLength(1);
  });

  test('of a given-up event are tried again with the next number', async () => {
    const target = await app((_, count) => (count === 1 ? says(404) : OK));
    const {post, forwarder} = await up(target.url, {retry: QUICK});
    expect((await post()).status).toBe(404);
    await until(() => forwarder.pending() === 0);
    expect((await post()).status).toBe(200);
    expect(target.seen.map(marks)).toEqual([1, 2]);
  });
});

describe('replays', () => {
  test('and retries are numbered as they are made, also those of a held event', async () => {
    const target = await app((_, count) => (count < 4 ? says(500) : OK));
    const {post, store, forwarder} = await up(target.url, {retry: NEVER});
    await post(eventBody({id: 'evt_first', objectId: 'a'}));
    await until(() => store.forwards.attempts(store.list({limit: 1})[0]!.id).length === 1);
    expect((await post(eventBody({id: 'evt_held', objectId: 'a'}))).status).toBe(503);
    const [held, first] = store.list({limit: 2});
    for (const each of [first, held]) await forwarder.replay(each!, target.url);
    forwarder.retryNow();
    await until(() => forwarder.pending() === 0);
    const numbers = (id: string) => store.forwards.attempts(id).map(({attempt}) => attempt);
    expect([numbers(first!.id), numbers(held!.id)]).toEqual([
      [1, 2, 3],
      [1, 2],
    ]);
    expect(target.seen.map((request) => [idOf(request), marks(request)])).toEqual([
      ['evt_first', 1],
      ['evt_first', 2],
      ['evt_held', 1],
      ['evt_first', 3],
      ['evt_held', 2],
    ]);
  });

  test('are sent unchanged, marked and recorded', async () => {
    const target = await app();
    const {post, store, forwarder} = await up(target.url);
    const body = eventBody();
    await post(body);
    await until(() => forwarder.pending() === 0);
    const [delivery] = store.list({limit: 1});
    const attempt = await forwarder.replay(delivery!, target.url);
    expect(attempt).toMatchObject({attempt: 2, status: 200, replay: true, target: target.url.href});
    const [first, second] = target.seen;
    expect(second!.body.equals(body)).toBe(true);
    expect(header(second!, 'payrex-signature')).toEqual(header(first!, 'payrex-signature'));
    expect(marks(second!)).toBe(2);
    expect(store.forwards.attempts(delivery!.id)[1]).toEqual(attempt);
  });

  test('may be signed again with another secret', async () => {
    const [target, other] = [await app(), await app()];
    const {post, store, forwarder} = await up(target.url, {now: () => 1_900_000_000_000});
    const body = eventBody();
    await post(body);
    const secret = 'whsk_of_the_other_place';
    await forwarder.replay(store.list({limit: 1})[0]!, other.url, secret);
    expect(header(other.seen[0]!, 'payrex-signature')).toEqual([signatureOf(body, {secret, timestamp: 1_900_000_000})]);
    expect(marks(other.seen[0]!)).toBe(1);
  });

  test('that are accepted end the waiting event', async () => {
    const target = await app((_, count) => (count === 1 ? says(500) : OK));
    const {post, store, forwarder} = await up(target.url, {retry: {first: 3000, maxDelay: 3000}});
    await post();
    await forwarder.replay(store.list({limit: 1})[0]!, target.url);
    await until(() => forwarder.pending() === 0);
    expect(target.seen).toHaveLength(2);
  });

  test.each([
    ['the first delivery', 1],
    ['a duplicate', 0],
  ])('of %s make the event accepted, for all its deliveries', async (_, index) => {
    const target = await app((__, count) => (count < 3 ? says(404) : OK));
    const {post, store, forwarder} = await up(target.url, {retry: false});
    for (let count = 0; count < 2; count++) {
      expect((await post()).status).toBe(404);
      await until(() => forwarder.pending() === 0);
    }
    const deliveries = store.list({limit: 10});
    expect(store.list({limit: 10, failed: true})).toHaveLength(1);
    await forwarder.replay(deliveries[index]!, target.url);
    expect(store.list({limit: 10, failed: true})).toEqual([]);
    for (const {id} of deliveries)
      expect(store.forwards.attempts(id).map(({status}) => status)).toEqual([404, 404, 200]);
    expect(store.forwards.isUndelivered(deliveries[0]!.event.id!)).toBe(false);
    expect((await post()).text).toContain('already');
    expect(target.seen.map(marks)).toEqual([1, 2, 3]);
  });
});

describe('ending', () => {
  test('waits for attempts in flight and leaves the rest to the next run', async () => {
    const target = await app((request, count) => {
      if (idOf(request) === 'evt_fails' && count < 4) return says(500);
      setTimeout(() => request.socket.write(OK), 100);
    });
    const first = await forwarding(openStore(`${at}/deliveries.db`), target.url, {retry: NEVER});
    await first.post(eventBody({id: 'evt_fails', objectId: 'a'}));
    expect((await first.post(eventBody({id: 'evt_held', objectId: 'a'}))).status).toBe(503);
    const underWay = first.post(eventBody({id: 'evt_slow', objectId: 'b'}));
    await until(() => target.seen.length === 2);
    await first.forwarder.drain(5000);
    expect((await underWay).status).toBe(200);
    await first.close();

    const owner = {pid: OWNER.pid, startedAt: 2};
    const store = openStore(`${at}/deliveries.db`, owner);
    const second = await forwarding(store, target.url, {retry: QUICK});
    onTestFinished(() => second.close());
    expect(second.forwarder.resume('test', () => true)).toBe(0);
    expect(second.forwarder.resume('test', () => false)).toBe(2);
    await until(() => second.forwarder.pending() === 0);
    expect(target.seen.slice(2).map((request) => [idOf(request), marks(request)])).toEqual([
      ['evt_fails', 2],
      ['evt_fails', 3],
      ['evt_held', 1],
    ]);
  });

  test('aborts attempts in flight, which stay pending', async () => {
    const target = await app(() => {});
    const {post, forwarder, store} = await up(target.url, {timeoutMilliseconds: FAR});
    const [slow, held] = [post(eventBody({id: 'evt_1'})), post(eventBody({id: 'evt_2'}))];
    await until(() => target.seen.length === 1 && forwarder.pending() === 2);
    const waited = waitingTime();
    await forwarder.drain(50);
    await forwarder.close();
    expect(waited()).toBeLessThan(1000);
    expect([(await slow).status, (await held).status]).toEqual([503, 503]);
    const states = store.list({limit: 2}).map(({id}) => store.forwards.state(id, target.url.href));
    expect(states).toEqual(['pending', 'pending']);
  });
});

test('localhost reaches the app on either loopback address', async () => {
  const target = await app();
  const {post} = await up(new URL(`http://localhost:${target.port}/hook`));
  expect((await post()).status).toBe(200);
  expect(header(target.seen[0]!, 'host')).toEqual([`localhost:${target.port}`]);
});

test.each([
  ['localhost', true],
  ['10.0.0.1', true],
  ['169.254.169.254', false],
  ['0.0.0.0', false],
  ['fe80::1', false],
  ['::ffff:10.0.0.1', false],
])('may send to the address of %s: %s', async (name, allowed) => {
  const found = (all: boolean) =>
    new Promise<string | undefined>((resolve) => {
      guardedLookup(name, {all}, (error, address) => resolve(error?.code ?? JSON.stringify(address)));
    });
  for (const all of [false, true]) expect((await found(all)) === 'EUNSAFE').toBe(!allowed);
});
