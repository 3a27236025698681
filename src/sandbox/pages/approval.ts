// The page of a wallet, QR Ph or bank, where the payer approves, declines or fails a payment.

import {encode} from 'uqr';
import {isReceived, type Standing} from '../../accounting/standing.js';
import type {ApiResponse} from '../../api/wire.js';
import {capitalized} from '../../common/errors.js';
import {formatPesos} from '../../common/pesos.js';
import {TEST_CARD_FAILURES, type Instrument, instrumentOf, isFailureCode} from '../payments/instruments.js';
import {approveAndLeave} from '../payments/intents.js';
import {payStatement, type PayResult} from '../payments/pay-statement.js';
import {recordStanding} from '../record-standing.js';
import type {IntentRecord, MethodRecord} from '../record-types.js';
import type {StoredRecord} from '../store.js';
import type {Transaction} from '../transaction.js';
import {endedPage, pageResponse, seeOther, webAddress} from './layout.js';
import {sourcePath} from './links.js';
import {html, type Html, shorten, untrusted} from '../../common/markup.js';
import {qrSvg} from '../../common/page-parts.js';
import {isStale, type PageRequest, processing, stateField} from './payment-page.js';
import {approverName, merchantName, paidWith, receiptView, receiptTitle, selectField} from './summary.js';

export function approvalPage(tx: Transaction, intent: IntentRecord, {method, path, form}: PageRequest): ApiResponse {
  const source = tx.peek(intent._source_id);
  const standing = recordStanding(tx, intent);
  if (standing.state !== 'approving') {
    if (!source) return standing.state === 'processing' ? processing(tx, intent) : ended(tx, intent, standing);
    // A payment made elsewhere, such as on a phone, continues as after an approval.
    return seeOther(isCharged(standing) ? urlAfterApproval(intent, source)! : sourcePath(source));
  }
  const instrument = instrumentOf(tx.peek(intent.payment_method_id) as MethodRecord);
  const {type} = instrument;
  if (method === 'GET') return approving(tx, intent, instrument, path, source);
  const result = answerAttempt(tx, intent, type, form);
  if (!result) return seeOther(path);
  if (result === 'processing') return seeOther(source ? sourcePath(source) : path);
  if (result === 'failed') return seeOther(source ? `${sourcePath(source)}#attempt` : path);
  return seeOther(urlAfterApproval(intent, source) ?? path);
}

/** Ends the attempt with the payer's answer. Ignores a form of another attempt. @param type of the payment method */
export function answerAttempt(
  tx: Transaction,
  intent: IntentRecord,
  type: string,
  form: URLSearchParams,
): PayResult['result'] | undefined {
  const answer = form.get('answer') ?? '';
  // A stale page may show another wallet or amount.
  const isAnswer = form.get('method') === type && ['approve', 'leave', 'decline', 'fail'].includes(answer);
  if (!isAnswer || isStale(form, attemptOf(intent))) return undefined;
  if (answer === 'leave') {
    approveAndLeave(tx, intent);
    return 'processing';
  }
  const code = (answer === 'fail' && form.get('code')) || '';
  const fail = isFailureCode(code) ? code : 'generic_decline';
  return payStatement(tx, intent.id, answer === 'approve' ? {} : {fail}).result;
}

/** The amount of a setup intent is undefined. */
const attemptOf = ({payment_method_id: method, amount}: IntentRecord): string => [method, amount].join(' ');

const isCharged = (standing: Standing): boolean => isReceived(standing) || standing.state === 'held';

function urlAfterApproval(intent: IntentRecord, source: StoredRecord | undefined): string | undefined {
  if (!source) return webAddress(intent.return_url);
  return source.resource === 'checkout_session'
    ? (webAddress(source.success_url) ?? sourcePath(source))
    : sourcePath(source);
}

