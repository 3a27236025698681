// The conformance run passes a correct handler, and finds exactly the fault of each wrong one.

import {describe, expect, test} from 'vitest';
import {CASE_NAMES, CONFORMANCE_CASES} from '../../../src/webhooks/conformance/cases.js';
import {chosenCases, runConformance, type ConformanceOptions} from '../../../src/webhooks/conformance/conformance.js';
import {FAR} from '../../support/far-limits.js';
import {
  actOnce,
  deliveredObject,
  HANDLER_SECRET,
  isGenuineToSdk,
  listen,
  readAll,
  startHandler,
  type Handler,
  type Parts,
} from '../fixtures/handler.js';
import {digest, hmac} from '../fixtures/signing.js';

const TOTAL = 'effects-in-all';

let tokens = 0;

const run = (handler: Pick<Handler, 'url'> & Partial<Handler>, options: Partial<ConformanceOptions> = {}) =>
  runConformance({
    url: new URL(handler.url),
    secret: HANDLER_SECRET,
    secretName: 'the secret',
    otherSecrets: () => Promise.resolve([]),
    mode: 'test',
    type: 'billing_statement.paid',
    data: deliveredObject(options.type ?? 'billing_statement.paid'),
    cases: CONFORMANCE_CASES,
    // A busy machine may take long for each response; only silent handlers are under test with a short limit.
    timeout: FAR,
    now: () => Math.floor(Date.now() / 1000),
    token: () => `Conformance${String(tokens++).padStart(8, '0')}`,
    countEffects: handler.app && (() => Promise.resolve(handler.app!.effects)),
    ...options,
  });

const failedCases = ({cases}: Awaited<ReturnType<typeof run>>): string[] =>
  cases.filter(({result}) => result === 'failed').map((each) => each.case);

const isEarlier = ({type}: {type: string}): boolean => type === 'billing_statement.finalized';

/** Acts once on each paid statement, and this often on an earlier event of it. */
const actOnEarlier =
  (effects: number): Parts['act'] =>
  (app, event) => {
    if (isEarlier(event)) app.effects += effects;
    return actOnce(app, event);
  };

describe('a correct handler', () => {
  test('passes every case and acts once on each genuine event', async () => {
    const handler = await startHandler();
    const report = await run(handler);
    expect(report.cases.map((each) => each.case)).toEqual([...CASE_NAMES, TOTAL]);
    expect(failedCases(report)).toEqual([]);
    expect(report).toMatchObject({
      url: handler.url,
      mode: 'test',
      event: 'billing_statement.paid',
      passed: 16,
      failed: 0,
      not_checked: 0,
    });
    expect(handler.app.effects).toBe(11);
    expect(handler.requests()).toBe(1 + 3 + 6 + 2 + 4 + 3 + 2 + 2 + 1 + 6);
  });

  test.for([
    ['signed for live mode', {mode: 'live'}, {}],
    [
      'that acts after it has answered',
      {},
      {
        act: (app, event) => {
          setTimeout(() => actOnce(app, event), 30);
          return 202;
        },
      },
    ],
    [
      'that is busy with the same event, and asks to be told again',
      {},
      {
        act: async (app, event) => {
          const busy = app.done.has(`busy ${event.id}`);
          if (busy) return 409;
          app.done.add(`busy ${event.id}`);
          await new Promise((resolve) => setTimeout(resolve, 10));
          const status = actOnce(app, event);
          app.done.delete(`busy ${event.id}`);
          return status;
        },
      },
    ],
    ['that refuses with 400', {}, {refuse: () => 400}],
    ['that acts on both of two events out of order', {}, {act: actOnEarlier(1)}],
  ] as readonly [string, Partial<ConformanceOptions>, Partial<Parts>][])('%s', async ([, options, parts]) => {
    expect(failedCases(await run(await startHandler(parts), options))).toEqual([]);
  });

  test('gets the requested event type and fields', async () => {
    const seen: unknown[] = [];
    const act: Parts['act'] = (app, event) => {
      seen.push([event.type, event.data]);
      app.effects++;
      return 200;
    };
    const set = {metadata: {order: '1042'}, amount: 5000};
    const report = await run(await startHandler({act}), {
      type: 'payment_intent.succeeded',
      set,
      cases: chosenCases(['valid']),
    });
    expect(report.cases).toMatchObject([{case: 'valid', result: 'passed', effects: 1, came: '200; acted on once'}]);
    expect(seen).toMatchObject([['payment_intent.succeeded', {resource: 'payment_intent', ...set}]]);
  });

  test('gets what real deliveries have: a payment with an id of its own', async () => {
    const act: Parts['act'] = (app, {type, data}) => {
      if (type !== 'payment_intent.succeeded') return 200;
      const {id, payment_intent_id: intent} = data.latest_payment as Record<string, string>;
      if (intent === data.id && !app.done.has(id!)) app.effects++;
      app.done.add(id!);
      return 200;
    };
    expect(failedCases(await run(await startHandler({act}), {type: 'payment_intent.succeeded'}))).toEqual([]);
  });

  test('does not count effects without a counter', async () => {
    const {url} = await startHandler();
    const report = await run({url});
    expect(report).toMatchObject({passed: 12, failed: 0, not_checked: 3});
    expect(report.cases.filter(({result}) => result === 'not_checked')).toMatchObject([
      {case: 'duplicate', came: '200 ×3', looked_at: 'status', reason: 'effects not counted'},
      {case: 'concurrent-duplicate', came: '200 ×6', reason: 'effects not counted'},
      {case: 'out-of-order', came: '200 ×2', reason: 'effects not counted'},
    ]);
    expect(report.cases.every(({effects}) => effects === null)).toBe(true);
  });
});

