// What a page does with the form that was sent: pays, sends the payer on to approve, or says what is wrong with it.

import type {ApiResponse} from '../../api/wire.js';
import {CentavoError} from '../../errors.js';
import {pay, redirectPayer} from '../paying/payer.js';
import type {IntentRecord} from '../records.js';
import type {Work} from '../work.js';
import {billingDetails, billingFaults, submittedBilling} from './billing.js';
import {cardFaults} from './cards.js';
import {asksBilling, offered, type Faults} from './form.js';
import {seeOther} from './layout.js';

export interface Payable {
  /** The statement or session. */
  readonly id: string;
  readonly intent: IntentRecord;
  /** The page it is paid on. */
  readonly path: string;
  /** Where the payer goes when it is paid. */
  readonly done: string;
}

/** The answer, or the faults to show in the form. */
export function takeForm(work: Work, payable: Payable, form: URLSearchParams): ApiResponse | Faults {
  const method = form.get('method') ?? '';
  if (!offered(payable.intent).includes(method)) return {method: 'Choose how to pay.'};
  const typed = asksBilling(payable.intent) ? submittedBilling(form) : undefined;
  const faults = {...(method === 'card' && cardFaults(form, work.now)), ...billingFaults(typed)};
  if (Object.keys(faults).length > 0) return faults;
  const billing = billingDetails(typed);
  try {
    if (method === 'card') {
      const {result} = pay(work, payable.id, {card: form.get('number')!, billing});
      return seeOther(result === 'failed' ? `${payable.path}#attempt` : payable.done);
    }
    redirectPayer(work, payable.id, method, billing);
    return seeOther(`/p/${String(payable.intent.client_secret)}`);
  } catch (error) {
    // Nothing else can be refused: that it is open for payment was seen in the same transaction.
    if (!(error instanceof CentavoError) || error.code !== 'method_not_allowed') throw error;
    return {number: error.details.why ?? error.message};
  }
}

export const isAnswer = (outcome: ApiResponse | Faults): outcome is ApiResponse => 'status' in outcome;
