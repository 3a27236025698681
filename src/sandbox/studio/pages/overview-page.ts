// The overview (recent steps, problems, due dates) and the page of the clock.

import {formatCount} from '../../../common/counts.js';
import {formatPesos} from '../../../common/pesos.js';
import {allows} from '../../lifecycle.js';
import {html, type Html} from '../../../common/markup.js';
import {listRequests} from '../../requests/request-log-queries.js';
import type {LogEntry} from '../../requests/request-log.js';
import {recentSteps} from '../../requests/timeline.js';
import {snapshotsOf} from '../../snapshots.js';
import type {StoredRecord} from '../../store.js';
import * as timeline from '../timeline-view.js';
import * as ui from '../components.js';
import type {StudioContext, StudioView} from '../context.js';
import {timers, totals, waitingEvents} from '../queries.js';
import {studioAmount, clockText, duration, foreignText, studioTime, upcoming} from '../format.js';

const STEPS = 40;
const FAILURES = 5;
/** Failed payments to read, before objects paid since then are left out. */
const PAYMENTS = 50;
const DUE = 8;

export function overviewPage(context: StudioContext): StudioView {
  const {tx, base} = context;
  const {open, overdue, paid} = totals(tx);
  const sum = (label: string, {amount, count}: typeof open, singular: string, list: string): Html =>
    html`<div>
      <dt>${label}</dt>
      <dd>${formatPesos(amount)} ${ui.small(ui.link(`${base}/${list}`, formatCount(count, singular)))}</dd>
    </div>`;
  const due = timers(tx.store, DUE).map(
    (timer) => html`<span>${timeline.planText(context, timer)}</span> ${ui.muted(upcoming(timer.at, tx.now))}`,
  );
  return {
    title: 'Today',
    section: 'today',
    main: html`<h1 class="title">Today</h1>
      <dl class="sums">
        ${sum('Open', open, 'statement', 'statements?status=open')}${sum('Overdue', overdue, 'statement', 'statements?status=overdue')}${sum('Paid in 7 days, less refunds', paid, 'payment', 'payments')}
      </dl>
      <div class="split">
        ${ui.section('Happening now', timeline.listOf(context, recentSteps(tx, STEPS, context.listeners)))}
        <div>
          ${ui.section('Needs attention', overviewList(attentionItems(context)))}${ui.section('Falls due next', overviewList(due))}
        </div>
      </div>`,
  };
}

const overviewList = (items: readonly Html[]): Html =>
  items.length === 0
    ? ui.empty('Nothing.')
    : html`<ul class="list">
        ${items.map((item) => html`<li>${item}</li>`)}
      </ul>`;

function attentionItems(context: StudioContext): Html[] {
  const {tx, base} = context;
  const {store, now} = tx;
  const down = waitingEvents(tx).filter(({failing}) => failing > 0);
  const disabled = store.list('webhook', {limit: 50, where: ({status}) => status === 'disabled'}).data;
  const failed = listRequests(store.requests, {limit: FAILURES, failed: true}).data;
  // The last failure of each unpaid object.
  const unpaid = new Map<string, [StoredRecord, LogEntry]>();
  for (const entry of listRequests(store.requests, {limit: PAYMENTS, payments: true}).data) {
    const record = tx.peek(entry.source_id ?? entry.object_id);
    const isOpen = record && allows(record, record.resource === 'payment_intent' ? 'begin' : 'pay');
    if (isOpen && unpaid.size < FAILURES && !unpaid.has(record.id)) unpaid.set(record.id, [record, entry]);
  }
  return [
    ...context.aimed().map((text) => html`${ui.badge('failing', 'warn')}${ui.small(foreignText(text))}`),
    ...down.map(({webhook, failing, due}) => {
      const text = `${formatCount(failing, 'event')} ${failing === 1 ? 'waits' : 'wait'}, next ${upcoming(due, now)}`;
      return html`${ui.objectLink(context, webhook)} ${ui.badge('retrying')}${ui.small(text)}`;
    }),
    ...disabled.map(
      (webhook) => html`${ui.objectLink(context, webhook)} ${ui.badge('disabled')}${ui.small('Receives no events')}`,
    ),
    ...[...unpaid.values()].map(
      ([record, {code}]) =>
        html`${ui.objectLink(context, record)}
        ${ui.badge('failed')}${ui.small(html`Payment failed: ${foreignText(code)}`)}`,
    ),
    ...failed.map(
      (request) =>
        html`${ui.link(`${base}/${request.id}`, timeline.requestName(request))}
        ${ui.statusBadge(request.status)}${ui.small(timeline.errorOf(tx, request.id!))}`,
    ),
  ];
}

/** Rows of the clock's page. */
const PLANS = 40;
const CLOCK_STEPS = [
  ['+1 hour', 3600],
  ['+1 day', 86_400],
  ['+7 days', 604_800],
  ['+31 days', 2_678_400],
] as const;

export function clockPage(context: StudioContext): StudioView {
  const {tx, ahead, hasButtons} = context;
  const {now} = tx;
  const rows = [
    ...waitingEvents(tx).map(({webhook, events, due}) => ({
      at: due,
      what: html`${ui.muted('Delivery')} ${formatCount(events, 'event')} to ${ui.objectLink(context, webhook)}`,
      amount: '',
    })),
    ...timers(tx.store, PLANS).map((timer) => {
      const record = tx.peek(timer.id);
      return {at: timer.at, what: timeline.planText(context, timer), amount: record ? studioAmount(record) : ''};
    }),
  ].sort((a, b) => a.at - b.at);
  const next = rows.find(({at}) => at > now);
  const advanceButton = (label: string, at: number, main = false) =>
    ui.button(context, 'advance', label, {to: String(at)}, {main});
  const saved = snapshotsOf(context.path);
  const buttons = [
    next && advanceButton('To the next item', next.at, true),
    CLOCK_STEPS.map(([label, seconds]) => advanceButton(label, now + seconds)),
    saved && ui.button(context, 'snapshot', 'Save a snapshot'),
  ];
  return {
    title: 'Clock',
    section: 'clock',
    main: html`<h1 class="title">Clock</h1>
      <p class="amount">${clockText(now)}</p>
      <p class="soft">
        Manila time${ahead > 0 && `, ${duration(ahead)} ahead of the real clock`}. It only moves forward.
      </p>
      ${hasButtons ? html`<div class="actions left">${buttons}</div>` : ui.empty('Buttons are at the address that the server printed when it started.')}
      ${hasButtons && saved?.length ? ui.section('Snapshots', overviewList(saved.map((name) => html`${foreignText(name)} ${ui.button(context, 'restore', 'Restore', {name})}`))) : ''}
      ${ui.section(
        'Falls due next',
        ui.table(
          ['When', ui.wide('From now'), 'What', ui.right('Amount')],
          rows.map(({at, what, amount}) => [studioTime(at, now), upcoming(at, now), what, amount]),
        ),
      )}`,
  };
}