const decoded = async (request: Parameters<Parts['read']>[0], how: (text: string) => string): Promise<Buffer> =>
  Buffer.from(how((await readAll(request)).toString('utf8')));

/** Sorts the keys of objects, also of those in lists. */
const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== 'object') return value;
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, each]) => [key, sortKeys(each)]));
};

const actOnObject: Parts['act'] = (app, event) => {
  app.done.add(String(event.data.id));
  return actOnce(app, event);
};

describe('a wrong handler', () => {
  const WRONG: readonly [string, Partial<Parts>, string[], timeout?: number][] = [
    [
      'acts on each delivery',
      {
        act: (app, {type}) => {
          if (type === 'billing_statement.paid') app.effects++;
          return 200;
        },
      },
      ['duplicate'],
    ],
    [
      'takes a duplicate for an error',
      {act: (app, event) => (app.done.has(event.id) ? 500 : actOnce(app, event))},
      ['duplicate'],
    ],
    ['does not verify', {isGenuine: () => true}, ['bad-signature']],
    ['verifies as the official SDK does', {isGenuine: isGenuineToSdk}, ['wrong-mode', 'stale-signature']],
    ['answers forgeries with 200', {refuse: () => 200}, ['bad-signature']],
    ['answers forgeries with 500', {refuse: () => 500}, ['bad-signature']],
    [
      'acts on forgeries, and then refuses them',
      {
        refuse: (app) => {
          app.effects++;
          return 401;
        },
      },
      ['bad-signature'],
    ],
    [
      'signs what it has parsed and written anew',
      {read: (request) => decoded(request, (text) => JSON.stringify(JSON.parse(text)))},
      ['raw-body'],
    ],
    [
      'reads Latin-1',
      {read: async (request) => Buffer.from((await readAll(request)).toString('latin1'))},
      ['non-ascii'],
    ],
    ['trims the body', {read: (request) => decoded(request, (text) => text.trim())}, ['raw-body']],
    [
      'reads the first piece only',
      {
        read: (request) =>
          new Promise((resolve) => {
            request.once('data', (chunk: Buffer) => resolve(chunk));
          }),
      },
      ['slow'],
    ],
    [
      'does not know new kinds of event',
      {act: (app, event) => (event.type.startsWith('billing_statement') ? actOnce(app, event) : 500)},
      ['unknown-type'],
    ],
    [
      'acts on any kind of event',
      {act: (app, event) => actOnce(app, {...event, type: 'billing_statement.paid'})},
      ['unknown-type'],
    ],
    [
      'refuses new fields',
      {act: (app, event) => ('invented' in event ? 400 : actOnce(app, event))},
      ['unknown-fields'],
    ],
    // The wait for the missing effect ends with the time for a response.
    ['lets an earlier event undo a later one', {act: actOnEarlier(-1)}, ['out-of-order'], 1500],
    ['acts twice on an earlier event', {act: actOnEarlier(2)}, ['out-of-order']],
    [
      'refuses an event that comes after a later one of its object',
      {act: (app, event) => (isEarlier(event) && app.done.has(`${event.data.id}`) ? 409 : actOnObject(app, event))},
      ['out-of-order'],
    ],
  ];

  test.for(WRONG)('%s', async ([, parts, failing, timeout = FAR]) => {
    const report = await run(await startHandler(parts), {timeout});
    expect(failedCases(report)).toEqual(failing);
    for (const {result, faults, reason} of report.cases) {
      expect(faults.length > 0).toBe(result === 'failed');
      // Each cause is reported once.
      if (result === 'not_checked') expect(failing.map((name) => `see ${name}`)).toContain(reason);
    }
  });

  test('checks before acting without a lock: fails on simultaneous deliveries', async () => {
    let looks = 0;
    let another: () => void;
    const both = new Promise<void>((resolve) => (another = resolve));
    const act: Parts['act'] = async (app, event) => {
      if (app.done.has(event.id)) return 200;
      // The first event comes once, the second one twice.
      if (++looks === 3) another();
      if (looks > 1) await both;
      app.done.add(event.id);
      app.effects++;
      return 200;
    };
    const report = await run(await startHandler({act}), {cases: chosenCases(['valid', 'concurrent-duplicate'])});
    expect(failedCases(report)).toEqual(['concurrent-duplicate']);
  });

  test('acts again after its last response: fails in the final count', async () => {
    const act: Parts['act'] = (app, event) => {
      if (app.done.size === 1) setTimeout(() => app.effects++, 30);
      return actOnce(app, event);
    };
    const report = await run(await startHandler({act}), {cases: chosenCases(['valid', 'slow'])});
    expect(failedCases(report)).toEqual([TOTAL]);
    expect(report.cases[2]).toMatchObject({faults: ['the count went from 2 to 3 after the last case'], effects: 3});
  });

  test('acts late on each delivery: only duplicates fail', async () => {
    const act: Parts['act'] = (app, {type}) => {
      if (type === 'billing_statement.paid') setTimeout(() => app.effects++, 120);
      return 202;
    };
    const report = await run(await startHandler({act}), {cases: chosenCases(['valid', 'slow', 'duplicate'])});
    expect(failedCases(report)).toEqual(['duplicate']);
    expect(report.cases[2]).toMatchObject({came: '202 ×3; acted on 3 times'});
  });

  test('limits bodies to 100 KB', async () => {
    const handler = await startHandler();
    const limited = await listen((request, response) => {
      if (Number(request.headers['content-length']) > 100 * 1024) {
        request.resume().once('end', () => response.writeHead(413).end());
        return;
      }
      void readAll(request).then(async (body) => {
        const headers = {'payrex-signature': String(request.headers['payrex-signature'] ?? '')};
        response
          .writeHead((await fetch(handler.url, {method: 'POST', body: new Uint8Array(body), headers})).status)
          .end();
      });
    });
    const report = await run({...limited, app: handler.app}, {cases: chosenCases(['valid', 'large'])});
    expect(failedCases(report)).toEqual(['large']);
    expect(report.cases[1]).toMatchObject({
      came: '413; not acted on',
      faults: [
        expect.stringMatching(/^the event: 413\. Too large for your app/),
        'not acted on, expected: acted on once',
      ],
    });
  });

  test.for([
    [302, 'Redirects, here to /elsewhere, are not followed'],
    [404, 'Your app has no route for this path'],
    [405, 'Your app does not accept POST'],
    [419, 'CSRF protection is on'],
    [500, 'Your app failed'],
  ] as const)('answers %i: %s', async ([status, words]) => {
    const page = '<!doctype html><html><head><title>x</title></head><body>\n<pre>Not this way</pre></body></html>';
    const handler = await listen((_, response) => response.writeHead(status, {location: '/elsewhere'}).end(page));
    const report = await run({url: handler.url}, {cases: chosenCases(['valid', 'wrong-mode'])});
    expect(report.cases).toMatchObject([
      {result: 'failed', faults: [expect.stringContaining(`the event: ${status} “Not this way”. ${words}`)]},
      {case: 'wrong-mode', result: 'not_checked', came: 'not sent', reason: 'see valid', faults: []},
    ]);
  });
});

