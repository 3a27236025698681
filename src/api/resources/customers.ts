// Customers and their saved payment methods.

import {boolean, common, currency, email, hash, id, integer, metadata, pageParams, related, text} from '../fields.js';
import {defineResource, defineShape, deletedOf, listOf, one} from '../operation.js';

export const customerShape = defineShape({
  name: 'customer',
  title: 'customer',
  prefix: 'cus_',
  fields: {
    ...common('cus_', 'customer'),
    name: text({description: 'Name of the person or company.'}),
    email: email({description: 'E-mail address.'}),
    currency: currency({description: 'Currency of the statements of this customer.'}),
    billing_statement_prefix: text({
      description: 'Prefix of the numbers of this customer’s billing statements.',
      assumed:
        'Customers can share a prefix, and the sequence can be set back. Numbers are unique, so a number that a statement has or had is skipped. No source shows what the service does.',
    }),
    next_billing_statement_sequence_number: text({
      description: 'Suffix of the next billing statement number, managed by the service.',
      assumed: 'A string of zero-padded digits, as the specification says; recorded bodies show it without the zeros.',
    }),
    billing: related({
      description: 'Phone and address.',
      nullable: true,
      assumed:
        'Not in the specification; the service answers billing_details under this name, with null for what was not sent.',
    }),
    metadata: metadata({description: 'Your own keys and values.', nullable: true}),
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
    line1: text({description: 'Street address, first line.'}),
    line2: text({description: 'Street address, second line.'}),
    city: text({description: 'City or municipality.'}),
    state: text({description: 'Province or region.'}),
    postal_code: text({description: 'Postal code.'}),
    country: text({description: 'Two-letter ISO country code.', pattern: /^[A-Z]{2}$/}),
  },
  {description: 'Postal address.'},
);

const optional = {
  billing_statement_prefix: text({
    description: 'Prefix of statement numbers: 3 to 15 uppercase letters or digits. Made up when not given.',
    pattern: /^[A-Z0-9]{3,15}$/,
    assumed: 'Bounds from the documentation; not in the specification.',
  }),
  next_billing_statement_sequence_number: integer({
    description: 'Where the numbering of statements starts.',
    min: 1,
    assumed: 'A create parameter in the documentation; not in the specification.',
  }),
  billing_details: hash(
    {phone: text({description: 'Phone number.'}), address},
    {description: 'Phone and address.', assumed: 'From two client libraries; answered as billing.'},
  ),
  metadata: metadata({description: 'Your own keys and values, as key=value.'}),
};

/** What a customer has saved to pay with. It is reached only through the customer. */
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
    details: related({description: 'What is known of the card or wallet.', nullable: true}),
    billing_details: related({description: 'Name, e-mail, phone and address of the holder.', nullable: true}),
    allow_redisplay: boolean({description: 'Whether it may be offered to the customer again.'}),
    metadata: metadata({description: 'Your own keys and values.', nullable: true}),
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
  summary: 'People and companies that pay you',
  shape: customerShape,
  operations: {
    create: {
      method: 'POST',
      path: '/customers',
      summary: 'Create a customer',
      params: {
        name: text({required: true, description: 'Name of the person or company.'}),
        email: email({required: true, description: 'E-mail address.'}),
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
      description: 'A deleted customer is answered as {id, resource, deleted: true}.',
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
        email: text({description: 'Only those with this e-mail address.', assumed: 'Matched exactly, ignoring case.'}),
        name: text({description: 'Only those with this name.', assumed: 'Matched exactly, ignoring case.'}),
        metadata: metadata({description: 'Only those with this stored key=value.'}),
      },
      returns: listOf(customerShape),
      examples: ['customers list --email juan@example.com', 'customers list --metadata branch=cebu --all -o csv'],
    },
    update: {
      method: 'PUT',
      path: '/customers/:id',
      summary: 'Change a customer',
      params: {
        name: text({description: 'Name of the person or company.'}),
        email: email({description: 'E-mail address.'}),
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
      assumed: 'Not in the specification; in the official client libraries since 1.7.6.',
    },
    'delete-payment-method': {
      method: 'DELETE',
      path: '/customers/:id/payment_methods/:payment_method_id',
      summary: 'Remove a saved payment method from a customer',
      params: {},
      returns: deletedOf(paymentMethodShape),
      examples: ['customers delete-payment-method cus_2mQ8 pm_9dK2'],
      destroys: true,
      assumed: 'Not in the specification; in the official client libraries since 1.7.6.',
    },
  },
});
