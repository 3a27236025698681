// Asks the user to choose open statements of the account, longest overdue first.

import type {RecordedSend} from '../../../accounting/standing.js';
import {stateLabel} from '../../../accounting/words.js';
import type {ReminderCandidate} from '../../../billing/statement/reminders.js';
import {withReadingProgress} from '../../../cli/account-reads.js';
import type {Context} from '../../../context/context.js';
import {shortDay} from '../../../common/manila.js';
import {refusedError} from '../../../common/errors.js';
import {formatPesos} from '../../../common/pesos.js';
import {UNKNOWN_AMOUNT} from '../../../guard/describe-change.js';

export const formatAmount = (amount: number | undefined): string =>
  amount === undefined ? UNKNOWN_AMOUNT : formatPesos(amount);

/** `sent 9 Nov`, `may have been sent 9 Nov`. */
export const formatSendState = ({at, state}: RecordedSend, now: number): string =>
  `${state === 'sent' ? 'sent' : 'may have been sent'} ${shortDay(at, now)}`;

export const statementPayerOf = ({customer: {name, email, id}}: ReminderCandidate): string =>
  name ?? email ?? id ?? 'an unknown customer';

/** Reads open statements. @param days minimum days overdue; undefined for all */
export async function readOpen(context: Context, days?: number): Promise<ReminderCandidate[]> {
  const client = await context.client();
  const {readOverdue} = await context.billing();
  const now = await context.accountNow();
  return withReadingProgress(context, 'Reading billing statements', (paging) =>
    readOverdue(client, days ?? -Infinity, now, paging),
  );
}

/**
 * Asks the user to choose open statements; prints a note and returns none if none is open.
 * @param several label for choosing several, `Remind of`; without a label, one is chosen and sends are not shown
 */
export async function chooseOpen(context: Context, question: string, several?: string): Promise<ReminderCandidate[]> {
  const now = await context.accountNow();
  const open = await readOpen(context);
  if (several !== undefined) await (await context.runs()).recallSends(open.map(({id}) => id));
  const history = await context.history();
  const detailsOf = (each: ReminderCandidate): string[] => {
    const send = several === undefined ? undefined : history.lastSend(each.id);
    const state = stateLabel(each.standing, now, false).text;
    return [formatAmount(each.amount), state, ...(send ? [formatSendState(send, now)] : [])];
  };
  if (open.length === 0) context.io.note('No billing statement is open.');
  const overdue = open.filter(({standing}) => standing.state === 'overdue');
  const nameOf = ({number, id}: ReminderCandidate): string => number ?? id;
  if (open.length === 1) {
    const [text] = open.map((each) => `${nameOf(each)} for ${statementPayerOf(each)}, ${detailsOf(each).join(', ')}`);
    if (await context.prompt.confirm(`Only one is open. Do you mean ${text}?`)) return open;
    throw refusedError('not_confirmed', 'not confirmed.');
  }
  const widest = Math.max(...open.map((each) => nameOf(each).length));
  const chosen: ReminderCandidate[] = [];
  while (chosen.length < (several === undefined ? Math.min(1, open.length) : open.length)) {
    const remaining = open.filter((each) => !chosen.includes(each));
    const first =
      chosen.length > 0
        ? `${several} ${chosen.map(nameOf).join(', ')}`
        : several !== undefined && overdue.length > 1 && `All ${overdue.length} overdue`;
    const choices = remaining.map((each) => ({
      name: `${nameOf(each).padEnd(widest)}  ${statementPayerOf(each)}`,
      detail: detailsOf(each).join(', '),
      value: each,
    }));
    const next = await context.prompt.search<ReminderCandidate | undefined>(
      chosen.length > 0 ? 'Which others?' : question,
      first ? [{name: first, value: undefined}, ...choices] : choices,
    );
    if (!next) return chosen.length > 0 ? chosen : overdue;
    chosen.push(next);
  }
  return chosen;
}
