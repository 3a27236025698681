// Line items of billing statements. The API has no operation to get or list them: statements contain their items.

import {field} from '../fields.js';
import {defineResource, defineShape, DELETE, POST, PUT, returns} from '../operation.js';

export const billingStatementLineItemShape = defineShape({
  name: 'billing_statement_line_item',
  title: 'billing statement line item',
  prefix: 'bstm_li_',
  fields: {
    ...field.common('bstm_li_', 'billing_statement_line_item'),
    description: field.text('Product or service.'),
    unit_price: field.centavos('Price of one unit, in centavos.'),
    quantity: field.integer('Number of units.'),
    billing_statement_id: field.id('bstm_', 'Billing statement this item belongs to.'),
  },
  columns: ['id', 'description', 'unit_price', 'quantity', 'billing_statement_id'],
  table: {description: {rank: 1, cut: 'name'}, quantity: 2, unit_price: 2, billing_statement_id: 5, id: 4},
});

const NO_MINIMUM = 'No source gives a minimum for one item. centavo requires at least 1 centavo.';

export const billingStatementLineItems = defineResource({
  topic: 'billing-statement-line-items',
  summary: 'Manage the line items of a draft billing statement',
  shape: billingStatementLineItemShape,
  operations: {
    create: POST('/billing_statement_line_items', returns.one(billingStatementLineItemShape), {
      summary: 'Add a line item to a draft billing statement',
      params: {
        billing_statement_id: field.id('bstm_', 'Draft billing statement to add the item to.', {required: true}),
        description: field.text('Product or service.', {required: true}),
        unit_price: field.centavos('Price of one unit, in centavos.', {required: true, min: 1, assumed: NO_MINIMUM}),
        quantity: field.integer('Number of units.', {
          required: true,
          min: 1,
          assumed: 'Required by four client libraries; a fifth sends 1 when not given.',
        }),
      },
      examples: [
        'billing-statement-line-items create --billing-statement bstm_7Hq2 --description "Web design" --unit-price 15,000 --quantity 2',
      ],
      assumed: 'The specification lists no parameters. These come from client libraries, which agree.',
    }),
    update: PUT('/billing_statement_line_items/:id', returns.one(billingStatementLineItemShape), {
      summary: 'Update a line item of a draft billing statement',
      params: {
        description: field.text('Product or service.'),
        unit_price: field.centavos('Price of one unit, in centavos.', {min: 1, assumed: NO_MINIMUM}),
        quantity: field.integer('Number of units.', {min: 1, assumed: NO_MINIMUM}),
      },
      examples: ['billing-statement-line-items update bstm_li_4Rt8 --unit-price 14,500.50 --quantity 1'],
      assumed: 'The specification lists no parameters. These come from client libraries, which agree.',
    }),
    delete: DELETE('/billing_statement_line_items/:id', returns.deleted(billingStatementLineItemShape), {
      summary: 'Remove a line item from a draft billing statement',
      examples: ['billing-statement-line-items delete bstm_li_4Rt8'],
      destroys: true,
      assumed: 'The specification does not show the response. Client libraries expect {id, resource, deleted: true}.',
    }),
  },
});
