// Customers, with their saved payment methods, customer sessions and setup intents.

import {transition} from '../lifecycle.js';
import {notFound} from '../api-problems.js';
import {givenMetadata, metadataOf, listPage, deletedStub, providedFields, type Actions} from './action.js';
import {sequenceText} from './statement-numbers.js';

/** Alphabet of generated statement prefixes, which have eight characters (recorded bodies). */
const PREFIX_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ23456789';

const equalsIgnoringCase = (a: unknown, b: unknown): boolean => String(a).toLowerCase() === String(b).toLowerCase();

export const customerActions: Actions = {
  create: (tx, {params}) =>
    tx.create('cus_', {
      name: params.name,
      email: params.email,
      currency: 'PHP',
      billing: params.billing_details ?? null,
      billing_statement_prefix: params.billing_statement_prefix ?? tx.token(8, PREFIX_ALPHABET),
      next_billing_statement_sequence_number: sequenceText(
        (params.next_billing_statement_sequence_number as number | null | undefined) ?? 1,
      ),
      metadata: metadataOf(params),
    }),

  get: (tx, {ids: [id]}) => {
    const found = tx.store.find('customer', id!);
    if (!found) throw notFound('customer', id!);
    return found.deleted ? deletedStub(found.record) : found.record;
  },

  list: (tx, {params}) => {
    const filters = Object.entries((params.metadata ?? {}) as Record<string, string>);
    return listPage(tx, 'customer', params, (record) => {
      const stored = (record.metadata ?? {}) as Record<string, unknown>;
      return (
        (!params.email || equalsIgnoringCase(record.email, params.email)) &&
        (!params.name || equalsIgnoringCase(record.name, params.name)) &&
        filters.every(([key, value]) => Object.hasOwn(stored, key) && String(stored[key]) === value)
      );
    });
  },

  update: (tx, {ids: [id], params}) => {
    const customer = tx.get('cus_', id!);
    const sequence = params.next_billing_statement_sequence_number;
    tx.change(customer, {
      ...providedFields(params, 'name', 'email', 'billing_statement_prefix'),
      ...givenMetadata(params),
      ...(params.billing_details !== undefined && {billing: params.billing_details}),
      ...(typeof sequence === 'number' && {next_billing_statement_sequence_number: sequenceText(sequence)}),
    });
    return customer;
  },

  delete: (tx, {ids: [id]}) => {
    const customer = tx.get('cus_', id!);
    tx.store.remove(customer.id);
    return deletedStub(customer);
  },

  'list-payment-methods': (tx, {ids: [id], params}) => {
    tx.get('cus_', id!);
    return listPage(tx, 'payment_method', params, (record) => record.customer_id === id);
  },

  'delete-payment-method': (tx, {ids: [id, methodId]}) => {
    tx.get('cus_', id!);
    const method = tx.get('pm_', methodId!);
    if (method.customer_id !== id) throw notFound('payment method', methodId!);
    tx.store.remove(method.id);
    return deletedStub(method);
  },
};

/** Seconds. */
const CUSTOMER_SESSION_LIFETIME = 86_400;

const FEATURES = ['payment_method_save', 'payment_method_edit', 'payment_method_redisplay', 'payment_method_remove'];

export const customerSessionActions: Actions = {
  create: (tx, {params}) => {
    const customer = tx.get('cus_', params.customer_id as string);
    return tx.create('cus_s_', (id) => ({
      client_secret: `${id}_secret_${tx.token()}`,
      components: FEATURES.map((feature) => ({
        component: 'payment_element',
        feature,
        value: feature === 'payment_method_edit' ? 'disabled' : 'enabled',
      })),
      expired_at: tx.now + CUSTOMER_SESSION_LIFETIME,
      _customer_id: customer.id,
    }));
  },

  get: (tx, {ids: [id]}) => tx.get('cus_s_', id!),
};

/** The only methods in the documentation, which offers them in a closed beta. */
const BETA_METHODS = ['gcash', 'maya'];

export const setupIntentActions: Actions = {
  create: (tx, {params}) => {
    const customer = tx.get('cus_', params.customer_id as string);
    return tx.create('si_', (id) => ({
      status: 'awaiting_payment_method',
      client_secret: `${id}_secret_${tx.token()}`,
      description: params.description || null,
      next_action: null,
      payment_method_id: null,
      payment_methods: params.payment_methods ?? BETA_METHODS,
      return_url: null,
      usage: 'off_session',
      metadata: metadataOf(params),
      _customer_id: customer.id,
    }));
  },

  get: (tx, {ids: [id]}) => tx.get('si_', id!),

  cancel: (tx, {ids: [id]}) => transition(tx, tx.get('si_', id!), 'cancel'),
};