/** Verifies a header of another form, or with another secret. */
const verifiesAs =
  (pattern: RegExp, digestOf: (t: string, body: Buffer) => string): Parts['isGenuine'] =>
  ({body, header}) => {
    const [, t, signature] = pattern.exec(header[0] ?? '') ?? [];
    return signature !== undefined && signature === digestOf(t!, body);
  };
const TEST_FORM = /^t=(\d+),te=([^,]+),li=$/;
const withSecret = (secret: string): Parts['isGenuine'] => verifiesAs(TEST_FORM, (t, body) => digest(body, t, secret));
const OTHER = 'whsk_the_secret_of_the_listener';

describe('a handler that refuses every genuine event: the root cause', () => {
  test.for([
    [
      'an upper-case digest',
      verifiesAs(TEST_FORM, (t, body) => digest(body, t, HANDLER_SECRET).toUpperCase()),
      'your app compares with upper-case digits',
    ],
    [
      'no t in what is signed',
      verifiesAs(TEST_FORM, (_, body) => hmac(body, HANDLER_SECRET)),
      'your app signs the body without t',
    ],
    [
      't in milliseconds',
      verifiesAs(/^t=(\d{13}),te=(\w+)/, (t, body) => digest(body, t, HANDLER_SECRET)),
      'your app reads t as milliseconds',
    ],
    [
      'sorted keys',
      verifiesAs(TEST_FORM, (t, body) =>
        digest(JSON.stringify(sortKeys(JSON.parse(body.toString('utf8')))), t, HANDLER_SECRET),
      ),
      'your app verifies JSON that was written again as compact JSON with sorted keys, not the raw body',
    ],
    ['an empty secret', withSecret(''), 'your app has an empty secret'],
    [
      'a line break after the secret',
      withSecret(`${HANDLER_SECRET}\n`),
      'your app has a secret with white space at its end',
    ],
    [
      'a secret without its prefix',
      withSecret(HANDLER_SECRET.slice(5)),
      'your app has a secret without whsk_, which is part of the key',
    ],
    [
      'the secret of the listener',
      withSecret(OTHER),
      'your app has the secret of its listener, and the test signs with the secret',
    ],
    [
      'any other secret',
      withSecret('whsk_nobody_knows_this_one'),
      'your app has another secret than the secret, reads another header, or changes the body',
    ],
  ] as readonly [string, Parts['isGenuine'], string][])('%s', async ([, check, cause]) => {
    const otherSecrets = () => Promise.resolve([{name: 'the secret of its listener', value: OTHER}]);
    const report = await run(await startHandler({isGenuine: check}), {otherSecrets});
    expect(report).toMatchObject({passed: 0, failed: 1, not_checked: CASE_NAMES.length - 1});
    expect(report.cases[0]).toMatchObject({case: 'valid', faults: [cause], came: '401; not acted on'});
  });

  test.for([
    [422, 'ActionController::InvalidAuthenticityToken', 'cannot send a CSRF token', 'skip_before_action'],
    [403, 'CSRF verification failed. Request aborted.', 'cannot send a CSRF token', '@csrf.exempt'],
    [500, 'TypeError [ERR_INVALID_ARG_TYPE]: Received an instance of Object', 'Verify the raw body', 'express.raw'],
    [429, 'Too many requests', 'Exclude this path from the rate limit', ''],
  ] as const)('an answer that names it: %i %s', async ([status, body, ...cure]) => {
    const handler = await listen((_, response) => response.writeHead(status).end(body));
    const [valid] = (await run({url: handler.url})).cases;
    for (const text of cure) expect(valid!.cure).toContain(text);
  });

  test.for([
    ['x-powered-by', 'Express', 'Express: express.raw'],
    ['x-powered-by', 'PHP/8.2.0', 'Laravel: $request->getContent()'],
    ['server', 'Werkzeug/3.0', 'Flask: request.get_data()'],
    ['x-runtime', '0.01', 'Rails: request.raw_post'],
  ] as const)('%s: %s gets the code of its framework only', async ([name, value, code]) => {
    const handler = await startHandler({read: (request) => decoded(request, (text) => text.trim())});
    const framed = await listen((request, response) => {
      void readAll(request).then(async (body) => {
        const headers = {'payrex-signature': String(request.headers['payrex-signature'])};
        const {status} = await fetch(handler.url, {method: 'POST', body: new Uint8Array(body), headers});
        response.writeHead(status, {[name]: value}).end();
      });
    });
    const {cases} = await run(framed, {cases: chosenCases(['raw-body']), countEffects: undefined});
    expect(cases[1]!.cure).toMatch(/^Verify the raw body, before anything parses it\. /);
    expect(cases[1]!.cure!.slice(49)).toMatch(/^\w+: [^;]+\.$/);
    expect(cases[1]!.cure).toContain(code);
  });
});

