// Sixty commands of a script's day, each with the objects that it works on.

import {join} from 'node:path';
import {writeFileSync} from 'node:fs';
import type {Machine} from './killed.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

/** Words in braces are ids of objects that are made first: `{open}` is an open statement. */
export interface Everyday {
  readonly name: string;
  readonly words: string;
  /** True if it takes --idempotency-key. */
  readonly isKeyed?: boolean;
}

const keyed = (name: string, words: string): Everyday => ({name, words, isKeyed: true});
const plain = (name: string, words: string): Everyday => ({name, words});
const BILL = 'billing-statements create --customer {customer} --item "Web design @ 1,500" --due 2030-01-15';

export const EVERYDAY: readonly Everyday[] = [
  keyed('customer', 'customers create --name "Ana Reyes" --email ana@example.com'),
  keyed('customer of a known address', 'customers create --name "Juan Dela Cruz" --email {address}'),
  keyed('customer with metadata', 'customers create --name Ben --email ben@example.com --data metadata[order]=7'),
  keyed('webhook', 'webhooks create --url https://shop.example/a --events payment_intent.succeeded'),
  keyed(
    'webhook with a description',
    'webhooks create --url https://shop.example/b --events payment_intent.succeeded,refund.updated --description Books',
  ),
  keyed(
    'checkout session',
    'checkout-sessions create --item "T-shirt x2 @ 450" --success-url https://shop.example/ok --cancel-url https://shop.example/no',
  ),
  keyed(
    'checkout session of two items',
    'checkout-sessions create --item "Cap @ 250" --item "Mug @ 150" --success-url https://shop.example/ok --cancel-url https://shop.example/no',
  ),
  keyed('payment intent', 'payment-intents create --amount 1250.50'),
  keyed('payment intent with a description', 'payment-intents create --amount 99 --description Coffee'),
  keyed('customer session', 'customer-sessions create --customer {customer}'),
  keyed('setup intent', 'setup-intents create --customer {customer}'),
  keyed(
    'line item',
    'billing-statement-line-items create --billing-statement {draft} --description Hosting --unit-price 250 --quantity 1',
  ),
  keyed(
    'line item equal to another',
    'billing-statement-line-items create --billing-statement {draft} --description "Web design" --unit-price 1500 --quantity 1',
  ),
  keyed('empty draft', 'billing-statements create --customer {customer}'),
  keyed(
    'draft with items',
    'billing-statements create --customer {customer} --item "Web design @ 1,500" --item "Hosting @ 250"',
  ),
  keyed('bill', `${BILL} --finalize`),
  keyed('bill with an email', `${BILL} --send`),
  keyed('bill of a file', 'billing-statements create --customer {customer} --items {file} --due 2030-01-15 --send'),
  keyed(
    'bill by email address',
    'billing-statements create --customer-email {address} --item "Web design @ 1,500" --due +7d --finalize',
  ),
  keyed('bill with metadata', `${BILL} --metadata order=1042 --finalize`),
  keyed('copy as a draft', 'billing-statements duplicate {open}'),
  keyed('copy as a bill', 'billing-statements duplicate {open} --due 2030-01-15 --finalize'),
  keyed('copy with an email', 'billing-statements duplicate {open} --due 2030-01-15 --send'),
  keyed(
    'copy for another customer',
    'billing-statements duplicate {open} --customer {other} --due 2030-01-15 --finalize',
  ),
  keyed('reissue', 'billing-statements reissue {open} --due 2030-01-15'),
  keyed('reissue with other items', 'billing-statements reissue {open} --item "Web design @ 1,300"'),
  keyed('reissue with an email', 'billing-statements reissue {open} --due 2030-01-15 --send'),
  keyed('refund of a payment', 'refunds create --payment {payment} --amount 100 --reason others'),
  keyed('refund of a statement', 'refunds create --statement {paid} --amount 100 --reason others'),
  keyed('refund of the rest', 'refunds create --statement {paid} --reason others --yes'),
  keyed('refund with remarks', 'refunds create --payment {payment} --amount 45 --reason others --remarks "Broken lid"'),
  keyed('capture', 'payment-intents capture {held} --amount 1250.50'),
  keyed('capture of a part', 'payment-intents capture {held} --amount 500'),
  keyed('email of a statement', 'billing-statements send {open}'),
  keyed('email of a draft', 'billing-statements send {draft} --finalize'),
  plain('finalize', 'billing-statements finalize {draft}'),
  plain('void', 'billing-statements void {open} --yes'),
  plain('write off', 'billing-statements mark-uncollectible {open} --yes'),
  plain('settle', 'billing-statements settle {open} --paid-outside cash --yes'),
  plain('new due date', 'billing-statements update {draft} --due 2030-02-15'),
  plain('delete a draft', 'billing-statements delete {draft} --yes'),
  plain('edit a draft', 'billing-statements edit {draft} --item "Web design @ 1,700"'),
  plain('new name', 'customers update {customer} --name "Juan D. Cruz"'),
  plain('delete a customer', 'customers delete {customer} --yes'),
  plain('webhook address', 'webhooks update {webhook} --url https://shop.example/new'),
  plain('webhook off', 'webhooks disable {webhook}'),
  plain('webhook deleted', 'webhooks delete {webhook} --yes'),
  plain('session expired', 'checkout-sessions expire {session}'),
  plain('intent cancelled', 'payment-intents cancel {intent} --yes'),
  plain('item changed', 'billing-statement-line-items update {item} --quantity 3'),
  plain('item deleted', 'billing-statement-line-items delete {item} --yes'),
  plain('remind', 'billing-statements remind {open} --yes'),
  plain('list of statements', 'billing-statements list'),
  plain('statement', 'billing-statements get {open}'),
  plain('link', 'billing-statements link {open}'),
  plain('aging', 'billing-statements aging'),
  plain('customers', 'customers list'),
  plain('ledger', 'customers ledger {customer}'),
  plain('payment', 'payments get {payment}'),
  plain('why', 'why {open}'),
];

