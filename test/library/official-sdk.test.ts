// The official SDK, unmodified and at its real address: MSW hands its requests to the sandbox of the test.

import {createRequire} from 'node:module';
import {http} from 'msw';
import {setupServer} from 'msw/node';
import {afterAll, beforeAll, expect, test, vi} from 'vitest';
import {createSandbox, type TestSandbox} from '../../src/index.js';
import {line, type Payrex} from '../support/payrex.js';

const Client: Payrex = createRequire(import.meta.url)('payrex-node');

let sandbox: TestSandbox;
let payrex: Payrex;
const server = setupServer(
  http.all('https://api.payrexhq.com/*', ({request}) => sandbox.fetch(request).catch(() => Response.error())),
);

beforeAll(async () => {
  // Its HTTP client would use a proxy of the environment.
  vi.stubEnv('no_proxy', 'api.payrexhq.com');
  server.listen({onUnhandledRequest: 'error'});
  sandbox = await createSandbox({at: '2031-01-15T09:00:00+08:00', random: 7});
  payrex = new Client(sandbox.keys.secret);
});
afterAll(async () => {
  server.close();
  vi.unstubAllEnvs();
  await sandbox.close();
});

const checkout = (): Promise<Payrex> =>
  payrex.checkoutSessions.create({
    currency: 'PHP',
    line_items: [line],
    success_url: 'https://shop.example/thanks?order=1&x=2',
    cancel_url: 'https://shop.example/cart',
    metadata: {order: '1001'},
  });

test('it creates, reads and refunds what the sandbox holds', async () => {
  const {id} = await checkout();
  const {payment} = await sandbox.pay(id as string);
  expect(await payrex.payments.retrieve(payment!.id)).toMatchObject({amount: 90_000, metadata: {order: '1001'}});

  const reason = 'requested_by_customer';
  await payrex.refunds.create({payment_id: payment!.id, amount: 45_000, currency: 'PHP', reason});
  expect(await sandbox.events.waitFor({type: 'refund.created', object: payment!})).toMatchObject({
    data: {amount: 45_000},
  });
});

test('it gets the errors of the API', async () => {
  await expect(payrex.customers.retrieve('cus_none')).rejects.toMatchObject({name: 'ResourceNotFoundError'});
  const other = new Client('sk_test_of_someone_else');
  await expect(other.customers.retrieve('cus_none')).rejects.toMatchObject({name: 'AuthenticationInvalidError'});
});

test('it gets the failures that the test asks for', async () => {
  sandbox.failNext({operation: 'checkoutSessions.create', status: 503});
  await expect(checkout()).rejects.toThrow();
  const lost = sandbox.failNext({operation: 'checkoutSessions.create', drop: 'after'});
  await expect(checkout()).rejects.toThrow();
  expect(lost.used).toBe(1);
  const posted = (await sandbox.requests.list()).filter(({path}) => path === '/checkout_sessions');
  expect(posted.slice(-2).map(({status}) => status)).toEqual([503, null]);
});
