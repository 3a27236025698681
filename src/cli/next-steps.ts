// Next steps for a billing statement, as data. Errors print a step as a command to paste.

import {dueTimeOf, statementName, type StatementLike} from '../api/statement.js';
import {CentavoError, type ErrorDetails} from '../common/errors.js';
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
  owed: ['To see who owes you', 'owed'],
  refund: ['Refund it', REFUND],
  refund_paid: ['It was paid. To refund it', REFUND],
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
  see_status: ['See its status', GET_STEP],
  send: ['To email it', 'send'],
  send_if_right: ['If it is right', 'billing-statements send'],
  send_unsent: ['If it was not sent', 'billing-statements send'],
  void: ['Void it', VOID],
  void_and_repeat: ['If it is wrong, void it, then run the same command again', VOID],
  void_old: ['Void the old statement', VOID],
  void_open: ['You can delete only a draft. To void this statement', VOID],
  wait: ['To wait until it is paid', 'wait'],
} as const satisfies Readonly<Record<string, NextStep>>;

export type StepId = keyof typeof STEPS;

/** Next step by refused verb and statement status. */
const NEXT: Readonly<Record<string, Readonly<Record<string, StepId>>>> = {
  delete: {open: 'void_open', paid: 'refund_paid'},
  edit: {open: 'replace', paid: 'refund_paid', void: 'bill_again', uncollectible: 'bill_again'},
  finalize: {void: 'bill_again', uncollectible: 'bill_again', paid: 'see_status'},
  link: {draft: 'finalize', void: 'bill_with_new_date', uncollectible: 'bill_with_new_date'},
  'mark-uncollectible': {draft: 'delete_draft', paid: 'see_status'},
  reissue: {
    draft: 'see',
    paid: 'bill_with_new_date',
    void: 'bill_with_new_date',
    uncollectible: 'bill_with_new_date',
  },
  send: {draft: 'finalize_first', void: 'bill_again', uncollectible: 'bill_again', paid: 'see_status'},
  update: {open: 'replace_open', void: 'bill_again', uncollectible: 'bill_again'},
  void: {draft: 'delete_draft', paid: 'refund_paid'},
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
export const alternativeStep = (verb: string, status: unknown): StepId | undefined => NEXT[verb]?.[String(status)];

/** Returns the status that the API's refusal names; undefined without an alternative step. */
export const refusedStatus = (verb: string, details: readonly string[]): string | undefined =>
  Object.keys(NEXT[verb] ?? {}).find((status) =>
    details.some((detail) => new RegExp(`\\bis ${status}\\b`).test(detail)),
  );

/** True if the API refused to finalize a draft because of its due date. */
export const lacksDate = ({details: {apiErrors = []}}: CentavoError): boolean =>
  apiErrors.some(({parameter}) => parameter === 'due_at');

/** Returns a step as an error prints it. @param named ids or names @param accountFlags account flags, which come last */
export function suggest(id: StepId, named: string | readonly string[], accountFlags: string): string {
  const [words, command, flags]: NextStep = STEPS[id];
  const args = [command, ...[named].flat().map(shellQuote), ...(flags ? [flags] : [])];
  return `${words}: centavo ${args.join(' ')}${accountFlags}`;
}

/** Returns the error for a verb that the statement's status rules out. `named` replaces the id in the hint. */
export function wrongStatus(
  verb: string,
  statement: StatementLike & {readonly id: string},
  account: string,
  {named = statement.id, ...details}: ErrorDetails & {readonly named?: string},
): CentavoError {
  const {status} = statement;
  const state = status === 'draft' ? 'a draft' : String(status);
  const step = alternativeStep(verb, status) ?? 'see';
  const hint = suggest(step === 'finalize' && dueTimeOf(statement) === undefined ? 'date_draft' : step, named, account);
  return new CentavoError('rejected', `${statementName(statement)} is ${state}.`, {hint, applied: 'no', ...details});
}
