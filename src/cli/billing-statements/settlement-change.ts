// The settling of a statement as a change for the guard, with the reason that the history keeps.

import {customerOf, numberOf, type StatementLike} from '../../api/statement.js';
import type {RegisteredOperation} from '../../api/registry.js';
import {usageError} from '../../errors.js';
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

/** @param statement as it was just read @param options `read` reads it again */
export function changeOfSettlement(
  registered: RegisteredOperation,
  statement: StatementLike,
  {reason, read}: {readonly reason: string; readonly read: () => Promise<StatementLike>},
): Change {
  const id = String(statement.id);
  const detailsOf = (now: StatementLike): ChangeDetails => {
    const amount = amountOf(now);
    const customer = customerOf(now);
    const payer = customer.name ?? customer.email ?? customer.id;
    const verb = registered.verb === 'void' ? 'void' : 'mark uncollectible';
    const of = amount === undefined ? UNKNOWN_AMOUNT : formatPesos(amount);
    return {
      what: `${verb} billing statement ${numberOf(now) ?? id} of ${of}${payer === undefined ? '' : ` for ${shown(payer)}`} as paid outside: "${reason}"`,
      statements: 1,
      amount,
      // Nothing is collected any more.
      amounts: [],
    };
  };
  return {
    command: 'billing-statements settle',
    asks: true,
    ids: [id],
    reason,
    known: detailsOf(statement),
    lookUp: async () => detailsOf(await read()),
  };
}
