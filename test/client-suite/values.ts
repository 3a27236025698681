// Part of the client suite: difficult values arrive unchanged in every encoding.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {customer, draft, session} from './stories.js';
import type {Start} from './suite.js';

const HARD = {
  'Order ID': 'HS 2041',
  'Ñandú 漢字 🧵': 'naïve ✓',
  empty: '',
  'a&b=c': '50% + 1 = "half"; ?x=y#z/..',
  lines: 'one\ntwo\ttabbed\r\nthree',
  ' spaced ': '  kept  ',
  'dotted.key': 'v',
  number: '007',
  truth: 'true',
  nothing: 'null',
};

export function values(start: Start): void {
  test.each([
    [-5, 'before 1970'],
    [1_764_547_199_000, 'milliseconds; in seconds it is 1764547199'],
    [1.7e18, 'after the year 9999'],
  ])('the time %d is refused before it is sent', async (due_at, why) => {
    const {client} = await start();
    const {id} = await draft(client);
    const {due_at: before} = await client.billingStatements.get(id);
    const refused: (() => Promise<unknown>)[] = [
      () => client.billingStatements.update(id, {due_at}),
      () => client.raw('PUT', `/billing_statements/${id}`, {due_at}),
    ];
    for (const send of refused)
      await expect(Promise.resolve().then(send)).rejects.toMatchObject({
        kind: 'usage',
        code: 'invalid_date',
        details: {why: expect.stringContaining(why), applied: 'no'},
      });
    expect((await client.billingStatements.get(id)).due_at).toBe(before);
  });

  describe('metadata', () => {
    test.each(['customers', 'paymentIntents', 'setupIntents'] as const)(
      'of %s is returned unchanged',
      async (topic) => {
        const {client} = await start();
        const {id: customer_id} = await customer(client);
        const made = {
          customers: () => customer(client, {metadata: HARD}),
          paymentIntents: () => client.paymentIntents.create({amount: 2000, currency: 'PHP', metadata: HARD}),
          setupIntents: () => client.setupIntents.create({customer_id, metadata: HARD}),
        };
        expect((await made[topic]()).metadata).toEqual(HARD);
      },
    );

    test('of any text is returned unchanged', async () => {
      const {client} = await start();
      const {id} = await customer(client);
      const text = fc.string({unit: 'grapheme', maxLength: 12});
      // A form nests by brackets, so its keys cannot contain them.
      const key = text.filter((name) => !/[[\]]/.test(name) && name !== '');
      const property = fc.asyncProperty(fc.dictionary(key, text, {minKeys: 1, maxKeys: 5}), async (metadata) => {
        expect((await client.customers.update(id, {metadata: {...metadata}})).metadata).toEqual({...metadata});
      });
      await fc.assert(property, {numRuns: 60});
    });

    test('keeps __proto__ on every object with metadata', async () => {
      const {client} = await start();
      const metadata = JSON.parse('{"__proto__":"x","a":"b"}') as Record<string, string>;
      const made = await customer(client, {metadata});
      const statement = await client.billingStatements.create({customer_id: made.id, currency: 'PHP', metadata});
      const {data} = await client.customers.list({metadata});
      const objects = [made, await client.customers.get(made.id), statement, data[0]!];
      for (const object of objects) expect(Object.entries(object.metadata!)).toEqual(Object.entries(metadata));
      await expect(
        client.customers.update(made.id, {metadata: JSON.parse('{"__proto__":{"a":1}}') as Record<string, string>}),
      ).rejects.toMatchObject({kind: 'rejected'});
    });

    test('is replaced as a whole, and cleared by null', async () => {
      const {client} = await start();
      const {id} = await customer(client, {metadata: {a: '1', b: '2'}});
      expect((await client.customers.update(id, {metadata: {c: '3'}})).metadata).toEqual({c: '3'});
      expect((await client.customers.update(id, {name: 'Maria'})).metadata).toEqual({c: '3'});
      expect((await client.customers.update(id, {metadata: null as never})).metadata).toBeNull();
    });

    test('is cleared by an empty hash', async () => {
      const {client} = await start();
      const {id} = await customer(client, {metadata: {a: '1'}});
      expect((await client.customers.update(id, {metadata: {}})).metadata).toBeNull();
    });

    test('finds customers by keys and values with special characters', async () => {
      const {client} = await start();
      const {id} = await customer(client, {metadata: HARD});
      await customer(client, {metadata: {'Order ID': 'HS 2041'}});
      const found = await client.customers.list({metadata: {'Ñandú 漢字 🧵': 'naïve ✓', 'a&b=c': HARD['a&b=c']}});
      expect(found.data.map((one) => one.id)).toEqual([id]);
      expect((await client.customers.list({metadata: {empty: ''}})).data).toHaveLength(1);
      expect((await client.customers.list({metadata: {'Order ID': 'HS 2041'}})).data).toHaveLength(2);
    });
  });

  test('billing details nest; missing ones are null', async () => {
    const {client} = await start();
    const address = {line1: 'Unit 4B, 12 Mabini St.', city: 'Parañaque', postal_code: '01700', country: 'PH'};
    const billing_details = {phone: '+63 917 123 4567', address};
    const {id, billing} = await customer(client, {billing_details});
    expect(billing).toEqual({phone: '+63 917 123 4567', address: {...address, line2: null, state: null}});
    const blank = {line1: null, line2: null, city: null, state: null, postal_code: null, country: null};
    const changed = await client.customers.update(id, {billing_details: {phone: '0917'}});
    expect(changed.billing).toEqual({phone: '0917', address: blank});
  });

  test('line items keep their optional fields, each on its own item', async () => {
    const {client} = await start();
    const image = 'https://shop.example/i.jpg?a=1&b=2';
    const {line_items: lines, amount} = await session(client, {
      line_items: [
        {name: 'Plain', amount: 10_000, quantity: 1},
        {description: 'First is a text', name: 'Described', amount: 20_000, quantity: 2},
        {image, quantity: 3, amount: 5, name: 'Pictured'},
        {name: 'Both & more', amount: 1, quantity: 1, image, description: 'x = y'},
        {name: 'Plain again', amount: 1, quantity: 1, description: undefined},
      ],
    });
    const items = lines.map(({name, amount, quantity, description, image}: Record<string, unknown>) => [
      name,
      amount,
      quantity,
      description,
      image,
    ]);
    expect(items).toEqual([
      ['Plain', 10_000, 1, null, null],
      ['Described', 20_000, 2, 'First is a text', null],
      ['Pictured', 5, 3, null, image],
      ['Both & more', 1, 1, 'x = y', image],
      ['Plain again', 1, 1, null, null],
    ]);
    expect(amount).toBe(50_017);
  });

  test('many line items stay in order', async () => {
    const {client} = await start();
    const line_items = Array.from({length: 25}, (_, index) => ({
      name: `Item ${index}`,
      amount: 1000 + index,
      quantity: 1 + index,
      ...(index % 3 === 0 && {description: `No. ${index}`}),
    }));
    const made = await session(client, {line_items});
    expect(made.line_items).toMatchObject(line_items);
    expect(made.line_items).toHaveLength(25);
  });

  test('payment settings nest lists in hashes, and are updated one by one', async () => {
    const {client} = await start();
    const card = {allowed_bins: ['424242', '511111'], allowed_funding: ['debit']};
    const {id, payment_settings: settings} = await draft(client, {
      payment_settings: {payment_methods: ['card', 'gcash'], payment_method_options: {card}},
    });
    expect(settings).toEqual({payment_methods: ['card', 'gcash'], payment_method_options: {card}});
    const changed = await client.billingStatements.update(id, {payment_settings: {payment_methods: ['maya']}});
    expect(changed.payment_settings).toMatchObject({payment_methods: ['maya']});
    const kept = await client.billingStatements.update(id, {description: 'Rent'});
    expect(kept.payment_settings).toEqual(changed.payment_settings);
  });

  test('payment method options nest three deep', async () => {
    const {client} = await start();
    const card = {capture_type: 'manual', allowed_bins: ['424242'], allowed_funding: ['credit', 'debit']};
    const made = await client.paymentIntents.create({amount: 2000, currency: 'PHP', payment_method_options: {card}});
    expect(made.payment_method_options).toEqual({card: {...card, request_three_d_secure: 'any'}});
  });

  test('the largest amount is exact', async () => {
    const {client} = await start();
    expect(await client.paymentIntents.create({amount: 5_999_999_999, currency: 'PHP'})).toMatchObject({
      amount: 5_999_999_999,
    });
  });

  test('undefined is not sent, and null clears a text', async () => {
    const {client} = await start();
    const {id} = await draft(client, {description: 'Rent', metadata: undefined});
    expect((await client.billingStatements.update(id, {description: undefined})).description).toBe('Rent');
    expect((await client.billingStatements.update(id, {description: null as never})).description).toBeNull();
  });
}
