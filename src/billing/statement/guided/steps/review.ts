// The review step: shows the statement and asks for the next action, a description or a confirmation.

import {formatPesos} from '../../../../common/pesos.js';
import {totalAsNumber} from '../../../../input/items.js';
import type {LetterChoice} from '../../../../output/prompt/asker.js';
import {askUntilRead, type Goal, type Guide} from '../guide.js';
import {changesIn, formatItemLines, formatItemSum, formatLongDue, formatPayer, statementSummary} from './summary.js';

export type ReviewChoice = Goal | 'back' | 'check' | 'customer' | 'description' | 'due' | 'items' | 'quit';

const MEANINGS: Readonly<Record<string, ReviewChoice>> = {
  ...{s: 'send', o: 'finalize', d: 'draft', k: 'check', l: 'quit'},
  ...{c: 'customer', i: 'items', u: 'due', e: 'description'},
};

/** Shows the statement, and asks what to do. No sending choice is marked, so that an extra Enter sends nothing. */
export async function askReview(guide: Guide): Promise<ReviewChoice> {
  guide.step = 'review';
  const {payer, items, dueAt, description, now, account} = guide;
  const key = await guide.choose({
    ask: `What's next? (${account})`,
    askPlainly: 'Letter:',
    intro: [
      `To: ${formatPayer({payer})}`,
      ...formatItemLines(items),
      formatItemSum(items),
      ...(dueAt === undefined ? [] : [`Due: ${formatLongDue(dueAt, now)}`]),
      ...(description === undefined ? [] : [`Description: ${description}`]),
      ...changesIn(guide),
    ],
    summary: statementSummary(guide),
    choices: reviewChoices(guide),
    ...(guide.made.sendInDoubt && {mark: 'k'}),
    isCareful: true,
    keys: `↑↓ or letter, then Enter · Esc back · ${guide.quitKey}`,
  });
  if (key !== undefined) return MEANINGS[key]!;
  // An open statement can no longer change.
  return guide.made.opened || guide.made.sendInDoubt ? askReview(guide) : 'back';
}

type Reviewed = Pick<
  Guide,
  'changes' | 'description' | 'dueAt' | 'isDescribed' | 'isReplacing' | 'isSaved' | 'items' | 'made' | 'payer'
>;

/** Returns the choices. An open statement can no longer change, so it can only be sent. */
export function reviewChoices(guide: Reviewed): LetterChoice[] {
  const {payer, items, made, description, isDescribed, isReplacing, isSaved} = guide;
  const total = formatPesos(totalAsNumber(items));
  const quit = isSaved
    ? {key: 'l', name: 'Quit, keep it for later', effect: 'Your input is saved on this machine.'}
    : {key: 'l', name: 'Quit, change nothing', effect: 'Nothing is changed, and nothing is sent.'};
  const described = description === undefined ? 'Add a description' : 'Edit description';
  const edits = [
    {key: 'i', name: 'Edit items'},
    {key: 'u', name: 'Edit due date'},
    ...(isDescribed ? [{key: 'e', name: described}] : []),
  ];
  if (guide.changes) {
    const effect = changesIn(guide).length > 0 ? 'The customer is not asked to pay yet.' : 'Nothing has changed yet.';
    return [{key: 'd', name: 'Save the draft', effect}, ...edits, quit];
  }
  if (made.sendInDoubt)
    return [
      {key: 'k', name: 'Check the statement', effect: 'Reads the statement again. Nothing is sent.'},
      {key: 'l', name: 'Quit', effect: 'Nothing more is sent.'},
    ];
  const send = {
    key: 's',
    name: `Send to ${payer?.email ?? 'the customer'}`,
    effect: `${payer?.name ?? 'The customer'} gets an email now, with a link to pay ${total}.`,
  };
  if (made.opened) return [send, quit];
  const open = `The statement of ${total} opens for payment. No email is sent; you get the link.`;
  const draft = 'Creates a draft. The customer is not asked to pay yet.';
  return [
    send,
    {key: 'o', name: 'Finalize, share the link myself', effect: open},
    ...(isReplacing
      ? []
      : [
          {key: 'd', name: 'Save as draft', effect: draft},
          {key: 'c', name: 'Edit customer'},
        ]),
    ...edits,
    quit,
  ];
}

/** @returns false if the user went back */
export async function askDescription(guide: Guide): Promise<boolean> {
  const {description} = guide;
  const question = {
    ask: 'Description:',
    text: description ?? '',
    intro: [
      'A description of the statement, for the customer. An empty line removes it.',
      ...(description === undefined ? [] : [`Current description: ${description}`]),
    ],
    summary: statementSummary(guide, 'description'),
    keys: `Enter save, empty removes it · Esc back · ${guide.quitKey}`,
  };
  const read = await askUntilRead(guide, 'description', question, (typed) => ({value: typed.trim()}));
  if (read) guide.description = read.value || undefined;
  return read !== undefined;
}

/** Asks before a live change. Nothing typed ahead answers. */
export async function askToConfirm(guide: Guide, question: string): Promise<boolean> {
  guide.asker.dropTypedAhead();
  const answer = await guide.choose({
    ask: question,
    askPlainly: 'Yes or no (no):',
    choices: [
      {key: 'y', name: 'Yes'},
      {key: 'n', name: 'No', effect: 'Nothing is sent.'},
    ],
    mark: 'n',
    isCareful: true,
    summary: statementSummary(guide),
    keys: 'y then Enter: yes · Enter alone: no',
  });
  return answer === 'y';
}
