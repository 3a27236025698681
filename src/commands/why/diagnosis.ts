// Finds the conclusion of `centavo why`: the cause, and the next command.

import {isPayable, isReceived, type Standing} from '../../accounting/standing.js';
import {attemptSentence, describeStanding, UNKNOWN_END} from '../../accounting/words.js';
import {captureOf} from '../../cli/refusals.js';
import * as schema from '../../cli/schema.js';
import type {ObjectTimeline} from '../../sandbox/requests/timeline.js';
import {forwardFlag, listenCommand} from '../webhooks/shared/endpoint.js';
import {EVENT_OUTCOMES, type TimelineRow} from './timeline-rows.js';

export const FINDING = schema.record({
  code: schema.choice(
    ...EVENT_OUTCOMES,
    'in_progress',
    'money_held',
    'no_subscription',
    'not_known',
    'not_paid',
    'payment_failed',
    'replaced',
    'settled',
  ),
  message: schema.text,
  next: schema.nullable(schema.text),
  /** Command to run after `next`. */
  after: schema.nullable(schema.text),
});
export type Diagnosis = schema.SchemaValue<typeof FINDING>;
type Code = Diagnosis['code'];
type SuggestedCommand = Diagnosis['next'];

/** True if the row is an event of money that came in or went back. */
const isOfMoney = ({type, name}: TimelineRow): boolean =>
  type === 'event' && /\.(paid|succeeded)$|^refund\.created$/.test(name ?? '');

export interface DiagnosisFacts {
  readonly object: Readonly<Record<string, unknown>> & {readonly id: string};
  readonly rows: readonly TimelineRow[];
  /** The money of the statement, session or intent; undefined if only an event is known. */
  readonly standing?: Standing;
  /** Unix seconds by the account's clock. */
  readonly now: number;
  /** Event id, if the user asked about an event. */
  readonly event?: string;
  /** Webhooks of the sandbox; undefined on a real account. */
  readonly webhooks?: ObjectTimeline['webhooks'];
  /** Flags of the account, such as ` --live`. */
  readonly account: string;
  /** Returns the app's address in the last run of this listener, by default of this folder's. */
  readonly targetOf: (listener?: string | null) => string | undefined;
  readonly isRunning: (url: string) => boolean;
}

function conclude(code: Code, message: string, next: SuggestedCommand, after: SuggestedCommand = null): Diagnosis {
  return {code, message, next, after};
}

export function diagnose(facts: DiagnosisFacts): Diagnosis {
  const {object, rows, event, standing, now} = facts;
  if (object.id.startsWith('req_'))
    return conclude('not_known', `${rows[0]!.words}: not a payment.`, `centavo sandbox logs ${object.id}`);
  const asked = rows.filter((row) => (event === undefined ? isOfMoney(row) : row.type === 'event' && row.id === event));
  if (event === undefined && standing && !isPaid(standing)) return moneyFinding(standing, facts);
  const delivery = deliveryFinding(asked, facts);
  if (!standing || !isRefunded(standing)) return delivery;
  return {...delivery, message: `${describeStanding(standing, now)}. ${delivery.message}`};
}

/** @param asked the events of the money, or the event that the user asked about */
function deliveryFinding(asked: readonly TimelineRow[], facts: DiagnosisFacts): Diagnosis {
  const {rows, account, webhooks} = facts;
  const results = rows.filter(({outcome, event_id: id}) => outcome !== null && asked.some((each) => each.id === id));
  const worstOf = EVENT_OUTCOMES.find((outcome) => results.some((row) => row.outcome === outcome));
  const code = worstOf ?? (webhooks && asked.length > 0 ? 'no_subscription' : 'not_known');
  if (code === 'no_subscription') return noSubscription(asked.at(-1)!, webhooks!, facts);
  if (code === 'not_known') return conclude(code, NOT_KNOWN, `centavo webhooks list${account}`);
  const worst = results.find(({outcome}) => outcome === code)!;
  return outcomeFinding(code, worst, asked.find(({id}) => id === worst.event_id)?.name ?? 'the event', facts);
}

const NOT_KNOWN =
  'It is paid. No event of it has reached this machine, and responses of other webhooks are not recorded here.';

const resend = (event: string | null): string => `centavo sandbox events resend ${event}`;

