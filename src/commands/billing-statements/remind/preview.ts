// Reminders in words: the preview of who gets an email, the change for the guard, and what became of each as rows.

import type {Reminded, Remindable} from '../../../billing/remind.js';
import {resultOfRecords, type Table} from '../../../cli/records.js';
import {centavos, choice, integer, list, nullable, record, text, timestamp} from '../../../cli/schema.js';
import {count} from '../../../ground/counts.js';
import {formatPesos} from '../../../ground/pesos.js';
import type {Change} from '../../../guard/change.js';
import {shown} from '../../../guard/describe.js';
import {clean} from '../../../output/format.js';
import type {Result} from '../../../output/result.js';
import {amountWords, dueWords, payerOf, sendWords} from '../shared/choose-open.js';

/** More statements than this are counted in the preview. */
const MOST_SHOWN = 30;

/** Who gets an email, and below it what does not fit on a line. @param now unix seconds */
export function previewLines(wanted: readonly Remindable[], now: number, width: number): string[] {
  const some = wanted.slice(0, MOST_SHOWN);
  const facts = some.map((each) => [each.number ?? each.id, amountWords(each.amount), dueWords(each, now)] as const);
  const widest = (index: 0 | 1 | 2): number => Math.max(...facts.map((fact) => fact[index].length), 0);
  const lines = some.flatMap((each, index) => {
    const [number, amount, due] = facts[index]!;
    const start = `  ${number.padEnd(widest(0))}  ${amount.padStart(widest(1))}  ${due.padEnd(widest(2))}`;
    const {name, email, id} = each.customer;
    const pieces = [
      clean(name ?? id ?? 'an unknown customer'),
      ...(email === undefined ? [] : [clean(`<${email}>`)]),
      ...(each.lastSend ? [sendWords(each.lastSend, now)] : []),
    ];
    const whole = [start, ...pieces].join('  ');
    return whole.length <= width ? [whole] : [start.trimEnd(), `${' '.repeat(widest(0) + 4)}${pieces.join(' ')}`];
  });
  const more = wanted.length - some.length;
  return [
    ...lines,
    ...(more > 0 ? [`  and ${count(more)} more`] : []),
    ...(wanted.some(({lastSend}) => lastSend === undefined) ? ['Emails sent from elsewhere are not known here.'] : []),
  ];
}

/** Those that are not sent, and why. @param now unix seconds */
export function leftOutLines(leftOut: readonly Reminded[], now: number, names: boolean): string[] {
  const ended = leftOut.filter(({reason}) => reason === 'not_open').length;
  const recent = leftOut.length - ended;
  const sent = leftOut.some(({reason}) => reason === 'send_in_doubt') ? 'sent, or possibly sent,' : 'sent';
  const lines = names
    ? leftOut.map((each) => `  ${each.number ?? each.id}  ${clean(payerOf(each))}  ${reasonWords(each, now)}`)
    : [];
  if (ended > 0) lines.push(`Left out: ${count(ended)} not open.`);
  const again = `To send ${recent === 1 ? 'it' : 'them'} again, add --again.`;
  if (recent > 0) lines.push(`Left out: ${count(recent)} ${sent} within the last 7 days. ${again}`);
  return lines;
}

/** Why a customer was not reminded, where that is no error. */
export function reasonWords({reason, lastSend, status, amount}: Reminded, now: number): string {
  if (reason === 'sent_recently' || reason === 'send_in_doubt') return sendWords(lastSend!, now);
  if (reason === 'not_open') return `it is ${status === 'draft' ? 'a draft' : status}`;
  return reason === 'changed' ? `it now comes to ${amountWords(amount)}` : (reason ?? '');
}

/** All reminders of a run as one change. */
export function changeOfReminders(wanted: readonly Remindable[], asks: boolean): Change {
  const amounts = wanted.map(({amount}) => amount);
  const isKnown = amounts.every((amount) => amount !== undefined);
  const total = isKnown ? amounts.reduce<bigint>((sum, amount) => sum + BigInt(amount), 0n) : undefined;
  const [first] = wanted as [Remindable];
  const customers = new Set(wanted.map(({id, customer}) => customer.id ?? id)).size;
  const what =
    wanted.length === 1
      ? `email ${shown(payerOf(first))} about billing statement ${first.number ?? first.id} of ${amountWords(first.amount)}`
      : `email ${customers === 1 ? shown(payerOf(first)) : `${customers} customers`} about ${wanted.length} billing statements${total === undefined ? '' : ` of ${formatPesos(total)} in all`}`;
  return {
    command: 'billing-statements remind',
    asks,
    ids: wanted.map(({id}) => id),
    known: {
      what,
      amount: total,
      ...(wanted.length === 1 && {subject: {number: first.number ?? undefined, customer: first.customer.name}}),
      names: wanted.map(
        ({id, number, customer}) => [id, {number: number ?? undefined, customer: customer.name}] as const,
      ),
      statements: wanted.length,
      amounts: wanted.map(({id, amount}) => ({
        of: `billing statement ${id}`,
        amount: amount === undefined ? {unknown: 'The API does not give it.'} : BigInt(amount),
      })),
    },
  };
}

const REMINDER = record({
  id: text,
  number: nullable(text),
  customer_id: nullable(text),
  name: nullable(text),
  email: nullable(text),
  amount: nullable(centavos),
  due_at: nullable(timestamp),
  days_overdue: nullable(integer),
  status: text,
  last_sent_at: nullable(timestamp),
  reminded: choice('no', 'unknown', 'yes'),
  reason: nullable(text),
});
export const remindersSchema = list(REMINDER);

/** For people and pipes; a spreadsheet gets every field. */
const TABLE: Table = {
  shown_number: {header: 'number', rank: 1, whole: true},
  customer: {rank: 2, cut: 'name'},
  amount: 3,
  result: {header: 'reminded', rank: 3, whole: true},
};

/** @param now unix seconds @param forSpreadsheet whether every field is a column */
export function resultOfReminders(all: readonly Reminded[], now: number, forSpreadsheet: boolean): Result {
  const records = all.map(({id, number, customer, amount, dueAt, daysOverdue, status, lastSend, reminded, reason}) => ({
    id,
    number,
    customer_id: customer.id ?? null,
    name: customer.name ?? null,
    email: customer.email ?? null,
    amount: amount ?? null,
    due_at: dueAt,
    days_overdue: daysOverdue,
    status,
    last_sent_at: lastSend?.at ?? null,
    reminded,
    reason,
  }));
  return resultOfRecords(REMINDER, records, {
    ...(!forSpreadsheet && {columns: TABLE}),
    shown: records.map((each, index) => ({
      ...each,
      shown_number: each.number ?? each.id,
      customer: payerOf(all[index]!),
      result: resultWords(all[index]!, now),
    })),
    empty: 'No open billing statement is overdue for so long, so there is nobody to remind.',
  });
}

const resultWords = (each: Reminded, now: number): string =>
  ({yes: 'yes', unknown: 'unknown: the answer was lost', no: `no: ${reasonWords(each, now)}`})[each.reminded];
