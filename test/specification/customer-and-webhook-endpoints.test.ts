// Specification, "Endpoints": customers and webhooks, each request written by hand in JSON and as a form.

import {describe, expect, test} from 'vitest';
import {service, type Sent} from './service.js';
import {customer, webhook} from './stories.js';

const bodies = (json: object, form: string): [string, Sent][] => [
  ['JSON', {json}],
  ['a form', {form}],
];

const address = {
  line1: 'Unit 4B, 12 Mabini St',
  line2: '',
  city: 'Parañaque',
  state: 'Metro Manila',
  postal_code: '1700',
  country: 'PH',
};

describe('POST /customers', () => {
  test.each(
    bodies(
      {
        name: 'Niño Ibañez',
        email: 'nino+shop@example.com',
        currency: 'PHP',
        billing_statement_prefix: 'NINO',
        next_billing_statement_sequence_number: 42,
        billing_details: {phone: '+639171234567', address},
        metadata: {'Order ID': '12', 'branch ñ': 'Cebu & Iloilo', empty: ''},
      },
      'name=Ni%C3%B1o%20Iba%C3%B1ez&email=nino%2Bshop%40example.com&currency=PHP&billing_statement_prefix=NINO' +
        '&next_billing_statement_sequence_number=42' +
        '&billing_details%5Bphone%5D=%2B639171234567' +
        '&billing_details%5Baddress%5D%5Bline1%5D=Unit%204B%2C%2012%20Mabini%20St' +
        '&billing_details%5Baddress%5D%5Bline2%5D=' +
        '&billing_details%5Baddress%5D%5Bcity%5D=Para%C3%B1aque' +
        '&billing_details%5Baddress%5D%5Bstate%5D=Metro+Manila' +
        '&billing_details%5Baddress%5D%5Bpostal_code%5D=1700' +
        '&billing_details%5Baddress%5D%5Bcountry%5D=PH' +
        '&metadata%5BOrder%20ID%5D=12&metadata%5Bbranch+%C3%B1%5D=Cebu+%26+Iloilo&metadata%5Bempty%5D=',
    ),
  )('makes a customer from %s', async (_name, sent) => {
    const api = await service();
    const {status, body} = await api.send('POST', '/customers', sent);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^cus_[A-Za-z0-9]+$/),
      resource: 'customer',
      name: 'Niño Ibañez',
      email: 'nino+shop@example.com',
      currency: 'PHP',
      billing_statement_prefix: 'NINO',
      livemode: false,
      billing: {phone: '+639171234567', address},
    });
    expect(body.metadata).toEqual({'Order ID': '12', 'branch ñ': 'Cebu & Iloilo', empty: ''});
    expect(body).not.toHaveProperty('billing_details');
  });

  test('names each missing parameter', async () => {
    const api = await service();
    const {status, body} = await api.send('POST', '/customers', {json: {}});
    expect(status).toBe(400);
    const named = body.errors.map(({code, parameter}: Record<string, string>) => [code, parameter]);
    expect(named.sort()).toEqual([
      ['parameter_required', 'currency'],
      ['parameter_required', 'email'],
      ['parameter_required', 'name'],
    ]);
  });
});

test('GET /customers/:id returns the customer', async () => {
  const api = await service();
  const made = await customer(api);
  const answer = await api.send('GET', `/customers/${made.id}`);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual(made);
});

test('GET /customers returns a list', async () => {
  const api = await service();
  const {id} = await customer(api);
  expect(await api.send('GET', '/customers')).toMatchObject({
    status: 200,
    body: {resource: 'list', has_more: false, data: [{id, resource: 'customer'}]},
  });
});

test.each(bodies({name: 'Maria Santos', metadata: {vip: 'true'}}, 'name=Maria%20Santos&metadata[vip]=true'))(
  'PUT /customers/:id changes what is named in %s, and nothing else',
  async (_name, sent) => {
    const api = await service();
    const before = await customer(api, {metadata: {old: '1'}});
    const answer = await api.send('PUT', `/customers/${before.id}`, sent);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({...before, name: 'Maria Santos', metadata: {vip: 'true'}});
    expect(await api.ok('GET', `/customers/${before.id}`)).toEqual(answer.body);
  },
);

