// An event with what it changed, and each attempt to send it with what the app answered; and a request with both bodies.

import {SIGNATURE_HEADER} from '../../webhooks/signature/signature.js';
import {likelyCauseOf} from '../../http/likely-cause.js';
import {type ListenerWord, listenerWordIn} from '../../http/listener-words.js';
import type {Attempt} from '../delivery/attempts.js';
import {html, type Html, type Part} from '../pages/markup.js';
import {factList} from '../pages/summary.js';
import {present} from '../present.js';
import {eventsCausedBy, findRequest} from '../requests/read-log.js';
import {stepOf, type WebhookOutcome} from '../requests/timeline.js';
import type {Stored} from '../store.js';
import {wordOfKind} from './kinds.js';
import {
  causeWords,
  changes,
  errorOf,
  hookWords,
  nobody,
  outcomeOf,
  outcomesOf,
  requestName,
  webhookOf,
} from './line.js';
import {
  answered,
  badge,
  button,
  code,
  empty,
  link,
  named,
  type Place,
  right,
  section,
  soft,
  table,
  tabs,
  valueOf,
  type View,
  wide,
} from './parts.js';
import {answerTo, isExample} from './reads.js';
import {dotted, fieldName, foreign, plain, timeOf, webhookName} from './words.js';

const verbatim = (text: string): Html => html`<pre tabindex="0">${plain(text)}</pre>`;

/** A body as text: JSON is indented, HTML is not drawn. */
function bodyOf(body: string | null | undefined, cut: boolean, none: string): Html {
  if (!body) return empty(none);
  try {
    return verbatim(JSON.stringify(JSON.parse(body), undefined, 2));
  } catch {
    return verbatim(cut ? `${body}\n… cut here` : body);
  }
}

export const jsonOf = (value: unknown): Html => verbatim(JSON.stringify(value, undefined, 2));

export const folded = (label: string, content: Html): Html =>
  html`<details>
    <summary>${label}</summary>
    ${content}
  </details>`;

const pair = (sent: Part, answer: Part): Html =>
  html`<div class="pair">
    <div>${sent}</div>
    <div class="answer">${answer}</div>
  </div>`;

export function eventPage(place: Place, event: Stored): View {
  const {tx, base, query} = place;
  const {id} = event;
  const type = String(event.type);
  const data = event.data as Stored;
  const step = stepOf(tx, event);
  const {cause, webhooks} = step;
  const chosen = webhooks.find(({webhook_id: webhook}) => webhook === query.get('to')) ?? outcomesOf(tx, step)[0];
  const choices = webhooks.map(
    ({webhook_id: webhook}) =>
      [webhookName(webhookOf(tx, webhook)), `${base}/${id}?to=${webhook}`, webhook === chosen?.webhook_id] as const,
  );
  const isCaused = cause.startsWith('req_') && findRequest(tx.store.requests, cause);
  const resend = chosen && button(place, 'resend', 'Resend', {id, webhook: chosen.webhook_id}, {main: true});
  return {
    title: type,
    section: 'events',
    main: html`<div class="title">
        <h1>${dotted(type)}</h1>
        ${webhooks.some((each) => each.outcome === 'retrying' && !isExample(webhookOf(tx, each.webhook_id))) && badge('retrying')}
        <div class="actions">${resend}</div>
      </div>
      ${factList([
        ['Object', html`${wordOfKind(data.resource)} ${named(place, data)}`],
        ['Time', timeOf(event.created_at, tx.now)],
        ['Cause', isCaused ? link(`${base}/${cause}`, requestName(isCaused)) : causeWords(cause)],
        ['Id', code(id)],
      ])}
      ${section(
        'What changed',
        table(
          ['Field', 'Before', 'After'],
          changes(event).map(([name, ...values]) => [
            fieldName(name),
            ...values.map((value) => valueOf(name, value, tx.now)),
          ]),
          type.endsWith('.created') ? 'It is new.' : 'Nothing.',
        ),
      )}
      ${section('Deliveries', chosen ? html`${tabs(choices)}${attemptsOf(place, event, chosen)}` : html`${empty(html`${nobody(tx, step)}.`)}${jsonOf(present(event, tx))}`)}`,
  };
}

