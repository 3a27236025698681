// Texts of the service are cut where they are printed for people, whatever their length; JSON shows objects untouched.

import {describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {httpAnswer, rawServer, TEST_KEY} from '../../support/services/servers.js';

const LONG = 'Lorem ipsum '.repeat(2500);
const SOLID = 'x'.repeat(30_000);
/** Characters of a printed line, and printed lines. */
const LINE = 1100;
const LINES = 60;

const statement = (text: unknown) => ({
  ...{id: 'bstm_7Hq2', resource: 'billing_statement', status: text, amount: 125050, currency: text, description: text},
  ...{billing_statement_number: text, billing_statement_url: text, due_at: 1_800_000_000, metadata: {order: text}},
  customer: {id: 'cus_2mQ8', resource: 'customer', name: text, email: text},
  line_items: [{id: 'bstm_li_1', description: text, quantity: 1, unit_price: 125050}],
});
const customer = (text: unknown) => ({id: 'cus_2mQ8', resource: 'customer', name: text, email: text, currency: 'PHP'});
const list = (one: object) => ({resource: 'list', has_more: false, data: [one, one]});
const failed = (text: unknown) => ({
  errors: Array.from({length: 30}, () => ({code: text, detail: text, parameter: text})),
});

const CREATE = ['customers', 'create', '--name', 'Juan', '--email', 'juan@example.com'];
type Case = [argv: string[], status: string, body: (text: unknown) => unknown];
const CASES: Case[] = [
  [['customers', 'get', 'cus_2mQ8'], '200 OK', customer],
  [['customers', 'list'], '200 OK', (text) => list(customer(text))],
  [['billing-statements', 'get', 'bstm_7Hq2'], '200 OK', statement],
  [['billing-statements', 'list'], '200 OK', (text) => list(statement(text))],
  [['why', 'bstm_7Hq2'], '200 OK', statement],
  [['customers', 'get', 'cus_2mQ8'], '404 Not Found', failed],
  [['customers', 'get', 'cus_2mQ8'], '401 Unauthorized', failed],
  [['customers', 'get', 'cus_2mQ8'], '200 OK', (text) => ({id: text, resource: text})],
  [['customers', 'get', 'cus_2mQ8', '--verbose'], '400 Bad Request', failed],
  [CREATE, '400 Bad Request', failed],
  [CREATE, '500 Oops', failed],
  [CREATE, '200 OK', (text) => text],
  [['doctor'], '200 OK', (text) => list(customer(text))],
  [['doctor'], '400 Bad Request', failed],
];

describe.each([
  ['of words', LONG],
  ['without spaces', SOLID],
  ['of lines', 'a line\n'.repeat(4000)],
  ['of web pages', `<!doctype html><p>${LONG}`],
])('30,000 characters %s', (_, text) => {
  test.each<Case>(CASES)('%j, %s', async (argv, status, body) => {
    const server = await rawServer(() =>
      httpAnswer(status, JSON.stringify(body(text)), {'x-request-id': 'req_1', 'x-long': 'y'.repeat(9000)}),
    );
    const run = commandsIn(temporaryDirectory(), {env: {CENTAVO_SECRET_KEY: TEST_KEY, CENTAVO_BASE_URL: server.url}});
    for (const columns of [80, undefined]) {
      const printed = await run([...argv, ...(columns ? [] : ['-o', 'table'])], {columns});
      const lines = `${printed.stdout}\n${printed.stderr}`.split('\n');
      expect(
        Math.max(...lines.map(({length}) => length)),
        lines.find(({length}) => length > LINE)?.slice(0, 200),
      ).toBeLessThanOrEqual(LINE);
      expect(lines.length, printed.stdout + printed.stderr).toBeLessThanOrEqual(
        argv.includes('--verbose') ? 3000 : LINES,
      );
      const {stderr, status: exit} = await run([...argv, '--json'], {columns});
      if (exit !== 0) expect(stderr.trimEnd().split('\n').at(-1)!.length).toBeLessThan(40_000);
    }
    await server.close();
  });
});
