// Customer sessions: good for a day.

import type {Actions} from './action.js';

/** Seconds (field notes, 4.11). */
const LIFETIME = 86_400;

const FEATURES = ['payment_method_save', 'payment_method_edit', 'payment_method_redisplay', 'payment_method_remove'];

export const customerSessions: Actions = {
  create: (work, {params}) => {
    const customer = work.get('cus_', params.customer_id as string);
    return work.create('cus_s_', (id) => ({
      client_secret: `${id}_secret_${work.token()}`,
      components: FEATURES.map((feature) => ({component: 'payment_element', feature, value: 'enabled'})),
      expired_at: work.now + LIFETIME,
      _customer_id: customer.id,
    }));
  },

  get: (work, {ids: [id]}) => work.get('cus_s_', id!),
};
