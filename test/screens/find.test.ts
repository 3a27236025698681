// Screens of references by name and number: choice lists, filtered lists and questions.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {screenInProcess} from '../support/in-process.js';
import {commandsIn} from '../support/commands.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {pagedService, statementNumbered} from '../support/services/paged-service.js';
import {FIXED_NOW} from '../support/screen.js';
import {TEST_KEY} from '../support/services/servers.js';
import {CTRL_C, ENTER, loaded} from '../support/terminal.js';
import {widths} from '../support/test-size.js';
import {controlOf} from '../../src/sandbox/control/control.js';

const WIDTHS = widths([60, 80, 100]);
const DAY = 86_400;
const directory = temporaryDirectory(afterAll);

beforeAll(async () => {
  // Creation order follows list order.
  let now = FIXED_NOW - 60 * DAY;
  const merchant = new Merchant(directory, () => now);
  const bill = async (customer: string, pesos: number, days: number, then?: 'pay' | 'void') => {
    const {id} = await merchant.call('POST', '/billing_statements', {currency: 'PHP', customer_id: customer});
    await merchant.call('POST', '/billing_statement_line_items', {
      billing_statement_id: id,
      description: 'Keg rental, 20 litres',
      unit_price: pesos * 100,
      quantity: 1,
    });
    await merchant.call('PUT', `/billing_statements/${id}`, {due_at: FIXED_NOW + days * DAY});
    await merchant.call('POST', `/billing_statements/${id}/finalize`);
    if (then === 'pay') controlOf(merchant.sandbox).pay(id as string, {});
    if (then === 'void') await merchant.call('POST', `/billing_statements/${id}/void`);
    now += DAY;
  };
  const customer = async (name: string, email: string, prefix: string): Promise<string> =>
    (await merchant.customer({name, email, billing_statement_prefix: prefix})).id as string;
  const jeepney = await customer('Jeepney Brewing Company', 'accounting@jeepneybrew.example', 'JEEPNEY');
  const juan = await customer('Juan Dela Cruz', 'juan@example.com', 'JUAN');
  await customer('Juana Cruz-Santos', 'juana.cruz@example.com', 'JUANA');
  await bill(jeepney, 184_500, -47);
  await bill(jeepney, 31_000, 12);
  await bill(juan, 15_950, -3);
  await bill(juan, 96_000, 20, 'pay');
  await bill(jeepney, 4500, 5, 'void');
  const owners = 'Nena,Beth,Boyet,Basyang,Jose,Luz,Cora,Ana,Bea,Carlo,Dina,Niño'.split(',');
  for (const [index, owner] of owners.entries())
    await customer(`Tindahan ni ${owner} Store`, `store${index}@example.com`, `STORE${index}`);
  merchant.close();
});

describe.runIf(loaded.pty)('a long search', () => {
  test('shows progress on one line and clears it; prints none in a pipe', async () => {
    const api = await pagedService();
    api.statements = Array.from({length: 450}, (_, index) => statementNumbered(450 - index));
    const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: TEST_KEY, CENTAVO_NO_CACHE: '1'};
    const words = ['get', 'SHOP-0001', '--fields', 'billing_statement_number'];
    const desk = screenInProcess(temporaryDirectory(), words, {env});
    expect(await desk.ended).toBe(0);
    expect(desk.raw()).toContain('Looking through billing statements: 400');
    expect(await desk.text()).not.toContain('Looking');
    const plain = screenInProcess(temporaryDirectory(), words, {env: {...env, ACCESSIBLE: '1'}});
    expect(await plain.ended).toBe(0);
    expect(plain.raw()).not.toContain('Looking');
    const piped = await commandsIn(temporaryDirectory(), {env})(words);
    expect(piped).toMatchObject({status: 0, stderr: ''});
  });
});

describe.runIf(loaded.pty)('at a terminal', () => {
  describe.each(WIDTHS)('%i columns wide', (columns) => {
    const at = (...words: string[]) => screenInProcess(directory, words, {columns});
    const kept = (flow: string): string => `./texts/${flow}-${columns}.txt`;

    test('a name of two customers is chosen from a list', async () => {
      const desk = at('billing-statements', 'list', '--customer', 'cruz');
      await desk.until(/Juana/);
      await expect(await desk.show()).toMatchFileSnapshot(kept('find-choice'));
      desk.type(CTRL_C);
      expect(await desk.ended).toBe(130);
    });

    test('a name of many customers is searched by typing', async () => {
      const desk = at('customers', 'get', 'store');
      await desk.until(/of 12/);
      desk.type('nin');
      await desk.until(/ 1 of 12/);
      await expect(await desk.show()).toMatchFileSnapshot(kept('find-search'));
      desk.type(ENTER);
      expect(await desk.ended).toBe(0);
      expect(await desk.text()).toContain('Tindahan ni Niño Store');
    });

    test('a filtered list ends with its total', async () => {
      const desk = at('billing-statements', 'list', '--since', '90d');
      expect(await desk.ended).toBe(0);
      await expect(await desk.show()).toMatchFileSnapshot(kept('find-totals'));
    });

    test('a list by part of a name says who was found', async () => {
      const desk = at('billing-statements', 'list', '--customer', 'jeep', '--overdue');
      expect(await desk.ended).toBe(0);
      await expect(await desk.show()).toMatchFileSnapshot(kept('find-customer'));
    });

    test('a question names the number, the amount and the customer', async () => {
      const desk = at('billing-statements', 'void', 'jeepney-0001');
      await desk.until(/\(y\/N\)/);
      await expect(await desk.show()).toMatchFileSnapshot(kept('find-void'));
      desk.type(ENTER);
      expect(await desk.ended).toBe(12);
    });

    test('an unknown number suggests the nearest', async () => {
      const desk = at('billing-statements', 'get', 'JEEPNEY-0008');
      expect(await desk.ended).toBe(3);
      await expect(await desk.show()).toMatchFileSnapshot(kept('find-nothing'));
    });
  });
});