function causeOf({status, error}: Attempt, word: ListenerWord | undefined): string | undefined {
  if (word === undefined) return likelyCauseOf(status, status === null ? error! : '');
  return likelyCauseOf(null, {unreachable: 'ECONNREFUSED', late: 'no response within'}[word as string]);
}

function attemptsOf(place: Place, event: Stored, outcome: WebhookOutcome): Html {
  const {tx, base, query} = place;
  const attempts = tx.store.attempts
    .ofEvent(event.id)
    .filter(({webhook_id: webhook}) => webhook === outcome.webhook_id);
  const shown = attempts.find(({attempt}) => String(attempt) === query.get('attempt')) ?? attempts.at(-1);
  const [words, , then] = hookWords(tx, event.id, outcome);
  const said = html`<p>${words} ${outcome.outcome !== 'delivered' && then}</p>`;
  if (!shown) return html`${said}${jsonOf(present(event, tx))}`;
  const answer = answerTo(tx.store, shown);
  const word = listenerWordIn(answer?.body);
  const cause = shown.outcome !== 'refused' && causeOf(shown, word);
  const isSent = shown.outcome !== 'refused' && !isExample(shown);
  const sent = `Content-Type: application/json\nUser-Agent: centavo-sandbox/1\n${SIGNATURE_HEADER}: ${answer?.signature}`;
  const rowOf = (each: Attempt): Part[] => {
    const {attempt, at, status, duration_ms: took} = each;
    const label = each === shown ? html`<b>${attempt}</b>` : attempt;
    const to = `${base}/${event.id}?to=${outcome.webhook_id}&attempt=${attempt}`;
    return [
      link(to, label),
      timeOf(at, tx.now),
      answered(status),
      `${took} ms`,
      outcomeOf(each, each === attempts.at(-1)),
    ];
  };
  return html`${said}
  ${table(
    ['Attempt', wide('Time'), 'Answer', {title: 'Took', numeric: true, wide: true}, right('Outcome')],
    attempts.map(rowOf),
  )}
  ${shown.error !== null && empty(foreign(shown.error, 200))}${cause && empty(cause)}
  ${pair(
    html`<h2>${isSent ? 'Sent' : 'Not sent'} to ${code(dotted(shown.url.replace(/^https?:\/\//, ''), 200))}</h2>
      ${answer && folded('Headers', verbatim(sent))}${jsonOf(present(event, tx))}
      ${soft('Secrets are left out; pending_webhooks and updated_at are those of now.')}`,
    isSent &&
      html`<h2>${word ? 'The listener on this machine answered' : 'Your app answered'}</h2>
        ${answer?.headers && folded('Headers', verbatim(answer.headers))}${bodyOf(answer?.body, answer?.cut === 1, answer || shown.status === null ? 'Nothing.' : 'It is not kept any more.')}`,
  )}`;
}

export function requestPage({tx, base}: Place, id: string): View | undefined {
  const request = findRequest(tx.store.requests, id);
  if (!request) return undefined;
  const {method, path, query, status, duration_ms: took, user_agent: agent, object_id: object} = request;
  const events = eventsCausedBy(tx, request.id!).map(
    (event) => html`${link(`${base}/${String(event.id)}`, String(event.type))} `,
  );
  return {
    title: `${method} ${path}`,
    section: 'requests',
    main: html`<div class="title">
        <h1>${requestName(request)}</h1>
        ${answered(status)}
      </div>
      ${(status ?? 500) >= 400 && html`<p class="message failed">${errorOf(tx, id) || 'The connection was cut.'}</p>`}
      ${factList([
        ['Time', timeOf(request.at, tx.now)],
        ['Took', took !== null && `${took} ms`],
        ['From', foreign(agent)],
        ['Query', query && code(foreign(query, 400))],
        ['Object', object && link(`${base}/${object}`, object)],
        ['Events', events.length > 0 && events],
        ['Id', code(request.id)],
      ])}
      ${pair(
        html`<h2>Request</h2>
          ${bodyOf(request.request_body, request.request_cut, 'No body is kept.')}`,
        html`<h2>Answer</h2>
          ${bodyOf(request.response_body, request.response_cut, 'No body is kept.')}`,
      )}`,
  };
}
