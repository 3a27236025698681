// Refunds, which return a payment to the payer, in part or in full.

import {field} from '../fields.js';
import {defineResource, defineShape, POST, PUT, returns} from '../operation.js';

/** The most common reason first, because users choose from this list. */
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

const RESPONSES_ONLY = 'Not in the documentation; a recorded response includes it, recorded events do not.';

export const refundShape = defineShape({
  name: 'refund',
  title: 'refund',
  prefix: 're_',
  fields: {
    ...field.common('re_', 'refund'),
    status: field.choice(['pending', 'succeeded', 'failed'], 'Status of the refund.', {
      assumed: 'The specification shows no refund fields; all are from the documentation and recorded bodies.',
    }),
    amount: field.centavos('Amount refunded, in centavos.'),
    currency: field.currency('Currency of the amount.'),
    payment_id: field.id('pay_', 'Payment that was refunded.'),
    reason: field.choice(REASONS, 'Reason for the refund.'),
    description: field.text('Description, for your own use. Defaults to the id of the payment.', {
      nullable: true,
      assumed: 'The default is from a recorded response: Refund for payment pay_…. Recorded events have null instead.',
    }),
    remarks: field.text('Reason in your own words.', {nullable: true}),
    other_reason: field.text('Another reason.', {nullable: true, assumed: RESPONSES_ONLY}),
    processed_at: field.timestamp('When the refund was processed.', {
      nullable: true,
      assumed: `${RESPONSES_ONLY} The time of the creation, because a refund of the sandbox succeeds at once.`,
    }),
    metadata: field.metadata('Custom key-value pairs.', {nullable: true}),
  },
  columns: ['id', 'payment_id', 'status', 'amount', 'reason', 'created_at'],
  table: {created_at: 2, amount: 1, status: 1, reason: 3, payment_id: 4, id: 5},
});

export const refunds = defineResource({
  topic: 'refunds',
  summary: 'Refund payments',
  shape: refundShape,
  operations: {
    create: POST('/refunds', returns.one(refundShape), {
      summary: 'Refund a payment, in full or in part',
      description: 'You can make several partial refunds, up to the amount not yet refunded.',
      params: {
        payment_id: field.id('pay_', 'Payment to refund.', {required: true}),
        amount: field.centavos('Amount to refund, in centavos.', {
          required: true,
          min: 1,
          assumed: 'No source gives a minimum for a refund. centavo requires at least 1 centavo.',
        }),
        currency: field.currency('Always PHP.', {required: true}),
        reason: field.choice(REASONS, 'Reason for the refund.', {required: true}),
        description: field.text('Description, for your own use.'),
        remarks: field.text('Reason in your own words, if the reason is others.'),
        metadata: field.metadata('Custom data, as key=value.'),
      },
      examples: [
        'refunds create --payment pay_3Fa9 --amount 1,250.50 --reason requested_by_customer',
        'refunds create --payment pay_3Fa9 --amount 450 --reason others --remarks "Arrived a week late"',
      ],
      money: 'moves_money',
      assumed: 'Not in the specification. Taken from the documentation and the official client libraries.',
    }),
    update: PUT('/refunds/:id', returns.one(refundShape), {
      summary: 'Update the metadata of a refund',
      params: {metadata: field.metadata('Custom data, as key=value.')},
      examples: ['refunds update re_6Wn3 --metadata ticket=8841'],
      assumed:
        'Not in the specification. Taken from the official client libraries; the parameter comes from three others.',
    }),
  },
});
