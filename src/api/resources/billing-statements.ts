// Billing statements: one-time payment links with a due date and line items.

import {field} from '../fields.js';
import {defineResource, defineShape, DELETE, GET, POST, PUT, returns} from '../operation.js';
import {billingDetailsCollection, paymentSettings} from './payer-options.js';

const FUTURE_USES = ['on_session', 'off_session'] as const;

export const billingStatementShape = defineShape({
  name: 'billing_statement',
  title: 'billing statement',
  prefix: 'bstm_',
  fields: {
    ...field.common('bstm_', 'billing_statement'),
    billing_statement_number: field.text('Statement number: the customer’s prefix and a sequence number.', {
      nullable: true,
      assumed:
        'The specification describes the number but does not name the field; the name is from recorded bodies. Drafts have a number, as in recorded events; one recorded response has null.',
    }),
    status: field.choice(
      ['open', 'draft', 'paid', 'void', 'uncollectible'],
      'Status of the statement. An overdue statement stays open and can still be paid.',
    ),
    amount: field.centavos('Sum of quantity × unit price over all line items, in centavos.', {
      assumed:
        'Recorded drafts without line items have 0, below the specified minimum. The sandbox checks the minimum when a draft is finalized, and the maximum with each item.',
    }),
    currency: field.currency('Currency of the customer.'),
    customer_id: field.id('cus_', 'Customer to bill.'),
    customer: field.related('Summary of the customer: id, name, email.'),
    description: field.text('Description, copied to the payment intent. Defaults to the statement number.', {
      nullable: true,
      assumed: 'The specification gives this default; recorded responses have null instead.',
    }),
    line_items: field.related('Line items: description, unit price in centavos, quantity.', {
      assumed:
        'The specification and a recorded response have five fields of an item inside a statement. Recorded events, and the sandbox, have all of them.',
    }),
    due_at: field.timestamp('Due date, in unix seconds.', {
      nullable: true,
      assumed: 'In recorded bodies 0 or null means not set; centavo reads both as not set.',
    }),
    finalized_at: field.timestamp('When the statement was finalized, in unix seconds.', {
      nullable: true,
      assumed: 'Not in the specification; in recorded bodies, 0 or null before finalization.',
    }),
    url: field.url('Payment link for the customer, while the statement is open.', {
      nullable: true,
      assumed: 'In the specification; recorded bodies have only billing_statement_url.',
    }),
    billing_statement_url: field.url('Payment link for the customer, under the name the service uses.', {
      nullable: true,
      assumed:
        'Not in the specification; the name is from recorded events and client libraries, which have it in every status. It can be paid only while open. Recorded responses of drafts have null.',
    }),
    payment_intent: field.related('Payment intent, created when the statement is finalized.', {
      nullable: true,
      assumed:
        'The specification does not show its value before finalization; recorded bodies have null. Afterwards, responses have the whole intent (a recorded one omits fields), and events a short form, as recorded.',
    }),
    payment_settings: field.related('Accepted payment methods.'),
    billing_details_collection: billingDetailsCollection,
    setup_future_usage: field.choice(FUTURE_USES, 'How the payment method can be used later.', {
      nullable: true,
      assumed: 'Not in the specification. One recorded response includes it; recorded events do not.',
    }),
    statement_descriptor: field.text('Text on the customer’s bank statement.', {
      nullable: true,
      assumed: 'Not in the specification; in recorded bodies.',
    }),
    billing_statement_merchant_name: field.text('Merchant name on the statement.', {
      nullable: true,
      assumed: 'Not in the specification; in recorded bodies.',
    }),
    merchant_id: field.id('merc_', 'Merchant account.', {
      assumed: 'Not in the specification; in recorded events of statements and observed responses of intents.',
    }),
    metadata: field.metadata('Custom key-value pairs, copied to the payment intent when you finalize.', {
      nullable: true,
    }),
  },
  columns: ['id', 'customer', 'status', 'amount', 'due_at', 'billing_statement_number', 'url'],
  table: {
    billing_statement_number: 1,
    customer: {rank: 2, cut: 'name'},
    'customer.email': {rank: 8, cut: 'address', header: 'email'},
    amount: 3,
    due_at: 5,
    status: 3,
    finalized_at: 7,
    id: 6,
  },
});

const changeable = {
  description: field.text('Description, copied to the payment intent. Defaults to the statement number.'),
  billing_details_collection: billingDetailsCollection,
  payment_settings: paymentSettings,
  metadata: field.metadata('Custom data, as key=value.'),
};

