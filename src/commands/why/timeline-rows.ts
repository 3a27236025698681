// Builds the timeline of `centavo why`: each event with its outcome at each webhook and app.

import {basename} from 'node:path';
import * as schema from '../../cli/schema.js';
import type {HistoryRecord} from '../../history/history.js';
import type {Context} from '../../context/context.js';
import {formatAttempts} from '../../common/counts.js';
import type {ObjectTimeline, WebhookOutcome} from '../../sandbox/requests/timeline.js';
import type {Delivery, ForwardAttempt} from '../../webhooks/receive/delivery.js';
import type {AppOutcome} from '../../webhooks/store/listener-record.js';
import {requestAnswer, requestTarget} from '../sandbox/shared/request-line.js';
import {formatRefusal, verdictText, formatWaiting} from '../webhooks/shared/delivery-lines.js';

/** Worst first: success at one webhook does not help another. */
export const EVENT_OUTCOMES = [
  'not_genuine',
  'refused',
  'unreachable',
  'held',
  'dropped',
  'waiting',
  'not_forwarded',
  'delivered',
] as const;

export const ROW = schema.record({
  /** Null for an outcome, which is printed below its event. */
  at: schema.nullable(schema.timestamp),
  type: schema.choice('change', 'delivery', 'event', 'payment_failed', 'request', 'webhook'),
  /** Id of the request, event, webhook or delivery. */
  id: schema.nullable(schema.text),
  /** Method and path, event type, URL of a webhook or app, command, or failure code. */
  ...schema.fieldsNamed('name event_id object_id cause likely_cause', schema.nullable(schema.text)),
  status: schema.nullable(schema.integer),
  outcome: schema.nullable(schema.choice(...EVENT_OUTCOMES, 'not_sent')),
  attempts: schema.nullable(schema.integer),
  words: schema.text,
  /** Name or folder of the listener that the webhook belongs to. */
  listener: schema.nullable(schema.text),
});
export type TimelineRow = schema.SchemaValue<typeof ROW>;

const EMPTY = Object.fromEntries(Object.keys(ROW.properties).map((name) => [name, null])) as Readonly<
  Record<keyof Omit<TimelineRow, 'type' | 'words'>, null>
>;

export async function sandboxRows(context: Context, {steps}: Pick<ObjectTimeline, 'steps'>): Promise<TimelineRow[]> {
  const {read, causeOf} = await appReader(context);
  const {endpoints} = await context.deliveries();
  const isRunning = (url: string): boolean => endpoints.isRunning(url, context.isAlive);
  return steps.flatMap((step): TimelineRow[] => {
    if (step.type !== 'event') {
      const {at, type, id, method, code, object_id, cause, status} = step;
      const name = type === 'request' ? `${method} ${requestTarget(step)}` : code;
      const words = type === 'request' ? `${name} ${requestAnswer(step)}` : `payment failed: ${code}`;
      return [{...EMPTY, at, type, id, name, object_id, cause, status, words}];
    }
    const {at, id, name, object_id, cause, subscribers} = step;
    const words = `${name} ${id}${subscribers === 0 && step.webhooks.length === 0 ? ': no webhook subscribed to it' : ''}`;
    return [
      {...EMPTY, at, type: 'event', id, name, event_id: id, object_id, cause, words},
      ...step.webhooks.map((outcome) => {
        const listener = (outcome.url && endpoints.nameOfUrl(outcome.url)) ?? null;
        const fields = {...EMPTY, event_id: id, object_id, listener};
        if (!outcome.app) return webhookRow(outcome, fields, causeOf, isRunning);
        const row = read(outcome.app);
        const several = listener && step.webhooks.length > 1 ? ` (${listenerText(listener)})` : '';
        return {...row, listener, words: row.words + several};
      }),
    ];
  });
}

/** Returns rows for a real account: changes made and deliveries received on this machine. */
export async function accountRows(
  context: Context,
  changes: readonly HistoryRecord[],
  deliveries: readonly Delivery[],
): Promise<TimelineRow[]> {
  const {read} = await appReader(context);
  const {deliveryOutcomeOf} = await context.webhooks();
  const store = await context.deliveries();
  const rows = [
    ...changes.map(({at, command, result, ids: [id = null]}): TimelineRow[] => [
      {...EMPTY, at, type: 'change', name: command, object_id: id, words: `centavo ${command}: ${result}`},
    ]),
    ...deliveries.map((delivery): TimelineRow[] => {
      const {id = null, type: name = null, objectId: object_id = null} = delivery.event;
      const at = Math.floor(delivery.receivedAt / 1000);
      const words = [name, id].filter(Boolean).join(' ');
      return [
        {...EMPTY, at, type: 'event', id, name, event_id: id, object_id, words},
        ...deliveryOutcomeOf(store, delivery, context).apps.map(read),
      ];
    }),
  ];
  return rows.sort(([one], [other]) => one!.at! - other!.at!).flat();
}

