// Causes an event by performing the operations that lead to it. The objects are real, so that every id in the event can be looked up.

import type {EventType} from '../api/events.js';
import {usageError} from '../errors.js';
import {transition} from './lifecycle.js';
import {pay} from './paying/payer.js';
import {createPayout} from './paying/payout-deposits.js';
import {act} from './requests/router.js';
import type {Stored} from './store.js';
import {NOTICE} from './timers.js';
import type {Transaction} from './transaction.js';

export interface TriggerOptions {
  /** An existing object to use, instead of a new one. */
  readonly from?: string;
  /** Fields to set on the created objects. */
  readonly set?: {
    /** Centavos. */
    readonly amount?: number;
    readonly description?: string;
    readonly metadata?: Readonly<Record<string, string>>;
    readonly customer?: {readonly name?: string; readonly email?: string};
  };
}

/** The fields that can be set. */
const SETTABLE = ['amount', 'description', 'metadata', 'customer'];

/** How far in the future the due time is when nothing else is said, in seconds. */
const USUAL_TERM = 14 * 86_400;
/** Centavos. */
const USUAL_AMOUNT = 125_050;

/** Creates the objects that an event needs, each with the objects that it depends on. */
class Stage {
  readonly tx: Transaction;
  readonly #options: TriggerOptions;

  constructor(tx: Transaction, options: TriggerOptions) {
    this.tx = tx;
    this.#options = options;
  }

  get amount(): number {
    return this.#options.set?.amount ?? USUAL_AMOUNT;
  }

  get words(): Record<string, unknown> {
    const {description, metadata} = this.#options.set ?? {};
    return {...(description && {description}), ...(metadata && {metadata})};
  }

  /** The id that was given, if any. @throws CentavoError when it is of another kind */
  from(prefix: string): string | undefined {
    const {from} = this.#options;
    if (from === undefined || from.startsWith(prefix)) return from;
    throw usageError(`${from} does not fit this event.`, {
      code: 'invalid_id',
      hint: `Use an object whose id starts with ${prefix}, or leave out --from.`,
    });
  }

  /** Performs an operation of the API. */
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
  complete(due = this.tx.now + USUAL_TERM): string {
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

type Recipe = (stage: Stage) => unknown;

const RECIPES: Readonly<Partial<Record<EventType, Recipe>>> = {
  'billing_statement.created': (stage) => stage.draft(),
  'billing_statement.updated': (stage) =>
    stage.do('billing-statements:update', {description: 'Updated description', ...stage.words}, stage.draft()),
  'billing_statement.deleted': (stage) => stage.do('billing-statements:delete', {}, stage.draft()),
  'billing_statement.finalized': (stage) => stage.do('billing-statements:finalize', {}, stage.complete()),
  'billing_statement.sent': (stage) => stage.do('billing-statements:send', {}, stage.open()),
  'billing_statement.marked_uncollectible': (stage) =>
    stage.do('billing-statements:mark-uncollectible', {}, stage.open()),
  'billing_statement.voided': (stage) => stage.do('billing-statements:void', {}, stage.open()),
  'billing_statement.paid': (stage) => pay(stage.tx, stage.open()),
  'billing_statement.will_be_due': (stage) => announce(stage, stage.open(stage.tx.now + NOTICE), 'will-be-due'),
  'billing_statement.overdue': (stage) => announce(stage, stage.open(stage.tx.now), 'overdue'),
  'billing_statement_line_item.created': (stage) => stage.item(stage.draft()),
  'billing_statement_line_item.updated': (stage) =>
    stage.do('billing-statement-line-items:update', {quantity: 2}, itemOf(stage)),
  'billing_statement_line_item.deleted': (stage) => stage.do('billing-statement-line-items:delete', {}, itemOf(stage)),
  'checkout_session.expired': (stage) => stage.do('checkout-sessions:expire', {}, stage.session()),
  'payment_intent.amount_capturable': (stage) =>
    pay(stage.tx, stage.intent({payment_method_options: {card: {capture_type: 'manual'}}}), {method: 'card'}),
  'payment_intent.succeeded': (stage) => pay(stage.tx, stage.intent()),
  'payout.created': (stage) => stage.payout(),
  'payout.deposited': (stage) => {
    const payout = stage.payout();
    transition(stage.tx, payout, 'dispatch');
    transition(stage.tx, payout, 'deposit');
  },
  'refund.created': (stage) => stage.refund(),
  'refund.updated': (stage) => stage.do('refunds:update', {metadata: {updated: 'yes'}, ...stage.words}, stage.refund()),
};

const itemOf = (stage: Stage): string => stage.from('bstm_li_') ?? stage.item(stage.draft());

function announce(stage: Stage, id: string, moment: string): void {
  transition(stage.tx, stage.tx.get('bstm_', id), moment);
}

/** The event kinds that can be caused. */
export const TRIGGERABLE = Object.keys(RECIPES);

/**
 * Causes an event of this kind.
 * @returns the newest event of the kind, as it is delivered
 * @throws CentavoError kind `usage` for a kind that cannot be caused; Problem where the API would refuse a step
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
  recipe(new Stage(tx, options));
  return tx.store.list('event', {limit: 1, where: (event) => event.type === type}).data[0]!;
}