function outcomeFinding(code: Code, row: TimelineRow, name: string, facts: DiagnosisFacts): Diagnosis {
  const {words, id, event_id: event, type, name: where, status, likely_cause: cause, listener} = row;
  const isLocal = type === 'delivery';
  const later = code === 'dropped' ? resend(event) : null;
  const message = [`${name}: ${words}.`, cause].filter(Boolean).join(' ');
  if (code === 'delivered')
    return conclude(
      code,
      `${isLocal ? 'Your app' : 'The webhook'} accepted ${name}: it answered ${status}. Check how your app handles this event, and how it finds the order.`,
      isLocal ? `centavo webhooks deliveries get ${id}` : `centavo sandbox events get ${event} --json`,
    );
  if (!isLocal && listener !== null && status === null && !facts.isRunning(where!))
    return conclude(code, message, listenCommand(listener, facts.targetOf(listener)), later);
  if (!isLocal) return conclude(code, message, resend(event));
  if (code === 'not_genuine') return conclude(code, message, `centavo webhooks verify ${id}`);
  if (code === 'waiting') return conclude(code, message, `centavo webhooks deliveries get ${id}`);
  const behind = code === 'held' ? /evt_\w+/.exec(words)?.[0] : undefined;
  // Each listener has its own delivery, and another delivery may have been accepted.
  const isOnly = facts.rows.filter((each) => each.type === 'delivery' && each.event_id === event).length === 1;
  const again = behind ?? (isOnly ? event : id);
  return conclude(code, message, `centavo webhooks replay ${again} ${forwardFlag(where ?? facts.targetOf(listener))}`);
}

function noSubscription(
  {name, id}: TimelineRow,
  all: NonNullable<DiagnosisFacts['webhooks']>,
  {targetOf}: DiagnosisFacts,
): Diagnosis {
  // Webhooks of the sample data have example addresses.
  const webhooks = all.filter(({url}) => /^https?:\/\/(localhost|127\.[\d.]+|\[::1\])(:|\/|$)/.test(String(url)));
  const found = webhooks.find(({events}) => (events as string[]).includes(name!));
  const state = found ? ` ${found.id as string} is ${found.status === 'enabled' ? 'subscribed now' : 'disabled'}.` : '';
  const message = `No webhook on this machine subscribed to ${name} when it happened.${state}`;
  const after = resend(id);
  if (found?.status === 'enabled') return conclude('no_subscription', message, after);
  const other = webhooks.find(({status}) => status === 'enabled');
  const events = [...((other?.events ?? []) as string[]), name].join(',');
  const next = found
    ? `enable ${found.id as string}`
    : other
      ? `update ${other.id as string} --events ${events}`
      : `listen ${forwardFlag(targetOf())}`;
  return conclude('no_subscription', message, `centavo webhooks ${next}`, after);
}

/** States after a payment through the service, whose events follow. */
const isPaid = (standing: Standing): boolean => isReceived(standing) && standing.state !== 'settled';
const isRefunded = ({state}: Standing): boolean => state === 'refunded' || state === 'partly_refunded';

/** What happened to the money that did not come in through the service. */
function moneyFinding(standing: Standing, {now, webhooks, account}: DiagnosisFacts): Diagnosis {
  const {id, state, attempt, replacement, failure, unknown} = standing;
  const pay = webhooks ? `centavo sandbox pay ${id}` : `centavo get ${id}${account}`;
  const say = (more = ''): string => `${describeStanding(standing, now)}. ${more}`.trim();
  if (state === 'held')
    return conclude(
      'money_held',
      say(),
      `centavo payment-intents capture ${captureOf(standing, id).join(' ')}${account}`,
    );
  if (state === 'processing') return conclude('in_progress', say('An event follows when it succeeds.'), null);
  if (attempt === 'approving') return conclude('in_progress', say(attemptSentence(standing)), pay);
  if (state === 'settled')
    return conclude('settled', say('A payment outside the service causes no event.'), `centavo get ${id}${account}`);
  if (state === 'replaced') return conclude('replaced', say(), `centavo why ${replacement!.name}${account}`);
  if (failure !== undefined)
    return conclude(
      'payment_failed',
      `The payment failed with ${failure}, and nothing was paid. A failed payment causes no event.`,
      pay,
    );
  if (state === 'draft')
    return conclude('not_paid', say('It cannot be paid yet.'), `centavo send ${id} --finalize${account}`);
  const unsure = unknown.includes('attempt')
    ? 'The service does not say if a payment is under way.'
    : unknown.includes('ended_why')
      ? UNKNOWN_END
      : 'Nothing was paid.';
  return conclude('not_paid', say(unsure), isPayable(standing) ? pay : null);
}
