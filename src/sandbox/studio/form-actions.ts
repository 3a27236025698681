// Actions of the studio's buttons. Each returns a sentence about the result.

import {capitalized, CentavoError, messageAndReason} from '../../common/errors.js';
import {isDay} from '../../common/manila.js';
import {formatPesos} from '../../common/pesos.js';
import {isFileError} from '../../common/system-errors.js';
import {explainListenerCode} from '../../http/listener-codes.js';
import type {DeliveryAttempt} from '../delivery/attempts.js';
import {ApiProblem} from '../api-problems.js';
import type {SandboxControl} from '../control/control.js';
import {runAction} from '../requests/router.js';
import type {ServedState} from '../sandbox.js';
import {loadSnapshot, saveSnapshot} from '../snapshots.js';
import type {Message} from './context.js';
import {answerTo, isExample} from './queries.js';
import {clockText} from './format.js';

/** Milliseconds for an app to accept a resent event: less than the browser's own limit. */
const RESEND_TIMEOUT = 5000;

/** A sentence, or a message about a failure. */
type FormResult = Message | string;
type FormAction = (
  control: SandboxControl,
  form: URLSearchParams,
  served: ServedState,
) => FormResult | Promise<FormResult>;

function markPaid(control: SandboxControl, form: URLSearchParams, served: ServedState, fail?: string): string {
  const chosen = {method: form.get('method') ?? undefined, fail};
  const {result, payment_intent: intent, error} = control.pay(form.get('id') ?? '', chosen, served);
  if (!intent)
    return error ? `The payment method was not saved: ${String(error.code)}.` : 'The payment method was saved.';
  const amount = formatPesos(intent.amount as number);
  if (result === 'failed')
    return `The payment of ${amount} failed: ${(intent.last_payment_error as {code: string}).code}.`;
  return result === 'held' ? `${amount} is held on the card, until it is captured.` : `${amount} was paid.`;
}

/** Reads pesos as the field shows them, in centavos. */
function amountOf(form: URLSearchParams): number {
  const typed = form.get('amount') ?? '';
  const [, pesos, part = ''] = /^₱?(\d{1,9})(?:\.(\d{1,2}))?$/.exec(typed.replace(/[\s,]/g, '')) ?? [];
  if (pesos !== undefined) return Number(pesos + part.padEnd(2, '0'));
  throw new CentavoError('usage', `${JSON.stringify(typed)} is not an amount in pesos. Nothing was done.`);
}

function attemptText(attempt: DeliveryAttempt, body: string | null | undefined): string {
  const {url, status, error, duration_ms: took, outcome, event_id: event} = attempt;
  // The error says why nothing was sent.
  if (outcome === 'refused' || isExample(attempt)) return `${error}.`;
  const listener = explainListenerCode(body, url, event);
  if (listener !== undefined) return listener;
  const result = status === null ? 'did not answer' : outcome === 'delivered' ? 'accepted it' : 'did not accept it';
  return `${new URL(url).host} ${result}: ${status ?? error}, ${took} ms.`;
}

export const ACTIONS: Readonly<Record<string, FormAction>> = {
  pay: (control, form, served) => markPaid(control, form, served),
  fail: (control, form, served) => markPaid(control, form, served, form.get('code') ?? 'generic_decline'),
  capture: ({sandbox}, form, served) => {
    const [amount, id] = [amountOf(form), form.get('id') ?? ''];
    sandbox.perform((tx) => runAction(tx, 'payment-intents:capture', {amount}, id), served);
    return `${formatPesos(amount)} was captured.`;
  },
  refund: ({sandbox}, form, served) => {
    const amount = amountOf(form);
    const refund = {payment_id: form.get('id'), amount, currency: 'PHP', reason: form.get('reason')};
    sandbox.perform((tx) => runAction(tx, 'refunds:create', refund), served);
    return `${formatPesos(amount)} was refunded.`;
  },
  enable: ({sandbox}, form, served) => {
    sandbox.perform((tx) => runAction(tx, 'webhooks:enable', {}, form.get('id') ?? ''), served);
    return 'The webhook is enabled. Events that happened before are not sent to it.';
  },
  resend: async ({sandbox}, form) => {
    const webhook = form.get('webhook') ?? undefined;
    const attempts = await sandbox.resendEvent(form.get('id') ?? '', {webhook, timeout: RESEND_TIMEOUT});
    return {
      text: sandbox.read(({store}) =>
        attempts.map((attempt) => attemptText(attempt, answerTo(store, attempt)?.body)).join(' '),
      ),
      failed: attempts.some(({outcome}) => outcome !== 'delivered'),
    };
  },
  advance: ({sandbox}, form) => {
    const to = Number(/^\d+$/.exec(form.get('to') ?? ''));
    if (!isDay(to)) throw new CentavoError('usage', 'the clock cannot move to this time. Nothing was done.');
    // The clock runs, so the page's time may have passed.
    const {now} = sandbox.setClock(Math.max(to, sandbox.now()));
    return `It is now ${clockText(now)}. Everything due by then has happened.`;
  },
  snapshot: ({sandbox}) => `Saved as ${saveSnapshot(sandbox)}.`,
  restore: ({sandbox}, form) => {
    const name = form.get('name') ?? '';
    const before = loadSnapshot(sandbox, name);
    return `Restored ${name}. The previous state is saved as ${before}.`;
  },
};

/** Runs a button's action. Refusals become messages. */
export async function runFormAction(
  control: SandboxControl,
  verb: string,
  form: URLSearchParams,
  links: string,
): Promise<Message> {
  try {
    const result = await ACTIONS[verb]!(control, form, {cause: 'studio', baseUrl: links});
    return typeof result === 'string' ? {text: result} : result;
  } catch (error) {
    if (!(error instanceof CentavoError || error instanceof ApiProblem)) throw error;
    const text = error instanceof CentavoError ? messageAndReason(error) : error.message;
    // An event may have been sent before the file failed.
    const suffix =
      isFileError(error) && error.details.applied === 'no' && verb !== 'resend' ? ' Nothing was done.' : '';
    const isOfAmount = error instanceof ApiProblem && error.errors[0]?.parameter === 'amount';
    const more = suffix + (isOfAmount ? ' The API counts centavos.' : '');
    // Capitalize a first word, but not an id.
    return {text: text.replace(/^[a-z]+ /, capitalized) + more, failed: true};
  }
}
