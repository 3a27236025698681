// Customers and their saved payment methods.

import {notFound} from '../problems.js';
import {sequenceText} from '../numbers.js';
import {givenMetadata, metadataOf, page, remains, replaced, type Actions} from './action.js';

/** Prefixes that the service makes up have eight of these (recorded bodies). */
const PREFIX_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ23456789';

const same = (a: unknown, b: unknown): boolean => String(a).toLowerCase() === String(b).toLowerCase();

export const customers: Actions = {
  create: (work, {params}) =>
    work.create('cus_', {
      name: params.name,
      email: params.email,
      currency: 'PHP',
      billing: params.billing_details ?? null,
      billing_statement_prefix: params.billing_statement_prefix ?? work.token(8, PREFIX_ALPHABET),
      next_billing_statement_sequence_number: sequenceText(
        (params.next_billing_statement_sequence_number as number | null | undefined) ?? 1,
      ),
      metadata: metadataOf(params),
    }),

  get: (work, {ids: [id]}) => {
    const found = work.store.find('customer', id!);
    if (!found) throw notFound('customer', id!);
    return found.deleted ? remains(found.record) : found.record;
  },

  list: (work, {params}) => {
    const wanted = Object.entries((params.metadata ?? {}) as Record<string, string>);
    return page(work, 'customer', params, (record) => {
      const stored = (record.metadata ?? {}) as Record<string, unknown>;
      return (
        (!params.email || same(record.email, params.email)) &&
        (!params.name || same(record.name, params.name)) &&
        wanted.every(([key, value]) => Object.hasOwn(stored, key) && String(stored[key]) === value)
      );
    });
  },

  update: (work, {ids: [id], params}) => {
    const customer = work.get('cus_', id!);
    const sequence = params.next_billing_statement_sequence_number;
    work.change(customer, {
      ...replaced(params, 'name', 'email', 'billing_statement_prefix'),
      ...givenMetadata(params),
      ...(params.billing_details !== undefined && {billing: params.billing_details}),
      ...(typeof sequence === 'number' && {next_billing_statement_sequence_number: sequenceText(sequence)}),
    });
    return customer;
  },

  delete: (work, {ids: [id]}) => {
    const customer = work.get('cus_', id!);
    work.store.remove(customer.id);
    return remains(customer);
  },

  'list-payment-methods': (work, {ids: [id], params}) => {
    work.get('cus_', id!);
    return page(work, 'payment_method', params, (record) => record.customer_id === id);
  },

  'delete-payment-method': (work, {ids: [id, methodId]}) => {
    work.get('cus_', id!);
    const method = work.get('pm_', methodId!);
    if (method.customer_id !== id) throw notFound('payment method', methodId!);
    work.store.remove(method.id);
    return remains(method);
  },
};
