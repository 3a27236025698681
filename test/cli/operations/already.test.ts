// A change to a status that the object already has: exit 0, the object, and `already`.

import {afterAll, expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';

const directory = temporaryDirectory(afterAll);
const merchant = new Merchant(directory);
afterAll(() => merchant.close());
const run = commandsIn(directory);

test.each([
  ['billing-statements finalize', 'open', () => merchant.draft()],
  ['billing-statements void', 'void', () => merchant.open()],
  ['billing-statements mark-uncollectible', 'uncollectible', () => merchant.open()],
  ['billing-statements reissue', 'open', () => merchant.open()],
  ['payment-intents cancel', 'canceled', () => merchant.intent()],
])('%s twice', async (command, status, make) => {
  const id = (await make()).id as string;
  const words = [...command.split(' '), id, '--yes', '--json'];
  const [first, second] = [await run(words), await run(words)];
  expect([first.json().status, first.json().already]).toEqual([status, undefined]);
  expect(second.status).toBe(0);
  expect(second.json()).toEqual({...second.json(), status, already: true});
  const [{applied}] = (await run(['history', '--id', id, '--json'])).json().data;
  expect(applied).toBe(command.endsWith('reissue') ? 'yes' : 'no');
});

test('only the objects of several that had the status', async () => {
  const [first, second] = [await merchant.open(), await merchant.open()].map(({id}) => id as string);
  await run(['billing-statements', 'void', first!, '--yes']);
  const {data} = (await run(['billing-statements', 'void', first!, second!, '--yes', '--json'])).json();
  expect(data.map(({already}: {already?: boolean}) => already)).toEqual([true, undefined]);
});
