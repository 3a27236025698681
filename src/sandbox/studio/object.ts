// Any object: what happened to it and to those that belong to it, what it is, and what can be done with it.

import {allows} from '../lifecycle.js';
import {intentPath, sourcePath} from '../pages/links.js';
import {html, type Html, trusted} from '../pages/markup.js';
import {type Fact, factList} from '../pages/summary.js';
import {FAILURES} from '../paying/instruments.js';
import {present} from '../present.js';
import {timelineOf} from '../requests/timeline.js';
import type {Reading, Stored} from '../store.js';
import {folded, jsonOf} from './event.js';
import {KINDS, wordOfKind} from './kinds.js';
import {line} from './line.js';
import {deliveries} from './lists.js';
import {
  badge,
  button,
  code,
  empty,
  link,
  named,
  newestOnly,
  type Place,
  section,
  small,
  soft,
  stateOf,
  type View,
} from './parts.js';
import {objectsOfCustomer, timersOf} from './reads.js';
import {amountOf, dotted, fieldName, foreign, humanized, nameOf, relative, timeOf} from './words.js';

export function objectPage(place: Place, record: Stored, deleted: boolean): View {
  const {tx, base, query} = place;
  const {id, resource} = record;
  const word = wordOfKind(resource);
  const {ids = [], steps = []} = timelineOf(tx, id) ?? {};
  const isOnly = query.has('only');
  const isMeant = (each: string | null): boolean => !isOnly || each === id;
  const plans = ids.filter(isMeant).flatMap((each) => timersOf(tx.store, each));
  const shown = steps.filter((step) => isMeant(step.object_id));
  const other = isOnly
    ? link(`${base}/${id}`, 'With what belongs to it')
    : link(`${base}/${id}?only=1`, `Only this ${word.toLowerCase()}`);
  const amount = resource === 'refund' ? '' : amountOf(record);
  return {
    title: `${word} ${id}`,
    section: Object.entries(KINDS).find(([, kind]) => kind.resource === resource)?.[0],
    main: html`<div class="title">
        <h1><span class="kind">${word}</span> ${nameOf(record, tx)}</h1>
        ${deleted ? badge('deleted') : stateOf(record, tx.now)} ${amount && html`<span class="amount">${amount}</span>`}
        ${!deleted && actions(place, record)}
      </div>
      <div class="split">
        <div>
          ${resource === 'webhook' && section('Deliveries', deliveries(place, id))}
          ${section(html`Timeline ${ids.length > 1 && other}`, deleted ? empty('It was deleted.') : line(place, shown, plans))}
        </div>
        <div>
          ${section('Details', factList(details(place, record)))}${tree(place, record, ids)}${folded('JSON', jsonOf(present(record, tx)))}
        </div>
      </div>`,
  };
}

function actions(place: Place, record: Stored): Html | '' {
  const {id, resource} = record;
  const isIntent = resource === 'payment_intent';
  if (!place.acts || !(isIntent || resource === 'billing_statement' || resource === 'checkout_session')) return '';
  if (!allows(record, isIntent ? 'begin' : 'pay')) return '';
  const codes = Object.keys(FAILURES).map(
    (each) => html`<option ${each === 'generic_decline' && trusted('selected')}>${each}</option>`,
  );
  const extra = html`<select name="code" aria-label="Reason">
    ${codes}
  </select>`;
  const page = !isIntent ? sourcePath(record) : record.status === 'awaiting_next_action' && intentPath(record);
  return html`<div class="actions">
    ${button(place, 'pay', 'Pay', {id}, {main: true})} ${button(place, 'fail', 'Fail payment', {id}, {extra})}
    ${page && html`<a class="button" href="${page}">Payment page</a>`}
  </div>`;
}

const TEXTS = ['email', 'description', 'reason', 'remarks', 'url'];
const TIMES = ['due_at', 'expires_at', 'finalized_at', 'capture_before_at', 'created_at'];

function details(place: Place, record: Stored): Fact[] {
  const {tx} = place;
  const customer = tx.customer(record.customer_id ?? record._customer_id);
  const error = record.last_payment_error as {code?: string; detail?: string} | null | undefined;
  const events = record.events as readonly string[] | undefined;
  return [
    ['Id', code(record.id)],
    ['Customer', customer && named(place, customer)],
    ...TEXTS.map((name): Fact => [
      name === 'url' ? 'Address' : humanized(name),
      record[name] ? dotted(record[name], 200) : '',
    ]),
    ['Last error', error && html`${foreign(error.code)} ${small(foreign(error.detail, 200))}`],
    ['Events', events?.map((each) => small(dotted(each)))],
    ...Object.entries((record.metadata ?? {}) as object).map(([name, value]): Fact => [
      code(foreign(name, 40)),
      foreign(value, 200),
    ]),
    ...TIMES.filter((name) => record[name]).map((name): Fact => {
      const at = record[name] as number;
      return [humanized(fieldName(name)), html`${timeOf(at, tx.now)} ${soft(relative(at, tx.now))}`];
    }),
  ];
}

/** How far each kind is indented below the customer. */
const DEPTHS: Readonly<Record<string, number>> = {
  customer: 0,
  billing_statement_line_item: 2,
  payment_intent: 2,
  payment_method: 3,
  payment: 3,
  refund: 4,
};

function tree(place: Place, record: Stored, ids: readonly string[]): Html | '' {
  const {tx} = place;
  const related = relatives(tx, record, ids);
  if (related.length < 2) return '';
  const rows = related.map((each) => {
    const name = each.id === record.id ? html`<b>${nameOf(each, tx)}</b>` : named(place, each);
    const count = each.resource === 'billing_statement_line_item' && `${each.quantity as number} × `;
    const depth = DEPTHS[each.resource] ?? 1;
    return html`<li class="in-${depth}">
      <div>${soft(wordOfKind(each.resource))} ${count}${name}</div>
      ${stateOf(each, tx.now)}
    </li>`;
  });
  return section(
    'Related',
    html`<ul class="tree">
        ${rows}
      </ul>
      ${record.resource === 'customer' && objectsOfCustomer(tx.store, record.id).next !== undefined && newestOnly}`,
  );
}

function relatives(tx: Reading, record: Stored, ids: readonly string[]): Stored[] {
  const {store} = tx;
  if (record.resource === 'customer')
    return [
      record,
      ...objectsOfCustomer(store, record.id).records.filter(
        ({_source_id: source, resource}) => !source && resource !== 'payment',
      ),
    ];
  if (record.resource === 'payout') return [record, ...store.children(record.id, 'payout_transaction')];
  const known = ids.map((id) => tx.peek(id)!);
  const customer = known.map((each) => tx.customer(each.customer_id ?? each._customer_id)).find(Boolean);
  return [
    customer,
    tx.peek(record.billing_statement_id as string | undefined),
    ...known.flatMap((each) => [
      each,
      ...store.children(each.id, 'billing_statement_line_item'),
      ...(each.resource === 'payment_intent' ? [tx.peek(each.payment_method_id as string | null)] : []),
    ]),
  ].filter((each) => each !== undefined);
}
