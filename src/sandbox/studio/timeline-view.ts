// Renders a timeline as a list: causes, the events below them, and their outcome at each webhook.

import {manilaDay, shortDay} from '../../common/manila.js';
import {formatPesos} from '../../common/pesos.js';
import {errorExcerpt} from '../../http/error-excerpt.js';
import {formatAttempts} from '../../common/counts.js';
import {listenerCodeIn} from '../../http/listener-codes.js';
import type {DeliveryAttempt} from '../delivery/attempts.js';
import {isPageAddress} from '../pages/links.js';
import {html, type Html, type HtmlPart} from '../../common/markup.js';
import type {AppOutcome} from '../../webhooks/store/listener-record.js';
import {findRequest} from '../requests/request-log-queries.js';
import type {LogEntry} from '../requests/request-log.js';
import {attemptOutcome, type EventStep, type ObjectTimeline, type WebhookOutcome} from '../requests/timeline.js';
import type {StoreReader, StoredRecord, Timer, TimerKind} from '../store.js';
import * as ui from './components.js';
import type {StudioContext} from './context.js';
import {isExample, eventBeingSent} from './queries.js';
import {
  clockTime,
  breakableText,
  fieldName,
  foreignText,
  humanized,
  objectNameOf,
  shortId,
  upcoming,
  webhookName,
} from './format.js';

type StudioStep = ObjectTimeline['steps'][number];

interface Group {
  readonly at: number;
  readonly request?: LogEntry;
  readonly cause: string | null;
  readonly steps: StudioStep[];
}

function groupsOf(steps: readonly StudioStep[]): Group[] {
  const groups: Group[] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    if (step.type === 'request') {
      // Skip requests of payment pages, because the steps that follow say more.
      if (!isPageAddress(step.path ?? '')) groups.push({at: step.at, request: step, cause: step.id, steps: []});
    } else if (last && last.cause === step.cause && (last.request || last.at === step.at)) last.steps.push(step);
    else groups.push({at: step.at, cause: step.cause, steps: [step]});
  }
  return groups;
}

/** Renders the newest group first, and within a group the oldest step first. @param plans earliest first */
export function listOf(context: StudioContext, steps: readonly StudioStep[], plans: readonly Timer[] = []): Html {
  const groups = groupsOf(steps).reverse();
  if (groups.length + plans.length === 0) return ui.empty('Nothing has happened yet.');
  const {now} = context.tx;
  let [day, time] = ['', ''];
  const when = (at: number): Html => {
    const before = day + time;
    const isNewDay = day !== (day = manilaDay(at) === manilaDay(now) ? '' : shortDay(at, now));
    time = clockTime(at).slice(0, 5);
    const text = html`${isNewDay && html`${day || 'Today'}<br />`}${before !== day + time && time}`;
    return html`<time class="at" title="${shortDay(at, now)}, ${clockTime(at)}">${text}</time>`;
  };
  const planned = plans.toReversed().map((plan) => {
    const text = html`Planned: ${planText(context, plan)}`;
    return row('plan cause', text, upcoming(plan.at, now), when(plan.at));
  });
  return html`<ol class="line">
    ${planned}${groups.map((group) => [causeRow(context, group, when(group.at)), group.steps.map((step) => stepRows(context, step))])}
  </ol>`;
}

const row = (kind: string, what: HtmlPart, result: HtmlPart, at: HtmlPart = html`<span></span>`): Html =>
  html`<li class="${kind}">
    ${at}<span class="dot"></span>
    <div class="what">${what}</div>
    <div class="then">${result}</div>
  </li>`;

const CAUSES: Readonly<Record<string, string>> = {
  command: 'A sandbox command',
  page: 'The customer, on the payment page',
  studio: 'A studio button',
};

/** Describes the cause of an event without a logged request. */
export function causeText(cause: string): HtmlPart {
  if (cause.startsWith('timer:')) return `The clock: ${fieldName(cause.slice(6).replaceAll('-', '_'))}`;
  return CAUSES[cause] ?? 'A request that is no longer kept';
}

function causeRow({tx, base}: StudioContext, {request, cause}: Group, at: Html): Html {
  if (!request) return row('cause', causeText(cause!), '', at);
  const {id, status, duration_ms: took} = request;
  const failed = (status ?? 500) >= 400;
  const tone = !failed ? '' : (status ?? 500) < 500 ? 'warn' : 'bad';
  const what = html`${ui.link(`${base}/${id}`, requestName(request))}${failed && ui.small(errorOf(tx, id!))}`;
  return row(`cause ${tone}`, what, html`${ui.statusBadge(status)}${took !== null && ` ${took} ms`}`, at);
}

