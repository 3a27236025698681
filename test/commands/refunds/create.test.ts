// `refunds create --statement`: finds the payment, prints the remaining amount and refuses more.

import {afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {service} from '../../support/services/service.js';
import {TEST_KEY} from '../../support/services/servers.js';
import {terminalInProcess} from '../../support/in-process.js';
import {ENTER, loaded} from '../../support/terminal.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
let merchant: Merchant;
let id: string;
let payment: string;

const refund = (...words: string[]) => run(['refunds', 'create', '--statement', id, '--reason', 'others', ...words]);
const refunded = async (): Promise<number> => (await merchant.call('GET', `/payments/${payment}`)).amount_refunded;

beforeAll(() => {
  merchant = new Merchant(directory);
});
afterAll(() => merchant.close());
beforeEach(async () => {
  id = (await merchant.open()).id as string;
  payment = controlOf(merchant.sandbox).pay(id, {}).payment!.id as string;
});

test('refunds an amount from the payment of the statement', async () => {
  const {status, stdout} = await refund('--amount', '450', '--remarks', 'Arrived late', '--json');
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({amount: 45_000, payment_id: payment, remarks: 'Arrived late'});
  expect(await refunded()).toBe(45_000);
  const [record] = (await run(['history', '--json'])).json().data;
  expect(record).toMatchObject({command: 'refunds create', amount: 45_000, result: 'ok'});
  expect(record.ids).toEqual(expect.arrayContaining([id, payment]));
});

test('refunds the remaining amount with --yes; requires --amount otherwise', async () => {
  await refund('--amount', '450');
  const asked = await refund();
  expect(asked.status).toBe(2);
  expect(asked.stderr).toMatch(
    /--amount is missing\.\n {2}At most ₱1,050\.00 of \S+-0001 can be refunded\. Nothing was refunded\./,
  );
  expect((await refund('--yes', '--json')).json()).toMatchObject({amount: 105_000});
  expect(await refunded()).toBe(150_000);
});

test('refuses more than the remaining amount, in pesos', async () => {
  await refund('--amount', '1,000');
  const {status, stderr} = await refund('--amount', '500.01');
  expect(status).toBe(2);
  expect(stderr).toMatch(
    /at most ₱500\.00 of \S+-0001 can be refunded, not ₱500\.01\.\n {2}₱1,500\.00 was paid, and ₱1,000\.00 of it refunded\. Nothing was refunded\./,
  );
  expect(await refunded()).toBe(100_000);
});

test('refuses a fully refunded payment: exit 5', async () => {
  await refund('--yes');
  const {status, stderr} = await refund('--amount', '20');
  expect(status).toBe(5);
  expect(stderr).toContain('nothing more of the payment of');
  expect(stderr).toMatch(/See it: centavo billing-statements get \S+-0001\n/);
});

test('requires --statement or --payment without a terminal: exit 2', async () => {
  const {status, stderr} = await run(['refunds', 'create', '--amount', '20', '--reason', 'others']);
  expect(status).toBe(2);
  expect(stderr).toMatch(/--statement is missing\..*\n.*--payment.*\n.*centavo refund /);
});

test('refuses a statement that is not paid: exit 5, with its status', async () => {
  id = (await merchant.open()).id as string;
  const {status, stderr} = await refund('--amount', '20');
  expect(status).toBe(5);
  expect(stderr).toMatch(/\S+-0001 is open\.\n {2}Only paid statements can be refunded\. Nothing was changed\./);
});

test('--payment works alone, and not with --statement', async () => {
  const words = ['refunds', 'create', '--payment', payment, '--amount', '20', '--reason', 'fraudulent', '--json'];
  expect((await run(words)).json()).toMatchObject({amount: 2000, reason: 'fraudulent'});
  expect((await run([...words, '--statement', id])).status).toBe(2);
});

test('--dry-run shows the request', async () => {
  const {stdout, status} = await refund('--dry-run', '--json');
  expect(status).toBe(0);
  const [request] = JSON.parse(stdout).requests;
  expect(request.method).toBe('POST');
  expect(JSON.parse(request.body)).toMatchObject({
    payment_id: payment,
    amount: 150_000,
    currency: 'PHP',
    reason: 'others',
  });
  expect(await refunded()).toBe(0);
});

describe('with an API that does not show a refund yet', () => {
  const statement = {
    status: 'paid',
    amount: 150_000,
    billing_statement_number: 'REYES-0001',
    // As recorded: a statement's payment intent has only the id of the payment.
    payment_intent: {id: 'pi_5Ls8', latest_payment: 'pay_3Fa9'},
  };

  test('subtracts refunds from this machine, with a note', async () => {
    const place = await service({
      bstm_7Hq2: statement,
      pay_3Fa9: {amount: 150_000, amount_refunded: 0, status: 'paid'},
    });
    onTestFinished(place.close);
    const own = commandsIn(temporaryDirectory(), {env: {CENTAVO_BASE_URL: place.url, CENTAVO_SECRET_KEY: TEST_KEY}});
    const refund = (amount: string) =>
      own(['refunds', 'create', '--statement', 'bstm_7Hq2', '--reason', 'others', '--amount', amount]);
    expect((await refund('1,000')).status).toBe(0);
    const {status, stderr} = await refund('900');
    expect(status).toBe(2);
    expect(stderr).toContain('at most ₱500.00 of REYES-0001 can be refunded, not ₱900.00.');
    expect(stderr).toContain(
      '₱1,000.00 more was refunded from this machine, or may have been. The API does not show it yet.',
    );
    expect(stderr).toContain('A person decides this, at a terminal.');
    expect((await refund('500')).status).toBe(0);
    expect(place.writes()).toHaveLength(2);
    expect(await refund('20')).toMatchObject({status: 5, stderr: expect.stringContaining('nothing more of')});
    const again = ['refunds', 'create', '--statement', 'bstm_7Hq2', '--amount', '900', '--allow-duplicate'];
    expect(await own([...again, '--reason', 'others'])).toMatchObject({status: 0});
  });

  test('finds the payment through the payment intent of the statement', async () => {
    const place = await service({
      bstm_7Hq2: {...statement, payment_intent: {id: 'pi_5Ls8'}},
      pi_5Ls8: {latest_payment: {id: 'pay_3Fa9'}},
      pay_3Fa9: {amount: 150_000, amount_refunded: 0, status: 'paid'},
    });
    onTestFinished(place.close);
    const own = commandsIn(temporaryDirectory(), {env: {CENTAVO_BASE_URL: place.url, CENTAVO_SECRET_KEY: TEST_KEY}});
    expect((await own(['refunds', 'create', '--statement', 'bstm_7Hq2', '--reason', 'others', '--yes'])).status).toBe(
      0,
    );
    expect(place.reads()).toContain('GET /payment_intents/pi_5Ls8');
  });
});

test.runIf(loaded.pty)('at a terminal it asks in every mode, with customer and amount', async () => {
  const desk = terminalInProcess(
    directory,
    ['refunds', 'create', '--statement', id, '--amount', '450', '--reason', 'others'],
    {
      columns: 160,
    },
  );
  await desk.until(/refund ₱450\.00 of ₱1,500\.00 to Juan Dela Cruz for \S+-0001\?/);
  desk.type(`n${ENTER}`);
  expect(await desk.ended).toBe(12);
  expect(await refunded()).toBe(0);
});

describe.runIf(loaded.pty)('without flags, at a terminal', () => {
  test('prints the remaining amount first, and refuses more before asking for the reason', async () => {
    for (const words of [
      ['--statement', id],
      ['--payment', payment],
    ]) {
      const desk = terminalInProcess(directory, ['refunds', 'create', ...words, '--amount', '1,500.01'], {
        columns: 160,
      });
      expect(await desk.ended).toBe(2);
      expect(desk.text()).toMatch(/at most ₱1,500\.00 of \S+ can be refunded, not ₱1,500\.01\./);
      expect(desk.text()).not.toContain('Reason');
    }
    const desk = terminalInProcess(directory, ['refunds', 'create', '--statement', id, '--amount', '20'], {
      columns: 160,
    });
    await desk.until(/At most ₱1,500\.00 of \S+ can be refunded\.[^]*Reason for the refund/);
    desk.type('\u0003');
    expect(await desk.ended).toBe(130);
  });

  test('finds the statement by customer, asks again for too large an amount, and asks for the reason in words', async () => {
    const {customer} = await merchant.call('GET', `/billing_statements/${id}`);
    await merchant.call('PUT', `/customers/${customer.id}`, {name: `Nena ${id}`});
    const desk = terminalInProcess(directory, ['refunds', 'create'], {columns: 160});
    await desk.until(/Billing statement to refund/);
    desk.type(`nena ${id}${ENTER}`);
    await desk.until(/Amount to refund, in pesos: \(1,500\.00\)/);
    desk.type(`1,500.01${ENTER}`);
    await desk.until(/At most ₱1,500\.00 of \S+ can be refunded, not ₱1,500\.01\./i);
    desk.type(`${'\b'.repeat(8)}450${ENTER}`);
    await desk.until(/Reason for the refund:[^]*Others/);
    desk.type(`${'\u001B[B'.repeat(7)}${ENTER}`);
    await desk.until(/Reason in your own words/);
    desk.type(`Arrived late${ENTER}`);
    await desk.until(/refund ₱450\.00 of ₱1,500\.00 to "?Nena/);
    desk.type(`y${ENTER}`);
    expect(await desk.ended).toBe(0);
    expect(await refunded()).toBe(45_000);
    expect(desk.text()).toContain('Arrived late');
  });
});
