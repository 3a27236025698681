// The control verbs: what a test does to the sandbox besides calling the API. The test kit, the control path, the
// commands and the studio's buttons call these.

import {setTimeout as sleep} from 'node:timers/promises';
import {CentavoError, usageError} from '../../common/errors.js';
import {DAY, isDay, UNITS} from '../../common/manila.js';
import {ApiProblem} from '../api-problems.js';
import {listEvents, type EventQuery, type ReportedEvent} from '../delivery/event-reports.js';
import {CARDS, TEST_CARD_FAILURES, type CardName} from '../payments/instruments.js';
import {payLater, payStatement, type PayOptions, type PayResult} from '../payments/pay-statement.js';
import type {LogEntry} from '../requests/request-log.js';
import {listRequests} from '../requests/request-log-queries.js';
import {relatedIds} from '../requests/timeline.js';
import {trigger, type TriggerOptions} from '../sample-events.js';
import type {Clock, Sandbox, ServedState} from '../sandbox.js';
import {serialize, type Wire} from '../serialize.js';
import {AimedFailures} from './failures.js';
import {dropSnapshot, restoreMemorySnapshot, takeSnapshot} from './memory-snapshots.js';

/** Taken when loaded: a test may replace the timers of its process. */
/** Milliseconds between looks for an event. */
const LOOK_INTERVAL = 20;
/** Maximum events of a list. */
const MAX_EVENTS = 10_000;

/** How a customer pays. `outcome`: `paid` by default, `awaiting_approval`, `processing` or a failure code. */
export interface PaymentFields {
  readonly method?: string;
  /** Number of a test card, or its name in {@link CARDS}. */
  readonly card?: string;
  readonly outcome?: string;
  /** A failure code alone. */
  readonly fail?: string;
}

/** `object`: the id of an object, whose related objects count too. `limit`: 10,000 by default. */
export interface ControlEventQuery extends Pick<EventQuery, 'after' | 'type'> {
  readonly object?: string;
  readonly limit?: number;
}

export type SandboxControl = ReturnType<typeof controlOf>;

/** Binds the verbs to a sandbox. Times are unix seconds of its clock. Each change is one transaction. */
export function controlOf(sandbox: Sandbox) {
  const failures = new AimedFailures(sandbox);
  const snapshots = new Map<string, number>();
  let taken = 0;

  /** Pays as the customer does on the hosted page. */
  function pay(id: string, {method, card, fail, outcome = 'paid'}: PaymentFields, served?: ServedState): PayResult {
    const options: PayOptions = {
      method,
      card: card !== undefined && Object.hasOwn(CARDS, card) ? CARDS[card as CardName] : card,
    };
    return sandbox.perform((tx) => {
      if (outcome === 'awaiting_approval' || outcome === 'processing')
        return payLater(tx, id, options, outcome === 'processing');
      return payStatement(tx, id, {...options, fail: outcome === 'paid' ? fail : outcome});
    }, served);
  }

  /** Performs the operations that cause this event. @returns the event */
  const triggerEvent = (type: string, options: TriggerOptions, served?: ServedState) =>
    sandbox.perform(
      (tx) => withCentavoErrors(() => serialize(trigger(tx, type, options), tx) as Wire & {readonly id: string}),
      served,
    );

  /** Returns events, oldest first. */
  const events = ({object, limit = MAX_EVENTS, ...query}: ControlEventQuery): readonly ReportedEvent[] =>
    sandbox.performRead((tx) => {
      const start = object === undefined ? undefined : tx.peek(object);
      const objects = start ? relatedIds(tx, start) : object === undefined ? undefined : [object];
      return listEvents(tx, {...query, objects, limit, isOldestFirst: true}).data;
    });

  /** @returns the first event that fits, also one from before. @param timeout milliseconds @param signal ends the wait */
  async function waitForEvent(query: ControlEventQuery, timeout: number, signal?: AbortSignal) {
    // Counts the looks: a test may replace the clocks of its process.
    for (let left = timeout; ; left -= LOOK_INTERVAL) {
      const [event] = events({...query, limit: 1});
      if (event || left <= 0 || signal?.aborted) return event;
      await sleep(Math.min(left, LOOK_INTERVAL), undefined, {signal}).catch(() => {});
    }
  }

  /** Returns the last requests, oldest first. The server writes its log to the file before. */
  const requests = (limit: number): readonly LogEntry[] =>
    sandbox.read(({store}) => listRequests(store.requests, {limit, payments: false}).data.reverse());

  /** The next timer or delivery; undefined if nothing is due later. */
  const nextDue = (): {readonly at: number; readonly kind: string; readonly id: string} | undefined =>
    sandbox.read(({store, now}) => {
      const sql = `SELECT * FROM (SELECT at, kind, id FROM timers UNION ALL SELECT due, 'delivery', event FROM deliveries)
        WHERE at > ? ORDER BY at LIMIT 1`;
      return store.database.get(sql, now);
    });

  /** Moves the clock to each moment at which something is due, and last to `at`. @param settle is awaited at each */
  async function advanceTo(at: number, settle: () => Promise<unknown>): Promise<Clock> {
    if (!(at >= sandbox.now())) return sandbox.setClock(at);
    await settle();
    for (let next = nextDue(); next && next.at < at; next = nextDue()) {
      sandbox.setClock(next.at);
      await settle();
    }
    const clock = sandbox.setClock(Math.max(at, sandbox.now()));
    await settle();
    return clock;
  }

  /** Keeps everything, the clock included, in memory. Replaces the snapshot of this name. @returns the name */
  function snapshot(name = `snapshot-${taken + 1}`): string {
    const replaced = snapshots.get(name);
    takeSnapshot(sandbox, ++taken);
    snapshots.set(name, taken);
    if (replaced !== undefined) dropSnapshot(sandbox, replaced);
    return name;
  }

  function restore(name: string): void {
    const id = snapshots.get(name);
    if (id === undefined)
      throw new CentavoError('not_found', `there is no snapshot ${JSON.stringify(name)}.`, {
        applied: 'no',
        hint: snapshots.size > 0 ? `Snapshots: ${[...snapshots.keys()].join(', ')}` : 'Take one first.',
      });
    restoreMemorySnapshot(sandbox, id);
  }

  /** Says what happened instead of an event, and what is due next. */
  function whyNotSeen({type = 'an event', object, ...query}: ControlEventQuery): string {
    const others = events({...query, object}).map((event) => event.type);
    const seen = others.length > 0 ? `Instead: ${others.slice(-10).join(', ')}.` : 'Nothing else happened.';
    const next = nextDue();
    const due = next
      ? ` Next is ${next.kind} of ${next.id}, in ${next.at - sandbox.now()} seconds of the sandbox's clock.`
      : '';
    return `${type} did not happen${object === undefined ? '' : ` to ${object}`}. ${seen}${due}`;
  }

  return {
    sandbox,
    failures,
    whyNotSeen,
    pay,
    trigger: triggerEvent,
    events,
    waitForEvent,
    requests,
    nextDue,
    advanceTo,
    snapshot,
    restore,
    snapshots: () => [...snapshots.keys()],
    /** Empties the sandbox, planned failures included. */
    reset: sandbox.reset,
  };
}

