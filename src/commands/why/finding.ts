// What `centavo why` ends with: the cause in a sentence or two, and the next command.

import {choice, nullable, record, text, type ValueOf} from '../../cli/schema.js';
import type {Timeline} from '../../sandbox/requests/timeline.js';
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
}

export function findingOf(known: Known): Finding {
  const {rows, event, account, webhooks} = known;
  const asked = rows.filter((row) => (event === undefined ? isSuccess(row) : row.type === 'event' && row.id === event));
  if (event === undefined && (webhooks ? asked.length === 0 : !isPaid(known.object))) return unpaid(known);
  const found = rows.filter(({outcome, event_id: id}) => outcome !== null && asked.some((each) => each.id === id));
  const code = WORST.find((outcome) => found.some((row) => row.outcome === outcome));
  if (!code)
    return webhooks
      ? noSubscription(asked.at(-1)!, webhooks)
      : {
          code: 'not_known',
          message:
            'It is paid. No delivery of it has reached this machine, and what other webhooks answered is not known here.',
          next: `centavo webhooks list${account}`,
        };
  const worst = found.find(({outcome}) => outcome === code)!;
  const name = asked.find(({id}) => id === worst.event_id)?.name ?? 'the event';
  return {code, ...outcomeFinding(worst, name)};
}

function outcomeFinding(row: TimelineRow, name: string): Omit<Finding, 'code'> {
  const {outcome, words, id, event_id: event, type, name: where, status, likely_cause: cause} = row;
  const isLocal = type === 'delivery';
  const replay = (which: string | null, target = '3000/webhooks'): string =>
    `centavo webhooks replay ${which} --forward-to ${target.replace(/^http:\/\/localhost:/, '')}`;
  const message = [`${name}: ${words}.`, cause].filter(Boolean).join(' ');
  switch (outcome) {
    case 'delivered':
      return {
        message: `${isLocal ? 'Your app' : 'The webhook'} accepted ${name}: it answered ${status}. Look in your app: what it does with this event, and how it finds the order.`,
        next: isLocal ? `centavo webhooks deliveries get ${id}` : `centavo sandbox events get ${event} --json`,
      };
    case 'held':
      return {message, next: replay(/evt_\w+/.exec(words)?.[0] ?? event, where ?? undefined)};
    case 'not_genuine':
      return {message, next: `centavo webhooks verify ${id}`};
    case 'waiting':
      return {
        message,
        next: isLocal ? `centavo webhooks deliveries get ${id}` : `centavo sandbox events resend ${event}`,
      };
    default:
      return {message, next: isLocal ? replay(event, where ?? undefined) : `centavo sandbox events resend ${event}`};
  }
}

function noSubscription({name, id}: TimelineRow, webhooks: NonNullable<Known['webhooks']>): Finding {
  const code = 'no_subscription';
  const asks = webhooks.find(({events}) => (events as string[]).includes(name!));
  const message = `No webhook asked for ${name} when it happened.`;
  if (asks?.status === 'enabled')
    return {
      code,
      message: `${message} ${asks.id as string} asks for it now.`,
      next: `centavo sandbox events resend ${id}`,
    };
  if (asks)
    return {
      code,
      message: `${message} ${asks.id as string} is disabled.`,
      next: `centavo webhooks enable ${asks.id as string}`,
    };
  const other = webhooks.find(({status}) => status === 'enabled');
  if (!other) return {code, message, next: 'centavo webhooks listen --forward-to 3000/webhooks'};
  const events = [...(other.events as string[]), name].join(',');
  return {code, message, next: `centavo webhooks update ${other.id as string} --events ${events}`};
}

const intentOf = (object: Known['object']): Readonly<Record<string, unknown>> =>
  (object.payment_intent as Record<string, unknown> | null | undefined) ?? object;

const isPaid = (object: Known['object']): boolean =>
  [object.status, intentOf(object).status].some((status) =>
    ['completed', 'paid', 'succeeded'].includes(String(status)),
  );

function unpaid({object, rows, webhooks, account}: Known): Finding {
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
