// Rules of the specification that the sandbox once broke. Each is kept, or docs/assumptions.md says why it is not.

import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {service, basic, type Service} from './service.js';
import {customer, draft, intent, open, session} from './stories.js';
import {controlOf} from '../../src/sandbox/control/control.js';

const ASSUMPTIONS = readFileSync(new URL('../../docs/assumptions.md', import.meta.url), 'utf8');

/** A rule is kept, by a check, or stands in the assumptions, with a text that says what speaks against it. */
type Settled = ((api: Service) => Promise<void>) | string;

const RULES: Readonly<Record<string, Settled>> = {
  'every resource has livemode': 'and recorded bodies, which have no livemode',
  'livemode is true in live mode': 'The sandbox has no live mode',
  'a statement has an amount of at least ₱20': 'The sandbox checks the minimum when a draft is finalized',
  'the currency of a statement comes from the customer': async (api) => {
    const json = {customer_id: (await customer(api)).id};
    expect(await api.ok('POST', '/billing_statements', json)).toMatchObject({currency: 'PHP', status: 'draft'});
    const form = `customer_id=${json.customer_id}`;
    expect(await api.send('POST', '/billing_statements', {form})).toMatchObject({status: 200, body: {currency: 'PHP'}});
    const empty = await api.send('POST', '/billing_statements', {form: `${form}&currency=`});
    expect(empty).toMatchObject({status: 200, body: {currency: 'PHP'}});
    const other = await api.send('POST', '/billing_statements', {json: {...json, currency: 'USD'}});
    expect(other).toMatchObject({status: 400, body: {errors: [{parameter: 'currency'}]}});
  },
  'the payment link of a statement is visible only while it is open': async (api) => {
    expect((await draft(api)).url).toBeNull();
    const {id, url} = await open(api);
    expect(url).toMatch(/^http/);
    expect((await api.ok('POST', `/billing_statements/${id}/void`)).url).toBeNull();
  },
  'billing_statement_url is visible in every status': 'which have it in every status',
  'due_at is a time': 'In recorded bodies 0 or null means not set',
  'a line item inside a statement has five fields': 'a recorded response have five fields of an item',
  'the description of an intent is a string': 'an empty string if it sent one',
  'the description of a session is a string': 'Recorded bodies have null if the request omitted it.',
  'the statement descriptor of a session is a string':
    'The specification says string. Recorded bodies have null if none was given.',
  'latest_payment has all fields of a payment': 'Without its customer, as in recorded events.',
  'an intent has one of four statuses': 'awaiting_capture and canceled are not in the specification',
  'submit_type is the text of the pay button': async (api) => {
    const json = {
      currency: 'PHP',
      line_items: [{name: 'Table', amount: 90_000, quantity: 1}],
      success_url: 'https://shop.example/done',
      cancel_url: 'https://shop.example/cart',
      submit_type: 'Reserve now <b>&',
    };
    const {url, submit_type: type} = await api.ok('POST', '/checkout_sessions', json);
    expect(type).toBe(json.submit_type);
    expect(await (await fetch(url)).text()).toMatch(/<button><bdi>Reserve now &lt;b&gt;&amp;<\/bdi> ₱900.00<\/button>/);
  },
  'fee is the amount that the service deducts': async (api) => {
    const {id} = await intent(api, {amount: 52_500});
    const {payment} = controlOf(api.sandbox).pay(id, {method: 'maya'});
    const read = await api.ok('GET', `/payments/${String(payment!.id)}`);
    expect(read).toMatchObject({fee: 1050, net_amount: 51_324, payment_method: {type: 'maya'}});
  },
  'a payment can be failed': 'a failed attempt leaves no payment',
  'UPDATE changes a customer': 'The specification writes the method UPDATE; every client library sends PUT.',
  'DELETE of a webhook returns the deleted resource':
    'The specification says only that the deleted resource is returned.',
  'a list of statements takes only limit, before and after': async (api) => {
    const {id} = await draft(api);
    const {data} = await api.ok('GET', '/billing_statements?status=paid&customer_id=cus_1');
    expect(data).toMatchObject([{id}]);
    expect(ASSUMPTIONS.includes('Unknown parameters are ignored')).toBe(true);
  },
  'card options of an intent always have allowed_bins and allowed_funding': async (api) => {
    const {payment_method_options: options} = await intent(api, {});
    expect(options.card).toMatchObject({allowed_bins: [], allowed_funding: []});
  },
  'the options of a session are those of an intent': async (api) => {
    const {payment_method_options: options} = await session(api);
    expect(options.card).toMatchObject({allowed_bins: [], allowed_funding: []});
  },
  'a default image is shown where an item has none': async (api) => {
    const {url} = await session(api);
    expect(await (await fetch(url)).text()).toContain('<svg class="pic"');
  },
  'the password of Basic authentication is empty': async (api) => {
    for (const password of ['x', ':', api.secretKey]) {
      const headers = {authorization: basic(`${api.secretKey}:${password}`)};
      const {status, body} = await api.send('GET', '/customers', {key: null, headers});
      expect([status, body.errors[0].code]).toEqual([401, 'auth_invalid']);
      expect(body.errors[0].detail).toContain('The password of Basic authentication must be empty');
    }
    const headers = {authorization: basic(`${api.secretKey}:`)};
    expect((await api.send('GET', '/customers', {key: null, headers})).status).toBe(200);
  },
};

test.each(Object.entries(RULES))('%s', async (_rule, settled) => {
  if (typeof settled === 'string') expect(ASSUMPTIONS.includes(settled), settled).toBe(true);
  else await settled(await service());
});
