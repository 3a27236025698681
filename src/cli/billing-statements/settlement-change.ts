// The settling of a statement as a change for the guard, with the reason that the history keeps.

import {customerOf, numberOf, type StatementLike} from '../../api/statement.js';
import type {RegisteredOperation} from '../../api/registry.js';
import {CentavoError, usageError} from '../../errors.js';
import {amountOf} from '../../guard/change-amounts.js';
import type {Change, ChangeDetails} from '../../guard/change.js';
import {shown, UNKNOWN_AMOUNT} from '../../guard/describe.js';
import {clean} from '../../output/format.js';
import {formatPesos} from '../../pesos.js';

/** The longest reason that is kept, in characters. */
const LONGEST_REASON = 200;

/** A reason as it is kept: one line. @throws CentavoError kind `usage` for an empty or a long one */
export function readReason(text: string): string {
  const reason = clean(text.replace(/\s+/gu, ' ').trim());
  const {length} = [...reason];
  if (length === 0)
    throw usageError('--paid-outside is empty.', {
      code: 'empty',
      hint: 'Say how it was paid: --paid-outside "cash, 12 Nov"',
    });
  if (length > LONGEST_REASON)
    throw usageError(`--paid-outside is ${length} characters; the limit is ${LONGEST_REASON}.`, {code: 'too_long'});
  return reason;
}

/** `JEEPNEY-0012 of ₱1,500.00 for Juan Dela Cruz`. */
function describeStatement(statement: StatementLike): string {
  const amount = amountOf(statement);
  const {name, email, id} = customerOf(statement);
  const payer = name ?? email ?? id;
  const of = amount === undefined ? UNKNOWN_AMOUNT : formatPesos(amount);
  return `${numberOf(statement) ?? String(statement.id)} of ${of}${payer === undefined ? '' : ` for ${shown(payer)}`}`;
}

/** @param statement as it was just read @param options `read` reads it again */
export function changeOfSettlement(
  {verb}: RegisteredOperation,
  statement: StatementLike,
  {reason, read}: {readonly reason: string; readonly read: () => Promise<StatementLike>},
): Change {
  const detailsOf = (now: StatementLike): ChangeDetails => ({
    what: `${verb.replaceAll('-', ' ')} billing statement ${describeStatement(now)} as paid outside: "${reason}"`,
    statements: 1,
    amount: amountOf(now),
    subject: {number: numberOf(now), customer: customerOf(now).name},
    // Nothing is collected any more.
    amounts: [],
  });
  return {
    command: 'billing-statements settle',
    asks: true,
    ids: [String(statement.id)],
    reason,
    known: detailsOf(statement),
    lookUp: async () => detailsOf(await read()),
  };
}

/**
 * Why a statement that is not open cannot be settled.
 * @param account the flags of the account that it is about
 * @param refusal of the API, when it was open before
 */
export function notSettled(statement: StatementLike, account: string, refusal?: CentavoError): CentavoError {
  const {status} = statement;
  const isPaid = status === 'paid';
  const name = numberOf(statement) ?? String(statement.id);
  const message =
    isPaid && refusal
      ? `${describeStatement(statement)} was paid online meanwhile.`
      : `${name} is ${String(status)}${isPaid ? ' already' : ''}.`;
  return new CentavoError('rejected', message, {
    ...refusal?.details,
    code: isPaid ? 'already_paid' : 'not_open',
    why: isPaid
      ? 'A billing statement that was paid online is not settled another way.'
      : status === 'draft'
        ? 'A draft is owed by nobody. Delete it, or finalize it first.'
        : 'Only an open billing statement can be settled.',
    hint: `See it: centavo billing-statements get ${String(statement.id)}${account}`,
    applied: 'no',
  });
}
