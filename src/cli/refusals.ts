// Refuses a verb that the money of a statement rules out, and says what to do instead: one table of verb and state.

import type {MoneyState, Standing} from '../accounting/standing.js';
import {describeStanding, UNKNOWN_END} from '../accounting/words.js';
import {CentavoError, type ErrorDetails} from '../common/errors.js';
import {decimalPesos} from '../common/pesos.js';
import {nextStep, type StepId} from './next-steps.js';

type StepsByState = Readonly<Partial<Record<MoneyState, StepId>>>;

/** Money that came in is never billed again: the next step is to look. */
const RECEIVED = {paid: 'see', settled: 'see', refunded: 'see', partly_refunded: 'see'} as const;
const UNDER_WAY = {held: 'capture', processing: 'see_status'} as const;
const ENDED = {void: 'see', uncollectible: 'see'} as const;
const GIVEN_UP = {void: 'bill_again', uncollectible: 'bill_again'} as const;
const BILL_WITH_NEW_DATE = {void: 'bill_with_new_date', uncollectible: 'bill_with_new_date'} as const;
const REFUND_PAID = {...RECEIVED, paid: 'refund', partly_refunded: 'refund'} as const;
const unpaid = <S extends StepId>(step: S) => ({open: step, overdue: step, approving: step});

/** Next step by refused verb and state. A step named `*_replacement` is about the replacement. */
const NEXT: Readonly<Record<string, StepsByState>> = {
  delete: {...REFUND_PAID, ...UNDER_WAY, ...ENDED, ...unpaid('void_open'), replaced: 'see_replacement'},
  edit: {...REFUND_PAID, ...UNDER_WAY, ...GIVEN_UP, ...unpaid('replace'), replaced: 'reissue_replacement'},
  finalize: {...RECEIVED, ...UNDER_WAY, ...GIVEN_UP, replaced: 'see_replacement'},
  link: {...RECEIVED, ...UNDER_WAY, ...BILL_WITH_NEW_DATE, draft: 'finalize', replaced: 'link_replacement'},
  'mark-uncollectible': {...RECEIVED, ...UNDER_WAY, draft: 'delete_draft', replaced: 'see_replacement'},
  pay: {...RECEIVED, ...UNDER_WAY, ...GIVEN_UP, draft: 'finalize', replaced: 'pay_replacement'},
  refund: {...RECEIVED, held: 'capture', replaced: 'refund_replacement'},
  reissue: {...RECEIVED, ...UNDER_WAY, ...BILL_WITH_NEW_DATE, draft: 'edit', replaced: 'reissue_replacement'},
  send: {...RECEIVED, ...UNDER_WAY, ...GIVEN_UP, draft: 'finish_draft', replaced: 'send_replacement'},
  settle: {...REFUND_PAID, ...UNDER_WAY, draft: 'see', uncollectible: 'void_first', replaced: 'settle_replacement'},
  update: {...REFUND_PAID, ...UNDER_WAY, ...GIVEN_UP, ...unpaid('replace_open'), replaced: 'reissue_replacement'},
  void: {...REFUND_PAID, ...UNDER_WAY, draft: 'delete_draft', replaced: 'see_replacement'},
  wait: {...RECEIVED, ...GIVEN_UP, draft: 'finalize', held: 'capture', replaced: 'wait_replacement'},
};

/** Which statements a verb is for. */
const RULES: Readonly<Record<string, string>> = {
  delete: 'Only drafts can be deleted.',
  edit: 'Only drafts can be edited.',
  finalize: 'Only drafts can be finalized.',
  link: 'Only open statements have a payment link.',
  'mark-uncollectible': 'Only open statements can be marked uncollectible.',
  pay: 'Only open statements can be paid.',
  refund: 'Only paid statements can be refunded.',
  reissue: 'Only open statements can be reissued.',
  send: 'Only open statements can be sent.',
  settle: 'Only open or void statements can be settled.',
  update: 'Only drafts can be edited.',
  void: 'Only open and uncollectible statements can be voided.',
};

/** Returns the step to suggest instead of the verb; undefined without an alternative. */
export const alternativeStep = (
  verb: string,
  {state, dueAt, settlement}: Pick<Standing, 'dueAt' | 'settlement' | 'state'>,
): StepId | undefined => {
  const step = NEXT[verb]?.[state];
  // A part was paid outside before the rest was written off, so the whole is not billed again.
  if (settlement && state === 'uncollectible' && step !== undefined) return 'see';
  return step === 'finalize' && dueAt === undefined ? 'date_draft' : step;
};

export const captureOf = ({intentId, held}: Standing, named: string): readonly string[] => [
  intentId ?? named,
  ...(held === null ? [] : ['--amount', decimalPesos(held)]),
];

export type RefusalDetails = ErrorDetails & {readonly named?: string; readonly reissue?: readonly string[]};

/**
 * Returns the error for a verb that the money of a statement rules out, with what to do instead.
 * @param options `named` replaces the id in the hint; `reissue` are arguments of a replacement; `now` in unix seconds
 */
export function refusalFor(
  verb: string,
  standing: Standing,
  {
    account,
    now,
    named = standing.id,
    reissue = [],
    ...details
  }: RefusalDetails & {account: readonly string[]; now: number},
): CentavoError {
  const step = alternativeStep(verb, standing) ?? 'see';
  const about = step.endsWith('_replacement')
    ? (standing.replacement?.id ?? named)
    : step === 'capture'
      ? captureOf(standing, named)
      : step === 'replace_open'
        ? [named, ...reissue]
        : named;
  // Before the same items are billed again: the statement may have been paid outside on another machine.
  const mayBePaid = step.startsWith('bill_') && standing.unknown.includes('ended_why');
  const why = mayBePaid ? UNKNOWN_END : (details.why ?? RULES[verb]);
  return new CentavoError('rejected', `${describeStanding(standing, now)}.`, {
    applied: 'no',
    ...details,
    why,
    next: [nextStep(step, about, account)],
    ids: [standing.id],
    standing: {
      state: standing.state,
      ...(standing.replacement && {replaced_by: standing.replacement}),
      unknown: standing.unknown,
    },
  });
}
