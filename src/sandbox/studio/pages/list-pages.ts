// Lists of objects, events, requests and search results.

import {html, type Html} from '../../../common/markup.js';
import {listRequests} from '../../requests/request-log-queries.js';
import {eventOutcomes, timelineStepOf} from '../../requests/timeline.js';
import type {StoredRecord} from '../../store.js';
import {RESOURCE_KINDS, kindName} from '../resource-kinds.js';
import * as timeline from '../timeline-view.js';
import * as ui from '../components.js';
import type {StudioContext, StudioView} from '../context.js';
import {eventsOf, searchObjects, newestAttempts, objectsOf, ROWS, statesOf} from '../queries.js';
import {breakableText, foreignText, humanized, shortId, studioTime} from '../format.js';

const titledPage = (title: Html | string, section: string, body: Html): StudioView => ({
  title: typeof title === 'string' ? title : 'Found',
  section,
  main: html`<h1 class="title">${title}</h1>
    ${body}`,
});

export function objectList({tx, base, query, before}: StudioContext, kind: string): StudioView {
  const {resource, singular, columns} = RESOURCE_KINDS[kind]!;
  const path = `${base}/${kind}`;
  const status = query.get('status') ?? undefined;
  const states = statesOf(tx, resource);
  const {records, next} = objectsOf(tx, resource, status, before);
  const choices = states.map(
    ({status: state, n}) =>
      [html`${humanized(state)} ${n}`, ui.withQuery(path, {status: state}), state === status] as const,
  );
  const rows = records.map((record) =>
    columns.map(({render}, index) =>
      index === 0 ? ui.link(`${base}/${record.id}`, render(record, tx)) : render(record, tx),
    ),
  );
  return titledPage(
    `${singular}s`,
    kind,
    html`${states.length > 1 && ui.tabs([['All', path, status === undefined], ...choices])}
    ${ui.table(columns, rows)}${ui.olderLink(path, {status}, next)}`,
  );
}

export function eventList(context: StudioContext): StudioView {
  const {tx, base, before} = context;
  const {records, next} = eventsOf(tx.store, undefined, before);
  return titledPage(
    'Events',
    'events',
    html`${ui.table(
      ['Event', 'Object', ui.wide('Time'), ui.wide('Webhooks')],
      records.map((event) => [
        ui.link(`${base}/${event.id}`, breakableText(event.type)),
        ui.objectLink(context, event.data as StoredRecord),
        studioTime(event.created_at, tx.now),
        deliveriesText(context, event),
      ]),
    )}${ui.olderLink(`${base}/events`, {}, next)}`,
  );
}

function deliveriesText({tx, listeners}: StudioContext, event: StoredRecord): Html {
  const step = timelineStepOf(tx, event, listeners);
  const outcomes = timeline.outcomesOf(tx, step).map((outcome) => timeline.outcomeText(tx, step.id, outcome));
  if (outcomes.length === 0) return ui.small(timeline.whyNotDelivered(tx, step));
  return html`${outcomes.map(([words, tone]) => html`<small class="${tone}">${words}</small>`)}`;
}

export function attemptTable({tx, base, listeners}: StudioContext, webhook: string): Html {
  const events = new Set<string>();
  return ui.table(
    ['Event', ui.wide('Time'), ui.wide('Answer'), ui.right('Outcome')],
    newestAttempts(tx.store, ROWS, webhook).map((row) => {
      const {event_id: id, event_type: type, attempt, at, status, error} = row;
      const isLast = events.size < events.add(id).size;
      return [
        ui.link(`${base}/${id}?to=${webhook}&attempt=${attempt}`, breakableText(type)),
        studioTime(at, tx.now),
        html`${ui.statusBadge(status)} ${error !== null && ui.small(foreignText(error, 120))}`,
        timeline.attemptBadge(row, isLast, eventOutcomes(tx, id, listeners)),
      ];
    }),
  );
}

const REQUEST_FILTERS = {all: {}, changes: {changes: true}, failed: {failed: true}} as const;

export function requestList({tx, base, query, before}: StudioContext): StudioView {
  const path = `${base}/requests`;
  const names = ['all', 'changes', 'failed'] as const;
  const shown = names.find((name) => name === query.get('show')) ?? 'all';
  const {data, hasMore, first} = listRequests(tx.store.requests, {limit: ROWS, before, ...REQUEST_FILTERS[shown]});
  return titledPage(
    'Requests',
    'requests',
    html`${ui.tabs(names.map((name) => [humanized(name), ui.withQuery(path, {show: name}), name === shown] as const))}
    ${ui.table(
      ['Request', ui.wide('Time'), ui.wide('From'), {title: 'Took', numeric: true, wide: true}, ui.right('Status')],
      data
        .filter(({type}) => type === 'request')
        .map((request) => [
          html`${ui.link(`${base}/${request.id}`, timeline.requestName(request))}${(request.status ?? 500) >= 400 && ui.small(timeline.errorOf(tx, request.id!))}`,
          studioTime(request.at, tx.now),
          foreignText(request.user_agent, 30),
          `${request.duration_ms} ms`,
          ui.statusBadge(request.status),
        ]),
    )}${ui.olderLink(path, {show: shown}, hasMore ? first : undefined)}`,
  );
}

export function searchPage(context: StudioContext): StudioView {
  const {tx, query} = context;
  const text = query.get('q')?.trim() ?? '';
  const all = text === '' ? [] : searchObjects(tx.store, text);
  const rows = all
    .slice(0, ROWS)
    .map((record) => [
      ui.objectLink(context, record),
      kindName(record.resource),
      studioTime(record.created_at, tx.now),
      ui.stateBadge(tx, record) || foreignText(record.email ?? shortId(record.id), 40),
    ]);
  const emptyText = 'Nothing found. Search by id, number, metadata value, or part of a name or email address.';
  const titles = ['What', 'Kind', ui.wide('Created'), 'Status'];
  const more = all.length > ROWS && ui.newestOnly;
  return titledPage(html`Found for “${foreignText(text)}”`, '', html`${ui.table(titles, rows, emptyText)}${more}`);
}
