// What one call is about, as numbers and names: from the command line alone, and from what was read where something was.

import type {RegisteredOperation} from '../api/registry.js';
import {amountGiven, amountOf, priceOf, priceWith, type Amount} from './amounts.js';
import type {Call, Seen} from './sight.js';

export interface Facts {
  /** What the parameters carry. */
  readonly given?: Amount;
  /** What the object that is named comes to as it stands. */
  readonly own?: bigint;
  /** What it hangs on. */
  readonly holder?: Holder;
  readonly customer?: string;
  readonly nextCustomer?: string;
  /** The change is to the customer. */
  readonly isCustomer: boolean;
}

export interface Holder {
  readonly title: string;
  readonly id: string;
  readonly amount?: bigint;
  /** What it would come to with the change made. */
  readonly then?: bigint;
}

/** Parts have no amount of their own: the object that they belong to has the sum. */
export const isPart = ({resource: {shape}}: RegisteredOperation): boolean =>
  'quantity' in shape.fields && !('amount' in shape.fields);

/** @param seen nothing when nothing was read */
export function factsOf(call: Call, seen: Seen = {}): Facts {
  const {registered, ids, params} = call;
  const {shape, object} = seen;
  const isCustomer = registered.resource.shape.prefix === 'cus_' && ids.length < 2;
  const people = {customer: seen.customer, nextCustomer: seen.nextCustomer, isCustomer};
  const given = amountGiven(registered.operation.params, params);
  if (isCustomer && ids.length === 0)
    return {...people, given, customer: typeof params.name === 'string' ? params.name : undefined};
  if (!object || shape!.prefix === 'cus_') return {...people, given};
  const amount = amountOf(object);
  if (shape === registered.resource.shape) return {...people, given, own: amount};
  const holder = {title: shape!.title, id: String(object.id), amount};
  if (!isPart(registered)) return {...people, given, holder};
  const {before, after} = pricesOf(call, seen);
  return {
    ...people,
    given: registered.operation.destroys ? undefined : after,
    own: clear(before),
    holder: {...holder, then: sumWith(amount, before, after)},
  };
}

/** What a part comes to, before and after. */
function pricesOf({registered, params}: Call, {part}: Seen): {before: Amount; after: Amount} {
  return {
    before: part ? priceOf(part) : 0n,
    after: registered.operation.destroys ? 0n : priceWith(part, params),
  };
}

const clear = (amount: Amount): bigint | undefined => (amount === 'unclear' ? undefined : amount);

function sumWith(amount: bigint | undefined, before: Amount, after: Amount): bigint | undefined {
  if (amount === undefined || before === 'unclear' || after === 'unclear') return undefined;
  return amount - before + after;
}
