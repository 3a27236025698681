// Billing statement line items: what a draft asks to be paid for. They are read with their statement, never alone.

import {centavos, common, id, integer, text} from '../fields.js';
import {defineResource, defineShape, deletedOf, one} from '../operation.js';

export const billingStatementLineItemShape = defineShape({
  name: 'billing_statement_line_item',
  title: 'billing statement line item',
  prefix: 'bstm_li_',
  fields: {
    ...common('bstm_li_', 'billing_statement_line_item'),
    description: text({description: 'Product or service.'}),
    unit_price: centavos({description: 'Price of one unit, in centavos.'}),
    quantity: integer({description: 'Number of units.'}),
    billing_statement_id: id('bstm_', {description: 'Billing statement this item belongs to.'}),
  },
  columns: ['id', 'description', 'unit_price', 'quantity', 'billing_statement_id'],
  table: [
    {field: 'description', rank: 1, cut: 'name'},
    {field: 'quantity', rank: 2},
    {field: 'unit_price', rank: 2},
    {field: 'billing_statement_id', rank: 5},
    {field: 'id', rank: 4},
  ],
});

const LEAST = 'No source gives a minimum for one item. centavo requires 1.';

export const billingStatementLineItems = defineResource({
  topic: 'billing-statement-line-items',
  summary: 'Manage the line items of a draft billing statement',
  shape: billingStatementLineItemShape,
  operations: {
    create: {
      method: 'POST',
      path: '/billing_statement_line_items',
      summary: 'Add a line item to a draft billing statement',
      params: {
        billing_statement_id: id('bstm_', {required: true, description: 'Draft billing statement to add the item to.'}),
        description: text({required: true, description: 'Product or service.'}),
        unit_price: centavos({required: true, min: 1, description: 'Price of one unit, in centavos.', assumed: LEAST}),
        quantity: integer({
          required: true,
          min: 1,
          description: 'Number of units.',
          assumed: 'Required by four client libraries; a fifth sends 1 when not given.',
        }),
      },
      returns: one(billingStatementLineItemShape),
      examples: [
        'billing-statement-line-items create --billing-statement bstm_7Hq2 --description "Web design" --unit-price 15,000 --quantity 2',
      ],
      assumed: 'The specification lists no parameters. These come from client libraries, which agree.',
    },
    update: {
      method: 'PUT',
      path: '/billing_statement_line_items/:id',
      summary: 'Update a line item of a draft billing statement',
      params: {
        description: text({description: 'Product or service.'}),
        unit_price: centavos({min: 1, description: 'Price of one unit, in centavos.', assumed: LEAST}),
        quantity: integer({min: 1, description: 'Number of units.', assumed: LEAST}),
      },
      returns: one(billingStatementLineItemShape),
      examples: ['billing-statement-line-items update bstm_li_4Rt8 --unit-price 14,500.50 --quantity 1'],
      assumed: 'The specification lists no parameters. These come from client libraries, which agree.',
    },
    delete: {
      method: 'DELETE',
      path: '/billing_statement_line_items/:id',
      summary: 'Remove a line item from a draft billing statement',
      params: {},
      returns: deletedOf(billingStatementLineItemShape),
      examples: ['billing-statement-line-items delete bstm_li_4Rt8'],
      destroys: true,
      assumed: 'The specification does not show the response. Client libraries expect {id, resource, deleted: true}.',
    },
  },
});
