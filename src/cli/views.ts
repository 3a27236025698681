// What is shown of an object in place of what its body says: a link only while it can be paid by, what can be computed, who is meant.

import {shapes} from '../api/registry.js';
import type {Shape} from '../api/operation.js';
import {isHash, type Row} from '../output/render.js';

/** The sum of the items of a checkout session that does not say its amount itself. */
export const COMPUTED_AMOUNT = 'computed_amount';

/** As {@link shownOf}, by what the object says that it is; what is no object of the contract stays as it is. */
export function shownAny(row: Row): Row {
  const shape = [...shapes.values()].find(({name}) => name === row?.resource);
  return shape ? shownOf(shape, row) : row;
}

/** The same object as it is shown, in every format but JSON without `--fields`. */
export function shownOf(shape: Shape, row: Row): Row {
  const shown = {...row};
  if ('customer_id' in shape.fields && 'customer' in shape.fields) shown.customer = row.customer || row.customer_id;
  if (shape.name === 'billing_statement') {
    // Bodies of the service carry the link in every state; it is one to pay by in this one only.
    const link = row.status === 'open' ? row.billing_statement_url || row.url || null : null;
    Object.assign(shown, {url: link, billing_statement_url: link});
  }
  if (shape.name === 'checkout_session' && typeof row.amount !== 'number') {
    const sum = sumOf(row.line_items);
    if (sum !== undefined) shown[COMPUTED_AMOUNT] = sum;
  }
  return shown;
}

/** Quantity × amount over all items, in centavos; undefined where one of them does not say both. */
function sumOf(items: unknown): number | undefined {
  if (!Array.isArray(items) || items.length === 0) return undefined;
  const parts = items.map((item) => (isHash(item) ? Number(item.quantity) * Number(item.amount) : NaN));
  const sum = parts.reduce((total, part) => total + part, 0);
  return Number.isSafeInteger(sum) ? sum : undefined;
}
