// Writes the summary after guided creation: recipient, amount, due date, link, and the equivalent command.

import {paymentLinkOf, statementNumberOf} from '../../../api/statement.js';
import {accountFlagsOf} from '../../../cli/next-steps.js';
import type {Context} from '../../../context/context.js';
import {formatPesos} from '../../../common/pesos.js';
import {dateText} from '../../../input/dates.js';
import {totalAsNumber} from '../../../input/items.js';
import {shellQuote} from '../../../common/next-text.js';
import {oneLineText, wrapText} from '../../../output/format.js';
import type {Goal, Guide} from '../../../billing/statement/guided/guide.js';
import {typedText} from '../../../billing/statement/guided/steps/items.js';
import {formatItemCount, formatLongDue} from '../../../billing/statement/guided/steps/summary.js';
import type {GuidedResult} from './guided.js';

/** Maximum items. With more, the printed command duplicates the statement instead of listing its items. */
const MAX_ITEMS = 6;

export function doneLines(context: Context, {outcome: {statement, sentBefore}, goal, guide}: GuidedResult): string[] {
  const {payer, items, dueAt, description, now} = guide;
  const to = oneLineText(`${payer!.name} <${payer!.email}>`);
  const title = {
    send: sentBefore ? `Already sent to ${to}; it was not sent again` : `Sent to ${to}`,
    finalize: `Open for payment by ${to}; no email was sent`,
    draft: `Draft for ${to}; the customer is not asked to pay yet`,
  }[goal];
  const number = statementNumberOf(statement);
  const link = paymentLinkOf(statement);
  const rows: [string, string][] = [
    ...(number === undefined ? [] : [['Number', number] as [string, string]]),
    ['Amount', `${formatPesos(totalAsNumber(items))}, ${formatItemCount(items.length)}`],
    ...(description === undefined ? [] : [['For', description] as [string, string]]),
    ...(dueAt === undefined ? [] : [['Due', formatLongDue(dueAt, now)] as [string, string]]),
    ...(link === undefined ? [] : [['Link', link] as [string, string]]),
    ['Id', statement.id],
  ];
  const account = accountFlagsOf(context);
  return [
    ...wrapText(`${context.io.plain ? '' : '✓ '}${title}`, context.io.width, 0, 2),
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(6)}  ${oneLineText(value)}`),
    '',
    '  Same statement, one command:',
    ...commandLines(sameCommand(guide, goal, number ?? statement.id, account), context.io.width).map(
      (line) => `  ${line}`,
    ),
  ];
}

/** Returns the words of a command that creates the same statement, quoted for a shell. */
export function sameCommand(
  {payer, items, dueAt, description, people}: Pick<Guide, 'description' | 'dueAt' | 'items' | 'payer' | 'people'>,
  goal: Goal,
  reference: string,
  account: string,
): string[] {
  const due = dueAt === undefined ? [] : ['--due', dateText(dueAt)];
  const what = description === undefined ? [] : [`--description=${description}`];
  const how = goal === 'send' ? ['--send'] : goal === 'finalize' ? ['--finalize'] : [];
  const more = account.split(' ').filter(Boolean);
  if (items.length > MAX_ITEMS)
    return ['centavo', 'duplicate', reference, ...due, ...how, ...more].map((word) => shellQuote(word));
  const {email, id} = payer!;
  const shared = people.all.filter((person) => person.email.toLowerCase() === email.toLowerCase()).length > 1;
  const who = shared && id !== undefined ? ['--customer', id] : ['--customer-email', email];
  // A leading blank is ignored, and keeps a dash from being read as a flag.
  const lines = items.flatMap((item) => ['--item', typedText(item).replace(/^-/, ' -')]);
  return [...['centavo', 'bill', ...who, ...lines, ...what, ...due, ...how].map((word) => shellQuote(word)), ...more];
}

/** Wraps a command with backslashes and keeps each flag with its value. */
function commandLines(words: readonly string[], width: number): string[] {
  const parts: string[] = [];
  for (const [index, word] of words.entries()) {
    if (parts.length === 0 || (word.startsWith('--') && index > 0)) parts.push(word);
    else parts.push(`${parts.pop()} ${word}`);
  }
  const lines: string[] = [];
  let line = parts[0]!;
  for (const part of parts.slice(1)) {
    if (line.length + part.length + 7 > width) {
      lines.push(`${line} \\`);
      line = `  ${part}`;
    } else line = `${line} ${part}`;
  }
  return [...lines, line];
}
