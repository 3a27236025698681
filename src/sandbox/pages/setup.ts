// The page of a setup intent, where a customer chooses a payment method to save, and approves it.

import type {ApiResponse} from '../../api/wire.js';
import {allows, transition} from '../lifecycle.js';
import {redirectPayer} from '../payments/pay-statement.js';
import type {IntentRecord} from '../record-types.js';
import type {Transaction} from '../transaction.js';
import {answerAttempt, answerForm} from './approval.js';
import {endedPage, pageResponse, seeOther} from './layout.js';
import {html, type Html, shorten, untrusted} from '../../common/markup.js';
import {type PageRequest, radioChoice} from './payment-page.js';
import {merchantName, pageMethodName, SEAL} from './summary.js';

export function setupPage(tx: Transaction, intent: IntentRecord, {method, path, form}: PageRequest): ApiResponse {
  const {status, payment_methods: methods} = intent;
  const type = String(tx.peek(intent.payment_method_id)?.type);
  const isOpen = allows(intent, 'begin');
  const isApproving = status === 'awaiting_next_action';
  if (method === 'POST') {
    const chosen = form.get('method') ?? '';
    if (isOpen && form.get('answer') === 'cancel') transition(tx, intent, 'cancel');
    else if (isApproving) answerAttempt(tx, intent, type, form);
    else if (isOpen && methods.includes(chosen)) redirectPayer(tx, intent.id, {method: chosen});
    return seeOther(path);
  }
  const merchant = untrusted(merchantName(tx));
  const name = pageMethodName(type);
  if (status === 'canceled')
    return endedPage({
      status: 410,
      heading: 'This setup was canceled',
      text: html`No payment method was saved for ${merchant}. Nothing was charged.`,
    });
  if (allows(intent, 'succeed'))
    return endedPage({
      status: 200,
      heading: `${name} is being saved`,
      text: html`You can close this page. Only a webhook notifies ${merchant}.`,
      autoReload: 'reloading',
    });
  const [heading, rest] = isApproving
    ? [`${name}: approve saving your account`, answerForm(intent, type, path, cancelButton)]
    : isOpen
      ? ['Save a payment method', choiceForm(intent, type, path)]
      : [`${name} is saved`, html`<p>You can use it for your next payment to ${merchant}. Nothing was charged.</p>`];
  const main = html`<div class="narrow sheet">
    ${!isOpen && SEAL}
    <h1 class="plain">${isOpen && html`<span>For <b>${merchant}</b></span>`} ${heading}</h1>
    ${isOpen && intent.description && html`<p class="about">${untrusted(intent.description)}</p>`} ${rest}
  </div>`;
  const title = `${heading}, for ${shorten(merchantName(tx), 60)}`;
  return pageResponse({title, main, autoReload: isOpen ? 'in script' : undefined, state: `${status} ${type}`});
}

const cancelButton = html`<button class="second" name="answer" value="cancel" formnovalidate>Cancel</button>`;

function choiceForm(intent: IntentRecord, type: string, path: string): Html {
  const {payment_methods: methods} = intent;
  const chosen = methods.includes(type) ? type : methods[0];
  return html`${
      Boolean(intent.last_payment_error) &&
      html`<div class="alert" role="alert" id="attempt" tabindex="-1">
        <h2>${pageMethodName(type)} was not saved</h2>
        <p>Nothing was charged. Try again, or choose another way to pay.</p>
      </div>`
    }
    <form method="post" action="${path}">
      <fieldset>
        <legend>How do you want to pay in future?</legend>
        ${methods.map((method) => radioChoice(method, method === chosen, ''))}
      </fieldset>
      <button>Continue</button>
      ${cancelButton}
    </form>`;
}
