// Replaces ids in an error by names, quoted for a shell in its command.

import {expect, test} from 'vitest';
import {replaceIdsByNames} from '../../../src/cli/dispatch/ids-to-names.js';
import {CentavoError} from '../../../src/common/errors.js';

const names = new Map([
  ['bstm_7Hq2', 'JEEPNEY-0002'],
  ['bstm_8Kd1', 'no number; rm -rf'],
  ['cus_2mQ8', "Ana's Café"],
]);

test.each([
  [
    'See it: centavo billing-statements get bstm_7Hq2 --live',
    'See it: centavo billing-statements get JEEPNEY-0002 --live',
  ],
  ['centavo customers get cus_2mQ8', String.raw`centavo customers get 'Ana'\''s Café'`],
  ['centavo billing-statements void bstm_7Hq2x bstm_8Kd1', 'centavo billing-statements void bstm_7Hq2x bstm_8Kd1'],
  ['centavo api GET /billing_statements/bstm_7Hq2', 'centavo api GET /billing_statements/bstm_7Hq2'],
])('%s', (hint, expected) => {
  expect(replaceIdsByNames(new CentavoError('rejected', 'no.', {hint}), names).details.hint).toBe(expected);
});

test('sentences get the plain name; nothing else changes', () => {
  const error = new CentavoError('rejected', 'cus_2mQ8 owes bstm_7Hq2.', {
    code: 'owes',
    why: 'cus_2mQ8',
    applied: 'no',
  });
  const named = replaceIdsByNames(error, names);
  expect(named).toMatchObject({message: "Ana's Café owes JEEPNEY-0002.", kind: 'rejected', code: 'owes'});
  expect(named.details).toEqual({code: 'owes', why: "Ana's Café", applied: 'no'});
});
