// Types of stored records. Fields that start with an underscore are internal to the sandbox.

import type {BillingDetails} from './payments/billing-details.js';
import type {StoredRecord} from './store.js';

/** Card options of an intent. Recorded intents always have the capture type and the 3-D Secure request. */
export interface CardOptions {
  readonly capture_type?: string;
  readonly request_three_d_secure?: string;
  readonly allowed_bins?: readonly string[] | null;
  readonly allowed_funding?: readonly string[] | null;
}

/** Options of an intent or session, by payment method. Lists that are missing or null allow everything. */
export interface MethodOptions {
  readonly card?: CardOptions | null;
  readonly bdo_installment?: {
    readonly installment_types?: readonly string[] | null;
    readonly payment_terms?: readonly number[] | null;
  } | null;
}

export interface StatementRecord extends StoredRecord {
  status: string;
  amount: number;
  currency: string;
  customer_id: string;
  billing_statement_number: string;
  description: string | null;
  due_at: number | null;
  setup_future_usage: string | null;
  payment_settings: {
    readonly payment_methods: readonly string[];
    readonly payment_method_options?: MethodOptions | null;
  };
  _payment_intent_id: string | null;
}

export interface SessionRecord extends StoredRecord {
  status: string;
  cancel_url: string;
  success_url: string;
  client_secret: string;
  expires_at: number;
  _payment_intent_id: string;
}

/** A payment intent. A setup intent is stored alike, without amounts and options. */
export interface IntentRecord extends StoredRecord {
  status: string;
  amount: number;
  amount_capturable: number;
  amount_received: number;
  description: string | null;
  payment_methods: readonly string[];
  payment_method_options: MethodOptions;
  payment_method_id: string | null;
  _customer_id: string | null;
  _payment_id: string | null;
  /** The statement or checkout session. */
  _source_id: string | null;
}

export interface PaymentRecord extends StoredRecord {
  status: string;
  amount: number;
  amount_refunded: number;
  payment_method: {readonly type: string};
  _customer_id: string | null;
}

export interface MethodRecord extends StoredRecord {
  type: string;
  /** Null until the method is saved to a customer. */
  customer_id: string | null;
  billing_details: BillingDetails;
  details: Readonly<Record<string, unknown>> | null;
  /** Number of the test card, which decides the outcome of its payments. */
  _card: string | null;
}
