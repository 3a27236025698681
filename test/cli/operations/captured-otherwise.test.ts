// A capture of another amount than was captured is refused; a lost one counts only with its own amount.

import {expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {machineOf} from '../../support/scenarios/machine.js';
import {Merchant} from '../../support/scenarios/merchant.js';

async function held() {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory);
  onTestFinished(() => merchant.close());
  const id = (await merchant.held()).id as string;
  const words = (amount: string) => ['payment-intents', 'capture', id, '--amount', amount, '--json'];
  const capture = commandsIn(directory);
  return {merchant, id, words, capture: (amount: string) => capture(words(amount))};
}

test('another amount is exit 5, with both amounts; the same amount is captured already', async () => {
  const {capture, id} = await held();
  expect((await capture('500')).json()).toMatchObject({status: 'succeeded', amount_received: 50_000});
  expect(await capture('500')).toMatchObject({status: 0});
  const other = await capture('900');
  expect(other).toMatchObject({status: 5, stdout: ''});
  expect(other.error()).toMatchObject({
    ...{code: 'captured_otherwise', applied: 'no'},
    message: `₱500.00 of ${id} was captured, not ₱900.00. An amount can be captured only once.`,
    hint: `See it: centavo payment-intents get ${id}`,
  });
});

test.each([
  ['500', 0],
  ['900', 10],
])('a lost capture of %s where ₱500.00 was captured ends with %i', async (amount, status) => {
  const {merchant, id, words} = await held();
  // Someone else captures first, then the answer to this capture is lost.
  const before = () => merchant.call('POST', `/payment_intents/${id}/capture`, {amount: 50_000});
  const {run} = await machineOf(merchant, {1: amount === '500' ? 'answer lost' : {before}});
  expect(await run(words(amount))).toMatchObject({status});
});
