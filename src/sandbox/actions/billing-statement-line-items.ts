// Billing statement line items: they change only while their statement is a draft, and its amount with them.

import {MAXIMUM_CENTAVOS} from '../../api/fields.js';
import {requireStatus} from '../lifecycle.js';
import type {Stored} from '../store.js';
import type {Work} from '../transaction.js';
import {remains, replaced, type Actions} from './action.js';
import {aboveMaximum, total} from './amounts.js';

const KIND = 'billing_statement_line_item';

function draftOf(work: Work, statementId: unknown): Stored {
  const statement = work.get('bstm_', statementId as string);
  requireStatus(statement, 'update');
  return statement;
}

/**
 * The amount follows without an event of its own: the item's event tells of it.
 * @throws Problem 400 for more than the service collects; a draft that is above already may still shrink
 */
function addUp(work: Work, statement: Stored): void {
  const items = work.store.children(statement.id, KIND);
  const amount = total(
    items.map(({quantity, unit_price}) => ({quantity: quantity as number, price: unit_price as number})),
  );
  if (amount > MAXIMUM_CENTAVOS && amount > (statement.amount as number)) {
    throw aboveMaximum('amount', MAXIMUM_CENTAVOS);
  }
  work.change(statement, {amount});
}

export const billingStatementLineItems: Actions = {
  create: (work, {params}) => {
    const statement = draftOf(work, params.billing_statement_id);
    const {description, unit_price, quantity} = params;
    const item = work.create(
      'bstm_li_',
      {description, unit_price, quantity, billing_statement_id: statement.id},
      statement.id,
    );
    addUp(work, statement);
    work.emit('billing_statement_line_item.created', item);
    return item;
  },

  update: (work, {ids: [id], params}) => {
    const item = work.get('bstm_li_', id!);
    const statement = draftOf(work, item.billing_statement_id);
    const previous = work.change(item, replaced(params, 'description', 'unit_price', 'quantity'));
    addUp(work, statement);
    work.emit('billing_statement_line_item.updated', item, previous);
    return item;
  },

  delete: (work, {ids: [id]}) => {
    const item = work.get('bstm_li_', id!);
    const statement = draftOf(work, item.billing_statement_id);
    work.store.remove(item.id);
    addUp(work, statement);
    work.emit('billing_statement_line_item.deleted', item);
    return remains(item);
  },
};
