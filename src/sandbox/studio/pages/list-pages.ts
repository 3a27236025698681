// Lists: objects of a kind, events, deliveries, requests, and what a search has found.

import {EVENT_TYPES} from '../../../api/events.js';
import {html, type Html, trusted} from '../../pages/markup.js';
import {listRequests} from '../../requests/request-log-queries.js';
import {timelineStepOf} from '../../requests/timeline.js';
import type {StoreReader, StoredRecord} from '../../store.js';
import {RESOURCE_KINDS, wordOfKind} from '../resource-kinds.js';
import {
  errorOf,
  hookWords,
  whyNotDelivered,
  attemptOutcome,
  outcomesOf,
  requestName,
  webhookOf,
} from '../timeline-view.js';
import {
  address,
  answered,
  link,
  objectLink,
  newestOnly,
  older,
  type StudioContext,
  rightColumn,
  smallText,
  stateOf,
  studioTable,
  studioTabs,
  type StudioView,
  wideColumn,
} from '../components.js';
import {eventsOf, searchObjects, isExample, newestAttempts, objectsOf, ROWS, statesOf} from '../queries.js';
import {breakableText, foreignText, humanized, shortId, studioTime, webhookName} from '../format.js';

const titled = (title: Html | string, section: string, body: Html): StudioView => ({
  title: typeof title === 'string' ? title : 'Found',
  section,
  main: html`<h1 class="title">${title}</h1>
    ${body}`,
});

export function objectList({tx, base, query, before}: StudioContext, word: string): StudioView {
  const {resource, one, columns} = RESOURCE_KINDS[word]!;
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
    html`${states.length > 1 && studioTabs([['All', path, status === undefined], ...choices])}
    ${studioTable(columns, rows)}${older(path, {status}, next)}`,
  );
}

export function eventList(place: StudioContext): StudioView {
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
      ${studioTable(
        ['Event', 'Object', wideColumn('Time'), wideColumn('Webhooks')],
        records.map((event) => [
          link(`${base}/${event.id}`, breakableText(event.type)),
          objectLink(place, event.data as StoredRecord),
          studioTime(event.created_at, tx.now),
          deliveryWords(tx, event),
        ]),
      )}${older(path, {type}, next)}`,
  );
}

/** What became of an event, at each webhook. */
function deliveryWords(tx: StoreReader, event: StoredRecord): Html {
  const step = timelineStepOf(tx, event);
  const outcomes = outcomesOf(tx, step).map((outcome) => hookWords(tx, step.id, outcome));
  if (outcomes.length === 0) return smallText(whyNotDelivered(tx, step));
  return html`${outcomes.map(([words, tone]) => html`<small class="${tone}">${words}</small>`)}`;
}

/** Attempts among which those that count are looked for. */
const ATTEMPTS = 1000;

/** The newest attempts to send events. @param webhook the only one, with what is not sent to it as it is an example */
export function deliveries({tx, base}: StudioContext, webhook?: string): Html {
  const last = new Set<string>();
  const attempts = newestAttempts(tx.store, ATTEMPTS, webhook).filter((each) => webhook ?? !isExample(each));
  return studioTable(
    [
      'Event',
      ...(webhook ? [] : [wideColumn('Webhook')]),
      wideColumn('Time'),
      wideColumn('Answer'),
      rightColumn('Outcome'),
    ],
    attempts.slice(0, ROWS).map((each) => {
      const {event_id: id, event_type: type, webhook_id: to, attempt, at, status, error} = each;
      const isLast = last.size < last.add(id + to).size;
      return [
        link(`${base}/${id}?to=${to}&attempt=${attempt}`, breakableText(type)),
        ...(webhook ? [] : [webhookName(webhookOf(tx, to))]),
        studioTime(at, tx.now),
        html`${answered(status)} ${error !== null && smallText(foreignText(error, 120))}`,
        attemptOutcome(each, isLast),
      ];
    }),
  );
}

export const deliveryList = (place: StudioContext): StudioView => titled('Deliveries', 'deliveries', deliveries(place));

const SHOWN = {all: {}, changes: {changes: true}, failed: {failed: true}} as const;

export function requestList({tx, base, query, before}: StudioContext): StudioView {
  const path = `${base}/requests`;
  const names = ['all', 'changes', 'failed'] as const;
  const shown = names.find((name) => name === query.get('show')) ?? 'all';
  const {data, hasMore, first} = listRequests(tx.store.requests, {limit: ROWS, before, ...SHOWN[shown]});
  return titled(
    'Requests',
    'requests',
    html`${studioTabs(names.map((name) => [humanized(name), address(path, {show: name}), name === shown] as const))}
    ${studioTable(
      [
        'Request',
        wideColumn('Time'),
        wideColumn('From'),
        {title: 'Took', numeric: true, wide: true},
        rightColumn('Status'),
      ],
      data
        .filter(({type}) => type === 'request')
        .map((request) => [
          html`${link(`${base}/${request.id}`, requestName(request))}${(request.status ?? 500) >= 400 && smallText(errorOf(tx, request.id!))}`,
          studioTime(request.at, tx.now),
          foreignText(request.user_agent, 30),
          `${request.duration_ms} ms`,
          answered(request.status),
        ]),
    )}${older(path, {show: shown}, hasMore ? first : undefined)}`,
  );
}

export function searchPage(place: StudioContext): StudioView {
  const {tx, query} = place;
  const words = query.get('q')?.trim() ?? '';
  const all = words === '' ? [] : searchObjects(tx.store, words);
  const rows = all
    .slice(0, ROWS)
    .map((record) => [
      objectLink(place, record),
      wordOfKind(record.resource),
      studioTime(record.created_at, tx.now),
      stateOf(record, tx.now) || foreignText(record.email ?? shortId(record.id), 40),
    ]);
  const none = 'Nothing. Search for an id, a number, a part of a name or an email address, or a value of the metadata.';
  const titles = ['What', 'Kind', wideColumn('Created'), 'Status'];
  const more = all.length > ROWS && newestOnly;
  return titled(html`Found for “${foreignText(words)}”`, '', html`${studioTable(titles, rows, none)}${more}`);
}
