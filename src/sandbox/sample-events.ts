// Triggers an event by performing its operations, so that every id in it exists.

import type {EventType} from '../api/events.js';
import {usageError} from '../common/errors.js';
import {transition} from './lifecycle.js';
import {payStatement} from './payments/pay-statement.js';
import {createPayout} from './payments/payout-deposits.js';
import {runAction} from './requests/router.js';
import type {StoredRecord} from './store.js';
import {NOTICE} from './timers.js';
import type {Transaction} from './transaction.js';

export interface TriggerOptions {
  /** Id of an object to use, instead of a new one. */
  readonly from?: string;
  readonly set?: {
    /** Centavos. */
    readonly amount?: number;
    readonly description?: string;
    readonly metadata?: Readonly<Record<string, string>>;
    readonly customer?: {readonly name?: string; readonly email?: string};
  };
}

const SETTABLE = ['amount', 'description', 'metadata', 'customer'];

/** Seconds until a statement is due. */
const DEFAULT_TERM = 14 * 86_400;
/** Centavos. */
const DEFAULT_AMOUNT = 125_050;

/** Returns functions that create an object with its dependencies, and return its id. */
function samples(tx: Transaction, {from, set = {}}: TriggerOptions) {
  const {amount = DEFAULT_AMOUNT, description, metadata} = set;
  const texts = {...(description && {description}), ...(metadata && {metadata})};
  /** Returns the id from --from, if any. @throws CentavoError for another kind of object */
  const given = (prefix: string): string | undefined => {
    if (from === undefined || from.startsWith(prefix)) return from;
    throw usageError('invalid_id', `${from} does not fit this event.`, {
      hint: `Use an object whose id starts with ${prefix}, or leave out --from.`,
    });
  };
  const run = (operation: string, params: Record<string, unknown> = {}, ...ids: string[]): string =>
    runAction(tx, operation, params, ...ids).id;
  const customer = (): string => {
    const {name = 'Triggered Customer', email = 'triggered@example.com'} = set.customer ?? {};
    return run('customers:create', {name, email, currency: 'PHP'});
  };
  const draft = (): string =>
    given('bstm_') ?? run('billing-statements:create', {customer_id: customer(), currency: 'PHP', ...texts});
  const item = (statement: string): string => {
    const line = {description: 'Triggered item', unit_price: amount, quantity: 1};
    return run('billing-statement-line-items:create', {...line, billing_statement_id: statement});
  };
  /** Returns the id of a draft with an item. @param due unix seconds */
  const complete = (due = tx.now + DEFAULT_TERM): string => {
    const id = draft();
    if (from !== undefined) return id;
    item(id);
    return run('billing-statements:update', {due_at: due}, id);
  };
  const open = (due?: number): string => {
    const id = complete(due);
    return from === undefined ? run('billing-statements:finalize', {}, id) : id;
  };
  const intent = (options: Record<string, unknown> = {}): string =>
    given('pi_') ?? run('payment-intents:create', {amount, currency: 'PHP', ...texts, ...options});
  const setup = (): string => given('si_') ?? run('setup-intents:create', {customer_id: customer(), ...texts});
  const session = (): string =>
    given('cs_') ??
    run('checkout-sessions:create', {
      currency: 'PHP',
      line_items: [{name: 'Triggered item', amount, quantity: 1}],
      success_url: 'https://shop.example/done',
      cancel_url: 'https://shop.example/cart',
      ...texts,
    });
  const payment = (): {id: string; amount: number} => {
    const id = given('pay_');
    return (id ? tx.get('pay_', id) : payStatement(tx, intent()).payment) as {id: string; amount: number};
  };
  const refund = (): string => {
    const id = given('re_');
    if (id) return id;
    const paid = payment();
    const params = {payment_id: paid.id, amount: paid.amount, currency: 'PHP', reason: 'requested_by_customer'};
    return run('refunds:create', {...params, metadata});
  };
  const payout = (): StoredRecord => {
    const destination = {account_name: 'Sandbox Merchant', account_number: '000123456789', bank_name: 'Sandbox Bank'};
    return createPayout(tx, [{...payment(), type: 'payment'}], destination);
  };
  return {tx, words: texts, given, make: run, draft, item, complete, open, intent, setup, session, refund, payout};
}

