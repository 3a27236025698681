// `centavo bill juan`: the customer as an argument of create, with and without the guided flow.

import {afterAll, beforeAll, expect, test} from 'vitest';
import {temporaryDirectory} from '../../../support/cli.js';
import {commandsIn} from '../../../support/commands.js';
import {screenInProcess} from '../../../support/in-process.js';
import {Merchant} from '../../../support/scenarios/merchant.js';
import {CTRL_C} from '../../../support/terminal.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
let merchant: Merchant;

beforeAll(async () => {
  merchant = new Merchant(directory);
  await merchant.customer();
});
afterAll(() => merchant.close());

test('the guided flow starts with the items, and the customer can be changed', async () => {
  const desk = screenInProcess(directory, ['bill', 'juan']);
  await desk.until(/Item 1:/);
  const text = await desk.text();
  expect(text).toContain('Found Juan Dela Cruz <juan@example.com>');
  expect(text).toContain('Customer  Juan Dela Cruz <juan@example.com>');
  desk.type('\u001B');
  await desk.until(/Customer:/);
  desk.type(CTRL_C);
  expect(await desk.ended).toBe(130);
});

test('an unknown name starts a new customer', async () => {
  const desk = screenInProcess(directory, ['bill', 'Bago Tindahan']);
  await desk.until(/\+ New customer "Bago Tindahan"/);
  desk.type(CTRL_C);
  expect(await desk.ended).toBe(130);
});

test('equals --customer when items are given; both together are refused', async () => {
  const created = await run(['bill', 'Juan Dela Cruz', '--item', 'Rice @ 500', '--json']);
  expect(created).toMatchObject({status: 0});
  expect(created.json()).toMatchObject({status: 'draft', amount: 50_000, customer: {name: 'Juan Dela Cruz'}});
  expect(await run(['bill', 'juan', '--item', 'Rice @ 500'])).toMatchObject({status: 2, stdout: ''});
  for (const [flag, value] of [
    ['--customer', 'Juan Dela Cruz'],
    ['--customer-email', 'juan@example.com'],
    ['--continue', 'JUAN-0001'],
  ] as const)
    expect(await run(['bill', 'Juan', flag, value])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`"Juan" and ${flag} cannot be given together.`),
    });
});
