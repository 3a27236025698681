// Billing statements and their line items. Items and the amount can change only in a draft.

import {MAXIMUM_CENTAVOS} from '../../api/fields.js';
import type {PaymentSettings} from '../../api/types.js';
import {requireStatus, transition} from '../lifecycle.js';
import {abandonIntent, createIntent, methodsOf} from '../payments/intents.js';
import {aboveMaximum, invalidParameter, required} from '../api-problems.js';
import type {StatementRecord} from '../record-types.js';
import type {StoredRecord} from '../store.js';
import {scheduleDueTimes} from '../timers.js';
import type {Transaction} from '../transaction.js';
import {
  type Actions,
  givenMetadata,
  metadataOf,
  listPage,
  deletedStub,
  providedFields,
  requireCollectable,
  itemsTotal,
} from './action.js';
import {nextSequence, sequenceText, statementNumber} from './statement-numbers.js';

const statementOf = (tx: Transaction, id: string | undefined) => tx.get('bstm_', id!) as StatementRecord;

const defaultDescription = (number: string): string => `Payment for Billing Statement ${number}`;

function settingsOf(given: unknown, before?: PaymentSettings) {
  const known = Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== null));
  return {...before, ...known, payment_methods: methodsOf(known.payment_methods ?? before?.payment_methods)};
}

/** Returns the fields to change for another customer. A default description contains the new number. */
function customerChange(tx: Transaction, statement: StatementRecord, customerId: unknown): Record<string, unknown> {
  if (!customerId) return {};
  if (customerId === statement.customer_id) return {customer_id: customerId, currency: statement.currency};
  const customer = tx.get('cus_', customerId as string);
  const number = takeNumber(tx, customer);
  const unmodified = statement.description === defaultDescription(statement.billing_statement_number);
  return {
    customer_id: customerId,
    currency: customer.currency,
    billing_statement_number: number,
    ...(unmodified && {description: defaultDescription(number)}),
  };
}

function endStatement(tx: Transaction, id: string | undefined, action: string): StatementRecord {
  const statement = statementOf(tx, id);
  requireStatus(statement, action);
  abandonIntent(tx, statement._payment_intent_id);
  tx.store.unschedule(statement.id);
  transition(tx, statement, action);
  return statement;
}

export const billingStatementActions: Actions = {
  create: (tx, {params}) => {
    const customer = tx.get('cus_', params.customer_id as string);
    const number = takeNumber(tx, customer);
    const statement = tx.create('bstm_', {
      amount: 0,
      currency: customer.currency,
      customer_id: customer.id,
      description: params.description || defaultDescription(number),
      status: 'draft',
      due_at: null,
      finalized_at: null,
      billing_statement_merchant_name: null,
      billing_statement_number: number,
      merchant_id: tx.merchantId,
      statement_descriptor: null,
      setup_future_usage: params.setup_future_usage ?? null,
      billing_details_collection: params.billing_details_collection ?? 'always',
      metadata: metadataOf(params),
      payment_settings: settingsOf(params.payment_settings),
      _secret: tx.token(),
      _payment_intent_id: null,
    });
    tx.emit('billing_statement.created', statement);
    return statement;
  },

  get: (tx, {ids: [id]}) => statementOf(tx, id),

  list: (tx, {params}) => listPage(tx, 'billing_statement', params),

  update: (tx, {ids: [id], params}) => {
    const statement = statementOf(tx, id);
    requireStatus(statement, 'update');
    return transition(tx, statement, 'update', {
      ...customerChange(tx, statement, params.customer_id),
      ...(params.description !== undefined && {description: params.description || null}),
      ...(params.due_at !== undefined && {due_at: params.due_at || null}),
      ...providedFields(params, 'billing_details_collection'),
      ...(params.payment_settings
        ? {payment_settings: settingsOf(params.payment_settings, statement.payment_settings)}
        : {}),
      ...givenMetadata(params),
    });
  },

  delete: (tx, {ids: [id]}) => {
    const statement = statementOf(tx, id);
    requireStatus(statement, 'delete');
    tx.change(statement, {updated_at: tx.now});
    transition(tx, statement, 'delete');
    for (const item of tx.store.children(statement.id, 'billing_statement_line_item')) tx.store.remove(item.id);
    tx.store.remove(statement.id);
    return deletedStub(statement);
  },

  finalize: (tx, {ids: [id]}) => {
    const statement = statementOf(tx, id);
    requireStatus(statement, 'finalize');
    if (!statement.due_at) throw required('due_at');
    if (tx.store.children(statement.id, 'billing_statement_line_item').length === 0) throw required('line_items');
    requireCollectable(statement.amount);
    if (!tx.peek(statement.customer_id))
      throw invalidParameter('customer_id', `The customer ${statement.customer_id} was deleted.`);
    const {payment_methods: methods, payment_method_options: options} = statement.payment_settings;
    const intent = createIntent(tx, {
      amount: statement.amount,
      customerId: statement.customer_id,
      description: statement.description,
      metadata: statement.metadata,
      methods,
      // Only intents and sessions support manual capture.
      options: {card: {...options?.card, capture_type: 'automatic'}},
      sourceId: statement.id,
    });
    tx.change(statement, {finalized_at: tx.now, _payment_intent_id: intent.id});
    scheduleDueTimes(tx, statement);
    return transition(tx, statement, 'finalize');
  },

  void: (tx, {ids: [id]}) => endStatement(tx, id, 'void'),

  'mark-uncollectible': (tx, {ids: [id]}) => endStatement(tx, id, 'mark-uncollectible'),

  send: (tx, {ids: [id]}) => transition(tx, statementOf(tx, id), 'send'),
};