type Samples = ReturnType<typeof samples>;

const RECIPES: Readonly<Partial<Record<EventType, (sample: Samples) => unknown>>> = {
  'billing_statement.created': ({draft}) => draft(),
  'billing_statement.updated': ({make, words, draft}) =>
    make('billing-statements:update', {description: 'Updated description', ...words}, draft()),
  'billing_statement.deleted': ({make, draft}) => make('billing-statements:delete', {}, draft()),
  'billing_statement.finalized': ({make, complete}) => make('billing-statements:finalize', {}, complete()),
  'billing_statement.sent': ({make, open}) => make('billing-statements:send', {}, open()),
  'billing_statement.marked_uncollectible': ({make, open}) => make('billing-statements:mark-uncollectible', {}, open()),
  'billing_statement.voided': ({make, open}) => make('billing-statements:void', {}, open()),
  'billing_statement.paid': ({tx, open}) => payStatement(tx, open()),
  'billing_statement.will_be_due': ({tx, open}) => announce(tx, open(tx.now + NOTICE), 'will-be-due'),
  'billing_statement.overdue': ({tx, open}) => announce(tx, open(tx.now), 'overdue'),
  'billing_statement_line_item.created': ({item, draft}) => item(draft()),
  'billing_statement_line_item.updated': (sample) =>
    sample.make('billing-statement-line-items:update', {quantity: 2}, itemOf(sample)),
  'billing_statement_line_item.deleted': (sample) =>
    sample.make('billing-statement-line-items:delete', {}, itemOf(sample)),
  'checkout_session.expired': ({make, session}) => make('checkout-sessions:expire', {}, session()),
  'payment_intent.amount_capturable': ({tx, intent}) =>
    payStatement(tx, intent({payment_method_options: {card: {capture_type: 'manual'}}}), {method: 'card'}),
  'payment_intent.succeeded': ({tx, intent}) => payStatement(tx, intent()),
  'payout.created': ({payout}) => payout(),
  'payout.deposited': ({tx, payout}) => transition(tx, transition(tx, payout(), 'dispatch'), 'deposit'),
  'refund.created': ({refund}) => refund(),
  'refund.updated': ({make, words, refund}) => make('refunds:update', {metadata: {updated: 'yes'}, ...words}, refund()),
  'setup_intent.succeeded': ({tx, setup}) => payStatement(tx, setup()),
};

const itemOf = ({given, item, draft}: Samples): string => given('bstm_li_') ?? item(draft());

const announce = (tx: Transaction, id: string, moment: string): StoredRecord =>
  transition(tx, tx.get('bstm_', id), moment);

export const TRIGGERABLE = Object.keys(RECIPES);

export function trigger(tx: Transaction, type: string, options: TriggerOptions = {}): StoredRecord {
  const recipe = Object.hasOwn(RECIPES, type) ? RECIPES[type as EventType] : undefined;
  if (!recipe) {
    const hint =
      type === 'payment_intent.awaiting_capture'
        ? 'The service sends it as payment_intent.amount_capturable.'
        : `A paid checkout sends payment_intent.succeeded. Events you can trigger: ${TRIGGERABLE.join(', ')}`;
    throw usageError('unknown_event', `the sandbox cannot trigger ${JSON.stringify(type)}.`, {hint});
  }
  const unknown = Object.keys(options.set ?? {}).find((name) => !SETTABLE.includes(name));
  if (unknown)
    throw usageError('unknown_setting', `${JSON.stringify(unknown)} cannot be set.`, {
      hint: `You can set: ${SETTABLE.join(', ')}`,
    });
  recipe(samples(tx, options));
  return tx.store.list('event', {limit: 1, where: (event) => event.type === type}).data[0]!;
}
