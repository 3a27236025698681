// What a refused or repeated operation means, by what happened to the money. Loaded only when the API refuses one.

import {describeStanding} from '../../accounting/words.js';
import type {StatementLike} from '../../api/statement.js';
import type {Context} from '../../context/context.js';
import {CentavoError, nextCommand} from '../../common/errors.js';
import {formatPesos} from '../../common/pesos.js';
import {UNKNOWN_AMOUNT, type DescribedCall} from '../../guard/describe-change.js';
import {formatTime} from '../../output/format.js';
import {nameFor} from '../next-command.js';
import {accountArgs} from '../next-steps.js';
import {readStanding, refusalIn} from '../presentation/standings.js';
import {alternativeStep} from '../refusals.js';

export const refundFailed = (context: Context, {id, payment_id: payment}: StatementLike): CentavoError =>
  new CentavoError('rejected', `the refund ${String(id)} failed: no money was returned.`, {
    code: 'refund_failed',
    next: [
      nextCommand(
        'Refund it outside the service, or check the payment',
        'payments get',
        String(payment),
        accountArgs(context),
      ),
    ],
    applied: 'no',
  });

/** Throws what happened to the money instead of the API's refusal, if that is why the verb is refused. */
export async function refuseByMoney(
  context: Context,
  verb: string,
  {details}: CentavoError,
  {statement, params}: {readonly statement: StatementLike; readonly params: Readonly<Record<string, unknown>>},
): Promise<void> {
  const standing = await readStanding(context, statement);
  if (alternativeStep(verb, standing) === undefined) return;
  throw await refusalIn(context, verb, standing, {...details, reissue: reissueArguments(params)});
}

/** Returns `--due` if only the due date changes; otherwise `--edit`, which asks for the changes. */
const reissueArguments = ({due_at: due, ...rest}: Readonly<Record<string, unknown>>): string[] =>
  typeof due === 'number' && Object.keys(rest).length === 0 ? ['--due', formatTime(due).slice(0, 10)] : ['--edit'];

/** Returns the object with `already: true`. @throws CentavoError `captured_otherwise` if another amount was captured */
export async function alreadyDone(
  context: Context,
  {registered: {operation, resource}, ids: [id = ''], params: {amount}}: DescribedCall,
  result: StatementLike,
): Promise<{readonly result: object; readonly already: true}> {
  const {amount_received: received} = result;
  if (amount !== undefined && String(received) !== String(amount)) {
    const captured = typeof received === 'number' ? formatPesos(received) : UNKNOWN_AMOUNT;
    throw new CentavoError('rejected', `${captured} of ${id} was captured, not ${formatPesos(Number(amount))}.`, {
      code: 'captured_otherwise',
      why: 'An amount can be captured only once.',
      next: [nextCommand('See it', 'payment-intents get', id, accountArgs(context))],
      applied: 'no',
    });
  }
  const name = nameFor(context, id);
  const standing = resource.shape.prefix === 'bstm_' ? await readStanding(context, result) : undefined;
  // A void statement may have been paid outside the service, or replaced by one that is open.
  const isMore = standing?.state === 'settled' || standing?.state === 'replaced';
  const words = isMore
    ? describeStanding(standing, await context.accountNow(), name)
    : `${name} is already ${operation.reaches}`;
  context.io.note(`${words}. Nothing was changed.`);
  return {result: {...result, already: true}, already: true};
}
