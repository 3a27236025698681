// Next steps for a billing statement, as data. Errors print a step as a command to paste.

import type {MoneyState, Standing} from '../accounting/standing.js';
import {describeStanding, UNKNOWN_END} from '../accounting/words.js';
import {CentavoError, type ErrorDetails} from '../common/errors.js';
import {decimalPesos} from '../common/pesos.js';
import {shellQuote} from '../input/shell-quoting.js';

type NextStep = readonly [words: string, command: string, flags?: string];

const GET_STEP = 'billing-statements get';
const DELETE_STEP = 'billing-statements delete';
const DUPLICATE = 'billing-statements duplicate';
const VOID = 'billing-statements void';
const REFUND = 'refunds create --statement';

const STEPS = {
  bill_again: ['To bill the same items again', DUPLICATE],
  bill_with_new_date: ['Bill the same items again', DUPLICATE, '--due +14d'],
  capture: ['To collect the held amount', 'payment-intents capture'],
  check: ['Check', GET_STEP],
  check_first: ['Check it before you continue', GET_STEP],
  continue_reissue: ['Continue the reissue', 'billing-statements reissue'],
  date_draft: ['To give it a due date', 'billing-statements edit', '--due +14d'],
  delete: ['Delete it', DELETE_STEP],
  delete_and_repeat: ['Delete the draft, and run the same command again', DELETE_STEP],
  delete_draft: ['To delete the draft instead', DELETE_STEP],
  delete_items: ['If they do not belong there, delete them', 'billing-statement-line-items delete'],
  delete_unused: ['If it is not in use, delete it, then run the same command again', DELETE_STEP],
  edit: ['To edit it', 'billing-statements edit'],
  edit_again: ['Edit it as it is now', 'billing-statements edit'],
  finalize: ['Finalize it', 'billing-statements finalize'],
  finalize_if_right: ['If it is right', 'billing-statements finalize'],
  finish_draft: ['To finalize and send it', 'send', '--finalize'],
  link_replacement: ['To get the link of its replacement', 'link'],
  owed: ['To see who owes you', 'owed'],
  pay_replacement: ['To pay its replacement', 'sandbox pay'],
  refund: ['To refund it', REFUND],
  refund_replacement: ['To refund its replacement', REFUND],
  reissue_replacement: ['To correct its replacement', 'billing-statements reissue', '--edit'],
  remind: ['To remind them', 'remind'],
  remind_overdue: ['To remind them', 'remind', '--overdue'],
  replace: ['To replace it with a corrected one', 'billing-statements reissue', '--edit'],
  replace_as: ['To replace it, then remove the row', 'billing-statements reissue'],
  replace_open: ['To replace it with a corrected one', 'billing-statements reissue'],
  see: ['See it', GET_STEP],
  see_items: ['See them', GET_STEP],
  see_progress: ['To see its progress', GET_STEP],
  see_replacement: ['See its replacement', GET_STEP],
  see_status: ['See its status', GET_STEP],
  send: ['To email it', 'send'],
  send_replacement: ['To send its replacement', 'send'],
  settle_replacement: ['To settle its replacement', 'settle'],
  send_if_right: ['If it is right', 'billing-statements send'],
  send_unsent: ['If it was not sent', 'billing-statements send'],
  void: ['Void it', VOID],
  void_and_repeat: ['If it is wrong, void it, then run the same command again', VOID],
  void_old: ['Void the old statement', VOID],
  void_open: ['To void it instead', VOID],
  wait: ['To wait until it is paid', 'wait'],
  wait_replacement: ['To wait for its replacement', 'wait'],
} as const satisfies Readonly<Record<string, NextStep>>;

export type StepId = keyof typeof STEPS;

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
  settle: {...REFUND_PAID, ...UNDER_WAY, draft: 'see', replaced: 'settle_replacement'},
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
  settle: 'Only open statements can be settled.',
  update: 'Only drafts can be edited.',
  void: 'Only open and uncollectible statements can be voided.',
};

/** Usual next step by completed verb. */
export const AFTER = {
  draft: 'finish_draft',
  draft_without_date: 'date_draft',
  finalize: 'send',
  send: 'wait',
  settle: 'owed',
  void: 'bill_again',
} as const satisfies Readonly<Record<string, StepId>>;

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

/** True if the API refused to finalize a draft because of its due date. */
export const lacksDate = ({details: {apiErrors = []}}: CentavoError): boolean =>
  apiErrors.some(({parameter}) => parameter === 'due_at');

/** Returns a step as arguments of `centavo`. @param named ids or names */
export function stepArguments(
  id: StepId,
  named: string | readonly string[],
  accountFlags: readonly string[],
): string[] {
  const [, command, flags]: NextStep = STEPS[id];
  return [...command.split(' '), ...[named].flat(), ...(flags ? flags.split(' ') : []), ...accountFlags];
}

/** Returns a step as an error prints it. @param named ids or names @param accountFlags account flags, which come last */
export function suggest(id: StepId, named: string | readonly string[], accountFlags: string): string {
  const [words, command, flags]: NextStep = STEPS[id];
  const args = [command, ...[named].flat().map(shellQuote), ...(flags ? [flags] : [])];
  return `${words}: centavo ${args.join(' ')}${accountFlags}`;
}

/** Arguments of a capture: the intent, and the held amount if it is known. */
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
  {account, now, named = standing.id, reissue = [], ...details}: RefusalDetails & {account: string; now: number},
): CentavoError {
  const step = alternativeStep(verb, standing) ?? 'see';
  const about = step.endsWith('_replacement')
    ? (standing.replacement?.id ?? named)
    : step === 'capture'
      ? captureOf(standing, named)
      : step === 'replace_open'
        ? [named, ...reissue]
        : named;
  const why = standing.unknown.includes('ended_why') ? UNKNOWN_END : (details.why ?? RULES[verb]);
  return new CentavoError('rejected', `${describeStanding(standing, now)}.`, {
    applied: 'no',
    ...details,
    why,
    hint: suggest(step, about, account),
    next: [stepArguments(step, about, account.split(' ').filter(Boolean))],
    standing: {
      state: standing.state,
      ...(standing.replacement && {replaced_by: standing.replacement}),
      unknown: standing.unknown,
    },
  });
}
