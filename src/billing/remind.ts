// Sends open statements again, each with its intention recorded first. Nobody is reminded twice within a week from this
// machine, and a send with an unknown outcome counts as one.

import {MAXIMUM_PAGE} from '../api/fields.js';
import {
  customerOf,
  daysOverdue,
  dueOf,
  numberOf,
  type StatementCustomer,
  type StatementLike,
} from '../api/statement.js';
import type {Client} from '../client/client.js';
import {CentavoError, type ErrorKind} from '../ground/errors.js';
import {DAY} from '../ground/manila.js';
import type {Earlier, EarlierSend} from './compose/journal.js';
import type {Outcome} from './compose/outcome.js';

/** How long nobody is reminded again, in seconds. */
export const REMINDER_PAUSE = 7 * DAY;

/** A statement as it is before its customer is reminded. */
export interface Remindable {
  readonly id: string;
  readonly number: string | null;
  readonly customer: StatementCustomer;
  readonly status: string;
  /** Centavos; undefined where the API gives none. */
  readonly amount: number | undefined;
  /** Unix seconds. */
  readonly dueAt: number | null;
  /** Whole Manila days; 0 or less until it is overdue, null without a due date. */
  readonly daysOverdue: number | null;
  /** The last time at which this machine sent it, or may have. */
  readonly lastSend?: EarlierSend;
}

export interface Reminded extends Remindable {
  readonly reminded: 'no' | 'unknown' | 'yes';
  /**
   * Why not: `sent_recently` and `send_in_doubt` by a run within {@link REMINDER_PAUSE}, `not_open`, `changed` when its
   * amount is no longer the confirmed one, or the code of an error.
   */
  readonly reason: string | null;
  readonly error?: CentavoError;
}

/** The last send of each statement by all other runs. @param since unix seconds; earlier ones may be left out */
type Sends = (since?: number) => ReadonlyMap<string, EarlierSend>;

export interface RemindOptions {
  /** Sends a statement as a run of the engine. @param former what other runs did, asked when the intention is recorded */
  readonly send: (
    statement: {readonly id: string; readonly amount: number | undefined},
    former: () => Earlier,
  ) => Promise<Outcome>;
  readonly sends: Sends;
  /** Unix seconds, by the clock of the history. */
  readonly now: () => number;
  /** Whether those that were sent within the last week are sent again. */
  readonly again: boolean;
  /** Told before each one. */
  readonly onNext: (statement: Remindable, index: number) => void;
}

interface ReadOptions {
  /** Unix seconds, by the clock of the account. */
  readonly now: number;
  readonly signal?: AbortSignal;
  readonly onRead: (count: number) => void;
}

const remindableOf = (statement: StatementLike & {readonly id: string}, now: number): Remindable => ({
  id: statement.id,
  number: numberOf(statement) ?? null,
  customer: customerOf(statement),
  status: String(statement.status),
  amount: typeof statement.amount === 'number' ? statement.amount : undefined,
  dueAt: dueOf(statement) ?? null,
  daysOverdue: daysOverdue(statement, now) ?? null,
});

/** Every open statement that is overdue for at least so many days, longest first. */
export async function readOverdue(client: Client, days: number, options: ReadOptions): Promise<Remindable[]> {
  const {now, signal, onRead} = options;
  const found: Remindable[] = [];
  let count = 0;
  for await (const {data} of client.billingStatements.list({limit: MAXIMUM_PAGE}, {signal}).pages()) {
    for (const statement of data) {
      const remindable = remindableOf(statement, now);
      if ((remindable.daysOverdue ?? 0) >= days) found.push(remindable);
    }
    onRead((count += data.length));
  }
  // A list may leave out the number, and who the customer is.
  const isThin = ({number, customer}: Remindable): boolean => number === null || customer.email === undefined;
  const whole: Remindable[] = [];
  for (const each of found) {
    const [read] = isThin(each) ? await readNamed(client, [each.id], {...options, onRead: () => {}}) : [each];
    whole.push(read!);
  }
  return whole.sort((a, b) => (b.daysOverdue ?? 0) - (a.daysOverdue ?? 0));
}

/** These statements, in order. */
export async function readNamed(
  client: Client,
  ids: readonly string[],
  {now, signal, onRead}: ReadOptions,
): Promise<Remindable[]> {
  const read: Remindable[] = [];
  for (const id of ids) {
    read.push(remindableOf(await client.billingStatements.get(id, {signal}), now));
    onRead(read.length);
  }
  return read;
}

/** Why a statement is not sent; undefined when it can be. */
function keptBack(
  {status}: Remindable,
  send: EarlierSend | undefined,
  now: number,
  again: boolean,
): string | undefined {
  if (status !== 'open') return 'not_open';
  if (again || send === undefined || send.at <= now - REMINDER_PAUSE) return undefined;
  return send.state === 'sent' ? 'sent_recently' : 'send_in_doubt';
}

/** Those that can be sent, and those that cannot, with the last time at which this machine sent each. */
export function planReminders(
  statements: readonly Remindable[],
  {sends: sendsSince, now, again}: Pick<RemindOptions, 'again' | 'now' | 'sends'>,
): {readonly wanted: readonly Remindable[]; readonly leftOut: readonly Reminded[]} {
  const sends = sendsSince();
  const wanted: Remindable[] = [];
  const leftOut: Reminded[] = [];
  for (const statement of statements) {
    const lastSend = sends.get(statement.id);
    const known = lastSend ? {...statement, lastSend} : statement;
    const reason = keptBack(known, lastSend, now(), again);
    if (reason === undefined) wanted.push(known);
    else leftOut.push({...known, reminded: 'no', reason});
  }
  return {wanted, leftOut};
}

/** After these nothing more can be done. */
const ENDS: readonly ErrorKind[] = ['internal', 'interrupted', 'local_io'];

/** Whether a run ends with this failure, before all were tried. */
export const endsRun = ({error}: Reminded): boolean => error !== undefined && ENDS.includes(error.kind);

/** Sends each again and tells what became of it, until one {@link endsRun}. Never throws a CentavoError. */
export async function* remind(statements: readonly Remindable[], options: RemindOptions): AsyncGenerator<Reminded> {
  for (const [index, statement] of statements.entries()) {
    options.onNext(statement, index);
    const reminded = await remindOne(statement, options);
    yield reminded;
    if (endsRun(reminded)) return;
  }
}

async function remindOne(statement: Remindable, options: RemindOptions): Promise<Reminded> {
  const {id, amount} = statement;
  const no = (reason: string, more: Partial<Reminded> = {}): Reminded => ({
    ...statement,
    reminded: 'no',
    reason,
    ...more,
  });
  let lastSend: EarlierSend | undefined;
  // Other runs can see the intention when this is asked, so that no two of them send.
  const former = () => {
    lastSend = options.again ? undefined : options.sends(options.now() - REMINDER_PAUSE).get(id);
    const isKeptBack = keptBack(statement, lastSend, options.now(), options.again) !== undefined;
    return {unsettled: false, ...(isKeptBack && {send: lastSend!.state})};
  };
  let outcome: Outcome;
  try {
    outcome = await options.send({id, amount}, former);
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    return no(error.code, {error});
  }
  if (outcome.end === 'done')
    return outcome.sentBefore ? no('sent_recently', {lastSend}) : {...statement, reminded: 'yes', reason: null};
  const {stop} = outcome;
  if (stop.why === 'send_in_doubt') return no('send_in_doubt', {lastSend});
  // It may have been paid since it was planned.
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
