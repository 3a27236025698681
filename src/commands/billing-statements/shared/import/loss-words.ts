// Why a row is left to another import, and the command that goes on.

import type {Row} from '../../../../billing/import/job/facts.js';
import type {Rival} from '../../../../billing/import/sweep.js';

/**
 * @param stays whether the statement of this import is left beside the other one, because somebody has opened it
 * @param commands `resume` goes on with the job; `account` has the flags of the account that it is about
 */
export function explainLoss(
  {id: own, external_id: externalId}: Pick<Row, 'external_id' | 'id'>,
  {id, isSame, status}: Pick<Rival, 'id' | 'isSame' | 'status'>,
  stays: boolean,
  {resume, account}: {readonly resume: string; readonly account: string},
): {readonly code: string; readonly message: string} {
  if (stays)
    return {
      code: 'twin_statement',
      message: `Another import bills this row as ${id}, and somebody has opened ${own}. To void this one: centavo billing-statements void ${own}${account}`,
    };
  const said = (message: string) => ({code: 'made_elsewhere', message});
  if (status === 'void' || status === 'uncollectible')
    return said(
      `Another import billed this row as ${id}, which is ${status} now. To bill it again: ${resume} --retry-failed`,
    );
  if (!isSame)
    return said(
      `Another import bills ${externalId} as ${id}, with other content. To bill both: ${resume} --retry-failed --allow-duplicate`,
    );
  const goOn = status === 'draft' ? ` If that import has stopped, take it over: ${resume} --retry-failed --adopt` : '';
  return said(`Another import bills this row as ${id}.${goOn}`);
}
