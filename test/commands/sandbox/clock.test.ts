// The sandbox clock, moved forward: everything read, shown and checked by time follows it.

import {afterAll, beforeAll, expect, test} from 'vitest';
import {endOfManilaDay, shortDay} from '../../../src/common/manila.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn, type CommandOptions} from '../../support/commands.js';
import {screenInProcess} from '../../support/in-process.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {CTRL_C, loaded} from '../../support/terminal.js';

const DAY = 86_400;
const AHEAD = 400;
const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
const TERMINAL: CommandOptions = {columns: 160};
let merchant: Merchant;
let customer: string;
let began: number;

beforeAll(async () => {
  merchant = new Merchant(directory);
  began = merchant.sandbox.now();
  customer = (await merchant.customer({name: 'Juan', email: 'juan@example.com'})).id as string;
  await merchant.open({customer_id: customer});
  await merchant.open();
  expect((await run(['sandbox', 'clock', 'advance', `${AHEAD}d`])).status).toBe(0);
});
afterAll(() => merchant.close());

const creating = (...more: string[]): string[] => [
  ...['billing-statements', 'create', '--customer', customer, '--item', 'Rent @ 1500'],
  ...more,
];

test('counts overdue days by the sandbox clock', async () => {
  const words = `overdue ${AHEAD - 10} days`;
  expect((await run(['billing-statements', 'list'], TERMINAL)).stdout).toContain(words);
});

test.skipIf(!loaded.pty)('lists overdue statements to choose from by the sandbox clock', async () => {
  const desk = screenInProcess(directory, ['billing-statements', 'link', '0001'], {columns: 120, now: null});
  await desk.until(/Which one/);
  const text = await desk.text();
  desk.type(CTRL_C);
  expect(await desk.ended).toBe(130);
  expect(text).toContain(`overdue ${AHEAD - 10} days`);
});

test('shows the year of a day in another year', async () => {
  const {stdout} = await run(['customers', 'ledger', customer], TERMINAL);
  expect(stdout).toContain(shortDay(began, merchant.sandbox.now()));
});

test('counts a due date from the sandbox clock', async () => {
  const {due_at: due} = (await run(creating('--due', '+1d', '--json'))).json();
  expect(due).toBe(endOfManilaDay(merchant.sandbox.now() + DAY));
});

test.skipIf(!loaded.pty)('asks before creating a statement that is overdue at once', async () => {
  const due = String(began + (AHEAD - 1) * DAY);
  const desk = screenInProcess(directory, creating('--due', due, '--finalize'), {columns: 120, now: null});
  await desk.until(/\(y\/N\)|finalized\n/);
  desk.type('n\r');
  expect(await desk.ended).toBe(12);
  expect(await desk.text()).toContain('overdue at once?');
});
