// Causes an event by performing the operations that lead to it, so that every id in the event can be looked up.

import type {EventType} from '../api/events.js';
import {usageError} from '../ground/errors.js';
import {transition} from './lifecycle.js';
import {pay} from './paying/payer.js';
import {createPayout} from './paying/payout-deposits.js';
import {act} from './requests/router.js';
import type {Stored} from './store.js';
import {NOTICE} from './timers.js';
import type {Transaction} from './transaction.js';

export interface TriggerOptions {
  /** Id of an existing object to use instead of a new one. */
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

/** Creates the objects that an event needs, and those that they depend on. */
class SampleObjects {
  readonly tx: Transaction;
  readonly #options: TriggerOptions;

  constructor(tx: Transaction, options: TriggerOptions) {
    this.tx = tx;
    this.#options = options;
  }

  get amount(): number {
    return this.#options.set?.amount ?? DEFAULT_AMOUNT;
  }

  get words(): Record<string, unknown> {
    const {description, metadata} = this.#options.set ?? {};
    return {...(description && {description}), ...(metadata && {metadata})};
  }

  /** The given id, if any. @throws CentavoError for the id of another kind of object */
  from(prefix: string): string | undefined {
    const {from} = this.#options;
    if (from === undefined || from.startsWith(prefix)) return from;
    throw usageError(`${from} does not fit this event.`, {
      code: 'invalid_id',
      hint: `Use an object whose id starts with ${prefix}, or leave out --from.`,
    });
  }

  do(operation: string, params: Record<string, unknown> = {}, ...ids: string[]): Stored {
    return act(this.tx, operation, params, ...ids);
  }

  customer(): string {
    const {name = 'Triggered Customer', email = 'triggered@example.com'} = this.#options.set?.customer ?? {};
    return this.do('customers:create', {name, email, currency: 'PHP'}).id;
  }

  draft(): string {
    return (
      this.from('bstm_') ??
      this.do('billing-statements:create', {customer_id: this.customer(), currency: 'PHP', ...this.words}).id
    );
  }

  /** A draft with an item and a due time. @param due unix seconds */
  complete(due = this.tx.now + DEFAULT_TERM): string {
    const id = this.draft();
    if (this.from('bstm_')) return id;
    this.item(id);
    this.do('billing-statements:update', {due_at: due}, id);
    return id;
  }

  item(statement: string): string {
    const item = {description: 'Triggered item', unit_price: this.amount, quantity: 1};
    return this.do('billing-statement-line-items:create', {...item, billing_statement_id: statement}).id;
  }

  open(due?: number): string {
    const id = this.complete(due);
    if (!this.from('bstm_')) this.do('billing-statements:finalize', {}, id);
    return id;
  }

  intent(options: Record<string, unknown> = {}): string {
    return (
      this.from('pi_') ??
      this.do('payment-intents:create', {amount: this.amount, currency: 'PHP', ...this.words, ...options}).id
    );
  }

  session(): string {
    const page = 'https://shop.example';
    return (
      this.from('cs_') ??
      this.do('checkout-sessions:create', {
        currency: 'PHP',
        line_items: [{name: 'Triggered item', amount: this.amount, quantity: 1}],
        success_url: `${page}/done`,
        cancel_url: `${page}/cart`,
        ...this.words,
      }).id
    );
  }

  payment(): {id: string; amount: number} {
    const named = this.from('pay_');
    return (named ? this.tx.get('pay_', named) : pay(this.tx, this.intent()).payment) as {id: string; amount: number};
  }

  refund(): string {
    const named = this.from('re_');
    if (named) return named;
    const {id, amount} = this.payment();
    const refund = {payment_id: id, amount, currency: 'PHP', reason: 'requested_by_customer'};
    return this.do('refunds:create', {...refund, metadata: this.words.metadata}).id;
  }

