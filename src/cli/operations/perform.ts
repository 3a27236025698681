// Performs an operation on one object, and prints the result.

import {isWrite} from '../../api/operation.js';
import {getterOf, shapeOfId, type RegisteredOperation} from '../../api/registry.js';
import {statementNumberOf, statementSubjectOf, statementText, type StatementLike} from '../../api/statement.js';
import type {HistoryName, HistorySubject} from '../../history/history.js';
import type {BillingStatementData} from '../../billing/statement/plan.js';
import type {Context} from '../../context/context.js';
import type {RunOverrides} from '../../context/statement-runs.js';
import {CentavoError, type Applied} from '../../common/errors.js';
import type {CommandResult} from '../../output/result.js';
import {nameFor, suggestNext, withSuggestion, unknownSend} from '../next-command.js';
import {AFTER} from '../next-steps.js';
import {apiResultOf} from '../presentation/results.js';
import type {TargetStates} from './guard-operation.js';

export async function performOne(
  context: Context,
  registered: RegisteredOperation,
  ids: readonly string[],
  params: Readonly<Record<string, unknown>>,
  print: (result: CommandResult, applied: Applied) => Promise<void>,
  states?: TargetStates,
): Promise<unknown> {
  const {operation} = registered;
  const history = isWrite(operation) ? await context.history() : undefined;
  const subject = history && subjectFor(context, registered, [...ids, ...Object.values(params)]);
  if (subject) history.setSubject(subject());
  const {result, already} = await perform(context, registered, ids, params, states);
  if (history) await keepAnswer(context, result);
  if (subject) history.setSubject(subject(result));
  if (already) history?.markUnchanged();
  await print(
    operation.returns.kind === 'nothing'
      ? sentResult(context, result)
      : withMoney(
          context,
          registered,
          apiResultOf(operation.returns.shape, [result], result, 'one', {
            receipts: await receiptOf(context, registered, result),
          }),
        ),
    already ? 'no' : 'yes',
  );
  if (operation.returns.kind !== 'nothing' && operation.returns.shape.name === 'billing_statement')
    await (await import('../presentation/statement-notes.js')).noteServing(context, result as StatementLike);
  const {verb} = registered;
  const isNext = verb === 'finalize' || verb === 'send' || (verb === 'void' && !already);
  if (registered.resource.shape.prefix === 'bstm_' && isNext)
    suggestNext(context, AFTER[verb], statementNumberOf(result as StatementLike) ?? nameFor(context, ids[0]!));
  return result;
}

/** Shows a customer at a terminal with what they owe. */
const withMoney = (context: Context, {id}: RegisteredOperation, result: CommandResult): CommandResult => ({
  ...result,
  ...(id === 'customers:get' &&
    !result.rows[0]!.deleted && {
      view: async (row, {now}) => (await import('./customer-view.js')).customerView(context, row, result, now),
    }),
});

/** Reads the payment of a paid statement that contains only the payment's id. */
async function receiptOf(context: Context, {id}: RegisteredOperation, result: object) {
  if (id !== 'billing-statements:get') return undefined;
  const {isPaid} = await import('../presentation/standings.js');
  const statement = result as BillingStatementData;
  if (!isPaid(statement)) return undefined;
  const {ReceiptReader, receiptInStatement} = await context.billing();
  if (receiptInStatement(statement)) return undefined;
  const receipts = new ReceiptReader(await context.client(), context);
  // If the payment cannot be read, the statement is shown without it.
  const receipt = await receipts.receiptOf(statement).catch((error: unknown) => {
    if (!(error instanceof CentavoError) || error.kind === 'interrupted') throw error;
    return undefined;
  });
  return receipt === undefined ? undefined : new Map([[statement.id, receipt]]);
}

/** Keeps what was made under the idempotency key of the command, if there is one. */
export async function keepAnswer(context: Context, answer: {readonly id?: unknown}): Promise<void> {
  const repeats = context.keyed();
  if (!repeats) return;
  const {id} = answer;
  const shape = typeof id === 'string' ? shapeOfId(id) : undefined;
  const isReadable = shape !== undefined && getterOf(shape.prefix) !== undefined;
  const kept = isReadable ? undefined : context.io.hide(answer, {stream: 'stderr'});
  repeats.done(shape && String(id), kept, await context.accountNow());
}

export async function recordCreated(context: Context, answer: unknown): Promise<void> {
  const {id} = (answer ?? {}) as {id?: unknown};
  if (typeof id !== 'string' || !shapeOfId(id)) return;
  (await context.history()).addObject(id, targetNameOf(answer as StatementLike) ?? context.subjects.get(id));
}

function targetNameOf(object: StatementLike & {readonly name?: unknown}): HistoryName | undefined {
  if (object.resource === 'customer') return {customer: statementText(object.name)};
  return object.resource === 'billing_statement' && 'amount' in object ? statementSubjectOf(object) : undefined;
}

