// Errors of the library begin at the caller's line and have the reason in their message, from the sources and the bundle.

import {afterAll, describe, expect, test} from 'vitest';
import {fileURLToPath} from 'node:url';
import {CentavoError} from '../../src/common/errors.js';
import {atCaller} from '../../src/library/caller-line.js';
import * as source from '../../src/index.js';
import {withReasons} from '../../src/library/reasons.js';
import {world} from '../support/sandbox/world.js';

const bundle = (await import(new URL('../../bundle/index.mjs', import.meta.url).href)) as typeof source;
const HERE = fileURLToPath(import.meta.url);

const {sandbox} = world();
afterAll(() => sandbox.close());

function clientsOf({createClient}: any): Record<'client' | 'forged' | 'silent', any> {
  const page = Buffer.from('{"resource":"list","has_more":true,"data":[]}');
  return {
    client: createClient({key: sandbox.keys.secret, transport: sandbox.handle}),
    forged: createClient({key: 'sk_test_wrong', transport: sandbox.handle}),
    silent: createClient({key: 'sk_test_1', transport: async () => ({status: 200, headers: {}, body: page})}),
  };
}

const first = (error: Error): string => error.stack!.split('\n').find((line) => /^\s+at /.test(line))!;

async function errorOf(misuse: () => unknown): Promise<CentavoError> {
  try {
    await misuse();
  } catch (error) {
    expect((error as Error).name).toMatch(/^(CentavoError|SignatureError)$/);
    return error as CentavoError;
  }
  throw new Error('nothing was thrown');
}

const iterate = async (items: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of items);
};

const body = Buffer.from('{"id":"evt_1"}');
const header = `t=1790000123,te=${'0'.repeat(64)},li=`;
const SECRET = 'whsk_0123456789abcdefghij';
const now = 1_790_000_123;
/** Each misuse of the signatures, in one place of this file. */
const SIGNATURES: Record<string, (library: any) => unknown> = {
  'a parsed body': ({constructEvent}) => constructEvent({}, header, SECRET),
  'no header': ({constructEvent}) => constructEvent(body, undefined, SECRET),
  'all headers': ({constructEvent}) => constructEvent(body, {}, SECRET),
  'no secret': ({constructEvent}) => constructEvent(body, header, undefined, {now}),
  'a key as the secret': ({constructEvent}) => constructEvent(body, header, 'sk_test_0123456789', {now}),
  'another secret': ({constructEvent}) => constructEvent(body, header, SECRET, {now}),
  milliseconds: ({constructEvent}) => constructEvent(body, header, SECRET, {now: now * 1000}),
  'an unknown mode': ({constructEvent}) => constructEvent(body, header, SECRET, {now, mode: 'x'}),
  'verifySignature of nothing': ({verifySignature}) => verifySignature(),
  'verifySignature of a forgery': ({verifySignature}) => verifySignature({body, header, secrets: [SECRET], now}),
};

const CLIENT: Record<string, (clients: ReturnType<typeof clientsOf>, library: any) => unknown> = {
  'an id of another kind': ({client}) => client.customers.get('bstm_1'),
  'no id': ({client}) => client.customers.get(),
  'an object that does not exist': ({client}) => client.customers.get('cus_none'),
  'a parameter that is missing': ({client}) => client.customers.create({}),
  'an amount that is too small': ({client}) =>
    client.paymentIntents.create({amount: 5, currency: 'PHP', payment_methods: ['card']}),
  'milliseconds as a time': ({client}) => client.billingStatements.update('bstm_1', {due_at: 1_790_000_123_000}),
  'an awaited list': async ({client}) => await client.customers.list({limit: 'many'}),
  'an iterated list': ({client}) => iterate(client.customers.list({limit: 'many'})),
  'the pages of a list': ({client}) => iterate(client.customers.list({limit: 'many'}).pages()),
  'a list with then': ({client}) => client.customers.list({limit: 'many'}).then(() => 0),
  'a list that does not end': ({silent}) => iterate(silent.customers.list()),
  'a wrong key': ({forged}) => forged.customers.list(),
  'a path that does not exist': ({client}) => client.raw('GET', '/nothing'),
  'a parameter that is unknown': ({client}) => client.customers.list({limt: 3}),
  'a client without a target': (_, {createClient}) => createClient({key: 'sk_test_1'}),
  'an awaited call in the middle of others': async ({client}) => {
    await client.customers.list();
    await client.customers.get('cus_none');
  },
};

describe.each([
  ['the sources', source],
  ['the bundle', bundle],
])('from %s', (_, library) => {
  test.each(Object.entries(SIGNATURES))('%s', async (__, misuse) => {
    const error = await errorOf(() => misuse(library));
    expect(first(error)).toContain(HERE);
    expect(error.stack).toMatch(/^(CentavoError|SignatureError): /);
    expect(error.stack).toContain(error.message);
  });

  const clients = clientsOf(library);
  test.each(Object.entries(CLIENT))('the client: %s', async (__, misuse) => {
    expect(first(await errorOf(() => misuse(clients, library)))).toContain(HERE);
  });
});

