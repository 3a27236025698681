// Payments: money moved to the merchant's balance.

import {boolean, centavos, choice, common, currency, id, metadata, related, text} from '../fields.js';
import {defineResource, defineShape, one} from '../operation.js';

export const paymentShape = defineShape({
  name: 'payment',
  title: 'payment',
  prefix: 'pay_',
  fields: {
    ...common('pay_', 'payment'),
    status: choice(['paid', 'failed'], {description: 'Whether the payment succeeded.'}),
    amount: centavos({description: 'Amount paid by the customer, in centavos.'}),
    amount_refunded: centavos({description: 'Total of successful refunds, in centavos.'}),
    refunded: boolean({description: 'True if refunded in part or in full.'}),
    fee: centavos({description: 'Fee charged by the service, in centavos.'}),
    net_amount: centavos({
      description: 'Amount paid out to your bank account, in centavos.',
      assumed: 'Shown as given, never computed: recorded bodies differ from amount less fee.',
    }),
    currency: currency({description: 'Currency of the amounts.'}),
    description: text({description: 'Description, for your own use.', nullable: true}),
    payment_intent_id: id('pi_', {description: 'Payment intent the payment was made for.'}),
    payment_method: related({
      description: 'Payment method, with details of the card or account.',
      assumed:
        'Types beyond card and qrph are not shown; any is read, with or without its details. approval_code of a card is from a recorded event; a recorded response lacks it.',
    }),
    billing: related({
      description: 'Name, email, phone and address of the payer.',
      assumed:
        'Without a customer, what the payer typed, as in recordings. With a customer, the customer’s details, which no source shows.',
    }),
    customer: related({
      description: 'Customer who paid.',
      nullable: true,
      assumed: 'Id, name and email address. No source shows a payment with a customer.',
    }),
    origin: text({
      description: 'Where the payment was made.',
      assumed: 'Not in the specification; in observed responses, and in no recorded event.',
    }),
    page_session: related({
      description: 'Custom fields and line items of a hosted page.',
      nullable: true,
      assumed: 'Not in the specification; in a recorded response, and in no recorded event.',
    }),
    consolidated_net_amount: centavos({
      description: 'Consolidated net amount, in centavos.',
      nullable: true,
      assumed: 'Not in the specification; in observed responses.',
    }),
    consolidated_status: text({
      description: 'Consolidated status.',
      nullable: true,
      assumed: 'Not in the specification; in observed responses.',
    }),
    metadata: metadata({description: 'Custom key-value pairs.', nullable: true}),
  },
  columns: ['id', 'status', 'amount', 'amount_refunded', 'net_amount', 'created_at'],
  table: [
    {field: 'created_at', rank: 3},
    {field: 'customer', rank: 2, cut: 'name'},
    {field: 'amount', rank: 1},
    {field: 'payment_method', rank: 3, cut: 'name', header: 'method'},
    {field: 'status', rank: 1},
    {field: 'amount_refunded', rank: 5},
    {field: 'net_amount', rank: 6, header: 'net'},
    {field: 'id', rank: 4},
  ],
});

export const payments = defineResource({
  topic: 'payments',
  summary: 'Look up payments made by your customers',
  shape: paymentShape,
  operations: {
    get: {
      method: 'GET',
      path: '/payments/:id',
      summary: 'Show a payment',
      params: {},
      returns: one(paymentShape),
      examples: ['payments get pay_3Fa9'],
    },
    update: {
      method: 'PUT',
      path: '/payments/:id',
      summary: 'Update the description or metadata of a payment',
      params: {
        description: text({description: 'Description, for your own use.'}),
        metadata: metadata({description: 'Custom data, as key=value.'}),
      },
      returns: one(paymentShape),
      examples: ['payments update pay_3Fa9 --description "June rent" --metadata unit=4B'],
      assumed: 'The specification lists no parameters. These come from four client libraries, which agree.',
    },
  },
});