/** Operations that run in the billing engine, because they cannot be undone. */
const BILLING_OPERATIONS: readonly string[] = ['billing-statements:finalize', 'billing-statements:send'];

/** Records only which statements were sent, because the command has already recorded its change. */
async function performByPlan(context: Context, id: string, send: boolean): Promise<object> {
  const runs = await context.runs();
  const {intend, sendEnded} = await runs.history();
  const plan = {id, items: [], finalize: !send, send, named: {}};
  let isRefused = false;
  const history: RunOverrides['history'] = {
    // The command has recorded its first call. After a refusal, such as 429, another call may send the statement.
    intend: (call, ids) => (isRefused ? intend(call, ids) : undefined),
    sendEnded(sent, isSent) {
      isRefused = !isSent;
      sendEnded(sent, isSent);
    },
  };
  const outcome = await runs.carryOut(plan, {history: send ? history : {}});
  if (outcome.end === 'done')
    return send
      ? (await import('../presentation/statement-notes.js')).readSent(context, outcome.statement)
      : outcome.statement;
  if (outcome.stop.why === 'failed') {
    const {error} = outcome.stop;
    if (error.kind !== 'outcome_unknown') throw error;
    if (send) throw unknownSend(error, id);
    throw new CentavoError(error.kind, `centavo could not confirm whether ${id} was finalized.`, {
      ...error.details,
      changed: '',
    });
  }
  throw new Error(`A named statement cannot end as ${outcome.stop.why}.`);
}

/** @returns `already`: true if the object already had the status */
export async function perform(
  context: Context,
  registered: RegisteredOperation,
  ids: readonly string[],
  params: Readonly<Record<string, unknown>>,
  states?: TargetStates,
): Promise<{readonly result: object; readonly already?: boolean}> {
  const known = states?.get(ids[0]!);
  if (known instanceof CentavoError) throw known;
  const refused = () => import('./refused-operation.js');
  if (known) return (await refused()).alreadyDone(context, {registered, ids, params}, known as StatementLike);
  const client = await context.client();
  const {resource, operation, verb} = registered;
  try {
    const answer = await (BILLING_OPERATIONS.includes(registered.id)
      ? performByPlan(context, ids[0]!, verb === 'send')
      : client.perform({...registered, ids, params}, {signal: context.signal}));
    const result = answer as StatementLike;
    if (isWrite(operation)) await recordCreated(context, result);
    if (registered.id === 'refunds:create' && result.status === 'failed')
      throw (await refused()).refundFailed(context, result);
    return {result};
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    const {prefix} = resource.shape;
    const {billing_statement_id: draft} = params;
    const isNewItem = typeof draft === 'string';
    const isStatement = isNewItem || (prefix === 'bstm_' && ids.length === 1);
    if (error.kind === 'rejected' && (operation.reaches || isStatement)) {
      const call = isNewItem ? {...getterOf('bstm_')!, ids: [draft]} : {...getterOf(prefix)!, ids};
      const read = client.perform({...call, params: {}}, {signal: context.signal});
      // If the object cannot be read, report the refusal.
      const current = await Promise.resolve(read).catch((failed: unknown) => {
        if (!(failed instanceof CentavoError)) throw failed;
      });
      if (operation.reaches && (current as StatementLike | undefined)?.status === operation.reaches) {
        await recordCreated(context, current);
        return (await refused()).alreadyDone(context, {registered, ids, params}, current as StatementLike);
      }
      if (current && isStatement && !error.details.apiErrors?.some(({parameter}) => parameter !== undefined))
        await (
          await refused()
        ).refuseByMoney(context, isNewItem ? 'edit' : verb, error, {
          statement: current as StatementLike,
          params,
        });
    }
    return withSuggestion(context, {registered, ids, params})(error);
  }
}

/** Returns the result of a send: the statement as it is now. A terminal shows the recipient. */
export const sentResult = (context: Context, statement: object): CommandResult => ({
  ...apiResultOf(getterOf('bstm_')!.resource.shape, [statement], statement, 'one'),
  view: async (row) => (await import('../presentation/statement-notes.js')).sentLine(context, row as {id: string}),
});

/** Returns a function for the history's subject, before or after the call. @param named ids and values of the call */
export function subjectFor(
  {subjects}: Pick<Context, 'subjects'>,
  {resource}: RegisteredOperation,
  named: readonly unknown[],
): (answer?: object) => HistorySubject {
  const known = named.map((value) => subjects.get(String(value))).find((subject) => subject !== undefined) ?? {};
  if (resource.shape.prefix === 'bstm_')
    return (answer) => (answer ? statementSubjectOf(answer as StatementLike) : known);
  // Drop the statement's amount, which is not the amount of a line item or refund.
  const {amount: _, ...who} = known;
  return () => who;
}
