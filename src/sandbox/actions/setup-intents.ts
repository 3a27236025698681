// Setup intents: made, read and canceled; in the sandbox nothing carries one on.

import {transition} from '../lifecycle.js';
import {metadataOf, type Actions} from './action.js';

/** The documentation offers only these, in a closed beta (field notes, 3.10). */
const METHODS = ['gcash', 'maya'];

export const setupIntents: Actions = {
  create: (work, {params}) => {
    const customer = work.get('cus_', params.customer_id as string);
    return work.create('seti_', (id) => ({
      status: 'awaiting_payment_method',
      client_secret: `${id}_secret_${work.token()}`,
      description: params.description || null,
      next_action: null,
      payment_methods: params.payment_methods ?? METHODS,
      return_url: null,
      usage: 'off_session',
      metadata: metadataOf(params),
      _customer_id: customer.id,
    }));
  },

  get: (work, {ids: [id]}) => work.get('seti_', id!),

  cancel: (work, {ids: [id]}) => transition(work, work.get('seti_', id!), 'cancel'),
};
