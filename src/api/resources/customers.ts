// Defines customers and their saved payment methods.
// The modules of src/api are the API as data: plain values and zod schemas, without I/O.

import {field} from '../fields.js';
import {defineResource, defineShape, DELETE, GET, POST, PUT, returns} from '../operation.js';

export const customerShape = defineShape({
  name: 'customer',
  title: 'customer',
  prefix: 'cus_',
  fields: {
    ...field.common('cus_', 'customer'),
    name: field.text('Name of the person or company.'),
    email: field.email('Email address.'),
    currency: field.currency('Currency of the customer’s billing statements.'),
    billing_statement_prefix: field.text('Prefix of the customer’s billing statement numbers.', {
      assumed:
        'Customers can share a prefix, and the sequence can be set back. Numbers are unique, so the sandbox skips numbers in use or used before. The service’s behaviour is unknown.',
    }),
    next_billing_statement_sequence_number: field.text(
      'Sequence number of the next billing statement. The service sets it.',
      {
        assumed: 'A string of zero-padded digits, as in the specification; recorded bodies have no leading zeros.',
      },
    ),
    billing: field.related('Phone and address.', {
      nullable: true,
      assumed:
        'Not in the specification; the service returns billing_details under this name, with null for fields not sent.',
    }),
    metadata: field.metadata('Custom key-value pairs.', {nullable: true}),
  },
  columns: ['id', 'name', 'email', 'billing_statement_prefix', 'created_at'],
  table: {
    name: {rank: 1, cut: 'name'},
    email: {rank: 2, cut: 'address'},
    billing_statement_prefix: {rank: 6, header: 'prefix'},
    created_at: 7,
    id: 5,
  },
});

const address = field.hash(
  {
    line1: field.text('Address line 1.'),
    line2: field.text('Address line 2.'),
    city: field.text('City or municipality.'),
    state: field.text('Province or region.'),
    postal_code: field.text('Postal code.'),
    country: field.text('Two-letter ISO country code.', {pattern: /^[A-Z]{2}$/}),
  },
  'Postal address.',
);

const optional = {
  billing_statement_prefix: field.text(
    'Prefix of billing statement numbers: 3 to 15 uppercase letters or digits. The service picks a prefix if you give none.',
    {pattern: /^[A-Z0-9]{3,15}$/, assumed: 'The limits come from the documentation, not the specification.'},
  ),
  next_billing_statement_sequence_number: field.integer('Number of the customer’s next billing statement.', {
    min: 1,
    assumed: 'A parameter of create in the documentation; not in the specification.',
  }),
  billing_details: field.hash({phone: field.text('Phone number.'), address}, 'Phone and address.', {
    assumed: 'From two client libraries; the response calls it billing.',
  }),
  metadata: field.metadata('Custom data, as key=value.'),
};

/** The API has payment methods only under the path of their customer. */
const paymentMethodShape = defineShape({
  name: 'payment_method',
  title: 'payment method',
  prefix: 'pm_',
  fields: {
    ...field.common('pm_', 'payment_method'),
    type: field.text('card, gcash, maya, billease, qrph or bdo_installment.'),
    customer_id: field.id('cus_', 'Customer who saved it.', {
      nullable: true,
      assumed: 'No source shows the whole object; this is the sandbox’s own field.',
    }),
    details: field.related('Details of the card or wallet.', {nullable: true}),
    billing_details: field.related('Name, email, phone and address of the holder.', {nullable: true}),
    allow_redisplay: field.boolean('Whether to offer it to the customer again.'),
    metadata: field.metadata('Custom key-value pairs.', {nullable: true}),
  },
  columns: ['id', 'type', 'details', 'created_at'],
  table: {type: 1, details: {rank: 2, cut: 'name'}, created_at: 4, id: 3},
});

export const customers = defineResource({
  topic: 'customers',
  summary: 'Manage the people and companies that pay you',
  shape: customerShape,
  operations: {
    create: POST('/customers', returns.one(customerShape), {
      summary: 'Create a customer',
      description:
        'Several customers can share an email address, so centavo creates another without a question. Commands then ask at a terminal which one you mean; elsewhere they need its id. To check first: customers list --email.',
      params: {
        name: field.text('Name of the person or company.', {required: true}),
        email: field.email('Email address.', {required: true}),
        currency: field.currency('Always PHP.', {required: true}),
        ...optional,
      },
      examples: [
        'customers create --name "Juan Dela Cruz" --email juan@example.com',
        'customers create --name "Sari Store" --email ar@sari.example --billing-statement-prefix SARI --metadata branch=cebu',
      ],
    }),
    get: GET('/customers/:id', returns.one(customerShape), {
      summary: 'Show a customer',
      description: 'For a deleted customer the API returns {id, resource, deleted: true}.',
      examples: ['customers get cus_2mQ8'],
    }),
    list: GET('/customers', returns.listOf(customerShape), {
      summary: 'List customers, newest first',
      params: {
        ...field.pageParams('cus_'),
        email: field.text('Only customers with this email address.', {
          assumed: 'The whole text must match, in any case.',
        }),
        name: field.text('Only customers with this exact name.', {
          assumed: 'The whole text must match, in any case.',
        }),
        metadata: field.metadata('Only customers with this metadata, as key=value.'),
      },
      examples: ['customers list --email juan@example.com', 'customers list --metadata branch=cebu --all -o csv'],
    }),
    update: PUT('/customers/:id', returns.one(customerShape), {
      summary: 'Update a customer',
      params: {
        name: field.text('Name of the person or company.'),
        email: field.email('Email address.'),
        currency: field.currency('Always PHP.'),
        ...optional,
      },
      examples: ['customers update cus_2mQ8 --email juan.delacruz@example.com'],
      assumed: 'The specification writes the method UPDATE; every client library sends PUT.',
    }),
    delete: DELETE('/customers/:id', returns.deleted(customerShape), {
      summary: 'Delete a customer',
      description:
        'First shows how much the customer owes, and on which billing statements. The statements stay and can still be paid.',
      examples: ['customers delete cus_2mQ8'],
      destroys: true,
    }),
    'list-payment-methods': GET('/customers/:id/payment_methods', returns.listOf(paymentMethodShape), {
      summary: 'List the saved payment methods of a customer',
      params: field.pageParams('pm_'),
      examples: ['customers list-payment-methods cus_2mQ8'],
      assumed: 'Not in the specification. The official client libraries have it since version 1.7.6.',
    }),
    'delete-payment-method': DELETE(
      '/customers/:id/payment_methods/:payment_method_id',
      returns.deleted(paymentMethodShape),
      {
        summary: 'Remove a saved payment method from a customer',
        examples: ['customers delete-payment-method cus_2mQ8 pm_9dK2'],
        destroys: true,
        assumed: 'Not in the specification. The official client libraries have it since version 1.7.6.',
      },
    ),
  },
});
