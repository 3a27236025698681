// The API as data, from which client, commands, sandbox and reference derive: zod and plain values, no I/O.
// This file: customers and their saved payment methods.

import {boolean, common, currency, email, hash, id, integer, metadata, pageParams, related, text} from '../fields.js';
import {defineResource, defineShape, deletedOf, listOf, one} from '../operation.js';

export const customerShape = defineShape({
  name: 'customer',
  title: 'customer',
  prefix: 'cus_',
  fields: {
    ...common('cus_', 'customer'),
    name: text({description: 'Name of the person or company.'}),
    email: email({description: 'Email address.'}),
    currency: currency({description: 'Currency of the customer’s billing statements.'}),
    billing_statement_prefix: text({
      description: 'Prefix of the customer’s billing statement numbers.',
      assumed:
        'Customers can share a prefix, and the sequence can be set back. Numbers are unique, so a number that a statement has or had is skipped. No source shows what the service does.',
    }),
    next_billing_statement_sequence_number: text({
      description: 'Sequence number of the next billing statement. The service sets it.',
      assumed: 'A string of zero-padded digits, as the specification says; recorded bodies show it without the zeros.',
    }),
    billing: related({
      description: 'Phone and address.',
      nullable: true,
      assumed:
        'Not in the specification; the service answers billing_details under this name, with null for what was not sent.',
    }),
    metadata: metadata({description: 'Custom key-value pairs.', nullable: true}),
  },
  columns: ['id', 'name', 'email', 'billing_statement_prefix', 'created_at'],
  table: [
    {field: 'name', rank: 1, cut: 'name'},
    {field: 'email', rank: 2, cut: 'address'},
    {field: 'billing_statement_prefix', rank: 6, header: 'prefix'},
    {field: 'created_at', rank: 7},
    {field: 'id', rank: 5},
  ],
});

const address = hash(
  {
    line1: text({description: 'Address line 1.'}),
    line2: text({description: 'Address line 2.'}),
    city: text({description: 'City or municipality.'}),
    state: text({description: 'Province or region.'}),
    postal_code: text({description: 'Postal code.'}),
    country: text({description: 'Two-letter ISO country code.', pattern: /^[A-Z]{2}$/}),
  },
  {description: 'Postal address.'},
);

const optional = {
  billing_statement_prefix: text({
    description:
      'Prefix of billing statement numbers: 3 to 15 uppercase letters or digits. The service picks one if you leave it out.',
    pattern: /^[A-Z0-9]{3,15}$/,
    assumed: 'The limits come from the documentation, not the specification.',
  }),
  next_billing_statement_sequence_number: integer({
    description: 'Number of the customer’s next billing statement.',
    min: 1,
    assumed: 'A parameter of create in the documentation; not in the specification.',
  }),
  billing_details: hash(
    {phone: text({description: 'Phone number.'}), address},
    {description: 'Phone and address.', assumed: 'From two client libraries; the response calls it billing.'},
  ),
  metadata: metadata({description: 'Custom data, as key=value.'}),
};

/** Reached only through its customer. */
const paymentMethodShape = defineShape({
  name: 'payment_method',
  title: 'payment method',
  prefix: 'pm_',
  fields: {
    ...common('pm_', 'payment_method'),
    type: text({description: 'card, gcash, maya, billease or qrph.'}),
    customer_id: id('cus_', {
      description: 'Customer who saved it.',
      assumed: 'No source shows the whole object; this is the sandbox’s own field.',
    }),
    details: related({description: 'Details of the card or wallet.', nullable: true}),
    billing_details: related({description: 'Name, email, phone and address of the holder.', nullable: true}),
    allow_redisplay: boolean({description: 'Whether to offer it to the customer again.'}),
    metadata: metadata({description: 'Custom key-value pairs.', nullable: true}),
  },
  columns: ['id', 'type', 'details', 'created_at'],
  table: [
    {field: 'type', rank: 1},
    {field: 'details', rank: 2, cut: 'name'},
    {field: 'created_at', rank: 4},
    {field: 'id', rank: 3},
  ],
});

export const customers = defineResource({
  topic: 'customers',
  summary: 'Manage the people and companies that pay you',
  shape: customerShape,
  operations: {
    create: {
      method: 'POST',
      path: '/customers',
      summary: 'Create a customer',
      description:
        'Several customers can have one email address, but then it no longer tells which one you mean. At a terminal, centavo asks first. A script can look with customers list --email.',
      params: {
        name: text({required: true, description: 'Name of the person or company.'}),
        email: email({required: true, description: 'Email address.'}),
        currency: currency({required: true, description: 'Always PHP.'}),
        ...optional,
      },
      returns: one(customerShape),
      examples: [
        'customers create --name "Juan Dela Cruz" --email juan@example.com',
        'customers create --name "Sari Store" --email ar@sari.example --billing-statement-prefix SARI --metadata branch=cebu',
      ],
    },
    get: {
      method: 'GET',
      path: '/customers/:id',
      summary: 'Show a customer',
      description: 'For a deleted customer the API returns {id, resource, deleted: true}.',
      params: {},
      returns: one(customerShape),
      examples: ['customers get cus_2mQ8'],
    },
    list: {
      method: 'GET',
      path: '/customers',
      summary: 'List customers, newest first',
      params: {
        ...pageParams('cus_'),
        email: text({
          description: 'Only customers with this email address.',
          assumed: 'Matched exactly, ignoring case.',
        }),
        name: text({
          description:
            'Only customers with this name; in a table, those with it as a part of theirs if there are none.',
          assumed: 'Matched exactly, ignoring case.',
        }),
        metadata: metadata({description: 'Only customers with this metadata, as key=value.'}),
      },
      returns: listOf(customerShape),
      examples: ['customers list --email juan@example.com', 'customers list --metadata branch=cebu --all -o csv'],
    },
    update: {
      method: 'PUT',
      path: '/customers/:id',
      summary: 'Update a customer',
      params: {
        name: text({description: 'Name of the person or company.'}),
        email: email({description: 'Email address.'}),
        currency: currency({description: 'Always PHP.'}),
        ...optional,
      },
      returns: one(customerShape),
      examples: ['customers update cus_2mQ8 --email juan.delacruz@example.com'],
      assumed: 'The specification writes the method UPDATE; every client library sends PUT.',
    },
    delete: {
      method: 'DELETE',
      path: '/customers/:id',
      summary: 'Delete a customer',
      description:
        'What the customer still owes, and on which billing statements, is said first. The statements stay and can still be paid.',
      params: {},
      returns: deletedOf(customerShape),
      examples: ['customers delete cus_2mQ8'],
      destroys: true,
    },
    'list-payment-methods': {
      method: 'GET',
      path: '/customers/:id/payment_methods',
      summary: 'List the saved payment methods of a customer',
      params: pageParams('pm_'),
      returns: listOf(paymentMethodShape),
      examples: ['customers list-payment-methods cus_2mQ8'],
      assumed: 'Not in the specification. Taken from the official client libraries since 1.7.6.',
    },
    'delete-payment-method': {
      method: 'DELETE',
      path: '/customers/:id/payment_methods/:payment_method_id',
      summary: 'Remove a saved payment method from a customer',
      params: {},
      returns: deletedOf(paymentMethodShape),
      examples: ['customers delete-payment-method cus_2mQ8 pm_9dK2'],
      destroys: true,
      assumed: 'Not in the specification. Taken from the official client libraries since 1.7.6.',
    },
  },
});
