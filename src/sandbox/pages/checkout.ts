// The page of a checkout session: takes the payment while active, then links back to the merchant.

import {isFinal, type Standing} from '../../accounting/standing.js';
import type {ApiResponse} from '../../api/wire.js';
import {recordStanding} from '../record-standing.js';
import type {IntentRecord, SessionRecord} from '../record-types.js';
import type {Transaction} from '../transaction.js';
import {imageOrigin, itemImage} from './item-image.js';
import {endedPage, pageResponse, seeOther, webAddress} from './layout.js';
import {sessionPath} from './links.js';
import {html, type Html, untrusted} from '../../common/markup.js';
import {askForPayment, type PageRequest} from './payment-page.js';
import {itemsTable, type PageItem} from '../../common/page-parts.js';
import {payerOfPage, pageTime, merchantName, receiptView, receiptTitle} from './summary.js';

/** By `submit_type`: the button's label, and the heading before the merchant's name. */
const SUBMIT_TEXTS: Readonly<Record<string, {verb: string; heading: string}>> = {
  pay: {verb: 'Pay', heading: 'Pay'},
  donate: {verb: 'Donate', heading: 'Donate to'},
  book: {verb: 'Book', heading: 'Book with'},
  send: {verb: 'Send', heading: 'Send to'},
};

/** Any other `submit_type` is the label itself. */
const submitText = (type: string) =>
  Object.hasOwn(SUBMIT_TEXTS, type) ? SUBMIT_TEXTS[type]! : {verb: untrusted(type), heading: 'Pay'};

interface CheckoutLine {
  readonly name: string;
  readonly description: string | null;
  readonly quantity: number;
  readonly amount: number;
  readonly image: string | null;
}

export function checkoutPage(tx: Transaction, session: SessionRecord, request: PageRequest): ApiResponse {
  const standing = recordStanding(tx, session);
  if (isFinal(standing) || standing.state === 'held') return endedCheckoutPage(tx, session, standing, request);
  const path = sessionPath(session);
  const customer = payerOfPage(tx, session.customer_id);
  const cancel = webAddress(session.cancel_url);
  const merchant = merchantName(tx);
  return askForPayment(
    tx,
    {
      id: session.id,
      path,
      done: webAddress(session.success_url) ?? path,
      intent: intentOf(tx, session),
      name: 'Checkout',
      merchant,
      description: session.description as string | null,
      facts: [
        ['For', session.customer_id ? untrusted(customer.name) : undefined],
        ['Order', session.customer_reference_id ? untrusted(session.customer_reference_id, 100) : undefined],
        ['On your bank statement', session.statement_descriptor ? untrusted(session.statement_descriptor) : undefined],
        ['Expires', pageTime(session.expires_at)],
      ],
      ...checkoutItems(session, request),
      ...submitText(String(session.submit_type)),
      payer: customer.name,
      below: cancel && html`<a href="${cancel}">Cancel and return to ${untrusted(merchant)}</a>`,
    },
    request,
  );
}

const intentOf = (tx: Transaction, session: SessionRecord) => tx.peek(session._payment_intent_id) as IntentRecord;

function checkoutItems(session: SessionRecord, {loadsImages}: PageRequest): {items: Html; images: readonly string[]} {
  const lines = session.line_items as CheckoutLine[];
  const items = itemsTable(
    lines.map(({name, description, quantity, amount, image}): PageItem => ({
      name: untrusted(name),
      note: description ? untrusted(description) : '',
      quantity,
      price: amount,
      image: itemImage(image, name, loadsImages),
    })),
    [['Total', session.amount as number]],
  );
  const origins = loadsImages ? lines.flatMap(({image}) => imageOrigin(image) ?? []) : [];
  return {items, images: [...new Set(origins)]};
}

function endedCheckoutPage(tx: Transaction, session: SessionRecord, {state}: Standing, request: PageRequest) {
  const merchant = untrusted(merchantName(tx));
  if (state !== 'expired') {
    if (request.method === 'POST') return seeOther(sessionPath(session));
    const intent = intentOf(tx, session);
    const {items, images} = checkoutItems(session, request);
    return pageResponse({
      title: receiptTitle(tx, intent),
      images,
      main: receiptView(tx, {
        merchant,
        intent,
        items,
        back: linkBack(session.success_url, merchant),
      }),
    });
  }
  return endedPage({
    status: 410,
    heading: 'This checkout has expired',
    text: html`It expired on ${pageTime(Math.min(session.expires_at, session.updated_at))}. Nothing was charged. To try
    again, go back to ${merchant}.`,
    back: linkBack(session.cancel_url, merchant),
  });
}

function linkBack(address: string, merchant: Html) {
  const href = webAddress(address);
  return href === undefined ? undefined : {href, label: html`Return to ${merchant}`};
}
