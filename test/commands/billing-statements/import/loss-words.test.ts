// Errors of rows left to another import: its statement, and the next command.

import {expect, test} from 'vitest';
import {standingOf, type KnownFacts} from '../../../../src/accounting/standing.js';
import {explainLoss} from '../../../../src/billing/import/cli/run-import.js';

const ROW = {external_id: 'JUNE-1', id: 'bstm_own'};
const NOW = 1_800_000_000;
const factsOf = (status: string, known: KnownFacts = {}) => ({
  ...{resume: 'centavo jobs resume job_1 --profile shop', account: ' --profile shop', now: NOW, canAsk: true},
  standing: standingOf({id: 'bstm_other', status}, known, NOW),
});

test.each([
  [
    {status: 'draft', isSame: true},
    'Another import bills this row as bstm_other. If that import has stopped, continue its drafts: centavo jobs resume job_1 --profile shop --retry-failed --adopt',
  ],
  [{status: 'open', isSame: true}, 'Another import bills this row as bstm_other.'],
  [
    {status: 'void', isSame: true, known: {end: {at: NOW}}},
    'Another import billed this row as bstm_other, which is void. To bill it again: centavo jobs resume job_1 --profile shop --retry-failed',
  ],
  [
    {status: 'void', isSame: true},
    'Another import billed this row as bstm_other, which is void. Whether it was paid outside or replaced is known only to the machine where that was done. To bill it again: centavo jobs resume job_1 --profile shop --retry-failed',
  ],
  [
    {
      status: 'void',
      isSame: true,
      known: {settlement: {at: NOW, reason: 'cash', amount: 150_000, isCertain: true}},
    },
    'Another import billed this row as bstm_other, which was paid outside the service on 15 Jan: cash.',
  ],
  [
    {status: 'void', isSame: true, known: {replacement: {id: 'bstm_new', name: 'JUAN-0004'}}},
    'Another import billed this row as bstm_other, which was replaced by JUAN-0004.',
  ],
  [
    {status: 'draft', isSame: false},
    'Another import bills JUNE-1 as bstm_other, with other content. To bill both: centavo jobs resume job_1 --profile shop --retry-failed --allow-duplicate',
  ],
] as [{status: string; isSame: boolean; known?: KnownFacts}, string][])('%o', ({status, isSame, known}, message) => {
  expect(explainLoss(ROW, isSame, false, factsOf(status, known))).toEqual({code: 'made_elsewhere', message});
});

test('names both payable statements and the command that voids this one', () => {
  expect(explainLoss(ROW, true, true, factsOf('open'))).toEqual({
    code: 'twin_statement',
    message:
      'Another import bills this row as bstm_other, and bstm_own was finalized too. To void it: centavo void bstm_own --profile shop',
  });
});
