// Next steps for a billing statement, as data. Errors print a step as a command to paste.

import type {MoneyState, Standing} from '../accounting/standing.js';
import {describeStanding} from '../accounting/words.js';
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
  edit_again: ['Edit it as it is now', 'billing-statements edit'],
  finalize: ['Finalize it', 'billing-statements finalize'],
  finalize_first: ['It is a draft. To finalize and send it', 'billing-statements send', '--finalize'],
  finalize_if_right: ['If it is right', 'billing-statements finalize'],
  finish_draft: ['To finalize and send it', 'send', '--finalize'],
  link_replacement: ['To get the link of its replacement', 'link'],
  owed: ['To see who owes you', 'owed'],
  pay_replacement: ['To pay its replacement', 'sandbox pay'],
  refund: ['Refund it', REFUND],
  refund_paid: ['It was paid. To refund it', REFUND],
  refund_replacement: ['To refund its replacement', REFUND],
  reissue_replacement: ['To correct its replacement', 'billing-statements reissue', '--edit'],
  remind: ['To remind them', 'remind'],
  remind_overdue: ['To remind them', 'remind', '--overdue'],
  replace: ['To replace it with a corrected one', 'billing-statements reissue', '--edit'],
  replace_as: ['To replace it, then remove the row', 'billing-statements reissue'],
  replace_open: [
    'You can update only a draft. To replace this statement with a corrected one',
    'billing-statements reissue',
  ],
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
  void_open: ['You can delete only a draft. To void this statement', VOID],
  wait: ['To wait until it is paid', 'wait'],
  wait_replacement: ['To wait for its replacement', 'wait'],
} as const satisfies Readonly<Record<string, NextStep>>;

export type StepId = keyof typeof STEPS;

type StepsByState = Readonly<Partial<Record<MoneyState, StepId>>>;

/** Money that came in is never billed again: the next step is to look. */
const RECEIVED = {paid: 'see', settled: 'see', refunded: 'see', partly_refunded: 'see'} as const;
const UNDER_WAY = {held: 'capture', processing: 'see_status'} as const;
const GIVEN_UP = {void: 'bill_again', uncollectible: 'bill_again'} as const;
const BILL_WITH_NEW_DATE = {void: 'bill_with_new_date', uncollectible: 'bill_with_new_date'} as const;
const REFUND_PAID = {...RECEIVED, paid: 'refund_paid', partly_refunded: 'refund_paid'} as const;
const unpaid = <S extends StepId>(step: S) => ({open: step, overdue: step, approving: step});

/** Next step by refused verb and state. A step named `*_replacement` is about the replacement. */
const NEXT: Readonly<Record<string, StepsByState>> = {
  delete: {...RECEIVED, ...REFUND_PAID, ...UNDER_WAY, ...unpaid('void_open'), replaced: 'see_replacement'},
  edit: {...REFUND_PAID, ...UNDER_WAY, ...GIVEN_UP, ...unpaid('replace'), replaced: 'reissue_replacement'},
  finalize: {...RECEIVED, ...UNDER_WAY, ...GIVEN_UP, replaced: 'see_replacement'},
  link: {...RECEIVED, ...UNDER_WAY, ...BILL_WITH_NEW_DATE, draft: 'finalize', replaced: 'link_replacement'},
  'mark-uncollectible': {...RECEIVED, ...UNDER_WAY, draft: 'delete_draft', replaced: 'see_replacement'},
  pay: {...RECEIVED, ...UNDER_WAY, ...GIVEN_UP, draft: 'finalize', replaced: 'pay_replacement'},
  refund: {...RECEIVED, held: 'capture', replaced: 'refund_replacement'},
  reissue: {...RECEIVED, ...UNDER_WAY, ...BILL_WITH_NEW_DATE, draft: 'see', replaced: 'reissue_replacement'},
  send: {...RECEIVED, ...UNDER_WAY, ...GIVEN_UP, draft: 'finalize_first', replaced: 'send_replacement'},
  settle: {...REFUND_PAID, ...UNDER_WAY, draft: 'see', replaced: 'settle_replacement'},
  update: {...REFUND_PAID, ...UNDER_WAY, ...GIVEN_UP, ...unpaid('replace_open'), replaced: 'reissue_replacement'},
  void: {...REFUND_PAID, ...UNDER_WAY, draft: 'delete_draft', replaced: 'see_replacement'},
  wait: {...RECEIVED, ...GIVEN_UP, draft: 'finalize', held: 'capture', replaced: 'wait_replacement'},
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
  {state, dueAt}: Pick<Standing, 'dueAt' | 'state'>,
): StepId | undefined => {
  const step = NEXT[verb]?.[state];
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

const UNKNOWN_END = 'Whether it was paid outside or replaced is known only to the machine where that was done.';

/**
 * Returns the error for a verb that the money of a statement rules out, with what to do instead.
 * @param options `named` replaces the id in the hint; `now` in unix seconds
 */
export function refusalFor(
  verb: string,
  standing: Standing,
  {account, now, named = standing.id, ...details}: ErrorDetails & {account: string; now: number; named?: string},
): CentavoError {
  const step = alternativeStep(verb, standing) ?? 'see';
  const about = step.endsWith('_replacement')
    ? (standing.replacement?.id ?? named)
    : step === 'capture'
      ? captureOf(standing, named)
      : named;
  const why = standing.unknown.includes('ended_why') ? UNKNOWN_END : details.why;
  return new CentavoError('rejected', `${describeStanding(standing, now)}.`, {
    applied: 'no',
    ...details,
    why,
    hint: suggest(step, about, account),
    standing: {
      state: standing.state,
      ...(standing.replacement && {replaced_by: standing.replacement}),
      unknown: standing.unknown,
    },
  });
}