/** @param name a name, or a folder of which only the last part is shown */
const listenerText = (name: string): string => `the listener ${basename(name)}`;

/** Matches errors before a connection: nothing was sent. Certificate errors come last. */
const NOT_SENT =
  /\((?:EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EUNSAFE|UND_ERR_CONNECT_TIMEOUT|\w*(?:CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME)\w*)\)$/;
const wasNotSent = (error: unknown): boolean => NOT_SENT.test(String(error));

/** `answered 500 “TypeError: no order”`. @param error the network error, or the first words of the response */
function answerText(status: number | null, error: string | null = null): string {
  if (status !== null) return `answered ${status}${error === null ? '' : ` “${error}”`}`;
  return `${wasNotSent(error) ? 'did not receive it' : 'sent no full response'}: ${error ?? 'no response'}`;
}

/** @param causeOf returns the likely cause of a response that is not 2xx */
function webhookRow(
  {webhook_id: id, url, outcome, attempts, allSame, status, error, next_at: next}: WebhookOutcome,
  fields: Omit<TimelineRow, 'type' | 'words'>,
  causeOf: (answer: Pick<ForwardAttempt, 'error' | 'status'>) => string | undefined,
  isRunning: (url: string) => boolean,
): TimelineRow {
  const {listener} = fields;
  const row = {...fields, id, type: 'webhook', name: url, status, attempts} as const;
  const where = listener === null ? (url?.replace(/^https?:\/\//, '') ?? id) : listenerText(listener);
  if (outcome === 'waiting') return {...row, outcome, words: `${where}: not sent yet`};
  if (outcome === 'delivered') return {...row, outcome, words: `${where} accepted it: ${status}`};
  if (status === null && (outcome === 'refused' || error?.includes('reserved for examples')))
    return {...row, outcome: 'not_sent', words: `${where}: not sent, the sandbox sends only to this machine`};
  const answer = answerText(status, error);
  const again = next === null ? '' : '; it will be retried';
  const ended = listener === null ? 'was disabled or deleted' : 'ended';
  if (outcome === 'dropped') return {...row, outcome, words: `${where} ${ended} before it accepted it; it ${answer}`};
  const likely =
    listener !== null && status === null && wasNotSent(error)
      ? isRunning(url!)
        ? null
        : 'It was not running. Start it to send waiting events.'
      : (causeOf(status === null ? {error: error ?? undefined} : {status}) ?? null);
  const words = `${where} ${answer}${formatAttempts(attempts, allSame)}${again}`;
  return {...row, outcome: status === null ? 'unreachable' : 'refused', likely_cause: likely, words};
}

/** Returns two functions: one makes a row of an outcome at an app, one finds the likely cause of a response. */
async function appReader(context: Context) {
  const {explainReason, explainRefusal} = await context.webhooks();
  const {forwards} = await context.deliveries();
  const read = ({delivery, outcome, target, attempts, waiting}: AppOutcome): TimelineRow => {
    const {id, verdict, event} = delivery;
    const {id: event_id = null, objectId: object_id = null} = event;
    const last = attempts.at(-1);
    const {status = null, likelyCause = null} = last ?? {};
    const row = {...EMPTY, type: 'delivery', id, event_id, object_id, name: target, status} as const;
    if (!verdict.genuine) {
      const words = `${verdictText(delivery)}: ${explainReason(verdict, Math.floor(delivery.receivedAt / 1000))}`;
      return {...row, outcome: 'not_genuine', words};
    }
    if (waiting?.heldBy) {
      const head = forwards.attempts(waiting.heldBy.deliveryId).at(-1);
      const likely = head ? `${waiting.heldBy.event.type ?? 'The earlier event'}: ${formatRefusal(head)}` : null;
      const name = head?.target ?? null;
      return {...row, name, outcome: 'held', attempts: 0, likely_cause: likely, words: formatWaiting(waiting)};
    }
    if (!last) {
      const not = waiting ? 'your app has not answered yet' : 'forwarded it to no app';
      const words = `webhooks listen received it, and ${not}`;
      const likely = waiting ? null : 'The listener had no --forward-to, and no --route for this event.';
      return {...row, outcome: waiting ? 'waiting' : 'not_forwarded', attempts: 0, likely_cause: likely, words};
    }
    const known = {...row, attempts: attempts.length};
    const app = `your app at ${target}`;
    if (outcome === 'delivered') return {...known, outcome, words: `${app} accepted it: ${status}`};
    const answer = answerText(status, last.error ?? last.excerpt);
    const isSame = attempts.every((each) => each.status === last.status && each.error === last.error);
    const words = `${app} ${answer}${formatAttempts(attempts.length, isSame)}${waiting ? `; it ${formatWaiting(waiting)}` : ''}`;
    return {...known, outcome: status === null ? 'unreachable' : 'refused', likely_cause: likelyCause, words};
  };
  const causeOf = (answer: Pick<ForwardAttempt, 'error' | 'status'>) => explainRefusal(answer).likelyCause;
  return {read, causeOf};
}
