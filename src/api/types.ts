// The types of the library, derived from the contract: objects, events, and the names of operations.

import type {INTENT_IN_STATEMENT_EVENT, NOT_IN_EVENTS, ONLY_IF_SET_IN_EVENTS} from '../common/delivered-fields.js';
import type {EventType} from './events.js';
import type {Fields, Id, Open, OutputOf, PAYMENT_METHODS, Unlisted} from './fields.js';
import type {CamelCase, Shape} from './operation.js';
import type {Resources} from './registry.js';

/** An id as an argument: any `string`, or a literal with the right prefix. */
export type IdText<Prefix extends string, T extends string> = string extends T
  ? T
  : T extends Id<Prefix>
    ? T
    : Id<Prefix>;

/** A related object: whole, as its id, or null. `idOf` and `objectOf` read it. */
export type Related<T extends {readonly id: string}> = T | T['id'] | null;

export type PaymentMethodType = (typeof PAYMENT_METHODS)[number];

/** Codes of declined payments. */
export type FailureCode =
  'blocked' | 'cvc_incorrect' | 'funds_insufficient' | 'generic_decline' | 'processing_error' | 'system_error';

export type CustomerSummary = Pick<Customer, 'email' | 'id' | 'name'>;

export type Address = Readonly<Record<'city' | 'country' | 'line1' | 'line2' | 'postal_code' | 'state', string | null>>;

/** Contact of a customer or payer. */
export interface Billing {
  readonly name?: string | null;
  readonly email?: string | null;
  readonly phone: string | null;
  readonly address: Partial<Address> | null;
}

/** A line item of a checkout session. */
export interface LineItem {
  readonly name: string;
  /** Price of one unit, in centavos. */
  readonly amount: number;
  readonly quantity: number;
  readonly description?: string | null;
  readonly image?: string | null;
}

export interface CardDetails {
  readonly first6: string;
  readonly last4: string;
  readonly brand: Open<'mastercard' | 'visa'>;
  readonly funding?: Open<'credit' | 'debit'>;
  readonly approval_code?: string;
}

/** The payment method of a payment. Some have a second `payment_method_type`. */
export interface PaidWith {
  readonly type: Open<PaymentMethodType>;
  readonly payment_method_type?: Open<PaymentMethodType>;
  readonly card?: CardDetails;
  readonly qrph?: Readonly<Record<string, string>>;
  /** `payment_term`: months. */
  readonly bdo_installment?: {readonly installment_type: string; readonly payment_term: number};
}

interface NextAction {
  readonly type: Open<'redirect'>;
  readonly redirect_url: string;
}

export interface PaymentError {
  readonly code: Open<FailureCode>;
  readonly detail: string;
}

export interface PaymentMethodOptions {
  readonly card?: {
    readonly capture_type?: Open<'automatic' | 'manual'> | null;
    readonly request_three_d_secure?: string;
    readonly allowed_bins?: readonly string[] | null;
    readonly allowed_funding?: readonly Open<'credit' | 'debit'>[] | null;
  } | null;
  readonly bdo_installment?: {
    readonly installment_types?: readonly Open<'regular' | 'regular_holiday' | 'zero' | 'zero_holiday'>[] | null;
    /** Months. */
    readonly payment_terms?: readonly number[] | null;
  } | null;
}

export interface PaymentSettings {
  readonly payment_methods: readonly Open<PaymentMethodType>[];
  readonly payment_method_options?: PaymentMethodOptions | null;
}

/**
 * Response fields that the contract describes only in words, and fields of the service that the sandbox lacks (`?`).
 * Shapes that name each other would be a circle, so their types are here.
 */
interface Known {
  billing_statement: {
    readonly customer: CustomerSummary | null;
    readonly line_items: readonly BillingStatementLineItem[];
    readonly payment_intent: Related<PaymentIntent>;
    readonly payment_settings: PaymentSettings;
  };
  billing_statement_line_item: {};
  checkout_session: {
    readonly customer: Omit<Customer, 'id' | 'resource'> | null;
    readonly line_items: readonly LineItem[];
    readonly payment_intent: Related<PaymentIntent>;
    readonly payment_methods: readonly Open<PaymentMethodType>[];
    readonly payment_method_options: PaymentMethodOptions | null;
    readonly capture_type?: Open<'automatic' | 'manual'> | null;
  };
  customer: {readonly billing: Billing | null};
  customer_session: {
    readonly customer: {readonly id: Id<'cus_'>} | null;
    readonly components: Readonly<Record<string, unknown>> | null;
  };
  payment: {
    readonly payment_method: PaidWith;
    readonly billing: Billing | null;
    readonly customer: Customer | null;
    readonly page_session: Readonly<Record<string, unknown>> | null;
  };
  payment_intent: {
    readonly customer: Related<Customer>;
    readonly payment_methods: readonly Open<PaymentMethodType>[];
    readonly payment_method_options: PaymentMethodOptions | null;
    readonly next_action: NextAction | null;
    readonly last_payment_error: PaymentError | null;
    readonly latest_payment: Related<Payment>;
  };
  payment_method: {
    readonly type: Open<PaymentMethodType>;
    readonly details: CardDetails | null;
    readonly billing_details: Billing | null;
  };
  payout: {
    readonly destination: {
      readonly account_name: string;
      readonly account_number: string;
      readonly bank_name: string;
    } | null;
  };
  payout_transaction: {readonly transaction_id: Id<'pay_'> | Id<'re_'> | null};
  refund: {};
  setup_intent: {
    readonly customer: Related<Customer>;
    readonly payment_methods: readonly Open<PaymentMethodType>[];
    readonly next_action: NextAction | null;
  };
  webhook: {readonly events: readonly Open<EventType>[]};
}