const LINE_ITEM = 'billing_statement_line_item';

function draftOf(tx: Transaction, statementId: unknown): StoredRecord {
  const statement = tx.get('bstm_', statementId as string);
  requireStatus(statement, 'update');
  return statement;
}

/** Updates the statement's amount without an event, because the item's event reports it. */
function updateAmount(tx: Transaction, statement: StoredRecord): void {
  const items = tx.store.children(statement.id, LINE_ITEM);
  const amount = itemsTotal(
    items.map(({quantity, unit_price}) => ({quantity: quantity as number, price: unit_price as number})),
  );
  if (amount > MAXIMUM_CENTAVOS) throw aboveMaximum('amount', MAXIMUM_CENTAVOS);
  tx.change(statement, {amount});
}

export const lineItemActions: Actions = {
  create: (tx, {params}) => {
    const statement = draftOf(tx, params.billing_statement_id);
    const {description, unit_price, quantity} = params;
    const fields = {description, unit_price, quantity, billing_statement_id: statement.id};
    const item = tx.create('bstm_li_', fields, statement.id);
    updateAmount(tx, statement);
    tx.emit('billing_statement_line_item.created', item);
    return item;
  },

  update: (tx, {ids: [id], params}) => {
    const item = tx.get('bstm_li_', id!);
    const statement = draftOf(tx, item.billing_statement_id);
    const previous = tx.change(item, providedFields(params, 'description', 'unit_price', 'quantity'));
    updateAmount(tx, statement);
    tx.emit('billing_statement_line_item.updated', item, previous);
    return item;
  },

  delete: (tx, {ids: [id]}) => {
    const item = tx.get('bstm_li_', id!);
    const statement = draftOf(tx, item.billing_statement_id);
    tx.store.remove(item.id);
    updateAmount(tx, statement);
    tx.emit('billing_statement_line_item.deleted', item);
    return deletedStub(item);
  },
};

/** Takes the customer's next number: "The service manages the sequence number" (specification). */
function takeNumber(tx: Transaction, customer: StoredRecord): string {
  const sequence = nextSequence(tx.store, customer);
  tx.change(customer, {next_billing_statement_sequence_number: sequenceText(sequence + 1)});
  return statementNumber(customer, sequenceText(sequence));
}
