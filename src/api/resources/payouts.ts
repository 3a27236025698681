// Payouts: transfers from the service to the merchant's bank account, and their transactions.

import {field} from '../fields.js';
import {defineResource, defineShape, GET, returns} from '../operation.js';

export const payoutShape = defineShape({
  name: 'payout',
  title: 'payout',
  prefix: 'po_',
  fields: {
    ...field.common('po_', 'payout'),
    status: field.choice(['pending', 'in_transit', 'failed', 'successful'], 'Status of the payout.', {
      assumed: 'The specification shows no payout fields; all are from the documentation.',
    }),
    amount: field.centavos('Amount of the payout, in centavos.'),
    net_amount: field.centavos('Net amount, in centavos.'),
    destination: field.related('Account name, account number and bank name.'),
  },
  columns: ['id', 'status', 'amount', 'net_amount', 'created_at'],
  table: {
    created_at: 2,
    amount: 1,
    net_amount: {rank: 3, header: 'net'},
    status: 1,
    destination: {rank: 5, cut: 'name'},
    id: 4,
  },
});

export const payoutTransactionShape = defineShape({
  name: 'payout_transaction',
  title: 'payout transaction',
  prefix: 'po_txn_',
  fields: {
    id: field.id('po_txn_', 'Unique id. Starts with po_txn_.'),
    resource: field.resource('payout_transaction'),
    transaction_type: field.choice(['payment', 'refund', 'adjustment'], 'Type of transaction.', {
      assumed:
        'The specification shows no fields of a transaction; all are from the documentation and recorded bodies, which have no livemode.',
    }),
    transaction_id: field.text('Id of the payment or refund.', {
      nullable: true,
      assumed: 'Null for adjustments in recorded bodies.',
    }),
    amount: field.centavos('Amount in centavos, negative for refunds.'),
    net_amount: field.centavos('Net amount, in centavos.', {
      assumed:
        'The net amount of the payment. A refund and an adjustment have their amount, as recorded: no fee returns.',
    }),
    payout_id: field.id('po_', 'Payout of the transaction.', {
      assumed: 'Not in the documentation; in a recorded response, and missing in another.',
    }),
    created_at: field.timestamp('When it was created.'),
    updated_at: field.timestamp('When it was last changed.'),
  },
  columns: ['id', 'transaction_type', 'transaction_id', 'amount', 'net_amount', 'created_at'],
  table: {
    created_at: 2,
    transaction_type: {rank: 1, header: 'type'},
    amount: 1,
    net_amount: {rank: 4, header: 'net'},
    transaction_id: 3,
    id: 5,
  },
});

export const payouts = defineResource({
  topic: 'payouts',
  summary: 'Look up transfers to your bank account',
  shape: payoutShape,
  operations: {
    'list-transactions': GET('/payouts/:id/transactions', returns.listOf(payoutTransactionShape), {
      summary: 'List the transactions of a payout, newest first',
      description: 'The API cannot list payouts. Find their ids in the dashboard and in payout events.',
      params: field.pageParams('po_txn_'),
      examples: ['payouts list-transactions po_9Xc5', 'payouts list-transactions po_9Xc5 --all -o csv'],
      assumed:
        'The specification does not show the response. {resource, data, has_more}, newest first, comes from client libraries.',
    }),
  },
});
