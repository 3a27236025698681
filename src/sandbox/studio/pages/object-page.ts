// The page of an object: timeline, details, related objects and actions.

import {allows} from '../../lifecycle.js';
import {intentPath, sourcePath} from '../../pages/links.js';
import {html, type Html, trusted} from '../../pages/markup.js';
import {type PageFact, factList} from '../../pages/summary.js';
import {TEST_CARD_FAILURES} from '../../payments/instruments.js';
import {moneyText, recordStanding} from '../../record-standing.js';
import {serialize} from '../../serialize.js';
import {timelineOf} from '../../requests/timeline.js';
import type {StoreReader, StoredRecord} from '../../store.js';
import {foldableBody, jsonOf} from './event-page.js';
import {RESOURCE_KINDS, kindName} from '../resource-kinds.js';
import {timelineItems} from '../timeline-view.js';
import {deliveryTable} from './list-pages.js';
import {
  badge,
  postButton,
  code,
  empty,
  link,
  objectLink,
  newestOnly,
  type StudioContext,
  section,
  smallText,
  mutedText,
  stateBadge,
  type StudioView,
} from '../components.js';
import {objectsOfCustomer, timersOf} from '../queries.js';
import {
  studioAmount,
  breakableText,
  fieldName,
  foreignText,
  humanized,
  objectNameOf,
  relative,
  studioTime,
} from '../format.js';

export function objectPage(context: StudioContext, record: StoredRecord, deleted: boolean): StudioView {
  const {tx, base, query} = context;
  const {id, resource} = record;
  const word = kindName(resource);
  const {ids = [], steps = []} = timelineOf(tx, id, context.listeners) ?? {};
  const isOnly = query.has('only');
  const isShown = (objectId: string | null): boolean => !isOnly || objectId === id;
  const plans = ids.filter(isShown).flatMap((objectId) => timersOf(tx.store, objectId));
  const shown = steps.filter((step) => isShown(step.object_id));
  const toggle = isOnly
    ? link(`${base}/${id}`, 'With related objects')
    : link(`${base}/${id}?only=1`, `Only this ${word.toLowerCase()}`);
  const amount = resource === 'refund' ? '' : studioAmount(record);
  return {
    title: `${word} ${id}`,
    section: Object.entries(RESOURCE_KINDS).find(([, kind]) => kind.resource === resource)?.[0],
    main: html`<div class="title">
        <h1><span class="kind">${word}</span> ${objectNameOf(record, tx)}</h1>
        ${deleted ? badge('deleted') : stateBadge(tx, record)} ${amount && html`<span class="amount">${amount}</span>`}
        ${!deleted && objectActions(context, record)}
      </div>
      <div class="split">
        <div>
          ${resource === 'webhook' && section('Deliveries', deliveryTable(context, id))}
          ${section(html`Timeline ${ids.length > 1 && toggle}`, deleted ? empty('It was deleted.') : timelineItems(context, shown, plans))}
        </div>
        <div>
          ${section('Details', factList(objectDetails(context, record)))}${relatedTree(context, record, ids)}${foldableBody('JSON', jsonOf(serialize(record, tx)))}
        </div>
      </div>`,
  };
}

function objectActions(context: StudioContext, record: StoredRecord): Html | '' {
  const {id, resource} = record;
  const isSetup = resource === 'setup_intent';
  const isIntent = isSetup || resource === 'payment_intent';
  if (!context.hasButtons || !(isIntent || resource === 'billing_statement' || resource === 'checkout_session'))
    return '';
  if (!allows(record, isIntent ? 'begin' : 'pay')) return '';
  const codes = Object.keys(TEST_CARD_FAILURES).map(
    (failureCode) => html`<option ${failureCode === 'generic_decline' && trusted('selected')}>${failureCode}</option>`,
  );
  const extra = html`<select name="code" aria-label="Reason">
    ${codes}
  </select>`;
  const page = !isIntent
    ? sourcePath(record)
    : (isSetup || recordStanding(context.tx, record).state === 'approving') && intentPath(record);
  return html`<div class="actions">
    ${postButton(context, 'pay', isSetup ? 'Save' : 'Pay', {id}, {main: true})}
    ${postButton(context, 'fail', isSetup ? 'Fail' : 'Fail payment', {id}, {extra})}
    ${page && html`<a class="button" href="${page}">${isSetup ? 'Setup page' : 'Payment page'}</a>`}
  </div>`;
}

const TEXTS = ['email', 'description', 'reason', 'remarks', 'url'];
const TIMES = ['due_at', 'expires_at', 'finalized_at', 'capture_before_at', 'created_at'];

function objectDetails(context: StudioContext, record: StoredRecord): PageFact[] {
  const {tx} = context;
  const customer = tx.customer(record.customer_id ?? record._customer_id);
  const error = record.last_payment_error as {code?: string; detail?: string} | null | undefined;
  const events = record.events as readonly string[] | undefined;
  return [
    ['Id', code(record.id)],
    ['Money', /^(?:bstm|cs|pi)_/.test(record.id) && moneyText(tx, record)],
    ['Customer', customer && objectLink(context, customer)],
    ...TEXTS.map((name): PageFact => [
      name === 'url' ? 'Address' : humanized(name),
      record[name] ? breakableText(record[name], 200) : '',
    ]),
    ['Last error', error && html`${foreignText(error.code)} ${smallText(foreignText(error.detail, 200))}`],
    ['Events', events?.map((each) => smallText(breakableText(each)))],
    ...Object.entries((record.metadata ?? {}) as object).map(([name, value]): PageFact => [
      code(foreignText(name, 40)),
      foreignText(value, 200),
    ]),
    ...TIMES.filter((name) => record[name]).map((name): PageFact => {
      const at = record[name] as number;
      return [humanized(fieldName(name)), html`${studioTime(at, tx.now)} ${mutedText(relative(at, tx.now))}`];
    }),
  ];
}

/** Indentation of each kind below the customer. */
const DEPTHS: Readonly<Record<string, number>> = {
  customer: 0,
  billing_statement_line_item: 2,
  payment_intent: 2,
  payment_method: 3,
  payment: 3,
  refund: 4,
};

function relatedTree(context: StudioContext, record: StoredRecord, ids: readonly string[]): Html | '' {
  const {tx} = context;
  const related = relatives(tx, record, ids);
  if (related.length < 2) return '';
  const rows = related.map((object) => {
    const name = object.id === record.id ? html`<b>${objectNameOf(object, tx)}</b>` : objectLink(context, object);
    const count = object.resource === 'billing_statement_line_item' && `${object.quantity as number} × `;
    const depth = DEPTHS[object.resource] ?? 1;
    return html`<li class="in-${depth}">
      <div>${mutedText(kindName(object.resource))} ${count}${name}</div>
      ${stateBadge(tx, object)}
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

function relatives(tx: StoreReader, record: StoredRecord, ids: readonly string[]): StoredRecord[] {
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
  const customer = known.map((object) => tx.customer(object.customer_id ?? object._customer_id)).find(Boolean);
  return [
    customer,
    tx.peek(record.billing_statement_id as string | undefined),
    ...known.flatMap((object) => [
      object,
      ...store.children(object.id, 'billing_statement_line_item'),
      ...(object.resource === 'payment_intent' ? [tx.peek(object.payment_method_id as string | null)] : []),
    ]),
  ].filter((each) => each !== undefined);
}
