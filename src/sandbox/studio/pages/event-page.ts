// Pages of an event (changes, attempts, responses) and of a request (both bodies).

import {SIGNATURE_HEADER} from '../../../webhooks/signature/signature.js';
import {likelyCauseOf} from '../../../http/likely-cause.js';
import {type ListenerCode, listenerCodeIn} from '../../../http/listener-codes.js';
import type {DeliveryAttempt} from '../../delivery/attempts.js';
import {html, type Html, type HtmlPart} from '../../../common/markup.js';
import {factList} from '../../../common/page-parts.js';
import {deliveredEvent} from '../../serialize.js';
import {eventsCausedBy, findRequest} from '../../requests/request-log-queries.js';
import {timelineStepOf, type WebhookOutcome} from '../../requests/timeline.js';
import type {StoredRecord} from '../../store.js';
import {kindName} from '../resource-kinds.js';
import * as timeline from '../timeline-view.js';
import * as ui from '../components.js';
import type {StudioContext, StudioView} from '../context.js';
import {answerTo, isExample} from '../queries.js';
import {breakableText, fieldName, foreignText, safeText, studioTime, webhookName} from '../format.js';

const verbatim = (text: string): Html => html`<pre tabindex="0">${safeText(text)}</pre>`;

/** Renders a body as text, never as HTML. Indents JSON. */
function bodyView(body: string | null | undefined, cut: boolean, none: string): Html {
  if (!body) return ui.empty(none);
  try {
    return verbatim(JSON.stringify(JSON.parse(body), undefined, 2));
  } catch {
    return verbatim(cut ? `${body}\n… cut here` : body);
  }
}

export const jsonOf = (value: unknown): Html => verbatim(JSON.stringify(value, undefined, 2));

export const foldableBody = (label: string, content: Html): Html =>
  html`<details>
    <summary>${label}</summary>
    ${content}
  </details>`;

const pair = (sent: HtmlPart, answer: HtmlPart): Html =>
  html`<div class="pair">
    <div>${sent}</div>
    <div class="answer">${answer}</div>
  </div>`;

export function eventPage(context: StudioContext, event: StoredRecord): StudioView {
  const {tx, base, query} = context;
  const {id} = event;
  const type = String(event.type);
  const data = event.data as StoredRecord;
  const step = timelineStepOf(tx, event, context.listeners);
  const {cause, webhooks} = step;
  const chosen =
    webhooks.find(({webhook_id: webhook}) => webhook === query.get('to')) ?? timeline.outcomesOf(tx, step)[0];
  const choices = webhooks.map(
    ({webhook_id: webhook}) =>
      [
        webhookName(timeline.webhookOf(tx, webhook)),
        `${base}/${id}?to=${webhook}`,
        webhook === chosen?.webhook_id,
      ] as const,
  );
  const request = cause.startsWith('req_') && findRequest(tx.store.requests, cause);
  const resend = chosen && ui.button(context, 'resend', 'Resend', {id, webhook: chosen.webhook_id}, {main: true});
  return {
    title: type,
    section: 'events',
    main: html`<div class="title">
        <h1>${breakableText(type)}</h1>
        ${webhooks.some((outcome) => outcome.outcome === 'retrying' && !isExample(timeline.webhookOf(tx, outcome.webhook_id))) && ui.badge('retrying')}
        <div class="actions">${resend}</div>
      </div>
      ${factList([
        ['Object', html`${kindName(data.resource)} ${ui.objectLink(context, data)}`],
        ['Time', studioTime(event.created_at, tx.now)],
        ['Cause', request ? ui.link(`${base}/${cause}`, timeline.requestName(request)) : timeline.causeText(cause)],
        ['Id', ui.code(id)],
      ])}
      ${ui.section(
        'What changed',
        ui.table(
          ['Field', 'Before', 'After'],
          timeline
            .changes(event)
            .map(([name, ...values]) => [
              fieldName(name),
              ...values.map((value) => ui.fieldValue(name, value, tx.now)),
            ]),
          type.endsWith('.created') ? 'New object.' : 'Nothing.',
        ),
      )}
      ${ui.section('Deliveries', chosen ? html`${ui.tabs(choices)}${attemptsOf(context, event, chosen)}` : html`${ui.empty(html`${timeline.whyNotDelivered(tx, step)}.`)}${jsonOf(deliveredEvent(event, tx))}`)}`,
  };
}

