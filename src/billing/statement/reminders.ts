// Sends reminders: emails open statements again, each with its intent recorded first. Skips statements that this machine
// sent, or may have sent, within the last week.

import {isPayable, standingOf, type RecordedSend, type Standing} from '../../accounting/standing.js';
import {
  statementCustomerOf,
  statementNumberOf,
  type StatementCustomer,
  type StatementLike,
} from '../../api/statement.js';
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
  readonly standing: Standing;
  /** Centavos; undefined if the API returns no amount. */
  readonly amount: number | undefined;
  readonly lastSend?: RecordedSend;
}

export interface ReminderResult extends ReminderCandidate {
  readonly reminded: 'no' | 'unknown' | 'yes';
  /** `sent_recently`, `send_in_doubt`, `not_open`, `changed` (another amount than confirmed) or an error code; null if sent. */
  readonly reason: string | null;
  readonly error?: CentavoError;
}

/** Returns what happened to the money of a statement. */
type StandingReader = (statement: StatementLike) => Promise<Standing>;

export interface RemindOptions {
  readonly readStanding: StandingReader;
  /** Sends a statement. @param earlier reads the sends of other commands; called after the intent is recorded */
  readonly send: (
    statement: {readonly id: string; readonly amount: number | undefined},
    earlier: () => EarlierActivity,
  ) => Promise<RunOutcome>;
  readonly lastSend: (id: string) => RecordedSend | undefined;
  /** Unix seconds, by the history's clock. */
  readonly now: () => number;
  /** True to resend statements that were sent within the last week. */
  readonly again: boolean;
  readonly onNext: (statement: ReminderCandidate, index: number) => void;
}

const amountOf = ({amount}: StatementLike): number | undefined => (typeof amount === 'number' ? amount : undefined);

const remindableOf = (statement: StatementLike, standing: Standing): ReminderCandidate => ({
  id: standing.id,
  number: statementNumberOf(statement) ?? null,
  customer: statementCustomerOf(statement),
  standing,
  amount: amountOf(statement),
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
  const candidateOf = (each: StatementLike) => remindableOf(each, standingOf(each, {}, now));
  const found: ReminderCandidate[] = [];
  for await (const {data} of statementPages(client, options))
    found.push(...data.map(candidateOf).filter(({standing}) => isPayable(standing) && daysOf(standing) >= days));
  for (const [index, {id, number, customer}] of found.entries())
    // A list may omit the number and the customer.
    if (number === null || customer.email === undefined)
      found[index] = candidateOf(await getStatement(client, id, options));
  return found.sort((a, b) => daysOf(b.standing) - daysOf(a.standing));
}

const daysOf = ({daysOverdue}: Standing): number => daysOverdue ?? 0;

/** Reads these statements in the given order. */
export async function readNamedStatements(
  client: Client,
  ids: readonly string[],
  readStanding: StandingReader,
  options: AccountReadOptions,
): Promise<ReminderCandidate[]> {
  const read: ReminderCandidate[] = [];
  for (const id of ids) {
    const statement = await getStatement(client, id, options);
    options.onPage?.(read.push(remindableOf(statement, await readStanding(statement))));
  }
  return read;
}

/** Returns why a statement must not be sent; undefined if it may be sent. */
function skippedAsRecent({standing}: ReminderCandidate, send: RecordedSend | undefined, now: number, again: boolean) {
  if (!isPayable(standing)) return 'not_open';
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
  if (stop.why === 'ended') return no('not_open', {standing: await options.readStanding(stop.statement)});
  if (stop.why === 'changed') return no('changed', {amount: amountOf(stop.statement)});
  if (stop.why !== 'failed') throw new Error(`A reminder cannot end as ${stop.why}.`);
  const {error} = stop;
  const isUnknown = error.details.applied === 'unknown';
  return isUnknown
    ? {...statement, reminded: 'unknown', reason: error.code, error}
    : no(error.code, {error: error.with({applied: 'no'})});
}
