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
    refunded: boolean({description: 'True when refunded in part or in full.'}),
    fee: centavos({description: 'Fee the service deducts, in centavos.'}),
    net_amount: centavos({
      description: 'Amount that reaches your bank account, in centavos.',
      assumed: 'Shown as given, never computed: recorded bodies differ from amount less fee.',
    }),
    currency: currency({description: 'Currency of the amounts.'}),
    description: text({description: 'Your own text.', nullable: true}),
    payment_intent_id: id('pi_', {description: 'Payment intent that led to it.'}),
    payment_method: related({
      description: 'Type of the method, and what is known of the card or account.',
      assumed:
        'Types beyond card and qrph are not shown; any is read, with or without its details. approval_code of a card is from a recorded event; a recorded answer lacks it.',
    }),
    billing: related({
      description: 'Name, e-mail, phone and address of the payer.',
      assumed:
        'Without a customer, what the payer typed, as recorded; with one, what is known of the customer, which no source shows.',
    }),
    customer: related({
      description: 'Customer who paid.',
      nullable: true,
      assumed: 'Id, name and e-mail address; no source shows a payment with a customer.',
    }),
    origin: text({
      description: 'What the payment came from.',
      assumed: 'Not in the specification; in observed answers, and in no recorded event.',
    }),
    page_session: related({
      description: 'Custom fields and line items of a hosted page.',
      nullable: true,
      assumed: 'Not in the specification; in a recorded answer, and in no recorded event.',
    }),
    consolidated_net_amount: centavos({
      description: 'Consolidated net amount, in centavos.',
      nullable: true,
      assumed: 'Not in the specification; in observed answers.',
    }),
    consolidated_status: text({
      description: 'Consolidated status.',
      nullable: true,
      assumed: 'Not in the specification; in observed answers.',
    }),
    metadata: metadata({description: 'Your own keys and values.', nullable: true}),
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
  summary: 'Payments that customers made',
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
      summary: 'Change the text or metadata of a payment',
      params: {
        description: text({description: 'Your own text.'}),
        metadata: metadata({description: 'Your own keys and values, as key=value.'}),
      },
      returns: one(paymentShape),
      examples: ['payments update pay_3Fa9 --description "June rent" --metadata unit=4B'],
      assumed: 'The specification shows no parameters; these are from four client libraries, which agree.',
    },
  },
});