function approving(
  tx: Transaction,
  intent: IntentRecord,
  {type, plan}: Instrument,
  path: string,
  source?: StoredRecord,
): ApiResponse {
  const name = approverName(type);
  const merchant = merchantName(tx);
  const qr = type === 'qrph';
  const main = html`<div class="narrow sheet">
    <h1>
      <span
        >${qr ? 'Scan to pay' : html`${capitalized(name)}: approve your payment to`} <b>${untrusted(merchant)}</b></span
      >
      ${formatPesos(intent.amount)}
    </h1>
    ${intent.description ? html`<p class="about">${untrusted(intent.description)}</p>` : ''}
    ${plan && html`<p>${paidWith({type, [type]: plan})}</p>`} ${answerForm(intent, type, path)}
    ${source ? html`<p class="back"><a href="${sourcePath(source)}">Choose another way to pay</a></p>` : ''}
  </div>`;
  const title = `${qr ? 'Scan to pay' : `Approve ${type === 'card' ? 'at' : 'in'} ${name}`}: ${formatPesos(intent.amount)} to ${shorten(merchant, 60)}`;
  return pageResponse({
    title,
    main,
    leavesSite: webAddress(urlAfterApproval(intent, source)) !== undefined,
    autoReload: 'reloading',
    state: attemptOf(intent),
  });
}

/** @param more another button */
export function answerForm(intent: IntentRecord, type: string, path: string, more?: Html): Html {
  const qr = type === 'qrph';
  return html`${qr ? scanning(intent) : html`<p>On the real page, ${type === 'card' ? 'your bank asks for a code' : `you sign in to ${approverName(type)}`} here. In the sandbox, just choose an answer.</p>`}
    <form method="post" action="${path}">
      <input type="hidden" name="method" value="${type}" />
      ${stateField(attemptOf(intent))}
      <button name="answer" value="approve">${qr ? 'I have paid' : 'Approve'}</button>
      <button class="second" name="answer" value="leave">${qr ? 'Pay' : 'Approve'}, and close this page</button>
      <button class="second" name="answer" value="decline">Decline</button>
      ${more} ${otherFailures(type, intent.resource === 'setup_intent' ? 'Fail' : 'Fail the payment')}
    </form>`;
}

/** Returns plain text for the QR code, so that no bank or wallet app can pay it. */
const qrText = ({id, amount}: IntentRecord) => `Sandbox QR Ph, no money moves: PHP ${(amount / 100).toFixed(2)}, ${id}`;

const scanning = (intent: IntentRecord): Html =>
  html`${qrSvg(encode(qrText(intent), {ecc: 'M', border: 0}), `QR code for ${formatPesos(intent.amount)}`)}
    <p class="small soft">This is a test code. Scanning it does not pay anything. Choose an answer below.</p>`;

const CARD_FAILURES = ['blocked', 'cvc_incorrect'];

function otherFailures(type: string, label: string): Html {
  const failures = Object.entries(TEST_CARD_FAILURES).filter(
    ([code]) => type === 'card' || !CARD_FAILURES.includes(code),
  );
  return html`<details>
    <summary>Sandbox: simulate a failure</summary>
    ${selectField('code', 'Reason', failures)}
    <button class="second" name="answer" value="fail">${label}</button>
  </details>`;
}

/** Returns the final page of an intent without a statement or session. */
function ended(tx: Transaction, intent: IntentRecord, standing: Standing): ApiResponse {
  const merchant = untrusted(merchantName(tx));
  if (isCharged(standing))
    return pageResponse({title: receiptTitle(tx, intent), main: receiptView(tx, {merchant, intent})});
  if (standing.state === 'canceled')
    return endedPage({
      status: 410,
      heading: 'This payment was canceled',
      text: html`${merchant} canceled this payment. Nothing was charged.`,
    });
  const error = intent.last_payment_error as {detail: string} | null;
  return endedPage({
    status: error ? 200 : 404,
    heading: error ? 'The payment did not go through' : 'Nothing to approve',
    text: error
      ? html`${error.detail} Nothing was charged. Go back to ${merchant} to try again.`
      : html`Choose a payment method first.`,
  });
}
