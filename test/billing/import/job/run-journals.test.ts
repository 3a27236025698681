// Finds the owner of a statement by the runs in its metadata.

import {expect, test} from 'vitest';
import {hasOwned} from '../../../../src/billing/import/job/run-journals.js';
import type {BillingStatementData} from '../../../../src/billing/statement/plan.js';

const owned = (metadata: object | null): BillingStatementData => ({id: 'bstm_1', metadata}) as BillingStatementData;

test.each([
  ['its owner', {centavo_run: 'mine'}, true],
  ['a previous owner', {centavo_run: 'other', centavo_was: 'first mine'}, true],
  ['another run, also if it began under the same plan', {centavo_run: 'other', centavo_key: 'mine'}, false],
  ['another run that took it from a third', {centavo_run: 'other', centavo_was: 'third'}, false],
  ['nobody', null, true],
])('a statement of %s: %o', (_, metadata, isOwn) => {
  expect(hasOwned('mine', owned(metadata))).toBe(isOwn);
});
