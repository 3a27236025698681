// The typed client: where it sends requests, what it refuses, and the helpers for ids and related objects.

import {describe, expect, test} from 'vitest';
import type {ApiRequest, Transport} from '../../src/api/wire.js';
import {asId, idOf, objectOf} from '../../src/library/related.js';
import {createTypedClient, type TypedClient, type TypedClientOptions} from '../../src/library/typed-client.js';

const KEY = 'sk_test_1';

/** A client whose requests are kept, and answered with one object. */
function recording(answer: object): {client: TypedClient; requests: ApiRequest[]} {
  const requests: ApiRequest[] = [];
  const transport: Transport = async (request) => {
    requests.push(request);
    return {status: 200, headers: {'content-type': 'application/json'}, body: Buffer.from(JSON.stringify(answer))};
  };
  return {client: createTypedClient({key: KEY, transport}), requests};
}

const LIST = {resource: 'list', has_more: false, data: [{id: 'cus_1', resource: 'customer', name: 'Juan'}]};

describe('the target', () => {
  const transport: Transport = () => Promise.reject(new Error('not called'));
  const open = (options: object) => createTypedClient({key: KEY, ...options} as TypedClientOptions);

  test.each([
    [{}, 'createClient needs to know where to send requests: one of api, baseUrl and transport.'],
    [{baseUrl: undefined}, 'createClient needs to know where to send requests: one of api, baseUrl and transport.'],
    [{api: 'payrex', transport}, 'createClient takes one of api, baseUrl and transport, not api and transport.'],
    [{api: 'stripe'}, 'createClient does not know the api "stripe".'],
  ])('is refused: %o', (options, message) => {
    expect(() => open(options)).toThrow(expect.objectContaining({kind: 'usage', code: 'invalid_target'}));
    expect(() => open(options)).toThrow(message);
  });

  test.each([[{api: 'payrex'}], [{baseUrl: 'http://127.0.0.1:4010'}], [{transport}]])(
    'is one of three: %o',
    (options) => {
      expect(() => open(options)).not.toThrow();
    },
  );
});

describe('an unknown parameter', () => {
  test('is refused by name, with the nearest known name, and nothing is sent', async () => {
    const {client, requests} = recording(LIST);
    await expect(client.customers.list({limt: 3} as {})).rejects.toMatchObject({
      kind: 'usage',
      code: 'unknown_parameter',
      message: expect.stringContaining('customers.list has no parameter limt.') as string,
      details: {applied: 'no', why: expect.stringContaining('Did you mean limit?') as string},
    });
    const walk = async (): Promise<void> => {
      for await (const each of client.customers.list({limt: 3} as {})) expect(each).toBeUndefined();
    };
    await expect(walk()).rejects.toMatchObject({code: 'unknown_parameter'});
    expect(requests).toEqual([]);
  });

  test('is found inside hashes and lists of hashes', async () => {
    const {client, requests} = recording({});
    const settings = {payment_settings: {payment_method_options: {card: {allowed_bin: ['4242']}}}};
    await expect(client.billingStatements.update('bstm_1', settings as {})).rejects.toThrow(
      'no parameter payment_settings.payment_method_options.card.allowed_bin.',
    );
    const items = {line_items: [{name: 'Pen', amount: 100, quantity: 1, sku: 'P'}]};
    await expect(client.checkoutSessions.create(items as never)).rejects.toThrow('no parameter line_items.sku.');
    expect(requests).toEqual([]);
  });

  test('is sent by raw; names of metadata are free', async () => {
    const {client, requests} = recording({id: 'cus_1', resource: 'customer'});
    await client.raw('POST', '/customers', {nickname: 'J'});
    await client.customers.update('cus_1', {metadata: {branch: 'cebu'}});
    expect(requests.map(({body}) => JSON.parse(String(Buffer.from(body!))) as unknown)).toEqual([
      {nickname: 'J'},
      {metadata: {branch: 'cebu'}},
    ]);
  });
});

test('a list is a page when awaited, and its items when iterated', async () => {
  const {client} = recording(LIST);
  expect((await client.customers.list()).data).toHaveLength(1);
  for await (const {name} of client.customers.list({limit: 1})) expect(name).toBe('Juan');
});

test('the generic calls of the commands are not in it', () => {
  expect(Object.keys(recording({}).client)).not.toEqual(expect.arrayContaining(['perform']));
  for (const name of ['perform', 'requestOf', 'rawRequest']) expect(recording({}).client).not.toHaveProperty(name);
});

test('a related object is read whole, as an id or as null', () => {
  const whole = {id: 'cus_1', name: 'Juan'} as const;
  expect([whole, 'cus_1', null, undefined].map(idOf)).toEqual(['cus_1', 'cus_1', null, null]);
  expect([whole, 'cus_1', null].map(objectOf)).toEqual([whole, null, null]);
});

describe('asId', () => {
  test('returns an id of the resource', () => {
    expect(asId('payment', 'pay_1')).toBe('pay_1');
    expect(asId('billing_statement_line_item', 'bstm_li_1')).toBe('bstm_li_1');
  });

  test.each([
    ['cus_1', '"cus_1" is not the id of a payment.', 'this is the id of a customer'],
    ['bstm_li_1', '"bstm_li_1" is not the id of a payment.', 'a billing statement line item'],
    ['pay_', '"pay_" is not the id of a payment.', 'starts with pay_'],
    ['', '"" is not the id of a payment.', 'starts with pay_'],
    [undefined, 'nothing is not the id of a payment.', 'starts with pay_'],
    [null, 'nothing is not the id of a payment.', 'starts with pay_'],
    [7, 'a value of type number is not the id of a payment.', 'starts with pay_'],
    ['sk_live_abc', 'a secret is not the id of a payment.', 'starts with pay_'],
  ])('refuses %o', (given, message, why) => {
    expect(() => asId('payment', given)).toThrow(message);
    expect(() => asId('payment', given)).toThrow(
      expect.objectContaining({
        kind: 'usage',
        code: 'invalid_id',
        details: expect.objectContaining({why: expect.stringContaining(why) as string}) as object,
      }),
    );
  });

  test('refuses a resource that does not exist', () => {
    expect(() => asId('invoice' as 'payment', 'in_1')).toThrow('centavo has no resource "invoice".');
  });
});
