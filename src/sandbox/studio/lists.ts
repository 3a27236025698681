// Lists: objects of a kind, events, deliveries, requests, and what a search has found.

import {EVENT_TYPES} from '../../api/events.js';
import {html, type Html, trusted} from '../pages/markup.js';
import {listRequests} from '../requests/read-log.js';
import {stepOf} from '../requests/timeline.js';
import type {Reading, Stored} from '../store.js';
import {KINDS, wordOfKind} from './kinds.js';
import {errorOf, hookWords, nobody, outcomeOf, outcomesOf, requestName, webhookOf} from './line.js';
import {
  address,
  answered,
  link,
  named,
  newestOnly,
  older,
  type Place,
  right,
  small,
  stateOf,
  table,
  tabs,
  type View,
  wide,
} from './parts.js';
import {eventsOf, found, isExample, newestAttempts, objectsOf, ROWS, statesOf} from './reads.js';
import {dotted, foreign, humanized, shortId, timeOf, webhookName} from './words.js';

const titled = (title: Html | string, section: string, body: Html): View => ({
  title: typeof title === 'string' ? title : 'Found',
  section,
  main: html`<h1 class="title">${title}</h1>
    ${body}`,
});

export function objectList({tx, base, query, before}: Place, word: string): View {
  const {resource, one, columns} = KINDS[word]!;
  const path = `${base}/${word}`;
  const status = query.get('status') ?? undefined;
  const states = statesOf(tx, resource);
  const {records, next} = objectsOf(tx, resource, status, before);
  const choices = states.map(
    (each) =>
      [
        html`${humanized(each.status)} ${each.n}`,
        address(path, {status: each.status}),
        each.status === status,
      ] as const,
  );
  const rows = records.map((record) =>
    columns.map(({of}, index) => (index === 0 ? link(`${base}/${record.id}`, of(record, tx)) : of(record, tx))),
  );
  return titled(
    `${one}s`,
    word,
    html`${states.length > 1 && tabs([['All', path, status === undefined], ...choices])}
    ${table(columns, rows)}${older(path, {status}, next)}`,
  );
}

export function eventList(place: Place): View {
  const {tx, base, query, before} = place;
  const path = `${base}/events`;
  const type = EVENT_TYPES.find((each) => each === query.get('type'));
  const {records, next} = eventsOf(tx.store, type, before);
  const options = EVENT_TYPES.map((each) => html`<option ${each === type && trusted('selected')}>${each}</option>`);
  return titled(
    'Events',
    'events',
    html`<form class="filter" action="${path}">
        <select name="type" aria-label="Type">
          <option value="">All types</option>
          ${options}</select
        ><button>Show</button>
      </form>
      ${table(
        ['Event', 'Object', wide('Time'), wide('Webhooks')],
        records.map((event) => [
          link(`${base}/${event.id}`, dotted(event.type)),
          named(place, event.data as Stored),
          timeOf(event.created_at, tx.now),
          deliveryWords(tx, event),
        ]),
      )}${older(path, {type}, next)}`,
  );
}

/** What became of an event, at each webhook. */
function deliveryWords(tx: Reading, event: Stored): Html {
  const step = stepOf(tx, event);
  const outcomes = outcomesOf(tx, step).map((outcome) => hookWords(tx, step.id, outcome));
  if (outcomes.length === 0) return small(nobody(tx, step));
  return html`${outcomes.map(([words, tone]) => html`<small class="${tone}">${words}</small>`)}`;
}

/** Attempts among which those that count are looked for. */
const ATTEMPTS = 1000;

/** The newest attempts to send events. @param webhook the only one, with what is not sent to it as it is an example */
export function deliveries({tx, base}: Place, webhook?: string): Html {
  const last = new Set<string>();
  const attempts = newestAttempts(tx.store, ATTEMPTS, webhook).filter((each) => webhook ?? !isExample(each));
  return table(
    ['Event', ...(webhook ? [] : [wide('Webhook')]), wide('Time'), wide('Answer'), right('Outcome')],
    attempts.slice(0, ROWS).map((each) => {
      const {event_id: id, event_type: type, webhook_id: to, attempt, at, status, error} = each;
      const isLast = last.size < last.add(id + to).size;
      return [
        link(`${base}/${id}?to=${to}&attempt=${attempt}`, dotted(type)),
        ...(webhook ? [] : [webhookName(webhookOf(tx, to))]),
        timeOf(at, tx.now),
        html`${answered(status)} ${error !== null && small(foreign(error, 120))}`,
        outcomeOf(each, isLast),
      ];
    }),
  );
}

export const deliveryList = (place: Place): View => titled('Deliveries', 'deliveries', deliveries(place));

const SHOWN = {all: {}, changes: {changes: true}, failed: {failed: true}} as const;

export function requestList({tx, base, query, before}: Place): View {
  const path = `${base}/requests`;
  const names = ['all', 'changes', 'failed'] as const;
  const shown = names.find((name) => name === query.get('show')) ?? 'all';
  const {data, hasMore, first} = listRequests(tx.store.requests, {limit: ROWS, before, ...SHOWN[shown]});
  return titled(
    'Requests',
    'requests',
    html`${tabs(names.map((name) => [humanized(name), address(path, {show: name}), name === shown] as const))}
    ${table(
      ['Request', wide('Time'), wide('From'), {title: 'Took', numeric: true, wide: true}, right('Status')],
      data
        .filter(({type}) => type === 'request')
        .map((request) => [
          html`${link(`${base}/${request.id}`, requestName(request))}${(request.status ?? 500) >= 400 && small(errorOf(tx, request.id!))}`,
          timeOf(request.at, tx.now),
          foreign(request.user_agent, 30),
          `${request.duration_ms} ms`,
          answered(request.status),
        ]),
    )}${older(path, {show: shown}, hasMore ? first : undefined)}`,
  );
}

export function searchPage(place: Place): View {
  const {tx, query} = place;
  const words = query.get('q')?.trim() ?? '';
  const all = words === '' ? [] : found(tx.store, words);
  const rows = all
    .slice(0, ROWS)
    .map((record) => [
      named(place, record),
      wordOfKind(record.resource),
      timeOf(record.created_at, tx.now),
      stateOf(record, tx.now) || foreign(record.email ?? shortId(record.id), 40),
    ]);
  const none = 'Nothing. Search for an id, a number, a part of a name or an email address, or a value of the metadata.';
  const titles = ['What', 'Kind', wide('Created'), 'Status'];
  const more = all.length > ROWS && newestOnly;
  return titled(html`Found for “${foreign(words)}”`, '', html`${table(titles, rows, none)}${more}`);
}
