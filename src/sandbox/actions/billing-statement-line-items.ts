// Billing statement line items: they change only while their statement is a draft, and its amount with them.

import {MAXIMUM_CENTAVOS} from '../../api/fields.js';
import {requireStatus} from '../lifecycle.js';
import type {Stored} from '../store.js';
import type {Transaction} from '../transaction.js';
import {remains, replaced, type Actions} from './action.js';
import {aboveMaximum, total} from './amounts.js';

const KIND = 'billing_statement_line_item';

function draftOf(tx: Transaction, statementId: unknown): Stored {
  const statement = tx.get('bstm_', statementId as string);
  requireStatus(statement, 'update');
  return statement;
}

/**
 * Updates the statement's amount. It emits no event of its own: the item's event reports it.
 * @throws Problem 400 for more than the service collects; a draft that is above already may still shrink
 */
function addUp(tx: Transaction, statement: Stored): void {
  const items = tx.store.children(statement.id, KIND);
  const amount = total(
    items.map(({quantity, unit_price}) => ({quantity: quantity as number, price: unit_price as number})),
  );
  if (amount > MAXIMUM_CENTAVOS && amount > (statement.amount as number)) {
    throw aboveMaximum('amount', MAXIMUM_CENTAVOS);
  }
  tx.change(statement, {amount});
}

export const billingStatementLineItems: Actions = {
  create: (tx, {params}) => {
    const statement = draftOf(tx, params.billing_statement_id);
    const {description, unit_price, quantity} = params;
    const item = tx.create(
      'bstm_li_',
      {description, unit_price, quantity, billing_statement_id: statement.id},
      statement.id,
    );
    addUp(tx, statement);
    tx.emit('billing_statement_line_item.created', item);
    return item;
  },

  update: (tx, {ids: [id], params}) => {
    const item = tx.get('bstm_li_', id!);
    const statement = draftOf(tx, item.billing_statement_id);
    const previous = tx.change(item, replaced(params, 'description', 'unit_price', 'quantity'));
    addUp(tx, statement);
    tx.emit('billing_statement_line_item.updated', item, previous);
    return item;
  },

  delete: (tx, {ids: [id]}) => {
    const item = tx.get('bstm_li_', id!);
    const statement = draftOf(tx, item.billing_statement_id);
    tx.store.remove(item.id);
    addUp(tx, statement);
    tx.emit('billing_statement_line_item.deleted', item);
    return remains(item);
  },
};
