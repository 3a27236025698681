// What `centavo why` ends with: the cause in a sentence or two, and the next command.

import {isAbsolute} from 'node:path';
import {choice, nullable, record, text, type ValueOf} from '../../cli/schema.js';
import {shellQuote} from '../../input/shell-words.js';
import type {Timeline} from '../../sandbox/requests/timeline.js';
import {folderName} from '../webhooks/shared/endpoint.js';
import type {TimelineRow} from './rows.js';

export const FINDING = record({
  code: choice(
    'delivered',
    'dropped',
    'held',
    'no_subscription',
    'not_forwarded',
    'not_genuine',
    'not_known',
    'not_paid',
    'payment_failed',
    'refused',
    'unreachable',
    'waiting',
  ),
  message: text,
  next: nullable(text),
  /** What to do once that is done. */
  after: nullable(text),
});
export type Finding = ValueOf<typeof FINDING>;

/** The worst first: one webhook that has it does not help the other. */
const WORST = [
  'not_genuine',
  'refused',
  'unreachable',
  'held',
  'dropped',
  'waiting',
  'not_forwarded',
  'delivered',
] as const;

/** Tells an app that somebody paid. */
const isSuccess = ({type, name}: TimelineRow): boolean => type === 'event' && /\.(paid|succeeded)$/.test(name ?? '');

export interface Known {
  readonly object: Readonly<Record<string, unknown>> & {readonly id: string};
  readonly rows: readonly TimelineRow[];
  /** The event that was asked about, instead of those of the payment. */
  readonly event?: string;
  /** Undefined on a real account. */
  readonly webhooks?: Timeline['webhooks'];
  /** ` --live`, as typed. */
  readonly account: string;
  /** The app that events went to last. */
  readonly target?: string;
}

type Found = Omit<Finding, 'after'> & {readonly after?: string};

export const findingOf = (known: Known): Finding => ({after: null, ...foundOf(known)});

function foundOf(known: Known): Found {
  const {object, rows, event, account, webhooks, target} = known;
  if (object.id.startsWith('req_')) return requestFinding(rows[0]!);
  const asked = rows.filter((row) => (event === undefined ? isSuccess(row) : row.type === 'event' && row.id === event));
  if (event === undefined && (webhooks ? asked.length === 0 : !isPaid(object))) return unpaid(known);
  const found = rows.filter(({outcome, event_id: id}) => outcome !== null && asked.some((each) => each.id === id));
  const code = WORST.find((outcome) => found.some((row) => row.outcome === outcome));
  if (!code)
    return webhooks
      ? noSubscription(asked.at(-1)!, webhooks, target)
      : {
          code: 'not_known',
          message:
            'It is paid. No delivery of it has reached this machine, and what other webhooks answered is not known here.',
          next: `centavo webhooks list${account}`,
        };
  const worst = found.find(({outcome}) => outcome === code)!;
  const name = asked.find(({id}) => id === worst.event_id)?.name ?? 'the event';
  return {code, ...outcomeFinding(worst, name, target)};
}

const requestFinding = ({id, words}: TimelineRow): Found => ({
  code: 'not_known',
  message: `${words}. It is about nothing that is paid.`,
  next: `centavo sandbox logs ${id}`,
});

/** As an option, where an event goes. */
const forwardTo = (target = '3000/webhooks'): string => `--forward-to ${target.replace(/^http:\/\/localhost:/, '')}`;

/** What runs a listener again, in its own folder. */
function listenAgain(listener: string, target: string | undefined): string {
  const words = `centavo webhooks listen ${forwardTo(target)}`;
  if (!isAbsolute(listener)) return `${words} --name ${listener}`;
  return listener === folderName() ? words : `cd ${shellQuote(listener)} && ${words}`;
}