/** Ways for a payment attempt to end, as a test asks for them. */
export const OUTCOMES = ['paid', 'awaiting_approval', 'processing', ...Object.keys(TEST_CARD_FAILURES)];

/** The field's word for the end of a payment attempt: a bank's page is open, or the amount is held. */
export const outcomeOf = (result: PayResult['result']) =>
  result === 'awaiting_next_action' ? 'awaiting_approval' : result;

/** Runs an action of the API outside a request, with its refusal as an error of centavo. */
function withCentavoErrors<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    const kind = error.status === 404 ? 'not_found' : 'rejected';
    const details = {code: error.errors[0]?.code, apiErrors: error.errors, applied: 'no'} as const;
    throw new CentavoError(kind, `the API refused the request (HTTP ${error.status}).`, details);
  }
}

/** Seconds: a hundred years. */
const MAX_SPAN = 36_525 * DAY;

/** Reads a span as seconds: `31d`, `1d 6h`, or a number of seconds. @throws usage error */
export function spanOf(span: unknown): number {
  const parts = typeof span === 'string' ? span.trim().split(/\s+/) : [];
  const seconds = parts
    .map((part) => /^(\d{1,7})([smhdw])$/.exec(part))
    .map((found) => found && Number(found[1]) * UNITS[found[2]!]!);
  const isRead = parts.length > 0 && seconds.every((each) => each !== null);
  const total = isRead ? seconds.reduce<number>((sum, each) => sum + each!, 0) : span;
  if (typeof total === 'number' && Number.isInteger(total) && total >= 0 && total <= MAX_SPAN) return total;
  throw usageError('invalid_duration', `${shown(span)} is not a span of time.`, {
    hint: "Write it as '30s', '12h', '31d' or '1d 6h', or as whole seconds; at most 100 years.",
  });
}

/** Reads an instant as unix seconds: a Date, whole seconds, or a text with an offset. @throws usage error */
export function instantOf(instant: unknown): number {
  const isText = typeof instant === 'string' && /T.*(Z|[+-]\d\d:\d\d)$/.test(instant);
  const at = instant instanceof Date || isText ? Math.floor(new Date(instant as Date).getTime() / 1000) : instant;
  if (typeof at === 'number' && Number.isInteger(at) && isDay(at)) return at;
  const isLate = typeof at === 'number' && at >= 250_000_000_000;
  throw usageError('invalid_date', `${shown(instant)} is not an instant.`, {
    hint: isLate
      ? 'A number is unix seconds, not milliseconds.'
      : "Write it as a Date, unix seconds, or a text with its offset: '2027-01-15T09:00:00+08:00'.",
  });
}

const shown = (value: unknown): string =>
  value instanceof Date
    ? 'an invalid Date'
    : /object|string/.test(typeof value)
      ? JSON.stringify(value)
      : String(value);