type ShapesOf<R> = R extends Resources ? R['shape'] | ReturnedBy<R['operations']> : never;
type ReturnedBy<O> = {[V in keyof O]: O[V] extends {returns: {shape: infer S}} ? S : never}[keyof O];
type Typed<N extends keyof Known> =
  Extract<ShapesOf<Resources>, {name: N}> extends Shape<infer F extends Fields>
    ? Omit<OutputOf<F>, keyof Known[N]> & Known[N]
    : never;

export interface BillingStatement extends Typed<'billing_statement'> {}
export interface BillingStatementLineItem extends Typed<'billing_statement_line_item'> {}
export interface CheckoutSession extends Typed<'checkout_session'> {}
export interface Customer extends Typed<'customer'> {}
export interface CustomerSession extends Typed<'customer_session'> {}
export interface Payment extends Typed<'payment'> {}
export interface PaymentIntent extends Typed<'payment_intent'> {}
export interface PaymentMethod extends Typed<'payment_method'> {}
export interface Payout extends Typed<'payout'> {}
export interface PayoutTransaction extends Typed<'payout_transaction'> {}
export interface Refund extends Typed<'refund'> {}
export interface SetupIntent extends Typed<'setup_intent'> {}
export interface Webhook extends Typed<'webhook'> {}

/** All objects, by their `resource`. */
export interface Objects {
  billing_statement: BillingStatement;
  billing_statement_line_item: BillingStatementLineItem;
  checkout_session: CheckoutSession;
  customer: Customer;
  customer_session: CustomerSession;
  payment: Payment;
  payment_intent: PaymentIntent;
  payment_method: PaymentMethod;
  payout: Payout;
  payout_transaction: PayoutTransaction;
  refund: Refund;
  setup_intent: SetupIntent;
  webhook: Webhook;
}

// --- events ---

type Names<Table, N> = N extends keyof Table ? (Table[N] extends readonly (infer Name)[] ? Name : never) : never;
type NotInEvents<N> = Names<typeof NOT_IN_EVENTS, N>;
type OnlyIfSet<N> = Names<typeof ONLY_IF_SET_IN_EVENTS, N>;

/** Related objects that events have in another form. */
interface InEvents {
  billing_statement: {readonly payment_intent: Pick<PaymentIntent, (typeof INTENT_IN_STATEMENT_EVENT)[number]> | null};
  checkout_session: {readonly payment_intent: EventData<'payment_intent'> | null};
}

/** The object in an event, without the fields that deliveries leave out. */
export type EventData<N extends keyof Objects> = Omit<
  Objects[N],
  NotInEvents<N> | OnlyIfSet<N> | (N extends keyof InEvents ? keyof InEvents[N] : never)
> &
  Partial<Pick<Objects[N], OnlyIfSet<N> & keyof Objects[N]>> &
  (N extends keyof InEvents ? InEvents[N] : {});

/** `refund.created` is about a refund. */
type DataOf<T extends EventType> = T extends `${infer N extends keyof Objects}.${string}` ? EventData<N> : never;

interface EventCommon {
  readonly id: Id<'evt_'>;
  readonly resource: 'event';
  readonly livemode: boolean;
  readonly pending_webhooks: number;
  /** Unix seconds. */
  readonly created_at: number;
  /** Unix seconds. */
  readonly updated_at: number;
}

/** An event of one type, with its object. */
export type EventOf<T extends EventType> = T extends EventType
  ? EventCommon & {
      readonly type: T;
      readonly data: DataOf<T>;
      readonly previous_attributes: Partial<DataOf<T>>;
    }
  : never;

/** An event of a type that centavo does not know. */
export interface UnlistedEvent extends EventCommon {
  readonly type: Unlisted;
  readonly data: Readonly<Record<string, unknown>>;
  readonly previous_attributes: Readonly<Record<string, unknown>>;
}

/** An event. A switch on `event.type` gives `event.data` its type. */
export type Event = EventOf<EventType> | UnlistedEvent;

/** The client's method for each operation, such as `paymentIntents.create`. */
export type OperationName = NameOf<Resources>;
type NameOf<R extends Resources> = R extends Resources
  ? `${CamelCase<R['topic']>}.${CamelCase<keyof R['operations'] & string>}`
  : never;