test('DELETE /customers/:id leaves a tombstone that can still be read', async () => {
  const api = await service();
  const {id} = await customer(api);
  const tombstone = {id, resource: 'customer', deleted: true};
  const deleted = await api.send('DELETE', `/customers/${id}`);
  expect([deleted.status, deleted.body]).toEqual([200, tombstone]);
  const read = await api.send('GET', `/customers/${id}`);
  expect([read.status, read.body]).toEqual([200, tombstone]);
  expect((await api.ok('GET', '/customers')).data).toEqual([]);
  expect((await api.send('PUT', `/customers/${id}`, {json: {name: 'Maria'}})).status).toBe(404);
  expect((await api.send('DELETE', `/customers/${id}`)).status).toBe(404);
});

test.each(
  bodies(
    {
      url: 'https://shop.example/hooks?a=1&b=2',
      events: ['payment_intent.succeeded', 'refund.created'],
      description: 'Orders',
    },
    'url=https%3A%2F%2Fshop.example%2Fhooks%3Fa%3D1%26b%3D2&events[]=payment_intent.succeeded&events[]=refund.created&description=Orders',
  ),
)('POST /webhooks registers an address from %s, with a key of its own', async (_name, sent) => {
  const api = await service();
  expect(await api.send('POST', '/webhooks', sent)).toMatchObject({
    status: 200,
    body: {
      id: expect.stringMatching(/^wh_[A-Za-z0-9]+$/),
      resource: 'webhook',
      secret_key: expect.stringMatching(/^whsk_.+/),
      status: 'enabled',
      url: 'https://shop.example/hooks?a=1&b=2',
      events: ['payment_intent.succeeded', 'refund.created'],
      description: 'Orders',
      livemode: false,
    },
  });
});

test('POST /webhooks accepts any event type', async () => {
  const api = await service();
  expect((await webhook(api, {events: ['some_new.kind']})).events).toEqual(['some_new.kind']);
});

test('GET /webhooks returns a list', async () => {
  const api = await service();
  const [first, second] = [await webhook(api), await webhook(api)];
  const answer = await api.send('GET', '/webhooks');
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({resource: 'list', has_more: false, data: [second, first]});
});

test('GET /webhooks/:id returns the webhook', async () => {
  const api = await service();
  const made = await webhook(api);
  const answer = await api.send('GET', `/webhooks/${made.id}`);
  expect([answer.status, answer.body]).toEqual([200, made]);
});

test.each(bodies({events: ['refund.updated'], description: 'Refunds'}, 'events[]=refund.updated&description=Refunds'))(
  'PUT /webhooks/:id changes what is named in %s, and nothing else',
  async (_name, sent) => {
    const api = await service();
    const before = await webhook(api);
    const answer = await api.send('PUT', `/webhooks/${before.id}`, sent);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({...before, events: ['refund.updated'], description: 'Refunds'});
  },
);

test('POST /webhooks/:id/disable and enable switch it off and on', async () => {
  const api = await service();
  const made = await webhook(api);
  const disabled = await api.send('POST', `/webhooks/${made.id}/disable`);
  expect([disabled.status, disabled.body]).toEqual([200, {...made, status: 'disabled'}]);
  expect((await api.ok('GET', `/webhooks/${made.id}`)).status).toBe('disabled');
  const enabled = await api.send('POST', `/webhooks/${made.id}/enable`);
  expect([enabled.status, enabled.body]).toEqual([200, made]);
});

test('DELETE /webhooks/:id returns the deleted resource', async () => {
  const api = await service();
  const {id} = await webhook(api);
  const answer = await api.send('DELETE', `/webhooks/${id}`);
  expect([answer.status, answer.body]).toEqual([200, {id, resource: 'webhook', deleted: true}]);
  expect((await api.send('GET', `/webhooks/${id}`)).status).toBe(404);
  expect((await api.ok('GET', '/webhooks')).data).toEqual([]);
});
