// Refunds: money given back from a payment, in part or in full.

import {centavos, choice, common, currency, id, metadata, text} from '../fields.js';
import {defineResource, defineShape, one} from '../operation.js';

/** The most common first: a person chooses from this list. */
const REASONS = [
  'requested_by_customer',
  'product_was_damaged',
  'wrong_product_received',
  'product_out_of_stock',
  'service_not_provided',
  'service_misaligned',
  'fraudulent',
  'others',
] as const;

export const refundShape = defineShape({
  name: 'refund',
  title: 'refund',
  prefix: 're_',
  fields: {
    ...common('re_', 'refund'),
    status: choice(['pending', 'succeeded', 'failed'], {
      description: 'Status of the refund.',
      assumed: 'The specification shows no refund fields; all are from the documentation and recorded bodies.',
    }),
    amount: centavos({description: 'Amount refunded, in centavos.'}),
    currency: currency({description: 'Currency of the amount.'}),
    payment_id: id('pay_', {description: 'Payment that was refunded.'}),
    reason: choice(REASONS, {description: 'Reason for the refund.'}),
    description: text({description: 'Description, for your own use.', nullable: true}),
    remarks: text({description: 'Reason in your own words.', nullable: true}),
    metadata: metadata({description: 'Custom key-value pairs.', nullable: true}),
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
  summary: 'Refund payments',
  shape: refundShape,
  operations: {
    create: {
      method: 'POST',
      path: '/refunds',
      summary: 'Refund a payment, in full or in part',
      description: 'You can make several partial refunds, up to the amount not yet refunded.',
      params: {
        payment_id: id('pay_', {required: true, description: 'Payment to refund.'}),
        amount: centavos({
          required: true,
          min: 1,
          description: 'Amount to refund, in centavos.',
          assumed: 'No source gives a minimum for a refund. centavo requires 1.',
        }),
        currency: currency({required: true, description: 'Always PHP.'}),
        reason: choice(REASONS, {required: true, description: 'Reason for the refund.'}),
        description: text({description: 'Description, for your own use.'}),
        remarks: text({description: 'Reason in your own words, if the reason is others.'}),
        metadata: metadata({description: 'Custom data, as key=value.'}),
      },
      returns: one(refundShape),
      examples: [
        'refunds create --payment pay_3Fa9 --amount 1,250.50 --reason requested_by_customer',
        'refunds create --payment pay_3Fa9 --amount 450 --reason others --remarks "Arrived a week late"',
      ],
      money: 'moves_money',
      assumed: 'Not in the specification. Taken from the documentation and the official client libraries.',
    },
    update: {
      method: 'PUT',
      path: '/refunds/:id',
      summary: 'Update the metadata of a refund',
      params: {metadata: metadata({description: 'Custom data, as key=value.'})},
      returns: one(refundShape),
      examples: ['refunds update re_6Wn3 --metadata ticket=8841'],
      assumed:
        'Not in the specification. Taken from the official client libraries; the parameter comes from three others.',
    },
  },
});
