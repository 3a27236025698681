// Part of the client suite: refusals by the API, by kind, and refusals before sending.

import {describe, expect, test} from 'vitest';
import type {Client} from '../../src/client/client.js';
import {CentavoError} from '../../src/common/errors.js';
import {customer, draft, session} from './stories.js';
import type {Start, Wire} from './suite.js';

const NONE = 'N'.repeat(32);

/** The error of a call that must fail. */
async function failure(call: () => PromiseLike<unknown>): Promise<CentavoError> {
  const outcome = await Promise.resolve()
    .then(call)
    .then(
      () => 'no failure',
      (error: unknown) => error,
    );
  expect(outcome).toBeInstanceOf(CentavoError);
  return outcome as CentavoError;
}

const told = ({kind, code, details}: CentavoError) => ({kind, code, ...details});

export function errors(start: Start): void {
  describe('a refusal by the API is an error of kind rejected', () => {
    test('with the API’s own errors for a wrong value', async () => {
      const {client} = await start();
      const error = await failure(() => client.paymentIntents.create({amount: 1999, currency: 'PHP'}));
      expect(told(error)).toMatchObject({
        kind: 'rejected',
        code: 'parameter_below_minimum',
        status: 400,
        applied: 'no',
        retryable: false,
        request: {method: 'POST', path: '/payment_intents', operation: 'paymentIntents.create'},
      });
      expect(error.details.apiErrors).toEqual([
        {code: 'parameter_below_minimum', detail: expect.stringContaining('2000'), parameter: 'amount'},
      ]);
    });

    test('with one error for each wrong value', async () => {
      const {client} = await start();
      const error = await failure(() => client.customers.create({name: '', email: 'x', currency: 'USD'}));
      expect(error.kind).toBe('rejected');
      expect(error.details.apiErrors!.map(({parameter}) => parameter).sort()).toEqual(['currency', 'email', 'name']);
    });

    test('names a nested value', async () => {
      const {client} = await start();
      const line_items = [
        {name: 'Good', amount: 2000, quantity: 1},
        {name: 'Bad', amount: 2000, quantity: 0, description: 'None of it'},
      ];
      const error = await failure(() => session(client, {line_items}));
      expect(error.details.apiErrors).toMatchObject([
        {parameter: 'line_items.1.quantity', code: 'parameter_below_minimum'},
      ]);
    });

    test('when the status of the object does not allow it', async () => {
      const {client} = await start();
      const {id} = await draft(client);
      for (const call of [() => client.billingStatements.void(id), () => client.billingStatements.send(id)]) {
        const error = await failure(call);
        expect(told(error)).toMatchObject({kind: 'rejected', status: 400, applied: 'no'});
        expect(error.details.apiErrors![0]!.detail).toContain('draft');
      }
    });

    test('when the due time is missing', async () => {
      const {client} = await start();
      const {id} = await client.billingStatements.create({customer_id: (await customer(client)).id, currency: 'PHP'});
      const error = await failure(() => client.billingStatements.finalize(id));
      expect(told(error)).toMatchObject({kind: 'rejected', apiErrors: [{parameter: 'due_at'}]});
    });

    test('when a page is too large, awaited or iterated', async () => {
      const {client} = await start();
      const iterated = async () => {
        for await (const one of client.customers.list({limit: 101})) return one;
      };
      for (const call of [() => client.customers.list({limit: 101}), iterated]) {
        expect(told(await failure(call))).toMatchObject({kind: 'rejected', apiErrors: [{parameter: 'limit'}]});
      }
    });
  });

  describe('a missing object is an error of kind not_found', () => {
    test.each<[string, (client: Client) => PromiseLike<unknown>, string | undefined]>([
      ['read', (client) => client.billingStatements.get(`bstm_${NONE}`), undefined],
      ['listed', (client) => client.payouts.listTransactions(`po_${NONE}`), undefined],
      ['changed', (client) => client.webhooks.update(`wh_${NONE}`, {description: 'x'}), 'no'],
      ['deleted', (client) => client.customers.delete(`cus_${NONE}`), 'no'],
      ['acted on', (client) => client.checkoutSessions.expire(`cs_${NONE}`), 'no'],
      ['referred to', (client) => client.customerSessions.create({customer_id: `cus_${NONE}`}), 'no'],
    ])('when it is %s', async (_name, call, applied) => {
      const {client} = await start();
      const error = await failure(() => call(client));
      expect(told(error)).toMatchObject({kind: 'not_found', code: 'resource_not_found', status: 404});
      expect(error.details.apiErrors![0]!.detail).toContain(NONE);
      expect(error.details.applied).toBe(applied);
    });
  });

  describe('a refused key is an error of kind auth', () => {
    test('when it is an unknown key', async () => {
      const {connect} = await start();
      const stranger = connect({key: `sk_test_${NONE}`});
      for (const call of [() => stranger.customers.list(), () => customer(stranger)]) {
        expect(told(await failure(call))).toMatchObject({kind: 'auth', code: 'auth_invalid', status: 401});
      }
    });

    test('when it is a public key, except for payment intents', async () => {
      const {connect, sandbox} = await start();
      const browser = connect({key: sandbox.keys.public});
      expect(told(await failure(() => browser.customers.list()))).toMatchObject({kind: 'auth', status: 401});
      expect(told(await failure(() => customer(browser)))).toMatchObject({kind: 'auth', applied: 'no'});
      const error = await failure(() => browser.paymentIntents.get(`pi_${NONE}`));
      expect(told(error)).toMatchObject({kind: 'rejected', apiErrors: [{parameter: 'client_secret'}]});
    });
  });

  describe('an invalid id is an error of kind usage, and nothing is sent', () => {
    const bad: readonly unknown[] = [
      '',
      '.',
      '..',
      '../webhooks',
      'cus_',
      'cus_x?y',
      'cus_x#y',
      'cus_x/y',
      'cus_x/../../webhooks',
      'cus_%2e%2e',
      'cus_x y',
      'cus_ñ',
      'cus_x\n',
      ' cus_x',
      'CUS_x',
      `pi_${NONE}`,
      `cus_s_${NONE}`,
      undefined,
      null,
      7,
      {id: `cus_${NONE}`},
    ];

    test.each(bad.map((id) => [id]))('%j', async (given) => {
      const {connect, sandbox} = await start();
      const sent: string[] = [];
      const {customers} = connect({key: sandbox.keys.secret, onAttempt: ({path}) => sent.push(path)});
      const id = given as string;
      for (const call of [
        () => customers.get(id),
        () => customers.update(id, {name: 'x'}),
        () => customers.delete(id),
        () => customers.listPaymentMethods(id),
        () => customers.deletePaymentMethod(id, `pm_${NONE}`),
        () => customers.deletePaymentMethod(`cus_${NONE}`, id),
      ]) {
        expect(told(await failure(call))).toMatchObject({kind: 'usage', code: 'invalid_id', applied: 'no'});
      }
      expect(sent).toEqual([]);
    });

    test('an id of another resource, in every method', async () => {
      const {client} = await start();
      const id = `cus_${NONE}`;
      for (const call of [
        () => client.billingStatements.finalize(id),
        () => client.billingStatementLineItems.update(`bstm_${NONE}`, {quantity: 1}),
        () => client.paymentIntents.capture(id, {amount: 2000}),
        () => client.checkoutSessions.get(`cs_li_${NONE}`),
        () => client.payments.get(`pi_${NONE}`),
        () => client.refunds.update(`pay_${NONE}`, {}),
        () => client.payouts.listTransactions(`po_txn_${NONE}`),
        () => client.webhooks.disable(id),
        () => client.customerSessions.get(id),
        () => client.setupIntents.cancel(`pi_${NONE}`),
      ]) {
        expect(told(await failure(call))).toMatchObject({kind: 'usage', code: 'invalid_id'});
      }
    });
  });

  test('raw returns any response, errors included', async () => {
    const {client} = await start();
    const text = (body: Uint8Array): Wire => JSON.parse(Buffer.from(body).toString());
    const {status, body} = await client.raw('GET', '/customers', {
      email: 'a+b@example.com',
      metadata: {'Order ID': '1'},
    });
    expect([status, text(body)]).toEqual([200, {resource: 'list', has_more: false, data: []}]);
    const made = await client.raw('POST', '/customers', {name: 'Ana', email: 'ana@example.com', currency: 'PHP'});
    expect([made.status, text(made.body).name]).toEqual([200, 'Ana']);
    const error = await failure(() => client.raw('GET', '/nothing'));
    expect(told(error)).toMatchObject({kind: 'not_found', code: 'route_not_found'});
  });
}
