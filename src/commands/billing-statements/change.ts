// The composite statement as one change: its total, whether the draft is there already, and for whom it is.

import type {Context} from '../../context.js';
import {getterOf, type RegisteredOperation} from '../../api/registry.js';
import {describeSteps, type Wanted} from './composing.js';
import {amountGiven, amountOf} from '../../guard/amounts.js';
import {idsIn, type Change} from '../../guard/change.js';
import {createSight} from '../../guard/sight.js';
import type {Stakes} from '../../guard/stakes.js';
import {UNKNOWN_AMOUNT} from '../../guard/words.js';
import {formatPesos} from '../../pesos.js';

/** @param registered the operation that makes the draft */
export function changeOfComposite(context: Context, registered: RegisteredOperation, wanted: Wanted): Change {
  const {id, create} = wanted;
  return {
    command: registered.id.replace(':', ' '),
    operation: registered.id,
    asks: false,
    ids: idsIn([id, ...Object.values(create ?? {})]),
    told: told(wanted),
    look: () => look(context, registered, wanted),
  };
}

function told(wanted: Wanted): Stakes {
  const {id, create = {}, total} = wanted;
  // Which items a draft has is not known from here; those that are given are all that it will have.
  if (id !== undefined && total === undefined) return {what: describeSteps(wanted), statements: 1};
  const of = 'billing statement';
  const given = amountGiven({}, create);
  if (given === 'unclear')
    return {
      what: describeSteps(wanted, UNKNOWN_AMOUNT),
      statements: 1,
      amounts: [{of, amount: {unknown: 'What is given for it is no whole number of centavos.'}}],
    };
  if (given === undefined && total === undefined) return {what: describeSteps(wanted), statements: 1, amounts: []};
  const amount = BigInt(total ?? 0) + (given ?? 0n);
  return {what: describeSteps(wanted, formatPesos(amount)), statements: 1, amount, amounts: [{of, amount}]};
}

async function look(context: Context, registered: RegisteredOperation, wanted: Wanted): Promise<Stakes> {
  const {id, create = {}, customerName} = wanted;
  if (customerName !== undefined) return told(wanted);
  const see = createSight(await context.client(), context.signal);
  if (id === undefined) {
    const {customer} = await see({registered, ids: [], params: create});
    return told({...wanted, customerName: customer});
  }
  const {object, customer} = await see({registered: getterOf('bstm_')!, ids: [id], params: {}});
  // Only a draft takes items, and then it has those that were given and no others.
  const given = object!.status === 'draft' ? wanted.total : undefined;
  const amount = given === undefined ? amountOf(object!) : BigInt(given);
  const of = `billing statement ${id}`;
  if (amount === undefined)
    return {
      what: describeSteps({...wanted, customerName: customer}, UNKNOWN_AMOUNT),
      statements: 1,
      amounts: [{of, amount: {unknown: 'The API does not give it.'}}],
    };
  const what = describeSteps({...wanted, customerName: customer}, formatPesos(amount));
  return {what, statements: 1, amount, amounts: [{of, amount}]};
}
