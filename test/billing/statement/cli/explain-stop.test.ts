// The command suggested after a stop parses to exactly the items of the plan.

import {nextText} from '../../../../src/common/next-text.js';
import {execFileSync} from 'node:child_process';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {explainStop, itemText} from '../../../../src/billing/statement/cli/explain-stop.js';
import {CentavoError} from '../../../../src/common/errors.js';
import {valueOrThrow} from '../../../../src/input/invalid-input.js';
import {readItem} from '../../../../src/input/items.js';
import {oneLineText} from '../../../../src/output/format.js';
import {runs} from '../../../support/test-size.js';
import {SEED} from '../../../support/seed.js';

const description = fc
  .oneof(
    fc.string({unit: 'binary', minLength: 1}),
    fc.constantFrom('a x2', 'x2', '-y', '--send', 'Dinner @ Luneta', "5' pipe", 'A\nB x3'),
  )
  .map((text) => text.trim())
  .filter((text) => text !== '');
const item = fc.record({
  description,
  quantity: fc.integer({min: 1, max: 1_000_000_000}),
  unit_price: fc.integer({min: 1, max: 5_999_999_999}),
});

test(`reads an item as it was written (CENTAVO_SEED=${SEED})`, () => {
  fc.assert(
    fc.property(item, (wanted) => {
      expect(valueOrThrow(readItem(itemText(wanted)), '--item')).toEqual(wanted);
    }),
    {seed: SEED, numRuns: runs(2000)},
  );
});

/** The arguments of a command line pasted into a shell. */
const asShell = (line: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], {encoding: 'utf8'})
    .split('\0')
    .slice(0, -1);

const plan = (items: readonly {description: string; quantity: number; unit_price: number}[]) => ({
  create: {customer_id: 'cus_2mQ8', currency: 'PHP'},
  items,
  finalize: true,
  send: true,
});
const state = {statementId: 'bstm_7Hq2', items: 0, of: 1, status: 'draft', applied: 'yes'} as const;
const error = new CentavoError('unavailable', 'the API could not be reached.', {applied: 'no'});
const hintOf = (items: Parameters<typeof plan>[0]): string =>
  nextText(explainStop({why: 'failed', error, at: 'item', itemNumber: 1}, state, plan(items), ['--live']).details)!;

test(`suggests a command with the items of the plan, or its repetition (CENTAVO_SEED=${SEED})`, () => {
  fc.assert(
    fc.property(fc.array(item, {minLength: 1, maxLength: 5}), (items) => {
      const hint = hintOf(items);
      // What is printed passes the filter that keeps control characters from the terminal.
      if (!hint.startsWith('Continue with: centavo ')) {
        expect(hint).toBe('Continue with the same command, and --continue bstm_7Hq2 in place of the customer.');
        return;
      }
      const words = asShell(oneLineText(hint).slice('Continue with: '.length));
      const texts = words.flatMap((word, index) => (words[index - 1] === '--item' ? [word] : []));
      // It would be taken for a flag.
      expect(texts.filter((text) => text.startsWith('-'))).toEqual([]);
      const read = texts.map((text) => valueOrThrow(readItem(text), '--item'));
      expect(read).toEqual(items);
      expect(words.slice(-2)).toEqual(['--send', '--live']);
    }),
    {seed: SEED, numRuns: 200},
  );
});

test('omits existing items from the command that continues a draft', () => {
  const whole = {...plan([{description: 'A\nB', quantity: 1, unit_price: 100}])};
  const create = {...whole.create, metadata: {order: '7'}, payment_settings: {}};
  const hint = (change: object) =>
    nextText(
      explainStop({why: 'failed', error, at: 'item', itemNumber: 1}, state, {...whole, create, ...change}, []).details,
    );
  expect(hint({})).toBe(
    'Continue with the same command, and --continue bstm_7Hq2 in place of the customer, metadata, payment settings.',
  );
  expect(hint({id: 'bstm_7Hq2', create: undefined})).toBe('Continue with the same command.');
});