export const billingStatements = defineResource({
  topic: 'billing-statements',
  summary: 'Bill customers with a due date, line items and a payment link',
  shape: billingStatementShape,
  operations: {
    create: POST('/billing_statements', returns.one(billingStatementShape), {
      summary: 'Create a draft billing statement',
      description:
        'Add line items afterwards, one by one. Set the due date with an update: the service ignores a due date sent here.',
      params: {
        customer_id: field.id('cus_', 'Customer to bill.', {required: true}),
        currency: field.currency('Always PHP. Defaults to the customer’s currency.', {
          assumed: 'Newer documentation requires it; the specification takes it from the customer. centavo sends it.',
        }),
        ...changeable,
        setup_future_usage: field.choice(FUTURE_USES, 'How the payment method can be used later.', {
          assumed: 'Not in the specification or the documentation; from an official client library.',
        }),
      },
      examples: [
        'billing-statements create --customer cus_2mQ8',
        'billing-statements create --customer cus_2mQ8 --description "June rent" --payment-methods card,gcash --metadata unit=4B',
      ],
      assumed:
        'The specification lists no parameters. These come from the documentation, without due_at, which the service ignores.',
    }),
    get: GET('/billing_statements/:id', returns.one(billingStatementShape), {
      summary: 'Show a billing statement',
      description:
        'The payment link is shown while the statement is open; otherwise it is empty, and null in JSON. To print only the link, use --fields url.',
      examples: ['billing-statements get bstm_7Hq2'],
    }),
    list: GET('/billing_statements', returns.listOf(billingStatementShape), {
      summary: 'List billing statements, newest first',
      params: field.pageParams('bstm_'),
      examples: ['billing-statements list --limit 20', 'billing-statements list --all -o csv'],
      assumed:
        'The specification does not show the response. {resource, data, has_more}, newest first, comes from client libraries. Each statement is complete here; a recorded list has fewer fields.',
    }),
    update: PUT('/billing_statements/:id', returns.one(billingStatementShape), {
      summary: 'Update a draft',
      params: {
        customer_id: field.id('cus_', 'Customer to bill.'),
        due_at: field.timestamp('Due date, in unix seconds. Required before you finalize.', {
          assumed:
            'Not documented as a parameter; client libraries send it, and the service was observed to accept it.',
        }),
        ...changeable,
        metadata: field.metadata('Custom data, as key=value.', {
          assumed:
            'To claim another computer’s draft, centavo sends all metadata and the payment settings as read. The service may replace the metadata and require the payment settings. Not yet confirmed on the real service.',
        }),
      },
      examples: [
        'billing-statements update bstm_7Hq2 --due 2026-12-15',
        'billing-statements update bstm_7Hq2 --description "July rent" --payment-methods card,gcash,maya',
      ],
      assumed: 'The specification lists no parameters. These come from the documentation and client libraries.',
    }),
    delete: DELETE('/billing_statements/:id', returns.deleted(billingStatementShape), {
      summary: 'Delete a draft',
      description: 'You cannot delete an open statement. Void it or mark it uncollectible instead.',
      examples: ['billing-statements delete bstm_7Hq2'],
      destroys: true,
      assumed: 'The specification does not show the response. Client libraries expect {id, resource, deleted: true}.',
    }),
    finalize: POST('/billing_statements/:id/finalize', returns.one(billingStatementShape), {
      summary: 'Finalize a draft, so that it can be paid',
      description:
        'Creates the payment link and the payment intent. The draft needs a due date and line items. You cannot change it afterwards.',
      examples: ['billing-statements finalize bstm_7Hq2'],
      reaches: 'open',
      money: 'bills',
      assumed:
        'The specification does not show the response. Client libraries expect the statement. centavo treats it as the finalized statement.',
    }),
    void: POST('/billing_statements/:id/void', returns.one(billingStatementShape), {
      summary: 'Void an open billing statement',
      description: 'Also cancels the payment intent.',
      examples: ['billing-statements void bstm_7Hq2'],
      reaches: 'void',
      destroys: true,
      assumed:
        'The specification does not show the response. Client libraries expect the statement. A reissue relies on the service voiding a statement only once: the second of two computers is refused. Not yet confirmed on the real service.',
    }),
    'mark-uncollectible': POST('/billing_statements/:id/mark_uncollectible', returns.one(billingStatementShape), {
      summary: 'Mark an open statement as uncollectible',
      description: 'Also cancels the payment intent.',
      examples: ['billing-statements mark-uncollectible bstm_7Hq2'],
      reaches: 'uncollectible',
      destroys: true,
      assumed: 'The specification does not show the response. Client libraries expect the statement.',
    }),
    send: POST('/billing_statements/:id/send', returns.nothing(billingStatementShape), {
      summary: 'Email an open billing statement to the customer',
      examples: ['billing-statements send bstm_7Hq2'],
      money: 'bills',
      assumed: 'The specification does not show the response. The service was observed to return 204 without a body.',
    }),
  },
});