/** Renders the name of a request: `POST /billing_statements/bstm_O0z6Cg…/send`. */
export function requestName({method, path}: LogEntry): Html {
  return ui.code(html`${method} ${breakableText(shortId(path ?? ''))}`);
}

export function errorOf(tx: StoreReader, id: string): Html | '' {
  const body = findRequest(tx.store.requests, id)?.response_body;
  const text = body && errorExcerpt(body);
  return text ? foreignText(shortId(text), 200) : '';
}

function stepRows(context: StudioContext, step: StudioStep): Html[] {
  const {tx, base} = context;
  if (step.type !== 'event') {
    const {object_id: id, code: why} = step as LogEntry;
    const link = id && ui.muted(ui.link(`${base}/${id}`, shortId(id)));
    return [row('event bad', html`Payment failed: ${foreignText(why)} ${link}`, ui.badge('failed'))];
  }
  const event = tx.store.find('event', step.id)!.record;
  const data = event.data as StoredRecord;
  const changed = changes(event);
  const status = changed.find(([name]) => name === 'status');
  const details = changed
    .filter(([name]) => /amount|due_at|last_payment_error/.test(name))
    .map(([name, before, after]) =>
      ui.small(html`${fieldName(name)} ${ui.fieldValue(name, before, tx.now)} → ${ui.fieldValue(name, after, tx.now)}`),
    );
  const isMoney = ['payment_intent', 'refund', 'payout'].includes(data.resource);
  const subject = ui.muted(
    ui.link(`${base}/${data.id}`, isMoney ? formatPesos(data.amount as number) : objectNameOf(data, tx)),
  );
  const statusChange = status ? html`${fieldName(String(status[1]))} → ${ui.badge(status[2])}` : '';
  return [
    row('event', html`${ui.link(`${base}/${step.id}`, breakableText(step.name))} ${subject}${details}`, statusChange),
    ...hookRows(context, step),
  ];
}

type StudioChange = [name: string, before: unknown, after: unknown];

export function changes({data, previous_attributes: previous}: StoredRecord): StudioChange[] {
  return Object.entries((previous ?? {}) as object)
    .map(([name, before]): StudioChange => [name, before, (data as Readonly<Record<string, unknown>>)[name]])
    .filter(
      ([name, before, after]) =>
        name !== 'updated_at' && JSON.stringify(before ?? null) !== JSON.stringify(after ?? null),
    );
}

/** Returns the outcomes of an event, without example webhooks unless all are examples. */
export function outcomesOf(tx: StoreReader, {webhooks}: EventStep): readonly WebhookOutcome[] {
  const real = webhooks.filter(({webhook_id: id}) => !isExample(webhookOf(tx, id)));
  return real.length > 0 ? real : webhooks;
}

/** Events that apps need, which get a line even without a subscriber. */
const EXPECTED = /\.(paid|succeeded|amount_capturable|expired)$|^refund/;

/** Renders one line for each webhook, not for each attempt. */
function hookRows({tx, base}: StudioContext, step: EventStep): Html[] {
  if (step.webhooks.length === 0)
    return step.subscribers || EXPECTED.test(step.name) ? [row('hook', whyNotDelivered(tx, step), '')] : [];
  return outcomesOf(tx, step).map((outcome) => {
    const [text, tone, next] = outcomeText(tx, step.id, outcome);
    const error = tone !== '' && tone !== 'good' && outcome.error !== null && ui.small(foreignText(outcome.error, 160));
    return row(`hook ${tone}`, html`${ui.link(`${base}/${step.id}?to=${outcome.webhook_id}`, text)}${error}`, next);
  });
}

/** Renders the outcome of an attempt. Only the last attempt is retried. */
export function attemptBadge(attempt: DeliveryAttempt, isLast: boolean, outcomes: readonly WebhookOutcome[]): Html {
  const outcome = attemptOutcome(attempt, outcomes);
  return ui.badge(isExample(attempt) ? 'not_sent' : outcome === 'retrying' && !isLast ? 'failed' : outcome);
}

