// Payouts: only their transactions can be read.

import {page, type Actions} from './action.js';

export const payouts: Actions = {
  'list-transactions': (work, {ids: [id], params}) => {
    const payout = work.get('po_', id!);
    return page(work, 'payout_transaction', params, (record) => record._payout_id === payout.id);
  },
};
