// Refunds: money given back from a payment, in part or in full.

import {centavos, choice, common, currency, id, metadata, text} from '../fields.js';
import {defineResource, defineShape, one} from '../operation.js';

const REASONS = [
  'fraudulent',
  'requested_by_customer',
  'product_out_of_stock',
  'service_not_provided',
  'product_was_damaged',
  'service_misaligned',
  'wrong_product_received',
  'others',
] as const;

export const refundShape = defineShape({
  name: 'refund',
  title: 'refund',
  prefix: 're_',
  fields: {
    ...common('re_', 'refund'),
    status: choice(['pending', 'succeeded', 'failed'], {
      description: 'Where the refund stands.',
      assumed: 'The specification shows no refund fields; all are from the documentation and recorded bodies.',
    }),
    amount: centavos({description: 'Amount given back, in centavos.'}),
    currency: currency({description: 'Currency of the amount.'}),
    payment_id: id('pay_', {description: 'Payment that it gives back from.'}),
    reason: choice(REASONS, {description: 'Why it was given back.'}),
    description: text({description: 'Your own text.', nullable: true}),
    remarks: text({description: 'The reason in your own words.', nullable: true}),
    metadata: metadata({description: 'Your own keys and values.', nullable: true}),
  },
  columns: ['id', 'payment_id', 'status', 'amount', 'reason', 'created_at'],
  table: [
    {field: 'created_at', rank: 2},
    {field: 'amount', rank: 1},
    {field: 'status', rank: 1},
    {field: 'reason', rank: 3},
    {field: 'payment_id', rank: 4},
    {field: 'id', rank: 5},
  ],
});

export const refunds = defineResource({
  topic: 'refunds',
  summary: 'Money returned from a payment',
  shape: refundShape,
  operations: {
    create: {
      method: 'POST',
      path: '/refunds',
      summary: 'Refund a payment, in part or in full',
      description: 'Several partial refunds are possible, up to what has not been refunded yet.',
      params: {
        payment_id: id('pay_', {required: true, description: 'Payment to give back from.'}),
        amount: centavos({
          required: true,
          min: 1,
          description: 'Amount to give back, in centavos.',
          assumed: 'No source gives a minimum for a refund; 1 is ours.',
        }),
        currency: currency({required: true, description: 'Always PHP.'}),
        reason: choice(REASONS, {required: true, description: 'Why it is given back.'}),
        description: text({description: 'Your own text.'}),
        remarks: text({description: 'The reason in your own words, for the reason others.'}),
        metadata: metadata({description: 'Your own keys and values, as key=value.'}),
      },
      returns: one(refundShape),
      examples: [
        'refunds create --payment pay_3Fa9 --amount 1,250.50 --reason requested_by_customer',
        'refunds create --payment pay_3Fa9 --amount 450 --reason others --remarks "Arrived a week late"',
      ],
      money: 'moves_money',
      assumed: 'Not in the specification; in the documentation and the official client libraries.',
    },
    update: {
      method: 'PUT',
      path: '/refunds/:id',
      summary: 'Change the metadata of a refund',
      params: {metadata: metadata({description: 'Your own keys and values, as key=value.'})},
      returns: one(refundShape),
      examples: ['refunds update re_6Wn3 --metadata ticket=8841'],
      assumed: 'Not in the specification; in the official client libraries, the parameter from three others.',
    },
  },
});
