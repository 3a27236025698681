// Sends reminders: emails open statements again, each with its intent recorded first. Skips statements that this machine
// sent, or may have sent, within the last week.

import {
  statementCustomerOf,
  daysOverdue,
  dueTimeOf,
  statementNumberOf,
  type StatementCustomer,
  type StatementLike,
} from '../../api/statement.js';
import type {RecordedSend} from '../../accounting/standing.js';
import type {EarlierActivity} from '../../history/queries.js';
import type {Client} from '../../client/client.js';
import {CentavoError, type ErrorKind} from '../../common/errors.js';
import {DAY} from '../../common/manila.js';
import {getStatement, statementPages, type AccountReadOptions} from '../account/account-reader.js';
import type {RunOutcome} from './workflow/outcome.js';

/** Seconds before the same statement may be sent again. */
export const REMINDER_PAUSE = 7 * DAY;

export interface ReminderCandidate {
  readonly id: string;
  readonly number: string | null;
  readonly customer: StatementCustomer;
  readonly status: string;
  /** Centavos; undefined if the API returns no amount. */
  readonly amount: number | undefined;
  /** Unix seconds. */
  readonly dueAt: number | null;
  /** Whole days in Manila. 0 or less before the statement is overdue; null unless it is open and has a due date. */
  readonly daysOverdue: number | null;
  /** The last send, or possible send, from this machine. */
  readonly lastSend?: RecordedSend;
}

export interface ReminderResult extends ReminderCandidate {
  readonly reminded: 'no' | 'unknown' | 'yes';
  /** `sent_recently`, `send_in_doubt`, `not_open`, `changed` (another amount than confirmed) or an error code; null if sent. */
  readonly reason: string | null;
  readonly error?: CentavoError;
}

export interface RemindOptions {
  /** Sends a statement. @param earlier reads the sends of other commands; called after the intent is recorded */
  readonly send: (
    statement: {readonly id: string; readonly amount: number | undefined},
    earlier: () => EarlierActivity,
  ) => Promise<RunOutcome>;
  /** Returns the last send, or possible send, by another command. */
  readonly lastSend: (id: string) => RecordedSend | undefined;
  /** Unix seconds, by the history's clock. */
  readonly now: () => number;
  /** True to resend statements that were sent within the last week. */
  readonly again: boolean;
  readonly onNext: (statement: ReminderCandidate, index: number) => void;
}

const remindableOf = (statement: StatementLike & {readonly id: string}, now: number): ReminderCandidate => ({
  id: statement.id,
  number: statementNumberOf(statement) ?? null,
  customer: statementCustomerOf(statement),
  status: String(statement.status),
  amount: typeof statement.amount === 'number' ? statement.amount : undefined,
  dueAt: dueTimeOf(statement) ?? null,
  daysOverdue: daysOverdue(statement, now) ?? null,
});

/**
 * Reads the open statements that are at least this many days overdue, longest overdue first.
 * @param now unix seconds, by the account's clock
 */
export async function readOverdue(
  client: Client,
  days: number,
  now: number,
  options: AccountReadOptions,
): Promise<ReminderCandidate[]> {
  const found: ReminderCandidate[] = [];
  for await (const {data} of statementPages(client, options))
    found.push(
      ...data
        .map((listed) => remindableOf(listed, now))
        .filter((each) => each.status === 'open' && (each.daysOverdue ?? 0) >= days),
    );
  for (const [index, {id, number, customer}] of found.entries())
    // A list may omit the number and the customer.
    if (number === null || customer.email === undefined)
      found[index] = remindableOf(await getStatement(client, id, options), now);
  return found.sort((a, b) => (b.daysOverdue ?? 0) - (a.daysOverdue ?? 0));
}

/** Reads these statements in the given order. @param now unix seconds, by the account's clock */
export async function readNamedStatements(
  client: Client,
  ids: readonly string[],
  now: number,
  options: AccountReadOptions,
): Promise<ReminderCandidate[]> {
  const read: ReminderCandidate[] = [];
  for (const id of ids) options.onPage?.(read.push(remindableOf(await getStatement(client, id, options), now)));
  return read;
}

