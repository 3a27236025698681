// Billing statements: one-time payment links with a due date and line items.

import {
  centavos,
  choice,
  common,
  currency,
  id,
  metadata,
  pageParams,
  related,
  text,
  timestamp,
  url,
} from '../fields.js';
import {defineResource, defineShape, deletedOf, listOf, nothing, one} from '../operation.js';
import {billingDetailsCollection, paymentSettings} from './payer-options.js';

const FUTURE_USES = ['on_session', 'off_session'] as const;

export const billingStatementShape = defineShape({
  name: 'billing_statement',
  title: 'billing statement',
  prefix: 'bstm_',
  fields: {
    ...common('bstm_', 'billing_statement'),
    billing_statement_number: text({
      description: 'Number made of the customer’s prefix and sequence number.',
      nullable: true,
      assumed:
        'The specification describes the number without naming the field; recorded bodies name it so. Drafts have it, as in recorded events; one recorded answer has null.',
    }),
    status: choice(['open', 'draft', 'paid', 'void', 'uncollectible'], {
      description: 'Where the statement stands. Past its due time it stays open and payable.',
    }),
    amount: centavos({
      description: 'Sum of quantity × unit price over all line items, in centavos.',
      assumed:
        'Recorded drafts without line items carry 0, below the minimum of the specification; an item that takes a draft above the maximum is refused.',
    }),
    currency: currency({description: 'Currency, that of the customer.'}),
    customer_id: id('cus_', {description: 'Customer who is to pay.'}),
    customer: related({description: 'Summary of the customer: id, name, email.'}),
    description: text({
      description: 'Text copied to the payment intent. By default it names the statement number.',
      nullable: true,
      assumed: 'The default is that of the specification; recorded answers carry null instead.',
    }),
    line_items: related({
      description: 'What is to be paid for: description, unit price in centavos, quantity.',
      assumed:
        'The specification lists five fields of an item inside a statement, and so has a recorded answer; recorded events carry all fields of an item, and so does the sandbox.',
    }),
    due_at: timestamp({
      description: 'When payment is expected, in unix seconds.',
      nullable: true,
      assumed: 'Recorded bodies write an unset one as 0 or null; both are read as unset.',
    }),
    finalized_at: timestamp({
      description: 'When it was finalized, in unix seconds.',
      nullable: true,
      assumed: 'Not in the specification; in recorded bodies, 0 or null before finalization.',
    }),
    url: url({
      description: 'Payment link for the customer, only while the status is open.',
      nullable: true,
      assumed: 'As the specification says, in answers; recorded bodies have only billing_statement_url.',
    }),
    billing_statement_url: url({
      description: 'Payment link for the customer, as the service names it.',
      nullable: true,
      assumed:
        'Not in the specification; recorded events and client libraries name the link so, in every state. It can be paid only while open. Recorded answers of drafts have null.',
    }),
    payment_intent: related({
      description: 'Payment intent, created when the statement is finalized.',
      nullable: true,
      assumed:
        'The specification does not show its value before finalization; recorded bodies carry null. Afterwards answers carry the whole intent, of which a recorded answer leaves fields out; events carry a thin one, as recorded.',
    }),
    payment_settings: related({description: 'Payment methods that may be used.'}),
    billing_details_collection: billingDetailsCollection,
    setup_future_usage: choice(FUTURE_USES, {
      description: 'How the payment method may be used again.',
      nullable: true,
      assumed: 'Not in the specification; in one recorded answer, and in no recorded event.',
    }),
    statement_descriptor: text({
      description: 'Text on the customer’s bank statement.',
      nullable: true,
      assumed: 'Not in the specification; in recorded bodies.',
    }),
    billing_statement_merchant_name: text({
      description: 'Name of the merchant on the statement.',
      nullable: true,
      assumed: 'Not in the specification; in recorded bodies.',
    }),
    merchant_id: id('merc_', {
      description: 'Merchant account that it belongs to.',
      assumed: 'Not in the specification; in recorded events of statements and observed answers of intents.',
    }),
    metadata: metadata({
      description: 'Your own keys and values, copied to the payment intent at finalization.',
      nullable: true,
    }),
  },
  columns: ['id', 'customer', 'status', 'amount', 'due_at', 'billing_statement_number', 'url'],
  table: [
    {field: 'billing_statement_number', rank: 1},
    {field: 'customer', rank: 2, cut: 'name'},
    {field: 'customer.email', rank: 8, cut: 'address', header: 'email'},
    {field: 'amount', rank: 3},
    {field: 'due_at', rank: 5},
    {field: 'status', rank: 3},
    {field: 'finalized_at', rank: 7},
    {field: 'id', rank: 6},
  ],
});

const changeable = {
  description: text({description: 'Text copied to the payment intent. By default it names the statement number.'}),
  billing_details_collection: billingDetailsCollection,
  payment_settings: paymentSettings,
  metadata: metadata({description: 'Your own keys and values, as key=value.'}),
};

