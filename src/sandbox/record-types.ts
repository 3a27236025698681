// Types of stored records. Fields that start with an underscore are internal to the sandbox.

import type {PaymentMethodOptions, PaymentSettings} from '../api/types.js';
import type {BillingDetails} from './payments/billing-details.js';
import type {StoredRecord} from './store.js';

export interface StatementRecord extends StoredRecord {
  status: string;
  amount: number;
  currency: string;
  customer_id: string;
  billing_statement_number: string;
  description: string | null;
  due_at: number | null;
  setup_future_usage: string | null;
  payment_settings: PaymentSettings;
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
  /** Lists that are missing or null allow everything. */
  payment_method_options: PaymentMethodOptions;
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