/** Makes the objects in braces, and returns the words. */
export async function wordsOf({merchant, home}: Machine, {words}: Everyday): Promise<string[]> {
  const customer = async (): Promise<string> => (known ??= (await merchant.customer()).id as string);
  let known: string | undefined;
  const paid = async () => {
    const {id} = await merchant.open({customer_id: await customer()});
    return {id, payment: controlOf(merchant.sandbox).pay(id as string, {}).payment!};
  };
  const idOf = async (made: Promise<{readonly id?: unknown}>): Promise<string> => String((await made).id);
  const file = join(home, 'items.csv');
  const makers: Readonly<Record<string, () => Promise<string> | string>> = {
    customer,
    address: async () => String((await merchant.call('GET', `/customers/${await customer()}`)).email),
    other: () => idOf(merchant.customer({name: 'Ben', email: 'ben@example.com'})),
    draft: async () => idOf(merchant.draft({customer_id: await customer()})),
    open: async () => idOf(merchant.open({customer_id: await customer()})),
    paid: async () => String((await paid()).id),
    payment: async () => String((await paid()).payment.id),
    held: () => idOf(merchant.held()),
    intent: () => idOf(merchant.intent()),
    webhook: () => idOf(merchant.webhook()),
    session: () => idOf(merchant.session()),
    item: () => idOf(merchant.lineItem()),
    file: () => {
      writeFileSync(file, 'description,quantity,unit price\nWeb design,1,1500\nHosting,2,250\n');
      return file;
    },
  };
  const made: string[] = [];
  for (const word of words.match(/"[^"]*"|\S+/g) ?? []) {
    const name = /^\{(\w+)\}$/.exec(word)?.[1];
    made.push(name ? await makers[name]!() : word.replaceAll('"', ''));
  }
  return made;
}
