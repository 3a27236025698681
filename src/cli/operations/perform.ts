// Performs an operation on one object, and prints the result.

import {isWrite} from '../../api/operation.js';
import {shapeOfId, type RegisteredOperation} from '../../api/registry.js';
import {numberOf, subjectOf, textOf, type StatementLike} from '../../api/statement.js';
import type {Name, Subject} from '../../audit/audit.js';
import type {Statement} from '../../billing/compose/plan.js';
import type {Context} from '../../context.js';
import {CentavoError, type Applied} from '../../ground/errors.js';
import type {Result} from '../../output/result.js';
import {nameFor, noteNext, proposing, unknownSend} from '../next-command.js';
import {AFTER} from '../next-steps.js';
import {resultOfRecord} from '../records.js';
import {record, text, type ValueOf} from '../schema.js';
import {resultOf, type ReceiptsById} from '../objects/results.js';
import type {Looked} from './before-change.js';

export async function performOne(
  context: Context,
  registered: RegisteredOperation,
  ids: readonly string[],
  params: Readonly<Record<string, unknown>>,
  print: (result: Result, applied: Applied) => Promise<void>,
  looked?: Looked,
): Promise<unknown> {
  const {operation} = registered;
  const audit = isWrite(operation) ? await context.audit() : undefined;
  const subject = audit && subjectFor(context, registered, [...ids, ...Object.values(params)]);
  if (subject) audit.about(subject());
  const {result, already} = await perform(context, registered, ids, params, looked);
  if (subject) audit.about(subject(result));
  if (already) audit?.unchanged();
  await print(
    operation.returns.kind === 'nothing'
      ? doneResult(context, registered, result as Done)
      : resultOf(operation.returns.shape, [result], result, 'one', {
          receipts: await receiptOf(context, registered, result),
        }),
    already ? 'no' : 'yes',
  );
  if (operation.returns.shape.name === 'billing_statement')
    await (await import('../objects/statement-notes.js')).noteServing(context, result as StatementLike);
  const {verb} = registered;
  if (registered.resource.shape.prefix === 'bstm_' && (verb === 'finalize' || verb === 'send' || verb === 'void'))
    noteNext(context, AFTER[verb], numberOf(result as StatementLike) ?? nameFor(context, ids[0]!));
  return result;
}

/** How a statement was paid, where it names only the payment. */
async function receiptOf(
  context: Context,
  {id}: RegisteredOperation,
  result: object,
): Promise<ReceiptsById | undefined> {
  if (id !== 'billing-statements:get' || (result as StatementLike).status !== 'paid') return undefined;
  const statement = result as Statement;
  const {Receipts, saidReceipt} = await context.billing();
  if (saidReceipt(statement)) return undefined;
  const receipts = new Receipts(await context.client(), context);
  // It is shown without, where its payment cannot be read.
  const receipt = await receipts.of(statement).catch((error: unknown) => {
    if (!(error instanceof CentavoError) || error.kind === 'interrupted') throw error;
    return undefined;
  });
  return receipt === undefined ? undefined : new Map([[statement.id, receipt]]);
}

export async function noteMade(context: Context, answer: unknown): Promise<void> {
  const {id} = (answer ?? {}) as {id?: unknown};
  if (typeof id !== 'string' || !shapeOfId(id)) return;
  (await context.audit()).touched(id, nameOf(answer as StatementLike) ?? context.subjects.get(id));
}

/** What a statement or a customer is called. */
function nameOf(object: StatementLike & {readonly name?: unknown}): Name | undefined {
  if (object.resource === 'customer') return {customer: textOf(object.name)};
  return object.resource === 'billing_statement' && 'amount' in object ? subjectOf(object) : undefined;
}

/** Operations that the engine of billing carries out, since what they do cannot be undone. */
const PLANS: readonly string[] = ['billing-statements:finalize', 'billing-statements:send'];

/** The beginning of the command is its record in the history. */
async function carriedOut(context: Context, id: string, send: boolean): Promise<object | undefined> {
  const outcome = await (
    await context.runs()
  ).carryOut({id, items: [], finalize: !send, send, named: {}}, {history: {}});
  if (outcome.end === 'done') return send ? undefined : outcome.statement;
  if (outcome.stop.why === 'failed') {
    const {error} = outcome.stop;
    if (error.kind !== 'outcome_unknown') throw error;
    if (send) throw unknownSend(error, id);
    throw new CentavoError(error.kind, `it is not known whether ${id} was finalized.`, {
      ...error.details,
      changed: '',
    });
  }
  throw new Error(`A named statement cannot end as ${outcome.stop.why}.`);
}

/** @returns `already`: the object had the status before */
export async function perform(
  context: Context,
  registered: RegisteredOperation,
  ids: readonly string[],
  params: Readonly<Record<string, unknown>>,
  looked?: Looked,
): Promise<{readonly result: object; readonly already?: boolean}> {
  const known = looked?.get(ids[0]!);
  if (known instanceof CentavoError) throw known;
  if (known) return alreadySo(context, registered, ids, known);
  const client = await context.client();
  const {resource, operation, verb} = registered;
  try {
    const answer = await (PLANS.includes(registered.id)
      ? carriedOut(context, ids[0]!, verb === 'send')
      : client.perform({...registered, ids, params}, {signal: context.signal}));
    const result = (answer ?? {id: ids[0], resource: resource.shape.name, done: verb}) as object;
    if (isWrite(operation)) await noteMade(context, result);
    return {result};
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    if (error.kind === 'rejected' && operation.reaches) {
      const {get} = resource.operations;
      const look = client.perform({resource, operation: get!, verb: 'get', ids, params: {}}, {signal: context.signal});
      // If the object cannot be read, the refusal is reported.
      const current = await Promise.resolve(look).catch((failed: unknown) => {
        if (!(failed instanceof CentavoError)) throw failed;
      });
      if ((current as {status?: unknown} | undefined)?.status === operation.reaches) {
        await noteMade(context, current);
        return alreadySo(context, registered, ids, current as object);
      }
    }
    return proposing(context, {registered, ids, params})(error);
  }
}

function alreadySo(context: Context, {operation}: RegisteredOperation, [id = '']: readonly string[], result: object) {
  context.io.note(`${nameFor(context, id)} is already ${operation.reaches}. Nothing was changed.`);
  return {result, already: true};
}

const DONE = record({id: text, done: text});
type Done = ValueOf<typeof DONE>;

/** Says what was done if the API returns nothing; at a terminal, who a statement was sent to. */
export const doneResult = (context: Context, {id: operation}: RegisteredOperation, done: Done): Result => ({
  ...resultOfRecord(DONE, done),
  ...(operation === 'billing-statements:send' && {
    view: async () => (await import('../objects/statement-notes.js')).sentLine(context, done.id),
  }),
});

/** The subject for the history, before or after the call. @param named ids and other values of the call */
export function subjectFor(
  {subjects}: Pick<Context, 'subjects'>,
  {resource}: RegisteredOperation,
  named: readonly unknown[],
): (answer?: object) => Subject {
  const known = named.map((value) => subjects.get(String(value))).find((subject) => subject !== undefined) ?? {};
  if (resource.shape.prefix === 'bstm_') return (answer) => (answer ? subjectOf(answer as StatementLike) : known);
  // The amount of a line item or a refund is not that of its statement.
  const {amount: _, ...who} = known;
  return () => who;
}
