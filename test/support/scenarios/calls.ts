// For every operation of the contract: words to type after its command that make it succeed, on an object of its own.

import type {Merchant} from './merchant.js';

type Words = (merchant: Merchant) => Promise<readonly string[]> | readonly string[];

/** The id of the created object, and further words. */
const on =
  (make: (merchant: Merchant) => Promise<{readonly id?: string}>, ...words: string[]): Words =>
  async (merchant) => [(await make(merchant)).id!, ...words];

const forCustomer =
  (...words: string[]): Words =>
  async (merchant) => ['--customer', (await merchant.customer()).id as string, ...words];

const list: Words = () => ['--limit', '3'];

export const CALLS: Readonly<Record<string, Words>> = {
  'customers:create': () => ['--name', 'Maria Clara', '--email', 'maria@example.com'],
  'customers:get': on((merchant) => merchant.customer()),
  'customers:list': list,
  'customers:update': on((merchant) => merchant.customer(), '--name', 'Maria Clara'),
  'customers:delete': on((merchant) => merchant.customer()),
  'customers:list-payment-methods': async (merchant) => [(await merchant.saved()).customer],
  'customers:delete-payment-method': async (merchant) => Object.values(await merchant.saved()),
  'billing-statements:create': forCustomer('--description', 'June rent'),
  'billing-statements:get': on((merchant) => merchant.open()),
  'billing-statements:list': list,
  'billing-statements:update': on((merchant) => merchant.draft(), '--description', 'July rent'),
  'billing-statements:delete': on((merchant) => merchant.draft()),
  'billing-statements:finalize': on((merchant) => merchant.draft()),
  'billing-statements:void': on((merchant) => merchant.open()),
  'billing-statements:mark-uncollectible': on((merchant) => merchant.open()),
  'billing-statements:send': on((merchant) => merchant.open()),
  'billing-statement-line-items:create': async (merchant) => [
    ...['--billing-statement', (await merchant.draft()).id as string, '--description', 'Hosting'],
    ...['--unit-price', '450.50', '--quantity', '2'],
  ],
  'billing-statement-line-items:update': on((merchant) => merchant.lineItem(), '--quantity', '3'),
  'billing-statement-line-items:delete': on((merchant) => merchant.lineItem()),
  'payment-intents:create': () => ['--amount', '1,250.50', '--payment-methods', 'card,gcash'],
  'payment-intents:get': on((merchant) => merchant.intent()),
  'payment-intents:update': on((merchant) => merchant.intent(), '--amount', '1,300'),
  'payment-intents:cancel': on((merchant) => merchant.intent()),
  'payment-intents:capture': on((merchant) => merchant.held(), '--amount', '1,250.50'),
  'payment-intents:attach': async (merchant) => {
    const {customer, method} = await merchant.saved();
    return [(await merchant.intent({customer_id: customer})).id as string, '--payment-method', method];
  },
  'checkout-sessions:create': () => [
    ...['--item', 'T-shirt x2 @ 450', '--success-url', 'https://shop.example/thanks'],
    ...['--cancel-url', 'https://shop.example/cart'],
  ],
  'checkout-sessions:get': on((merchant) => merchant.session()),
  'checkout-sessions:list': list,
  'checkout-sessions:expire': on((merchant) => merchant.session()),
  'payments:get': on((merchant) => merchant.payment()),
  'payments:update': on((merchant) => merchant.payment(), '--metadata', 'unit=4B'),
  'refunds:create': async (merchant) => [
    ...['--payment', (await merchant.payment()).id as string],
    ...['--amount-centavos', '10000', '--reason', 'others'],
  ],
  'refunds:update': on((merchant) => merchant.refund(), '--metadata', 'ticket=8841'),
  'payouts:list-transactions': async (merchant) => [await merchant.payout(), '--limit', '3'],
  'webhooks:create': () => ['--url', 'https://shop.example/hooks', '--events', 'payment_intent.succeeded'],
  'webhooks:get': on((merchant) => merchant.webhook()),
  'webhooks:list': list,
  'webhooks:update': on((merchant) => merchant.webhook(), '--description', 'Orders'),
  'webhooks:delete': on((merchant) => merchant.webhook()),
  'webhooks:enable': on((merchant) => merchant.webhook()),
  'webhooks:disable': on((merchant) => merchant.webhook()),
  'customer-sessions:create': forCustomer(),
  'customer-sessions:get': on((merchant) => merchant.customerSession()),
  'setup-intents:create': forCustomer(),
  'setup-intents:get': on((merchant) => merchant.setupIntent()),
  'setup-intents:cancel': on((merchant) => merchant.setupIntent()),
};
