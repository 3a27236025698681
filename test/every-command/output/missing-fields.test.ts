// A field that the service leaves out, or gives as another type, is said to be missing, or not said at all.

import {describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {httpAnswer, rawServer, TEST_KEY} from '../../support/services/servers.js';

const ID = 'bstm_7Hq2';
const STATEMENT = {
  ...{id: ID, resource: 'billing_statement', status: 'open', amount: 125050, currency: 'PHP', due_at: 1_800_000_000},
  ...{customer_id: 'cus_2mQ8', billing_statement_number: 'SHOP-1', billing_statement_url: 'https://pay.example/1'},
  customer: {id: 'cus_2mQ8', resource: 'customer', name: 'Juan', email: 'juan@example.com'},
  ...{created_at: 1_700_000_000, finalized_at: 1_700_000_000, metadata: {}},
  line_items: [{id: 'bstm_li_1', description: 'Web', quantity: 1, unit_price: 125050}],
};
const FIELDS = 'status amount due_at billing_statement_number billing_statement_url customer';
const ODD: readonly unknown[] = [undefined, null, {a: 1}];
const verbs = ['get', 'send', 'finalize', 'void', 'link'];
const COMMANDS = [
  ...verbs.map((verb) => [
    'billing-statements',
    verb,
    ID,
    ...(verb === 'wait' ? ['--for', 'paid', '--timeout', '0.01'] : ['--yes']),
  ]),
  ['billing-statements', 'list'],
  ['why', ID],
  ['owed'],
];

describe.each(COMMANDS.map((argv) => [argv.slice(0, 2).join(' '), argv] as const))('%s', (_, argv) => {
  test.each(FIELDS.split(' '))('without %s', async (field) => {
    let value: unknown;
    const server = await rawServer((request) => {
      const one = {...STATEMENT, [field]: value};
      const [, list] = /^GET \/(\w+)(?:\?| )/.exec(request) ?? [];
      return httpAnswer(
        '200 OK',
        JSON.stringify(
          list ? {resource: 'list', has_more: false, data: list === 'billing_statements' ? [one] : []} : one,
        ),
      );
    });
    const run = commandsIn(temporaryDirectory(), {env: {CENTAVO_SECRET_KEY: TEST_KEY, CENTAVO_BASE_URL: server.url}});
    for (value of ODD) {
      const {stdout, stderr} = await run([...argv], {columns: 100});
      expect(`${stdout}${stderr}`, JSON.stringify(value)).not.toMatch(
        /undefined|\bnull\b|\[object|\bNaN\b|Invalid Date|bug in centavo/,
      );
    }
    await server.close();
  });
});