/** Returns why a statement must not be sent; undefined if it may be sent. */
function skippedAsRecent(
  {status}: ReminderCandidate,
  send: RecordedSend | undefined,
  now: number,
  again: boolean,
): string | undefined {
  if (status !== 'open') return 'not_open';
  if (again || send === undefined || send.at <= now - REMINDER_PAUSE) return undefined;
  return send.state === 'sent' ? 'sent_recently' : 'send_in_doubt';
}

/** Splits statements into sendable and skipped, each with its last send from this machine. */
export function planReminders(
  statements: readonly ReminderCandidate[],
  {lastSend: lastSendOf, now, again}: Pick<RemindOptions, 'again' | 'lastSend' | 'now'>,
): {readonly wanted: readonly ReminderCandidate[]; readonly leftOut: readonly ReminderResult[]} {
  const wanted: ReminderCandidate[] = [];
  const leftOut: ReminderResult[] = [];
  for (const statement of statements) {
    const lastSend = lastSendOf(statement.id);
    const known = lastSend ? {...statement, lastSend} : statement;
    const reason = skippedAsRecent(known, lastSend, now(), again);
    if (reason === undefined) wanted.push(known);
    else leftOut.push({...known, reminded: 'no', reason});
  }
  return {wanted, leftOut};
}

const ENDS: readonly ErrorKind[] = ['internal', 'interrupted', 'local_io'];

/** True if no further statement is tried after this failure. */
export const stopsReminders = ({error}: ReminderResult): boolean => error !== undefined && ENDS.includes(error.kind);

/** Sends each statement and yields its result, until {@link stopsReminders} is true. Never throws a CentavoError. */
export async function* sendReminders(
  statements: readonly ReminderCandidate[],
  options: RemindOptions,
): AsyncGenerator<ReminderResult> {
  for (const [index, statement] of statements.entries()) {
    options.onNext(statement, index);
    const reminded = await remindOne(statement, options);
    yield reminded;
    if (stopsReminders(reminded)) return;
  }
}

async function remindOne(statement: ReminderCandidate, options: RemindOptions): Promise<ReminderResult> {
  const {id, amount} = statement;
  const no = (reason: string, more: Partial<ReminderResult> = {}): ReminderResult => ({
    ...statement,
    reminded: 'no',
    reason,
    ...more,
  });
  let lastSend: RecordedSend | undefined;
  // Read after our intent is recorded, so that two runs cannot both send.
  const earlier = () => {
    lastSend = options.again ? undefined : options.lastSend(id);
    const isKeptBack = skippedAsRecent(statement, lastSend, options.now(), options.again) !== undefined;
    return {unsettled: false, ...(isKeptBack && {send: lastSend!.state})};
  };
  let outcome: RunOutcome;
  try {
    outcome = await options.send({id, amount}, earlier);
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    return no(error.code, {error});
  }
  if (outcome.end === 'done')
    return outcome.sentBefore ? no('sent_recently', {lastSend}) : {...statement, reminded: 'yes', reason: null};
  const {stop} = outcome;
  if (stop.why === 'send_in_doubt') return no('send_in_doubt', {lastSend});
  // The statement may have been paid since the plan was made.
  if (stop.why === 'ended') return no('not_open', {status: String(stop.statement.status)});
  if (stop.why === 'changed') {
    const {amount: now} = remindableOf(stop.statement, options.now());
    return no('changed', {amount: now});
  }
  if (stop.why !== 'failed') throw new Error(`A reminder cannot end as ${stop.why}.`);
  const {error} = stop;
  const isUnknown = error.details.applied === 'unknown';
  return isUnknown
    ? {...statement, reminded: 'unknown', reason: error.code, error}
    : no(error.code, {error: error.with({applied: 'no'})});
}
