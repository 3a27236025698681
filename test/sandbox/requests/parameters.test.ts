// Request bodies and queries as real clients write them: JSON, brackets and hostile input.

import {describe, expect, test} from 'vitest';
import {parseBrackets} from '../../../src/sandbox/requests/parameters.js';
import {world} from '../../support/sandbox/world.js';

const encode = (pairs: [string, string][]): string => new URLSearchParams(pairs).toString();

/** Makes the parser's objects, which have no prototype, comparable. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('brackets', () => {
  test.each<[[string, string][], unknown]>([
    [
      [
        ['a', '1'],
        ['a', '2'],
      ],
      {a: '2'},
    ],
    [
      [
        ['k[]', 'a'],
        ['k[]', 'b'],
      ],
      {k: ['a', 'b']},
    ],
    [
      [
        ['k[sub]', 'v'],
        ['k[other sub]', 'w'],
      ],
      {k: {sub: 'v', 'other sub': 'w'}},
    ],
    [
      [
        ['a[b][]', '1'],
        ['a[b][]', '2'],
        ['a[c][d]', '3'],
      ],
      {a: {b: ['1', '2'], c: {d: '3'}}},
    ],
    [
      [
        ['l[][n]', 'A'],
        ['l[][q]', '1'],
        ['l[][n]', 'B'],
        ['l[][q]', '2'],
        ['l[][d]', 'x'],
      ],
      {
        l: [
          {n: 'A', q: '1'},
          {n: 'B', q: '2', d: 'x'},
        ],
      },
    ],
    [
      [
        ['l[][n]', 'A'],
        ['l[][t][]', '1'],
        ['l[][t][]', '2'],
        ['l[][n]', 'B'],
      ],
      {l: [{n: 'A', t: ['1', '2']}, {n: 'B'}]},
    ],
    [[['k[0]', 'a']], {k: {0: 'a'}}],
  ])('%j', (pairs, expected) => {
    expect(plain(parseBrackets(encode(pairs)))).toEqual(expected);
  });
});

test('a whole checkout session as a form, as the official library writes it', async () => {
  const w = world();
  const body =
    'currency=PHP&line_items%5B%5D%5Bname%5D=A%20%26%20B&line_items%5B%5D%5Bamount%5D=1000&line_items%5B%5D%5Bquantity%5D=2' +
    '&line_items%5B%5D%5Bname%5D=C&line_items%5B%5D%5Bamount%5D=500&line_items%5B%5D%5Bquantity%5D=1&line_items%5B%5D%5Bdescription%5D=x' +
    '&payment_methods%5B%5D=card&payment_methods%5B%5D=gcash&payment_method_options%5Bcard%5D%5Bcapture_type%5D=manual' +
    '&payment_method_options%5Bcard%5D%5Ballowed_bins%5D%5B%5D=123456&payment_method_options%5Bcard%5D%5Ballowed_bins%5D%5B%5D=654321' +
    '&metadata%5BOrder%20ID%5D=12&metadata%5Bn%5D=&metadata%5B%C3%B1o%C3%B1o%5D=%E2%9C%93+%E6%BC%A2&metadata%5Bb%5D=true' +
    `&success_url=https%3A%2F%2Fa.b%2Fc%3Fd%3De&cancel_url=https%3A%2F%2Fa.b&expires_at=${w.sandbox.now() + 60}`;
  expect(await w.ok('POST', '/checkout_sessions', body)).toMatchObject({
    amount: 2500,
    line_items: [
      {name: 'A & B', amount: 1000, quantity: 2, description: null},
      {name: 'C', amount: 500, quantity: 1, description: 'x'},
    ],
    payment_methods: ['card', 'gcash'],
    payment_method_options: {card: {capture_type: 'manual', allowed_bins: ['123456', '654321']}},
    metadata: {'Order ID': '12', n: '', ñoño: '✓ 漢', b: 'true'},
    success_url: 'https://a.b/c?d=e',
    expires_at: w.sandbox.now() + 60,
  });
});

test.each([
  ['line_items[0][name]=A&line_items[0][amount]=5000&line_items[0][quantity]=1', 'line_items'],
  [
    'line_items[][name]=A&line_items[][amount]=5000&line_items[][quantity]=1&payment_methods[0]=card',
    'payment_methods',
  ],
  ['line_items[][name]=A&line_items[][amount]=5000&line_items[][quantity]=1&payment_methods=card', 'payment_methods'],
  [
    'line_items[][name]=A&line_items[][amount]=5000&line_items[][quantity]=1&payment_method_options[]=x',
    'payment_method_options',
  ],
  ['line_items[][name]=A&line_items[][amount]=fifty&line_items[][quantity]=1', 'line_items.0.amount'],
])('%s is of the wrong type', async (fields, parameter) => {
  const body = `currency=PHP&success_url=https://a.b&cancel_url=https://a.b&${fields}`;
  expect(await world().call('POST', '/checkout_sessions', body)).toMatchObject({
    status: 400,
    body: {errors: [{code: 'parameter_type_invalid', parameter}]},
  });
});

test.each([[45.5], ['45.5'], ['45']])('says what an amount of %j must be', async (unit_price) => {
  const item = {billing_statement_id: 'bstm_1', description: 'A', unit_price, quantity: 1};
  const {body} = await world().call('POST', '/billing_statement_line_items', item);
  expect(body.errors[0].detail).toBe(
    `The value for unit_price must be a whole number, not ${JSON.stringify(unit_price)}.`,
  );
});

test('reports every error of a request at once', async () => {
  const {status, body} = await world().call('POST', '/customers', {
    email: 'no address',
    currency: 'USD',
    next_billing_statement_sequence_number: 0,
  });
  expect(status).toBe(400);
  expect(body.errors.map(({code, parameter}: {code: string; parameter: string}) => [parameter, code]).sort()).toEqual([
    ['currency', 'parameter_invalid'],
    ['email', 'parameter_invalid'],
    ['name', 'parameter_required'],
    ['next_billing_statement_sequence_number', 'parameter_below_minimum'],
  ]);
});

test.each(['{', '[]', 'null', '"x"', '1'])('%s is not a JSON object', async (text) => {
  const w = world();
  const request = {method: 'POST', path: '/customers', query: '', body: Buffer.from(text)} as const;
  const headers = {
    authorization: `Basic ${Buffer.from(`${w.sandbox.keys.secret}:`).toString('base64')}`,
    'content-type': 'application/json',
  };
  expect((await w.sandbox.handle({...request, headers})).status).toBe(400);
});

test('a number that JavaScript cannot hold is no metadata', async () => {
  const w = world();
  const body = Buffer.from('{"currency":"PHP","name":"A","email":"a@b.co","metadata":12345678901234567890}');
  const headers = {
    authorization: `Basic ${Buffer.from(`${w.sandbox.keys.secret}:`).toString('base64')}`,
    'content-type': 'application/json',
  };
  const answer = await w.sandbox.handle({method: 'POST', path: '/customers', query: '', body, headers});
  expect(JSON.parse(Buffer.from(answer.body).toString()).errors).toMatchObject([
    {code: 'parameter_type_invalid', parameter: 'metadata'},
  ]);
});

describe('prototype keys have no effect', () => {
  const polluted = () => ({}) as Record<string, unknown>;

  test.each([
    'currency=PHP&name=A&email=a@b.co&__proto__[polluted]=1&constructor[prototype][polluted]=1',
    'currency=PHP&name=A&email=a@b.co&metadata[__proto__]=1&metadata[constructor]=2&metadata[toString]=3',
    'currency=PHP&name=A&email=a@b.co&metadata[__proto__][polluted]=1',
    'currency=PHP&name=A&email=a@b.co&billing_details[__proto__][polluted]=1',
  ])('%s', async (body) => {
    const w = world();
    const {status} = await w.call('POST', '/customers', body);
    expect([200, 400]).toContain(status);
    expect(polluted().polluted).toBeUndefined();
    expect((await w.customer()).polluted).toBeUndefined();
    expect((await w.ok('GET', '/customers')).resource).toBe('list');
  });

  test('in JSON', async () => {
    const w = world();
    const json =
      '{"currency":"PHP","name":"A","email":"a@b.co","__proto__":{"polluted":1},"metadata":{"__proto__":"x","a":"b"},"billing_details":{"__proto__":{"polluted":1},"phone":"1"}}';
    const made = await w.call('POST', '/customers', JSON.parse(json));
    expect(made.status).toBe(200);
    expect(Object.entries(made.body.metadata)).toEqual([
      ['__proto__', 'x'],
      ['a', 'b'],
    ]);
    expect(polluted().polluted).toBeUndefined();
    expect(made.body.billing.polluted).toBeUndefined();
  });

  test('as the name of an object', async () => {
    const w = world();
    for (const target of [
      '/customers/__proto__',
      '/customers/constructor',
      '/__proto__',
      '/customers/%E0%A4%A',
      '/customers/..%2F..',
    ]) {
      expect((await w.call('GET', target)).status).toBe(404);
    }
  });
});

test('refuses too deep nesting', async () => {
  const {status, body} = await world().call('POST', '/customers', `name${'[a]'.repeat(50_000)}=1`);
  expect(status).toBe(400);
  expect(body.errors[0].code).toBe('parameter_invalid');
});

describe('keys', () => {
  test('refuses a missing, a wrong and a live key', async () => {
    const w = world();
    for (const [key, code] of [
      ['', 'auth_invalid'],
      ['sk_test_wrong', 'auth_invalid'],
      ['sk_live_x', 'mode_mismatched'],
    ]) {
      expect(await w.call('GET', '/customers', undefined, key)).toMatchObject({status: 401, body: {errors: [{code}]}});
    }
  });

  test('a public key reads parts of one intent, with its secret', async () => {
    const w = world();
    const {id, client_secret: secret} = await w.intent({metadata: {private: 'yes'}});
    const key = w.sandbox.keys.public;
    expect((await w.call('GET', '/customers', undefined, key)).status).toBe(401);
    expect(await w.call('GET', `/payment_intents/${id}`, undefined, key)).toMatchObject({
      status: 400,
      body: {errors: [{code: 'parameter_required', parameter: 'client_secret'}]},
    });
    expect((await w.call('GET', `/payment_intents/${id}?client_secret=wrong`, undefined, key)).status).toBe(400);
    const {status, body} = await w.call('GET', `/payment_intents/${id}?client_secret=${secret}`, undefined, key);
    expect(status).toBe(200);
    expect(body).toMatchObject({id, amount: 125_050, status: 'awaiting_payment_method'});
    expect(body).not.toHaveProperty('metadata');
    expect(body).not.toHaveProperty('customer');
  });
});

test.each([
  ['due_at=-5', 'parameter_below_minimum', 'The value for due_at cannot be less than 0.'],
  ['due_at=1764547199000', 'parameter_above_maximum', 'The value for due_at cannot be more than 253402300799.'],
  [{due_at: -5}, 'parameter_below_minimum', 'The value for due_at cannot be less than 0.'],
  [{due_at: 1_764_547_199_000}, 'parameter_above_maximum', 'The value for due_at cannot be more than 253402300799.'],
])('refuses an implausible time: %j', async (body, code, detail) => {
  const w = world();
  const {id} = await w.draft();
  const refused = await w.call('PUT', `/billing_statements/${id}`, body);
  expect(refused).toMatchObject({status: 400, body: {errors: [{code, detail, parameter: 'due_at'}]}});
});
