// Payment methods: what a customer has saved. Reached only below a customer.

import {boolean, common, id, metadata, related, text} from '../fields.js';
import {defineShape} from '../operation.js';

const shared = common('pm_', 'payment_method');

export const paymentMethodShape = defineShape({
  name: 'payment_method',
  title: 'payment method',
  prefix: 'pm_',
  fields: {
    ...shared,
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
});
