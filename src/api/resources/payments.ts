// Payments: money moved to the merchant's balance.

import {field} from '../fields.js';
import {defineResource, defineShape, GET, PUT, returns} from '../operation.js';

const CONSOLIDATED =
  'Not in the specification or recorded events. Equal to net_amount and status in the one recorded response that has it; the sandbox keeps it so after a refund.';

export const paymentShape = defineShape({
  name: 'payment',
  title: 'payment',
  prefix: 'pay_',
  fields: {
    ...field.common('pay_', 'payment'),
    status: field.choice(['paid', 'failed'], 'Whether the payment succeeded.', {
      assumed:
        'The specification has failed. In the sandbox, a failed attempt leaves no payment, only last_payment_error: no recorded body has a failed payment.',
    }),
    amount: field.centavos('Amount paid by the customer, in centavos.'),
    amount_refunded: field.centavos('Total of successful refunds, in centavos.'),
    refunded: field.boolean('True if refunded in part or in full.'),
    fee: field.centavos('Fee charged by the service, in centavos.', {
      assumed:
        'The rates of the sandbox are 0 % for cards, 2.3 % for GCash and 2 % for Maya, as recorded in test mode. No source shows other methods; the sandbox takes 2 %.',
    }),
    net_amount: field.centavos('Amount paid out to your bank account, in centavos.', {
      assumed:
        'Shown as returned, not computed: recorded bodies differ from amount minus fee. Two of them fit the amount less the fee, less 12 % VAT on the fee, and in one less 0.5 % withholding tax on the rest.',
    }),
    currency: field.currency('Currency of the amounts.'),
    description: field.text('Description, for your own use.', {nullable: true}),
    payment_intent_id: field.id('pi_', 'Payment intent the payment was made for.'),
    payment_method: field.related('Payment method, with details of the card or account.', {
      assumed:
        'The specification shows only card and qrph; centavo accepts any type, with or without details. A card’s approval_code is from a recorded event; a recorded response lacks it. GCash repeats its type in payment_method_type, and Maya has only a type, as recorded. Other methods are as Maya.',
    }),
    billing: field.related('Name, email, phone and address of the payer.', {
      assumed:
        'Without a customer, the details that the payer typed, as in recordings. With a customer, the customer’s details; no source shows this.',
    }),
    customer: field.related('Customer who paid.', {
      nullable: true,
      assumed: 'The whole customer, as in a recorded response; null if there is none.',
    }),
    origin: field.text('Where the payment was made.', {
      assumed: 'Not in the specification. Observed responses include it; recorded events do not.',
    }),
    page_session: field.related('Custom fields and line items of a hosted page.', {
      nullable: true,
      assumed: 'Not in the specification. A recorded response includes it; recorded events do not.',
    }),
    consolidated_net_amount: field.centavos('Consolidated net amount, in centavos.', {
      nullable: true,
      assumed: CONSOLIDATED,
    }),
    consolidated_status: field.text('Consolidated status.', {
      nullable: true,
      assumed: CONSOLIDATED,
    }),
    metadata: field.metadata('Custom key-value pairs.', {nullable: true}),
  },
  columns: ['id', 'status', 'amount', 'amount_refunded', 'net_amount', 'created_at'],
  table: {
    created_at: 4,
    customer: {rank: 2, cut: 'name'},
    amount: 1,
    payment_method: {rank: 5, cut: 'name', header: 'method'},
    status: 1,
    amount_refunded: 6,
    net_amount: {rank: 7, header: 'net'},
    id: 3,
  },
});

export const payments = defineResource({
  topic: 'payments',
  summary: 'Look up payments made by your customers',
  shape: paymentShape,
  operations: {
    get: GET('/payments/:id', returns.one(paymentShape), {
      summary: 'Show a payment',
      examples: ['payments get pay_3Fa9'],
    }),
    update: PUT('/payments/:id', returns.one(paymentShape), {
      summary: 'Update the description or metadata of a payment',
      params: {
        description: field.text('Description, for your own use.'),
        metadata: field.metadata('Custom data, as key=value.'),
      },
      examples: ['payments update pay_3Fa9 --description "June rent" --metadata unit=4B'],
      assumed: 'The specification lists no parameters. These come from four client libraries, which agree.',
    }),
  },
});
