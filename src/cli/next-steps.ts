// Next steps for a billing statement, as data. Errors print a step as a command to paste.

import {PROJECT_FLAG} from '../config/profiles.js';
import type {Context} from '../context/context.js';
import {nextCommand, type CentavoError, type NextCommand} from '../common/errors.js';
import {shellQuote} from '../common/next-text.js';

type NextStep = readonly [words: string, command: string, flags?: string];

const GET_STEP = 'billing-statements get';
const DELETE_STEP = 'billing-statements delete';

const STEPS = {
  bill_again: ['To bill the same items again', 'duplicate'],
  bill_with_new_date: ['Bill the same items again', 'duplicate', '--due +14d'],
  capture: ['To collect the held amount', 'payment-intents capture'],
  check: ['Check', GET_STEP],
  check_first: ['Check it before you continue', GET_STEP],
  continue_reissue: ['Continue the reissue', 'reissue'],
  date_draft: ['To give it a due date', 'edit', '--due +14d'],
  delete: ['Delete it', DELETE_STEP],
  delete_and_repeat: ['Delete the draft, and run the same command again', DELETE_STEP],
  delete_draft: ['To delete the draft instead', DELETE_STEP],
  delete_items: ['If they do not belong there, delete them', 'billing-statement-line-items delete'],
  delete_unused: ['If it is not in use, delete it, then run the same command again', DELETE_STEP],
  edit: ['To edit it', 'edit'],
  finalize: ['Finalize it', 'billing-statements finalize'],
  finalize_if_right: ['If it is right', 'billing-statements finalize'],
  finish_draft: ['To finalize and send it', 'send', '--finalize'],
  link_replacement: ['To get the link of its replacement', 'link'],
  owed: ['To see who owes you', 'owed'],
  pay_replacement: ['To pay its replacement', 'sandbox pay'],
  refund: ['To refund it', 'refund'],
  refund_replacement: ['To refund its replacement', 'refund'],
  reissue_replacement: ['To correct its replacement', 'reissue', '--edit'],
  remind: ['To remind them', 'remind'],
  remind_overdue: ['To remind them', 'remind', '--overdue'],
  replace: ['To replace it with a corrected one', 'reissue', '--edit'],
  replace_as: ['Replace it, then run the same command again', 'reissue'],
  replace_open: ['To replace it with a corrected one', 'reissue'],
  see: ['See it', GET_STEP],
  see_replacement: ['See its replacement', GET_STEP],
  see_status: ['See its status', GET_STEP],
  send: ['To email it', 'send'],
  send_replacement: ['To send its replacement', 'send'],
  settle_replacement: ['To settle its replacement', 'settle'],
  send_if_right: ['If it is right', 'send'],
  send_unsent: ['If it was not sent', 'send'],
  void: ['Void it', 'void'],
  void_and_repeat: ['If it is wrong, void it, then run the same command again', 'void'],
  void_first: ['To record the payment, void it first', 'void'],
  void_old: ['Void the old statement', 'void'],
  void_open: ['To void it instead', 'void'],
  wait: ['To wait until it is paid', 'wait'],
  wait_replacement: ['To wait for its replacement', 'wait'],
} as const satisfies Readonly<Record<string, NextStep>>;

export type StepId = keyof typeof STEPS;

/** Usual next step by completed verb. */
export const AFTER = {
  draft: 'finish_draft',
  draft_without_date: 'date_draft',
  finalize: 'send',
  send: 'wait',
  settle: 'owed',
  void: 'bill_again',
} as const satisfies Readonly<Record<string, StepId>>;

/** True if the API refused to finalize a draft because of its due date. */
export const lacksDate = ({details: {apiErrors = []}}: CentavoError): boolean =>
  apiErrors.some(({parameter}) => parameter === 'due_at');

/** @param named ids or names @param account account flags, which come last */
export function nextStep(id: StepId, named: string | readonly string[], account: readonly string[]): NextCommand {
  const [words, command, flags]: NextStep = STEPS[id];
  return nextCommand(words, command, named, flags?.split(' ') ?? [], account);
}

/**
 * Returns the typed account flags. Without them, a suggested check would read another account and find nothing, and the
 * user would repeat the change. The environment applies to the next command anyway.
 */
export const accountArgs = ({flags}: Pick<Context, 'flags'>): readonly string[] => [
  ...(flags.profile === undefined ? [] : ['--profile', flags.profile]),
  ...(flags.project === undefined ? [] : ['--project', flags.project]),
  ...(flags.live ? ['--live'] : []),
];

/** The same as text to append to a command: ` --profile shop --live`. */
export const accountFlagsOf = (context: Pick<Context, 'flags'>): string =>
  accountArgs(context)
    .map((arg) => ` ${shellQuote(arg)}`)
    .join('');

/** Adds the typed project to a command in a text, unless it has one. */
export const inProject = ({flags: {project}}: Pick<Context, 'flags'>, command: string): string =>
  project === undefined || command.includes(` ${PROJECT_FLAG} `) ? command : `${command} ${PROJECT_FLAG} ${project}`;