export const billingStatements = defineResource({
  topic: 'billing-statements',
  summary: 'One-time payment links with a due date and line items',
  shape: billingStatementShape,
  operations: {
    create: {
      method: 'POST',
      path: '/billing_statements',
      summary: 'Create a draft billing statement',
      description:
        'Line items are added one by one afterwards. The due time is set by an update: the service silently drops one given here.',
      params: {
        customer_id: id('cus_', {required: true, description: 'Customer who is to pay.'}),
        currency: currency({
          required: true,
          description: 'Always PHP.',
          assumed: 'Required by newer documentation; the specification derives it from the customer.',
        }),
        ...changeable,
        setup_future_usage: choice(FUTURE_USES, {
          description: 'How the payment method may be used again.',
          assumed: 'Not in the specification or the documentation; from an official client library.',
        }),
      },
      returns: one(billingStatementShape),
      examples: [
        'billing-statements create --customer cus_2mQ8',
        'billing-statements create --customer cus_2mQ8 --description "June rent" --payment-methods card,gcash --metadata unit=4B',
      ],
      assumed:
        'The specification shows no parameters; these are from the documentation, due_at left out as it is dropped.',
    },
    get: {
      method: 'GET',
      path: '/billing_statements/:id',
      summary: 'Show a billing statement',
      description:
        'Shows the payment link while the statement is open. --fields url shows only the link; in any other state it is empty, and null in JSON.',
      params: {},
      returns: one(billingStatementShape),
      examples: ['billing-statements get bstm_7Hq2'],
    },
    list: {
      method: 'GET',
      path: '/billing_statements',
      summary: 'List billing statements, newest first',
      params: pageParams('bstm_'),
      returns: listOf(billingStatementShape),
      examples: ['billing-statements list --limit 20', 'billing-statements list --all -o csv'],
      assumed:
        'Envelope and order are not shown; {resource, data, has_more}, newest first, is from client libraries. Each statement is whole; a recorded list has fewer fields.',
    },
    update: {
      method: 'PUT',
      path: '/billing_statements/:id',
      summary: 'Change a draft billing statement',
      params: {
        customer_id: id('cus_', {description: 'Customer who is to pay.'}),
        due_at: timestamp({
          description: 'When payment is expected, in unix seconds. Needed before finalization.',
          assumed: 'Not among the documented parameters; client libraries send it and the observed service takes it.',
        }),
        ...changeable,
      },
      returns: one(billingStatementShape),
      examples: [
        'billing-statements update bstm_7Hq2 --due 2026-12-15',
        'billing-statements update bstm_7Hq2 --description "July rent" --payment-methods card,gcash,maya',
      ],
      assumed: 'The specification shows no parameters; these are from the documentation and client libraries.',
    },
    delete: {
      method: 'DELETE',
      path: '/billing_statements/:id',
      summary: 'Delete a draft billing statement',
      description: 'One that is open can only be voided or marked uncollectible.',
      params: {},
      returns: deletedOf(billingStatementShape),
      examples: ['billing-statements delete bstm_7Hq2'],
      destroys: true,
      assumed: 'The specification does not show the answer; client libraries read {id, resource, deleted: true}.',
    },
    finalize: {
      method: 'POST',
      path: '/billing_statements/:id/finalize',
      summary: 'Open a draft billing statement for payment',
      description:
        'Creates its payment intent and link. The draft needs a due time and line items, and becomes read-only.',
      params: {},
      returns: one(billingStatementShape),
      examples: ['billing-statements finalize bstm_7Hq2'],
      reaches: 'open',
      money: 'bills',
      assumed: 'The specification does not show the answer; client libraries read the statement.',
    },
    void: {
      method: 'POST',
      path: '/billing_statements/:id/void',
      summary: 'Void an open billing statement, so that it can no longer be paid',
      description: 'Its payment intent is canceled.',
      params: {},
      returns: one(billingStatementShape),
      examples: ['billing-statements void bstm_7Hq2'],
      reaches: 'void',
      destroys: true,
      assumed: 'The specification does not show the answer; client libraries read the statement.',
    },
    'mark-uncollectible': {
      method: 'POST',
      path: '/billing_statements/:id/mark_uncollectible',
      summary: 'Give up on an open billing statement that will not be paid',
      description: 'Its payment intent is canceled.',
      params: {},
      returns: one(billingStatementShape),
      examples: ['billing-statements mark-uncollectible bstm_7Hq2'],
      reaches: 'uncollectible',
      destroys: true,
      assumed: 'The specification does not show the answer; client libraries read the statement.',
    },
    send: {
      method: 'POST',
      path: '/billing_statements/:id/send',
      summary: 'E-mail an open billing statement to its customer',
      params: {},
      returns: nothing(billingStatementShape),
      examples: ['billing-statements send bstm_7Hq2'],
      money: 'bills',
      assumed: 'The specification does not show the answer; the observed service gives 204 without a body.',
    },
  },
});
