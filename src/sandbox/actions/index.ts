// The actions of every resource, by topic. A test checks that every operation of the contract has one.

import type {Actions} from './action.js';
import {billingStatementLineItems} from './billing-statement-line-items.js';
import {billingStatements} from './billing-statements.js';
import {checkoutSessions} from './checkout-sessions.js';
import {customers, customerSessions, setupIntents} from './customers.js';
import {paymentIntents} from './payment-intents.js';
import {payments, payouts, refunds} from './payments.js';
import {webhooks} from './webhooks.js';

export const actions: Readonly<Record<string, Actions>> = {
  customers,
  'billing-statements': billingStatements,
  'billing-statement-line-items': billingStatementLineItems,
  'payment-intents': paymentIntents,
  'checkout-sessions': checkoutSessions,
  payments,
  refunds,
  payouts,
  webhooks,
  'customer-sessions': customerSessions,
  'setup-intents': setupIntents,
};
