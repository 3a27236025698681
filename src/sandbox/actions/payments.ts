// Payments: read, and given another text or metadata.

import {givenMetadata, type Actions} from './action.js';

export const payments: Actions = {
  get: (work, {ids: [id]}) => work.get('pay_', id!),

  update: (work, {ids: [id], params}) => {
    const payment = work.get('pay_', id!);
    work.change(payment, {
      ...(params.description !== undefined && {description: params.description || null}),
      ...givenMetadata(params),
    });
    return payment;
  },
};