const {client, forged} = clientsOf(source);

test('the line is the one that calls', async () => {
  const error = await errorOf(() => client.customers.get('bstm_1'));
  const marker = new Error('the line below the call');
  const lineOf = (each: Error): number => Number(/:(\d+):\d+\)?$/.exec(first(each))![1]);
  expect(lineOf(marker) - lineOf(error)).toBe(1);
});

test('the reason of the API is in the message, once', async () => {
  const misuse = () => client.paymentIntents.create({amount: 5, currency: 'PHP', payment_methods: ['card']});
  const {message, details} = await errorOf(misuse);
  expect(details.apiErrors).toHaveLength(1);
  const [{code, detail, parameter}] = details.apiErrors as [{code: string; detail: string; parameter: string}];
  expect(message).toBe(`the API refused the request (HTTP 400). ${parameter}: ${detail} [${code}]`);
  expect(parameter).toBe('amount');
  expect((await errorOf(() => forged.customers.list())).message).toMatch(
    /^the API refused the key \(HTTP 401\)\. [^[]+ \[\w+\]$/,
  );
});

test('withReasons adds a reason that no entry has, and keeps a message without one', () => {
  const entries = [
    {code: 'a', detail: 'One.'},
    {code: 'b', detail: 'Two.', parameter: 'p'},
  ];
  const of = (details: object): string => withReasons(new CentavoError('auth', 'refused.', details)).message;
  expect(of({})).toBe('refused.');
  expect(of({why: 'Because.'})).toBe('refused. Because.');
  expect(of({apiErrors: entries})).toBe('refused. One. [a] p: Two. [b]');
  expect(of({apiErrors: entries, why: 'One. The key is from the environment.'})).toBe(
    'refused. One. [a] p: Two. [b] The key is from the environment.',
  );
  expect(of({why: 'word '.repeat(400)}).length).toBeLessThan(900);
});

describe('atCaller', () => {
  const fails = (): never => {
    throw new CentavoError('usage', 'no.');
  };

  test('wraps functions at any depth, once, and leaves the rest', () => {
    const key = Symbol('key');
    const original = {
      fails,
      deep: {fails},
      text: 'a',
      list: [fails],
      date: new Date(0),
      count: 0,
      add() {
        return ++this.count;
      },
      get twice() {
        return this.count * 2;
      },
      [key]: () => 7,
    };
    const wrapped = atCaller(original);
    expect(wrapped).not.toBe(original);
    expect(wrapped).toMatchObject({text: 'a', list: [fails], date: original.date, twice: 0});
    expect(wrapped[key]()).toBe(7);
    // The original object is changed, as without the wrapper.
    expect([wrapped.add(), wrapped.add(), original.count]).toEqual([1, 2, 2]);
    expect(atCaller(wrapped)).toBe(wrapped);
    expect(atCaller({inner: wrapped}).inner).toBe(wrapped);
    expect(atCaller({fails: wrapped.fails}).fails).toBe(wrapped.fails);
  });

  test('what is not an error of centavo keeps its stack', async () => {
    const error = new TypeError('mine');
    const {stack} = error;
    const throws = atCaller(() => Promise.reject(error));
    await expect(throws()).rejects.toBe(error);
    expect(error.stack).toBe(stack);
  });

  test('the innermost place stays: an error in a handler keeps the line of the handler', async () => {
    const inner = atCaller(fails);
    const handler = (): never => inner();
    const outer = atCaller(async (call: () => unknown) => call());
    const error = await errorOf(() => outer(handler));
    const place = await errorOf(handler);
    expect(first(error)).toBe(first(place));
    expect(error.message).toBe('no.');
  });

  test('a list sends nothing before it is awaited, and an iteration that stops early ends it', async () => {
    let sent = 0;
    let ended = false;
    const list = {
      then: (fulfilled: (value: number) => unknown) => Promise.resolve(++sent).then(fulfilled),
      async *[Symbol.asyncIterator]() {
        try {
          yield 1;
          yield 2;
        } finally {
          ended = true;
        }
      },
    };
    const wrapped = atCaller(() => list)();
    expect(sent).toBe(0);
    expect(await wrapped).toBe(1);
    for await (const _ of wrapped) break;
    expect(ended).toBe(true);
  });

  test('without stacks, the error is still told', async () => {
    const {stackTraceLimit} = Error;
    Error.stackTraceLimit = 0;
    const error = await errorOf(atCaller(fails));
    Error.stackTraceLimit = stackTraceLimit;
    expect(error.stack).toBe('CentavoError: no.');
  });
});
