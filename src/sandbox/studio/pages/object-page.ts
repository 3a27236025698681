// The page of an object: timeline, details, related objects and actions.

import {refundShape} from '../../../api/resources/refunds.js';
import {decimalPesos} from '../../../common/pesos.js';
import {allows} from '../../lifecycle.js';
import {intentPath, sourcePath} from '../../pages/links.js';
import {html, type Html, type HtmlPart, trusted} from '../../../common/markup.js';
import {factList, type PageFact} from '../../../common/page-parts.js';
import {TEST_CARD_FAILURES} from '../../payments/instruments.js';
import {defaultMethod} from '../../payments/pay-statement.js';
import type {IntentRecord} from '../../record-types.js';
import {moneyText, recordStanding} from '../../record-standing.js';
import {serialize} from '../../serialize.js';
import {timelineOf} from '../../requests/timeline.js';
import type {StoreReader, StoredRecord} from '../../store.js';
import {foldableBody, jsonOf} from './event-page.js';
import {RESOURCE_KINDS, kindName} from '../resource-kinds.js';
import * as timeline from '../timeline-view.js';
import {attemptTable} from './list-pages.js';
import * as ui from '../components.js';
import type {StudioContext, StudioView} from '../context.js';
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
  const {tx} = context;
  const {id, resource} = record;
  const kind = kindName(resource);
  const {ids = [], steps = []} = timelineOf(tx, id, context.listeners) ?? {};
  const plans = ids.flatMap((objectId) => timersOf(tx.store, objectId));
  const amount = resource === 'refund' ? '' : studioAmount(record);
  const buttons = context.hasButtons && !deleted ? actionButtons(context, record) : [];
  return {
    title: `${kind} ${id}`,
    section: Object.entries(RESOURCE_KINDS).find(([, kind]) => kind.resource === resource)?.[0],
    main: html`<div class="title">
        <h1><span class="kind">${kind}</span> ${objectNameOf(record, tx)}</h1>
        ${deleted ? ui.badge('deleted') : ui.stateBadge(tx, record)}
        ${amount && html`<span class="amount">${amount}</span>`}
        ${buttons.length > 0 && html`<div class="actions">${buttons}</div>`}
      </div>
      <div class="split">
        <div>
          ${resource === 'webhook' && ui.section('Deliveries', attemptTable(context, id))}
          ${ui.section('Timeline', deleted ? ui.empty('It was deleted.') : timeline.listOf(context, steps, plans))}
        </div>
        <div>
          ${ui.section('Details', factList(objectDetails(context, record)))}${relatedTree(context, record, ids)}${foldableBody('JSON', jsonOf(serialize(record, tx)))}
        </div>
      </div>`,
  };
}

/** Returns the buttons that fit the state of an object. */
function actionButtons(context: StudioContext, record: StoredRecord): HtmlPart[] {
  const {tx} = context;
  const {id, resource} = record;
  const isSetup = resource === 'setup_intent';
  const isIntent = isSetup || resource === 'payment_intent';
  if (resource === 'webhook')
    return record.status === 'disabled' ? [ui.button(context, 'enable', 'Enable', {id}, MAIN)] : [];
  if (resource === 'payment') {
    const left = (record.amount as number) - (record.amount_refunded as number);
    const extra = html`${amountInput(left)}${choiceOf('reason', 'Reason', refundShape.fields.reason.choices!)}`;
    return left > 0 ? [ui.button(context, 'refund', 'Refund', {id}, {extra})] : [];
  }
  if (resource === 'payment_intent' && allows(record, 'capture'))
    return [ui.button(context, 'capture', 'Capture', {id}, {...MAIN, extra: amountInput(record.amount_capturable)})];
  if (!(isIntent || resource === 'billing_statement' || resource === 'checkout_session')) return [];
  if (!allows(record, isIntent ? 'begin' : 'pay')) return [];
  const isApproving = !isSetup && recordStanding(tx, record).state === 'approving';
  const page = isIntent ? (isSetup || isApproving) && intentPath(record) : sourcePath(record);
  const intent = (isIntent ? record : tx.peek(record._payment_intent_id as string)) as IntentRecord;
  // A payment that waits for approval has its method.
  const methods = isApproving ? [] : intent.payment_methods;
  const extra = methods.length > 1 ? choiceOf('method', 'Payment method', methods, defaultMethod(intent)) : undefined;
  const codes = choiceOf('code', 'Reason', Object.keys(TEST_CARD_FAILURES), 'generic_decline');
  return [
    ui.button(context, 'pay', isSetup ? 'Save' : 'Pay', {id}, {...MAIN, extra}),
    ui.button(context, 'fail', isSetup ? 'Fail' : 'Fail payment', {id}, {extra: codes}),
    page && html`<a class="button" href="${page}">${isSetup ? 'Setup page' : 'Payment page'}</a>`,
  ];
}

const MAIN = {main: true};

const choiceOf = (name: string, label: string, choices: readonly string[], selected?: string): Html =>
  html`<select name="${name}" aria-label="${label}">
    ${choices.map((each) => html`<option ${each === selected && trusted('selected')}>${each}</option>`)}
  </select>`;

const amountInput = (most: unknown): Html =>
  html`<input name="amount" aria-label="Amount in pesos" size="7" value="${decimalPesos(most as number)}" />`;

const TEXTS = ['email', 'description', 'reason', 'remarks', 'url'];
const TIMES = ['due_at', 'expires_at', 'finalized_at', 'capture_before_at', 'created_at'];

function objectDetails(context: StudioContext, record: StoredRecord): PageFact[] {
  const {tx} = context;
  const customer = tx.customer(record.customer_id ?? record._customer_id);
  const error = record.last_payment_error as {code?: string; detail?: string} | null | undefined;
  const events = record.events as readonly string[] | undefined;
  return [
    ['Id', ui.code(record.id)],
    ['Money', /^(?:bstm|cs|pi)_/.test(record.id) && moneyText(tx, record)],
    ['Customer', customer && ui.objectLink(context, customer)],
    ...TEXTS.map((name): PageFact => [
      name === 'url' ? 'Address' : humanized(name),
      record[name] ? breakableText(record[name], 200) : '',
    ]),
    ['Last error', error && html`${foreignText(error.code)} ${ui.small(foreignText(error.detail, 200))}`],
    ['Events', events?.map((each) => ui.small(breakableText(each)))],
    ...Object.entries((record.metadata ?? {}) as object).map(([name, value]): PageFact => [
      ui.code(foreignText(name, 40)),
      foreignText(value, 200),
    ]),
    ...TIMES.filter((name) => record[name]).map((name): PageFact => {
      const at = record[name] as number;
      return [humanized(fieldName(name)), html`${studioTime(at, tx.now)} ${ui.muted(relative(at, tx.now))}`];
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
    const name = object.id === record.id ? html`<b>${objectNameOf(object, tx)}</b>` : ui.objectLink(context, object);
    const count = object.resource === 'billing_statement_line_item' && `${object.quantity as number} × `;
    const depth = DEPTHS[object.resource] ?? 1;
    return html`<li class="in-${depth}">
      <div>${ui.muted(kindName(object.resource))} ${count}${name}</div>
      ${ui.stateBadge(tx, object)}
    </li>`;
  });
  return ui.section(
    'Related',
    html`<ul class="tree">
        ${rows}
      </ul>
      ${record.resource === 'customer' && objectsOfCustomer(tx.store, record.id).next !== undefined && ui.newestOnly}`,
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
