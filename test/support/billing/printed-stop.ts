// The printed text of a stop, and the plan of a printed command line.

import type {RunOutcome} from '../../../src/billing/statement/workflow/outcome.js';
import type {StatementPlan} from '../../../src/billing/statement/plan.js';
import {explainStop} from '../../../src/billing/statement/cli/explain-stop.js';
import {errorLines, errorObject} from '../../../src/cli/dispatch/print-error.js';
import type {CentavoError} from '../../../src/common/errors.js';
import {readDate} from '../../../src/input/dates.js';
import {valueOrThrow} from '../../../src/input/invalid-input.js';
import {readItem} from '../../../src/input/items.js';

export interface Stopped {
  readonly error: CentavoError;
  /** As text and as JSON. */
  readonly text: string;
}

/** @throws Error for more than three lines */
export function explained(outcome: Extract<RunOutcome, {end: 'stopped'}>, plan: StatementPlan): Stopped {
  const error = explainStop(outcome.stop, outcome.state, plan, '');
  const lines = errorLines(error);
  if (lines.length > 3) throw new Error(`More than three lines:\n${lines.join('\n')}`);
  return {error, text: `${lines.join('\n')}\n${JSON.stringify(errorObject(error))}`};
}

/** The plan of a printed command line. */
export function planOf(words: readonly string[], plan: StatementPlan): StatementPlan {
  const all = (flag: string) => words.flatMap((word, index) => (words[index - 1] === flag ? [word] : []));
  const [id] = all('--continue');
  const [due] = all('--due');
  const [customer] = all('--customer');
  return {
    ...(id !== undefined && {id}),
    ...(customer !== undefined && {create: {...plan.create!, customer_id: customer}}),
    items: all('--item').map((text) => valueOrThrow(readItem(text), '--item')),
    ...(due !== undefined && {dueAt: valueOrThrow(readDate(due, 0), '--due')}),
    finalize: words.includes('--finalize') || words.includes('--send'),
    send: words.includes('--send'),
  };
}
