// Billing statements as recorded: thin in lists, with a thin intent, and a link in every status.

export type Wire = Record<string, unknown>;

/** As long as the API's ids: a prefix and 32 characters. The start selects the body. */
export const idOf = (prefix: string, name: string): string => `${prefix}${name.padEnd(32, 'Qw7Rt2Zk')}`;

export const LINK = `https://bill.example/b/test_${idOf('bstm_', 'Open')}_secret_${'x8Kd'.repeat(8)}`;
export const CREATED = 1_773_752_596;
export const DUE = 1_774_357_865;
export const times = {created_at: CREATED, updated_at: CREATED + 97};
export const CUSTOMER = idOf('cus_', 'Juan');

const nulls = (...names: string[]): Wire => Object.fromEntries(names.map((name) => [name, null]));

/** Of a statement over REST and in events: no amount, no methods, the payment as an id. */
const thinIntent = {
  id: idOf('pi_', 'Thin'),
  resource: 'payment_intent',
  ...nulls('amount', 'amount_received', 'amount_capturable'),
  client_secret: `${idOf('pi_', 'Thin')}_secret_abcdefghijklmnop`,
  ...nulls('currency', 'description', 'last_payment_error'),
  latest_payment: idOf('pay_', 'Card'),
  livemode: false,
  ...nulls('metadata', 'payment_methods', 'payment_method_id', 'payment_method_options', 'statement_descriptor'),
  status: 'awaiting_payment_method',
  ...nulls('next_action', 'return_url'),
  ...times,
};

/** As a list has it: nothing of the customer but the id, neither number nor items. */
export const thinStatement = (status: string, due: number | null): Wire => ({
  id: idOf('bstm_', status[0]!.toUpperCase() + status.slice(1)),
  resource: 'billing_statement',
  amount: 7_500_000,
  currency: 'PHP',
  customer_id: CUSTOMER,
  description: null,
  status,
  billing_statement_url: LINK,
  billing_details_collection: 'always',
  due_at: due,
  metadata: null,
  livemode: false,
  ...times,
});

const statementOf = (status: string): Wire => ({
  ...thinStatement(status, status === 'draft' ? 0 : DUE),
  amount: status === 'draft' ? 0 : 7_500_000,
  finalized_at: status === 'draft' ? 0 : CREATED + 97,
  billing_statement_merchant_name: null,
  billing_statement_number: 'UAEONUMZ-0001',
  line_items:
    status === 'draft'
      ? []
      : [
          {
            id: idOf('bstm_li_', 'One'),
            resource: 'billing_statement_line_item',
            description: 'Hosting, first quarter',
            billing_statement_id: idOf('bstm_', 'Open'),
            livemode: false,
            quantity: 2,
            unit_price: 3_750_000,
            ...times,
          },
        ],
  merchant_id: idOf('merc_', 'Shop'),
  ...nulls('statement_descriptor', 'setup_future_usage'),
  // The customer of the uncollectible statement was deleted.
  customer:
    status === 'uncollectible'
      ? {id: CUSTOMER, resource: 'customer', deleted: true}
      : {id: CUSTOMER, name: 'Juan Dela Cruz', email: 'juan@example.com'},
  payment_intent: status === 'draft' ? null : thinIntent,
  payment_settings: {payment_methods: ['card', 'gcash']},
});

const STATUSES = ['open', 'draft', 'paid', 'void', 'uncollectible', 'somethingNew'];
const statusOf = (id: string): string =>
  STATUSES.find((status) => id.toLowerCase().startsWith(`bstm_${status.toLowerCase()}`)) ?? 'open';

/** The body of a single read; its id tells the status. */
export const statement = (id: string): Wire => ({...statementOf(statusOf(id)), id});
