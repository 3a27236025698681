// Payouts: what the service pays into the merchant's bank account, and the transactions that each is made of.

import {centavos, choice, common, id, pageParams, related, text, timestamp} from '../fields.js';
import {defineResource, defineShape, listOf} from '../operation.js';

export const payoutShape = defineShape({
  name: 'payout',
  title: 'payout',
  prefix: 'po_',
  fields: {
    ...common('po_', 'payout'),
    status: choice(['pending', 'in_transit', 'failed', 'successful'], {
      description: 'Status of the payout.',
      assumed: 'The specification shows no payout fields; all are from the documentation.',
    }),
    amount: centavos({description: 'Amount of the payout, in centavos.'}),
    net_amount: centavos({description: 'Net amount, in centavos.'}),
    destination: related({description: 'Account name, account number and bank name.'}),
  },
  columns: ['id', 'status', 'amount', 'net_amount', 'created_at'],
  table: [
    {field: 'created_at', rank: 2},
    {field: 'amount', rank: 1},
    {field: 'net_amount', rank: 3, header: 'net'},
    {field: 'status', rank: 1},
    {field: 'destination', rank: 5, cut: 'name'},
    {field: 'id', rank: 4},
  ],
});

export const payoutTransactionShape = defineShape({
  name: 'payout_transaction',
  title: 'payout transaction',
  prefix: 'po_txn_',
  fields: {
    id: id('po_txn_', {description: 'Unique id. Starts with po_txn_.'}),
    resource: text({description: 'Always payout_transaction.'}),
    transaction_type: choice(['payment', 'refund', 'adjustment'], {
      description: 'Type of transaction.',
      assumed:
        'The specification shows no fields of a transaction; all are from the documentation and recorded bodies.',
    }),
    transaction_id: text({
      description: 'Id of the payment or refund.',
      nullable: true,
      assumed: 'Recorded bodies carry null for adjustments.',
    }),
    amount: centavos({description: 'Amount in centavos, negative for refunds.'}),
    net_amount: centavos({description: 'Net amount, in centavos.'}),
    created_at: timestamp({description: 'When it was created.'}),
    updated_at: timestamp({description: 'When it was last changed.'}),
  },
  columns: ['id', 'transaction_type', 'transaction_id', 'amount', 'net_amount', 'created_at'],
  table: [
    {field: 'created_at', rank: 2},
    {field: 'transaction_type', rank: 1, header: 'type'},
    {field: 'amount', rank: 1},
    {field: 'net_amount', rank: 2, header: 'net'},
    {field: 'transaction_id', rank: 4},
    {field: 'id', rank: 5},
  ],
});

export const payouts = defineResource({
  topic: 'payouts',
  summary: 'Look up transfers to your bank account',
  shape: payoutShape,
  operations: {
    'list-transactions': {
      method: 'GET',
      path: '/payouts/:id/transactions',
      summary: 'List the transactions of a payout, newest first',
      description: 'The API cannot list payouts. Find their ids in the dashboard and in payout events.',
      params: pageParams('po_txn_'),
      returns: listOf(payoutTransactionShape),
      examples: ['payouts list-transactions po_9Xc5', 'payouts list-transactions po_9Xc5 --all -o csv'],
      assumed:
        'The specification does not show the response. {resource, data, has_more}, newest first, comes from client libraries.',
    },
  },
});
