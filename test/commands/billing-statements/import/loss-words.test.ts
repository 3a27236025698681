// Errors of rows left to another import: its statement, and the next command.

import {expect, test} from 'vitest';
import {explainLoss} from '../../../../src/billing/import/cli/run-import.js';

const ROW = {external_id: 'JUNE-1', id: 'bstm_own'};
const COMMANDS = {resume: 'centavo jobs resume job_1 --profile shop', account: ' --profile shop'};

test.each([
  [
    {status: 'draft', isSame: true},
    'Another import bills this row as bstm_other. If that import has stopped, continue its drafts: centavo jobs resume job_1 --profile shop --retry-failed --adopt',
  ],
  [{status: 'open', isSame: true}, 'Another import bills this row as bstm_other.'],
  [
    {status: 'void', isSame: true},
    'Another import billed this row as bstm_other, which is void now. To bill it again: centavo jobs resume job_1 --profile shop --retry-failed',
  ],
  [
    {status: 'draft', isSame: false},
    'Another import bills JUNE-1 as bstm_other, with other content. To bill both: centavo jobs resume job_1 --profile shop --retry-failed --allow-duplicate',
  ],
])('%o', (other, message) => {
  expect(explainLoss(ROW, {id: 'bstm_other', ...other}, false, COMMANDS)).toEqual({code: 'made_elsewhere', message});
});

test('names both payable statements and the command that voids this one', () => {
  expect(explainLoss(ROW, {id: 'bstm_other', status: 'open', isSame: true}, true, COMMANDS)).toEqual({
    code: 'twin_statement',
    message:
      'Another import bills this row as bstm_other, and bstm_own was finalized too. To void it: centavo billing-statements void bstm_own --profile shop',
  });
});