function causeOf({status, error}: DeliveryAttempt, listenerCode: ListenerCode | undefined, app: WebhookOutcome['app']) {
  if (listenerCode === undefined) return likelyCauseOf(status, status === null ? error! : '');
  if (app && app.attempts.length > 0) return app.attempts.at(-1)!.likelyCause;
  return likelyCauseOf(null, {unreachable: 'ECONNREFUSED', late: 'no response within'}[listenerCode as string]);
}

function attemptsOf(context: StudioContext, event: StoredRecord, outcome: WebhookOutcome): Html {
  const {tx, base, query} = context;
  const attempts = tx.store.attempts
    .ofEvent(event.id)
    .filter(({webhook_id: webhook}) => webhook === outcome.webhook_id);
  const shown = attempts.find(({attempt}) => String(attempt) === query.get('attempt')) ?? attempts.at(-1);
  const [text, , next] = timeline.outcomeText(tx, event.id, outcome);
  const {app} = outcome;
  const summary = html`<p>${text} ${outcome.outcome !== 'delivered' && next}</p>`;
  if (!shown) return html`${summary}${jsonOf(deliveredEvent(event, tx))}`;
  const answer = answerTo(tx.store, shown);
  const listenerCode = listenerCodeIn(answer?.body);
  const cause = shown.outcome !== 'refused' && causeOf(shown, listenerCode, app);
  const isSent = shown.outcome !== 'refused' && !isExample(shown);
  const sent = `Content-Type: application/json\nUser-Agent: centavo-sandbox/1\n${SIGNATURE_HEADER}: ${answer?.signature}`;
  const rowOf = (row: DeliveryAttempt): HtmlPart[] => {
    const {attempt, at, status, duration_ms: took} = row;
    const label = row === shown ? html`<b>${attempt}</b>` : attempt;
    const to = `${base}/${event.id}?to=${outcome.webhook_id}&attempt=${attempt}`;
    return [
      ui.link(to, label),
      studioTime(at, tx.now),
      ui.statusBadge(status),
      `${took} ms`,
      timeline.attemptBadge(row, row === attempts.at(-1), [outcome]),
    ];
  };
  return html`${summary}
  ${ui.table(['Attempt', ui.wide('Time'), 'Answer', {title: 'Took', numeric: true, wide: true}, ui.right('Outcome')], attempts.map(rowOf))}
  ${shown.error !== null && ui.empty(foreignText(shown.error, 200))}${cause && ui.empty(cause)}
  ${pair(
    html`<h2>
        ${isSent ? 'Sent' : 'Not sent'} to ${ui.code(breakableText(shown.url.replace(/^https?:\/\//, ''), 200))}
      </h2>
      ${answer && foldableBody('Headers', verbatim(sent))}${jsonOf(deliveredEvent(event, tx))}
      ${ui.muted('Secrets are hidden; pending_webhooks and updated_at have their current values.')}`,
    isSent &&
      html`<h2>${listenerCode ? 'The listener on this machine answered' : 'Your app answered'}</h2>
        ${answer?.headers && foldableBody('Headers', verbatim(answer.headers))}${bodyView(answer?.body, answer?.cut === 1, answer || shown.status === null ? 'Nothing.' : 'No longer kept.')}`,
  )}`;
}

export function requestPage({tx, base}: StudioContext, id: string): StudioView | undefined {
  const request = findRequest(tx.store.requests, id);
  if (!request) return undefined;
  const {method, path, query, status, duration_ms: took, user_agent: agent, object_id: object} = request;
  const events = eventsCausedBy(tx, request.id!).map(
    (event) => html`${ui.link(`${base}/${String(event.id)}`, String(event.type))} `,
  );
  return {
    title: `${method} ${path}`,
    section: 'requests',
    main: html`<div class="title">
        <h1>${timeline.requestName(request)}</h1>
        ${ui.statusBadge(status)}
      </div>
      ${(status ?? 500) >= 400 && html`<p class="message failed">${timeline.errorOf(tx, id) || 'The connection was closed.'}</p>`}
      ${factList([
        ['Time', studioTime(request.at, tx.now)],
        ['Took', took !== null && `${took} ms`],
        ['From', agent && foreignText(agent)],
        ['Query', query && ui.code(foreignText(query, 400))],
        ['Object', object && ui.link(`${base}/${object}`, object)],
        ['Events', events.length > 0 && events],
        ['Id', ui.code(request.id)],
      ])}
      ${pair(
        html`<h2>Request</h2>
          ${bodyView(request.request_body, request.request_cut, 'No body is kept.')}`,
        html`<h2>Answer</h2>
          ${bodyView(request.response_body, request.response_cut, 'No body is kept.')}`,
      )}`,
  };
}