  payout(): Stored {
    const {id, amount} = this.payment();
    const destination = {account_name: 'Sandbox Merchant', account_number: '000123456789', bank_name: 'Sandbox Bank'};
    return createPayout(this.tx, [{type: 'payment', id, amount}], destination);
  }
}

type Recipe = (make: SampleObjects) => unknown;

const RECIPES: Readonly<Partial<Record<EventType, Recipe>>> = {
  'billing_statement.created': (make) => make.draft(),
  'billing_statement.updated': (make) =>
    make.do('billing-statements:update', {description: 'Updated description', ...make.words}, make.draft()),
  'billing_statement.deleted': (make) => make.do('billing-statements:delete', {}, make.draft()),
  'billing_statement.finalized': (make) => make.do('billing-statements:finalize', {}, make.complete()),
  'billing_statement.sent': (make) => make.do('billing-statements:send', {}, make.open()),
  'billing_statement.marked_uncollectible': (make) => make.do('billing-statements:mark-uncollectible', {}, make.open()),
  'billing_statement.voided': (make) => make.do('billing-statements:void', {}, make.open()),
  'billing_statement.paid': (make) => pay(make.tx, make.open()),
  'billing_statement.will_be_due': (make) => announce(make, make.open(make.tx.now + NOTICE), 'will-be-due'),
  'billing_statement.overdue': (make) => announce(make, make.open(make.tx.now), 'overdue'),
  'billing_statement_line_item.created': (make) => make.item(make.draft()),
  'billing_statement_line_item.updated': (make) =>
    make.do('billing-statement-line-items:update', {quantity: 2}, itemOf(make)),
  'billing_statement_line_item.deleted': (make) => make.do('billing-statement-line-items:delete', {}, itemOf(make)),
  'checkout_session.expired': (make) => make.do('checkout-sessions:expire', {}, make.session()),
  'payment_intent.amount_capturable': (make) =>
    pay(make.tx, make.intent({payment_method_options: {card: {capture_type: 'manual'}}}), {method: 'card'}),
  'payment_intent.succeeded': (make) => pay(make.tx, make.intent()),
  'payout.created': (make) => make.payout(),
  'payout.deposited': (make) => {
    const payout = make.payout();
    transition(make.tx, payout, 'dispatch');
    transition(make.tx, payout, 'deposit');
  },
  'refund.created': (make) => make.refund(),
  'refund.updated': (make) => make.do('refunds:update', {metadata: {updated: 'yes'}, ...make.words}, make.refund()),
};

const itemOf = (make: SampleObjects): string => make.from('bstm_li_') ?? make.item(make.draft());

function announce(make: SampleObjects, id: string, moment: string): void {
  transition(make.tx, make.tx.get('bstm_', id), moment);
}

export const TRIGGERABLE = Object.keys(RECIPES);

/**
 * Causes an event of this type, and returns it as it is stored.
 * @throws CentavoError kind `usage` for a type that cannot be caused; Problem where the API would refuse a step
 */
export function trigger(tx: Transaction, type: string, options: TriggerOptions = {}): Stored {
  const recipe = RECIPES[type as EventType];
  if (!recipe) {
    const hint =
      type === 'payment_intent.awaiting_capture'
        ? 'The service sends it as payment_intent.amount_capturable.'
        : `Events you can trigger: ${TRIGGERABLE.join(', ')}`;
    throw usageError(`the sandbox cannot trigger ${JSON.stringify(type)}.`, {code: 'unknown_event', hint});
  }
  const unknown = Object.keys(options.set ?? {}).find((name) => !SETTABLE.includes(name));
  if (unknown) {
    throw usageError(`${JSON.stringify(unknown)} cannot be set.`, {
      code: 'unknown_setting',
      hint: `You can set: ${SETTABLE.join(', ')}`,
    });
  }
  recipe(new SampleObjects(tx, options));
  return tx.store.list('event', {limit: 1, where: (event) => event.type === type}).data[0]!;
}
