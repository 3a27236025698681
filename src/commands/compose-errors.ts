// What to say when a composite statement stops half-way: what is made, what is not, and the command that goes on from there.

import type {Interrupted, StatementPlan} from '../billing/compose.js';
import {CentavoError} from '../errors.js';
import {decimalPesos} from '../output/format.js';
import {shellQuote} from '../input/words.js';

const GOALS = {draft: 'read', item: 'complete', due: 'due', finalized: 'finalized', sent: 'sent'} as const;

/**
 * @param madeCustomer whether a customer was created on the way
 * @param account the flags of the account that it is about
 */
export function explainInterruption(
  {error, statementId, failedAt}: Interrupted,
  plan: StatementPlan,
  madeCustomer: boolean,
  account: string,
): CentavoError {
  const {details} = error;
  if (statementId === undefined) {
    const inDoubt = error.kind === 'outcome_unknown';
    return new CentavoError(error.kind, error.message, {
      ...details,
      ...(inDoubt && {hint: `Check: centavo billing-statements list --limit 5${account}`}),
      ...(!inDoubt &&
        madeCustomer && {applied: 'yes', hint: `The customer is made; go on with: ${command(plan)}${account}`}),
    });
  }
  // A draft that was named could not even be read: nothing was done to it.
  if (plan.id !== undefined && failedAt === 'draft') return error;
  const sendInDoubt = failedAt === 'sent' && error.kind === 'outcome_unknown';
  return new CentavoError(error.kind, `the statement ${statementId} is made, and is not yet ${GOALS[failedAt]}.`, {
    ...details,
    why: details.apiErrors?.[0]?.detail ?? details.why ?? error.message,
    hint: sendInDoubt
      ? `Ask the customer before you send it again: centavo billing-statements send ${statementId}${account}`
      : `Go on with: ${command(plan, statementId)}${account}`,
    applied: details.applied === 'unknown' ? 'unknown' : 'yes',
  });
}

/** The command that does what the plan says; on a draft only what it still lacks. */
function command({create, items, dueAt, finalize, send}: StatementPlan, draft?: string): string {
  const words = [
    'centavo',
    'billing-statements',
    'create',
    ...(draft ? ['--continue', draft] : ['--customer', create!.customer_id]),
    ...items.flatMap(({description, quantity, unit_price: price}) => [
      '--item',
      `${description} x${quantity} @ ${decimalPesos(price)}`,
    ]),
    ...(dueAt === undefined ? [] : ['--due', String(dueAt)]),
    ...(send ? ['--send'] : finalize ? ['--finalize'] : []),
  ];
  return words.map(shellQuote).join(' ');
}
