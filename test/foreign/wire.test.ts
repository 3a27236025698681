// Requests written by another client: bracketed forms and queries, and errors by class.

import {describe, expect, test} from 'vitest';
import {customer, draft, foreign, line, session, type Payrex} from '../support/payrex.js';

const NONE = 'N'.repeat(32);

describe('forms and queries that the official client writes', () => {
  test('metadata with spaces, encoded brackets and non-ASCII letters is stored and found', async () => {
    const {payrex} = await foreign();
    const metadata = {'Order ID': '12 A+B', 'branch ñ 漢字': 'Cebu & Iloilo = 2', empty: '', flag: true, count: 7};
    const made = await customer(payrex, {metadata});
    expect(made.metadata).toEqual({...metadata, flag: 'true', count: '7'});
    await customer(payrex, {metadata: {'Order ID': '13'}});
    for (const filter of [{'Order ID': '12 A+B'}, {'branch ñ 漢字': 'Cebu & Iloilo = 2'}]) {
      const {data} = await payrex.customers.list({metadata: filter});
      expect(data.map(({id}: {id: string}) => id)).toEqual([made.id]);
    }
    expect((await payrex.customers.list({metadata: {'Order ID': '12 A+B', empty: 'x'}})).data).toEqual([]);
  });

  test('an e-mail address with a plus, and a name, filter together', async () => {
    const {payrex} = await foreign();
    const {id} = await customer(payrex, {name: 'Niño Ibañez', email: 'nino+shop@example.com'});
    await customer(payrex, {name: 'Niño Ibañez'});
    const {data} = await payrex.customers.list({name: 'Niño Ibañez', email: 'nino+shop@example.com'});
    expect(data.map((one: {id: string}) => one.id)).toEqual([id]);
  });

  test('line items are separated by their first key, some with optional keys', async () => {
    const {payrex} = await foreign();
    const lines = [
      {...line, description: 'Blue & white'},
      line,
      {...line, name: 'Cap', image: 'https://shop.example/cap.jpg?size=1&w=2'},
    ];
    const {lineItems} = await session(payrex, {line_items: lines});
    expect(lineItems).toMatchObject([
      {name: 'T-shirt', description: 'Blue & white', image: null},
      {name: 'T-shirt', description: null, image: null},
      {name: 'Cap', description: null, image: 'https://shop.example/cap.jpg?size=1&w=2'},
    ]);
  });

  test('lists inside hashes keep their order', async () => {
    const {payrex} = await foreign();
    const card = {allowed_bins: ['511111', '424242', '400000'], allowed_funding: ['debit', 'credit']};
    const {paymentSettings} = await draft(payrex, {
      payment_settings: {payment_methods: ['maya', 'card'], payment_method_options: {card}},
    });
    expect(paymentSettings).toEqual({payment_methods: ['maya', 'card'], payment_method_options: {card}});
  });

  test('installments are taken by an intent and a session', async () => {
    const {payrex} = await foreign();
    const plans = {installment_types: ['zero', 'regular_holiday'], payment_terms: [36, 3]};
    const options = {payment_methods: ['bdo_installment'], payment_method_options: {bdo_installment: plans}};
    const intent = await payrex.paymentIntents.create({amount: 5000, currency: 'PHP', ...options});
    expect(intent.paymentMethodOptions.bdo_installment).toEqual(plans);
    for (const made of [intent, await session(payrex, options)]) {
      expect(made.paymentMethods).toEqual(['bdo_installment']);
    }
  });

  test('null clears, undefined is omitted, and an empty update changes nothing', async () => {
    const {payrex} = await foreign();
    const {id} = await draft(payrex, {description: 'Rent', metadata: {a: 'b'}});
    expect(await payrex.billingStatements.update(id, {description: undefined})).toMatchObject({description: 'Rent'});
    expect(await payrex.billingStatements.update(id, {})).toMatchObject({description: 'Rent', metadata: {a: 'b'}});
    expect(await payrex.billingStatements.update(id, {description: null, metadata: null})).toMatchObject({
      description: null,
      metadata: null,
    });
  });

  test('a whole list is read page by page from its last id', async () => {
    const {payrex} = await foreign();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.unshift((await customer(payrex)).id);
    const found: string[] = [];
    for (let after: string | undefined, more = true; more; after = found.at(-1)) {
      const page = await payrex.customers.list({limit: 2, after});
      found.push(...page.data.map(({id}: {id: string}) => id));
      more = page.hasMore;
    }
    expect(found).toEqual(ids);
  });
});

