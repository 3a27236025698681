// Names for the most used types, all derived from the contract.

import type {ObjectOf, ParamsOf} from './operation.js';
import type {billingStatementShape} from './resources/billing-statements.js';
import type {checkoutSessionShape} from './resources/checkout-sessions.js';
import type {customers, customerShape} from './resources/customers.js';
import type {paymentIntentShape} from './resources/payment-intents.js';
import type {paymentShape} from './resources/payments.js';
import type {payoutTransactionShape} from './resources/payouts.js';
import type {refundShape} from './resources/refunds.js';
import type {webhookShape} from './resources/webhooks.js';

export type BillingStatement = ObjectOf<typeof billingStatementShape>;
export type CheckoutSession = ObjectOf<typeof checkoutSessionShape>;
export type Customer = ObjectOf<typeof customerShape>;
export type CustomerCreateParams = ParamsOf<(typeof customers)['operations']['create']>;
export type Payment = ObjectOf<typeof paymentShape>;
export type PaymentIntent = ObjectOf<typeof paymentIntentShape>;
export type PayoutTransaction = ObjectOf<typeof payoutTransactionShape>;
export type Refund = ObjectOf<typeof refundShape>;
export type Webhook = ObjectOf<typeof webhookShape>;