function outcomeFinding(row: TimelineRow, name: string, target: string | undefined): Omit<Found, 'code'> {
  const {outcome, words, id, event_id: event, type, name: where, status, likely_cause: cause, listener} = row;
  const isLocal = type === 'delivery';
  const message = [`${name}: ${words}.`, cause].filter(Boolean).join(' ');
  if (outcome === 'delivered')
    return {
      message: `${isLocal ? 'Your app' : 'The webhook'} accepted ${name}: it answered ${status}. Look in your app: what it does with this event, and how it finds the order.`,
      next: isLocal ? `centavo webhooks deliveries get ${id}` : `centavo sandbox events get ${event} --json`,
    };
  if (!isLocal && listener !== null && status === null)
    return {message, next: listenAgain(listener, target), ...(outcome === 'dropped' && {after: resend(event)})};
  if (!isLocal) return {message, next: resend(event)};
  if (outcome === 'not_genuine') return {message, next: `centavo webhooks verify ${id}`};
  if (outcome === 'waiting') return {message, next: `centavo webhooks deliveries get ${id}`};
  const behind = outcome === 'held' ? /evt_\w+/.exec(words)?.[0] : undefined;
  return {message, next: `centavo webhooks replay ${behind ?? event} ${forwardTo(where ?? target)}`};
}

const resend = (event: string | null): string => `centavo sandbox events resend ${event}`;

function noSubscription(
  {name, id}: TimelineRow,
  webhooks: NonNullable<Known['webhooks']>,
  target: string | undefined,
): Found {
  const after = resend(id);
  const code = 'no_subscription';
  const asks = webhooks.find(({events}) => (events as string[]).includes(name!));
  const message = `No webhook asked for ${name} when it happened.`;
  if (asks?.status === 'enabled')
    return {
      code,
      message: `${message} ${asks.id as string} asks for it now.`,
      next: after,
    };
  if (asks)
    return {
      code,
      message: `${message} ${asks.id as string} is disabled.`,
      next: `centavo webhooks enable ${asks.id as string}`,
      after,
    };
  const other = webhooks.find(({status}) => status === 'enabled');
  if (!other) return {code, message, next: `centavo webhooks listen ${forwardTo(target)}`, after};
  const events = [...(other.events as string[]), name].join(',');
  return {code, message, next: `centavo webhooks update ${other.id as string} --events ${events}`, after};
}

const intentOf = (object: Known['object']): Readonly<Record<string, unknown>> =>
  (object.payment_intent as Record<string, unknown> | null | undefined) ?? object;

const isPaid = (object: Known['object']): boolean =>
  [object.status, intentOf(object).status].some((status) =>
    ['completed', 'paid', 'succeeded'].includes(String(status)),
  );

function unpaid({object, rows, webhooks, account}: Known): Found {
  const {id, status} = object;
  if (intentOf(object).status === 'processing')
    return {
      code: 'not_paid',
      message:
        'The customer has approved it, and the payment is still being processed. An event follows when it succeeds.',
      next: null,
    };
  const failed = rows.findLast(({type}) => type === 'payment_failed');
  const code = failed?.name ?? (intentOf(object).last_payment_error as {code?: string} | null | undefined)?.code;
  const pay = webhooks ? `centavo sandbox pay ${id}` : `centavo get ${id}${account}`;
  if (code)
    return {
      code: 'payment_failed',
      message: `The payment failed with ${code}, and nothing was paid. A failed payment causes no event.`,
      next: pay,
    };
  const state = String(status);
  if (id.startsWith('bstm_') && state === 'draft')
    return {
      code: 'not_paid',
      message: 'It is a draft, which nobody can pay.',
      next: `centavo send ${id} --finalize${account}`,
    };
  const isOpen = ['active', 'awaiting_next_action', 'awaiting_payment_method', 'open'].includes(state);
  return {
    code: 'not_paid',
    message: `Nobody has paid it: it is ${state.replaceAll('_', ' ')}.`,
    next: isOpen ? pay : null,
  };
}
