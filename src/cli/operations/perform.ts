// Performs an operation on one object, and prints what came back.

import type {Context} from '../../context.js';
import {isWrite} from '../../api/operation.js';
import type {StatementLike} from '../../api/statement.js';
import {shapeOfId, type RegisteredOperation} from '../../api/registry.js';
import {CentavoError, type Applied} from '../../errors.js';
import type {Result} from '../../output/result.js';
import {nameFor, proposing} from '../next-command.js';
import type {Looked} from './look-first.js';
import {recordColumns, resultOf, resultOfRecord} from '../columns.js';

/**
 * Performs an operation on one object, and prints what came back.
 * @param print is told whether anything was changed
 * @param looked what need not be tried
 * @throws CentavoError
 */
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
  const subject =
    audit && (await import('./subject.js')).subjectFor(context, registered, [...ids, ...Object.values(params)]);
  if (subject) audit.about(subject());
  const {result, already} = await perform(context, registered, ids, params, looked);
  if (subject) audit.about(subject(result));
  if (already) audit?.unchanged();
  await print(
    operation.returns.kind === 'nothing'
      ? doneResult(context, registered, result as Done)
      : resultOf(operation.returns.shape, [result], result, 'one'),
    already ? 'no' : 'yes',
  );
  if (operation.returns.shape.name === 'billing_statement')
    await (await import('../billing-statements/sandbox-pages.js')).noteServing(context, result as StatementLike);
  return result;
}

/** Records in the history the object that a write returned. */
export async function noteMade(context: Context, answer: unknown): Promise<void> {
  const {id} = (answer ?? {}) as {id?: unknown};
  if (typeof id === 'string' && shapeOfId(id)) (await context.audit()).touched(id);
}

/** @returns the object as it is now, and whether it had that status before @throws CentavoError */
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
    const answer = await client.perform({...registered, ids, params}, {signal: context.signal});
    const result = (answer ?? {id: ids[0], resource: resource.shape.name, done: verb}) as object;
    if (isWrite(operation)) await noteMade(context, result);
    return {result};
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    if (error.kind === 'rejected' && operation.reaches) {
      const {get} = resource.operations;
      const look = client.perform({resource, operation: get!, verb: 'get', ids, params: {}}, {signal: context.signal});
      // The refusal stands even if the object cannot be read.
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

interface Done {
  readonly id: string;
  readonly resource: string;
  readonly done: string;
}

/** Where the API returns nothing, the result says what was done; at a terminal, who was sent a statement. */
const doneResult = (context: Context, {id: operation}: RegisteredOperation, done: Done): Result => ({
  ...resultOfRecord({...done}),
  all: recordColumns(['id', 'done']),
  ...(operation === 'billing-statements:send' && {
    view: async () => (await import('../billing-statements/compose/sent-view.js')).sentLine(context, done.id),
  }),
});
