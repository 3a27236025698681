// Text and tables of reminders: the preview, the change for the guard, and the results.

import {STATE_WORDS, stateLabel} from '../../../accounting/words.js';
import type {ReminderResult, ReminderCandidate} from '../../../billing/statement/reminders.js';
import {resultOfRecords, type RecordTable} from '../../../cli/records.js';
import * as schema from '../../../cli/schema.js';
import {formatInteger} from '../../../common/counts.js';
import {formatPesos} from '../../../common/pesos.js';
import type {PlannedChange} from '../../../guard/change.js';
import {safeDisplayName} from '../../../guard/describe-change.js';
import {oneLineText} from '../../../output/format.js';
import type {CommandResult} from '../../../output/result.js';
import {formatAmount, statementPayerOf, formatSendState} from '../shared/choose-open.js';

const MAX_SHOWN = 30;

/** Lists recipients; long entries take two lines. @param now unix seconds */
export function previewLines(wanted: readonly ReminderCandidate[], now: number, width: number): string[] {
  const shown = wanted.slice(0, MAX_SHOWN);
  const facts = shown.map(
    (each) => [each.number ?? each.id, formatAmount(each.amount), stateLabel(each.standing, now, false).text] as const,
  );
  const widest = (index: 0 | 1 | 2): number => Math.max(...facts.map((fact) => fact[index].length), 0);
  const lines = shown.flatMap((each, index) => {
    const [number, amount, due] = facts[index]!;
    const start = `  ${number.padEnd(widest(0))}  ${amount.padStart(widest(1))}  ${due.padEnd(widest(2))}`;
    const {name, email, id} = each.customer;
    const pieces = [
      oneLineText(name ?? id ?? 'an unknown customer'),
      ...(email === undefined ? [] : [oneLineText(`<${email}>`)]),
      ...(each.lastSend ? [formatSendState(each.lastSend, now)] : []),
    ];
    const whole = [start, ...pieces].join('  ');
    return whole.length <= width ? [whole] : [start.trimEnd(), `${' '.repeat(widest(0) + 4)}${pieces.join(' ')}`];
  });
  const more = wanted.length - shown.length;
  return [
    ...lines,
    ...(more > 0 ? [`  and ${formatInteger(more)} more`] : []),
    ...(wanted.some(({lastSend}) => lastSend === undefined) ? ['Emails sent from elsewhere are not shown.'] : []),
  ];
}

/** Lists the skipped statements with the reason. @param now unix seconds @param names false to only count them */
export function skippedLines(leftOut: readonly ReminderResult[], now: number, names: boolean): string[] {
  const ended = leftOut.filter(({reason}) => reason === 'not_open').length;
  const recent = leftOut.length - ended;
  const sent = leftOut.some(({reason}) => reason === 'send_in_doubt') ? 'sent, or possibly sent,' : 'sent';
  const lines = names
    ? leftOut.map(
        (each) => `  ${each.number ?? each.id}  ${oneLineText(statementPayerOf(each))}  ${formatReason(each, now)}`,
      )
    : [];
  if (ended > 0) lines.push(`Skipped: ${formatInteger(ended)} not open.`);
  const again = `To send ${recent === 1 ? 'it' : 'them'} again, add --again.`;
  if (recent > 0) lines.push(`Skipped: ${formatInteger(recent)} ${sent} within the last 7 days. ${again}`);
  return lines;
}

export function formatReason({reason, lastSend, standing, amount}: ReminderResult, now: number): string {
  if (reason === 'sent_recently' || reason === 'send_in_doubt') return formatSendState(lastSend!, now);
  if (reason === 'not_open') return `it ${STATE_WORDS[standing.state].sentence(standing, now)}`;
  return reason === 'changed' ? `it now comes to ${formatAmount(amount)}` : (reason ?? '');
}

export function changeOfReminders(wanted: readonly ReminderCandidate[], asks: boolean): PlannedChange {
  const amounts = wanted.map(({amount}) => amount);
  const isKnown = amounts.every((amount) => amount !== undefined);
  const total = isKnown ? amounts.reduce<bigint>((sum, amount) => sum + BigInt(amount), 0n) : undefined;
  const [first] = wanted as [ReminderCandidate];
  const customers = new Set(wanted.map(({id, customer}) => customer.id ?? id)).size;
  const what =
    wanted.length === 1
      ? `email ${safeDisplayName(statementPayerOf(first))} about billing statement ${first.number ?? first.id} of ${formatAmount(first.amount)}`
      : `email ${customers === 1 ? safeDisplayName(statementPayerOf(first)) : `${customers} customers`} about ${wanted.length} billing statements${total === undefined ? '' : ` of ${formatPesos(total)} in all`}`;
  return {
    command: 'billing-statements remind',
    needsConfirmation: asks,
    ids: wanted.map(({id}) => id),
    known: {
      action: what,
      amount: total,
      ...(wanted.length === 1 && {subject: {number: first.number ?? undefined, customer: first.customer.name}}),
      names: wanted.map(
        ({id, number, customer}) => [id, {number: number ?? undefined, customer: customer.name}] as const,
      ),
      statements: wanted.length,
      amounts: wanted.map(({id, amount}) => ({
        label: `billing statement ${id}`,
        amount: amount === undefined ? {unknown: 'The API does not give it.'} : BigInt(amount),
      })),
    },
  };
}

const REMINDER = schema.record(
  {
    id: schema.text,
    ...schema.fieldsNamed('number customer_id name email', schema.nullable(schema.text)),
    amount: schema.nullable(schema.centavos),
    due_at: schema.nullable(schema.timestamp),
    days_overdue: schema.nullable(schema.integer),
    state: schema.text,
    last_sent_at: schema.nullable(schema.timestamp),
    reminded: schema.choice('no', 'unknown', 'yes'),
    reason: schema.nullable(schema.text),
  },
  // JSON lines and CSV have the account's mode in each row.
  {mode: schema.text},
);
export const remindersSchema = schema.page(REMINDER);

/** Columns of the table. CSV has every field. */
const REMINDER_TABLE: RecordTable = {
  shown_number: {header: 'number', rank: 1, whole: true},
  customer: {rank: 2, cut: 'name'},
  amount: 3,
  result: {header: 'reminded', rank: 3, whole: true},
};

/** @param now unix seconds @param forSpreadsheet true makes every field a column */
export function resultOfReminders(all: readonly ReminderResult[], now: number, forSpreadsheet: boolean): CommandResult {
  const records = all.map(({id, number, customer, amount, standing, lastSend, reminded, reason}) => ({
    id,
    number,
    customer_id: customer.id ?? null,
    name: customer.name ?? null,
    email: customer.email ?? null,
    amount: amount ?? null,
    due_at: standing.dueAt ?? null,
    days_overdue: standing.daysOverdue ?? null,
    state: standing.state,
    last_sent_at: lastSend?.at ?? null,
    reminded,
    reason,
  }));
  return resultOfRecords(REMINDER, records, {
    ...(!forSpreadsheet && {columns: REMINDER_TABLE}),
    shown: records.map((each, index) => ({
      ...each,
      shown_number: each.number ?? each.id,
      customer: statementPayerOf(all[index]!),
      result: formatResult(all[index]!, now),
    })),
    empty: 'No open billing statement is overdue that long. Nothing to remind.',
  });
}

const formatResult = (each: ReminderResult, now: number): string =>
  ({yes: 'yes', unknown: 'unknown: the response was lost', no: `no: ${formatReason(each, now)}`})[each.reminded];