describe('counts are told as they are', () => {
  test('a count that falls', async () => {
    const act: Parts['act'] = (app, event) => {
      app.effects -= event.type === 'conformance_run.happened' ? 7 : 0;
      return actOnce(app, event);
    };
    const report = await run(await startHandler({act}), {cases: chosenCases(['unknown-type'])});
    expect(report.cases[1]).toMatchObject({came: '200', effects: null, faults: ['the count fell from 1 to -6']});
    expect(JSON.stringify(report)).not.toContain('acted on -');
  });

  test('an earlier event that the answers say was acted on: order is not checked', async () => {
    const {url} = await listen((request, response) => {
      void readAll(request).then(() => response.writeHead(200, {'x-acted': '1'}).end());
    });
    const {cases} = await run({url}, {cases: chosenCases(['out-of-order'])});
    expect(cases[1]).toMatchObject({
      result: 'not_checked',
      came: '200 ×2; acted on 2 times',
      looked_at: 'status, x-acted',
      reason: 'your app also acted on the earlier event: --state-command shows if the later one stays',
    });
  });

  test('an app that acts once on an order: later cases say that all events have equal fields', async () => {
    let orders = 0;
    const {url} = await listen((request, response) => {
      void readAll(request).then(() => response.writeHead(200, {'x-acted': orders++ === 0 ? '1' : '0'}).end());
    });
    const {cases} = await run({url}, {cases: chosenCases(['raw-body', 'large'])});
    expect(cases).toMatchObject([
      {result: 'passed'},
      {result: 'failed', cure: expect.stringContaining('All events have the fields of --set')},
      {result: 'not_checked', reason: 'see raw-body'},
    ]);
  });

  test('answers of which one lacks the header: effects are not counted', async () => {
    let requests = 0;
    const {url} = await listen((request, response) => {
      void readAll(request).then(() => response.writeHead(200, requests++ === 2 ? {} : {'x-acted': '1'}).end());
    });
    const {cases} = await run({url}, {cases: chosenCases(['duplicate'])});
    expect(cases[1]).toMatchObject({result: 'not_checked', effects: null, reason: 'effects not counted'});
  });
});