export const webhookOf = ({store}: StoreReader, id: string): StoredRecord =>
  store.find('webhook', id)?.record ?? {id, resource: 'webhook', created_at: 0, updated_at: 0};

/** Describes the outcome of an event at a webhook, with its colour and the next attempt. */
export function outcomeText(
  tx: StoreReader,
  event: string,
  result: WebhookOutcome,
): [words: Html, tone: string, then: HtmlPart] {
  const {webhook_id: id, outcome, attempts, allSame, status, error, next_at: next, duration_ms: took, app} = result;
  const webhook = webhookOf(tx, id);
  const name = app ? appName(app) : webhookName(webhook);
  if (outcome !== 'delivered' && isExample(webhook)) return [html`${name} is only an example: nothing is sent`, '', ''];
  // The listener forwards stored events later, and its record of this event was removed.
  const isStored = listenerCodeIn(error) !== undefined;
  const verb = isStored ? 'stored it for your app' : status === null ? 'did not answer' : `answered ${status}`;
  const answer = html`${name} ${verb}${formatAttempts(attempts, allSame)}`;
  const retry =
    next !== null && html`<span class="again">${next > tx.now ? `again ${upcoming(next, tx.now)}` : 'now'}</span>`;
  switch (outcome) {
    case 'delivered':
      return [html`${name} accepted it${attempts > 1 && ` at attempt ${attempts}`}`, 'good', `${took} ms`];
    case 'retrying':
      return [answer, 'warn', retry];
    case 'held':
      return [html`${name} gets it after ${app?.waiting?.heldBy?.event.type ?? 'an earlier event'}`, 'warn', retry];
    case 'not_forwarded':
      return [html`The listener received it, and forwards it to no app`, 'warn', ''];
    case 'not_genuine':
      return [html`The listener found its signature not genuine`, 'bad', ''];
    case 'waiting':
      if (app) return [html`${name} has not answered yet`, 'warn', retry];
      return [html`${name} ${waitText(tx, id, event)}`, 'warn', retry];
    case 'dropped':
      return isStored
        ? [html`${answer}, and ended before confirming that your app has it`, 'warn', '']
        : [html`${name} was disabled, deleted or changed before delivery`, 'bad', ui.badge('dropped')];
    case 'refused':
      return [html`${name} is not on this machine: nothing is sent`, 'warn', ''];
    case 'given_up':
      return [answer, 'bad', ui.badge('given_up')];
  }
}

const appName = ({target}: AppOutcome): Html =>
  target === null ? html`Your app` : html`Your app at ${breakableText(target.replace(/^https?:\/\//, ''), 80)}`;

function waitText({store}: StoreReader, webhook: string, event: string): string {
  const first = eventBeingSent(store, webhook);
  if (first === event) return 'is receiving it now';
  return `has not received it yet${first ? `: it waits for ${String(store.find('event', first)!.record.type)}` : ''}`;
}

/** Returns the reason why no webhook received an event. */
export function whyNotDelivered({store}: StoreReader, {name, subscribers}: EventStep): Html {
  if (subscribers) return html`The webhook that subscribed to it was disabled, deleted or changed before delivery`;
  const webhooks = store.list('webhook', {limit: 100}).data;
  const asking = webhooks.filter(({events}) => (events as readonly string[]).includes(name));
  const enabled = asking.find(({status}) => status === 'enabled');
  const webhook = enabled ?? asking[0];
  if (!webhook) return webhooks.length === 0 ? html`No webhooks exist` : html`No webhook subscribed to it`;
  return html`No webhook subscribed to it then. ${webhookName(webhook)} does${enabled ? ' now' : ', but is disabled'}`;
}

const PLANS: Readonly<Record<TimerKind, string>> = {
  'capture-deadline': 'is released, not captured',
  'payment-end': 'succeeds',
  'payout-deposit': 'is deposited',
  'payout-dispatch': 'is sent to the bank',
  'session-expiry': 'expires',
  'statement-overdue': 'becomes overdue',
  'statement-will-be-due': 'has 5 days left',
};

/** Describes a planned change: `OKU2VBW6-0001 becomes overdue`. */
export function planText(context: StudioContext, {kind, id}: Timer): Html {
  const record = context.tx.peek(id);
  return html`${record ? ui.objectLink(context, record) : shortId(id)} ${PLANS[kind] ?? humanized(kind)}`;
}