describe('an error of the official client', () => {
  test('is RequestInvalidError for a wrong value, one entry for each', async () => {
    const {payrex} = await foreign();
    const call = payrex.customers.create({name: '', email: 'juan', currency: 'USD'});
    const error: Payrex = await call.catch((thrown: unknown) => thrown);
    expect(error.name).toBe('RequestInvalidError');
    expect(error.errors).toHaveLength(3);
    for (const entry of error.errors) {
      expect(entry).toEqual({code: expect.any(String), detail: expect.any(String), parameter: expect.any(String)});
    }
  });

  test.each<[string, (payrex: Payrex) => Promise<unknown>, object]>([
    [
      'a value below its minimum',
      (payrex) => payrex.paymentIntents.create({amount: 1999, currency: 'PHP'}),
      {code: 'parameter_below_minimum', parameter: 'amount'},
    ],
    [
      'a missing due time',
      async (payrex) => {
        const {id: customer_id} = await customer(payrex);
        const {id} = await payrex.billingStatements.create({customer_id, currency: 'PHP', due_at: 1_800_000_000});
        return payrex.billingStatements.finalize(id);
      },
      {code: 'parameter_required', parameter: 'due_at'},
    ],
    [
      'a state that does not allow it',
      async (payrex) => payrex.billingStatements.void((await draft(payrex)).id),
      {code: expect.any(String), detail: expect.stringContaining('draft')},
    ],
    ['a page too large', (payrex) => payrex.customers.list({limit: 101}), {parameter: 'limit'}],
  ])('is RequestInvalidError for %s', async (_name, call, entry) => {
    const {payrex} = await foreign();
    await expect(call(payrex)).rejects.toMatchObject({name: 'RequestInvalidError', errors: [entry]});
  });

  test.each<[string, (payrex: Payrex) => Promise<unknown>]>([
    ['billingStatements', (payrex) => payrex.billingStatements.retrieve(`bstm_${NONE}`)],
    ['paymentIntents', (payrex) => payrex.paymentIntents.cancel(`pi_${NONE}`)],
    ['customers', (payrex) => payrex.customers.delete(`cus_${NONE}`)],
    ['payouts', (payrex) => payrex.payouts.listTransactions(`po_${NONE}`)],
    ['refunds', (payrex) => payrex.refunds.update(`re_${NONE}`, {metadata: {a: 'b'}})],
  ])('is ResourceNotFoundError for an unknown id of %s', async (_name, call) => {
    const {payrex} = await foreign();
    await expect(call(payrex)).rejects.toMatchObject({
      name: 'ResourceNotFoundError',
      errors: [{code: 'resource_not_found', detail: expect.stringContaining(NONE)}],
    });
  });

  test('is AuthenticationInvalidError for another key, or a public one', async () => {
    const {withKey, sandbox} = await foreign();
    for (const key of [`sk_test_${NONE}`, '', sandbox.keys.public]) {
      await expect(withKey(key).customers.list()).rejects.toMatchObject({
        name: 'AuthenticationInvalidError',
        errors: [{code: 'auth_invalid', detail: expect.any(String)}],
      });
    }
  });

  test.each(['rate-limit', 'unavailable'])(
    'is BaseError with the entries of the answer for the fault %s',
    async (fault) => {
      const {payrex} = await foreign(`${fault}=1`);
      await expect(payrex.customers.list()).rejects.toMatchObject({
        name: 'BaseError',
        errors: [{code: expect.any(String), detail: expect.stringContaining(fault)}],
      });
    },
  );
});