describe('a handler that does not respond', () => {
  test('in time: the case fails and says so', async () => {
    const handler = await listen(() => {});
    const report = await run({url: handler.url}, {cases: chosenCases(['valid']), timeout: 100});
    expect(report.cases).toMatchObject([{result: 'failed', came: 'no response within 0.1 s'}]);
  });

  test('and closes: the case fails and says so', async () => {
    const handler = await listen((request) => request.socket.destroy());
    const report = await run({url: handler.url}, {cases: chosenCases(['valid'])});
    expect(report.cases).toMatchObject([
      {came: 'the connection was closed before the response was complete (UND_ERR_SOCKET)'},
    ]);
  });

  test('after some cases: the later cases fail', async () => {
    const handler = await listen((request, response) => {
      request.resume().once('end', () => response.writeHead(200).end());
      response.once('close', () => void handler.close());
    });
    const report = await run({url: handler.url}, {cases: chosenCases(['valid', 'non-ascii'])});
    expect(report.cases).toMatchObject([
      {came: '200'},
      {result: 'failed', came: 'the connection was refused (ECONNREFUSED)'},
    ]);
  });

  test('because nothing listens: an error, and no report', async () => {
    const handler = await listen(() => {});
    await handler.close();
    await expect(run({url: handler.url})).rejects.toMatchObject({kind: 'unavailable', code: 'unreachable'});
  });

  test('at Ctrl-C: the run stops', async () => {
    const stop = new AbortController();
    const handler = await listen(() => stop.abort());
    await expect(run({url: handler.url}, {signal: stop.signal})).rejects.toMatchObject({kind: 'interrupted'});
  });
});
