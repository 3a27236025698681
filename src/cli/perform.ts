// Performs an operation on each target in turn, and prints the results.

import type {Context} from '../context.js';
import {isWrite} from '../api/operation.js';
import {shapeOfId, type RegisteredOperation} from '../api/registry.js';
import {CentavoError, type Applied} from '../errors.js';
import {toCentavoError} from '../system-errors.js';
import {clean} from '../output/format.js';
import type {Result, Row} from '../output/render.js';
import {checkCommand, proposing, sameAccount} from './next-command.js';
import {recordColumns, resultOf, resultOfRecord} from './columns.js';

/** @param applied whether anything was changed */
type Print = (result: Result, applied: Applied) => Promise<void>;

interface Failure {
  readonly id: string;
  readonly error: CentavoError;
}

/** What is known of a run over several targets: how many were changed, and what failed. */
interface Tally {
  readonly count: number;
  changed: number;
  readonly failures: Failure[];
}

/**
 * @param targets the ids of each call
 * @throws CentavoError that of the only target, or kind `partial` when some of several failed
 */
export async function performEach(
  context: Context,
  registered: RegisteredOperation,
  targets: readonly (readonly string[])[],
  params: Readonly<Record<string, unknown>>,
  print: Print,
): Promise<unknown> {
  const {operation} = registered;
  const {shape} = operation.returns;
  const results: object[] = [];
  const tally: Tally = {count: targets.length, changed: 0, failures: []};
  for (const ids of targets) {
    try {
      const {result, already} = await performOne(context, registered, ids, params);
      results.push(result);
      if (!already) tally.changed++;
      if (isWrite(operation)) await noteMade(context, result);
    } catch (error) {
      if (targets.length === 1) throw error;
      const failure = toCentavoError(error);
      if (failure.kind === 'internal' || failure.kind === 'interrupted')
        throw isWrite(operation) ? cutShort(failure, tally) : failure;
      tally.failures.push({id: ids[0]!, error: failure});
      context.io.note(clean(`${ids[0]}: ${failure.message} ${failure.details.apiErrors?.[0]?.detail ?? ''}`.trim()));
    }
  }
  const {failures} = tally;
  if (isWrite(operation) && tally.changed === 0 && failures.length === 0) (await context.audit()).unchanged();
  const several = targets.length > 1;
  const {applied} = seenOf(tally);
  if (several) await print(resultOf(shape, results, results, 'many'), applied);
  else if (operation.returns.kind === 'nothing') await print(doneResult(results[0]!), applied);
  else await print(resultOf(shape, results, results[0], 'one'), applied);
  if (failures.length > 0) {
    const inDoubt = failures.filter(({error}) => error.details.applied === 'unknown').map(({id}) => id);
    const hint = inDoubt.length > 0 ? checkCommand(registered, inDoubt, params, sameAccount(context)) : undefined;
    throw partial(tally, isWrite(operation), hint);
  }
  return several ? results : results[0];
}

/** Records in the history the object that a write returned. */
export async function noteMade(context: Context, answer: unknown): Promise<void> {
  const {id} = (answer ?? {}) as {id?: unknown};
  if (typeof id === 'string' && shapeOfId(id)) (await context.audit()).touched(id);
}

/** Whether anything was changed, as far as is known, and how much in words. @param last how the last call failed */
function seenOf({count, changed, failures}: Tally, last?: Applied): {applied: Applied; changed: string} {
  const inDoubt =
    failures.filter(({error}) => error.details.applied === 'unknown').length + (last === 'unknown' ? 1 : 0);
  const applied = inDoubt > 0 ? 'unknown' : changed > 0 ? 'yes' : 'no';
  const doubt = inDoubt > 0 ? `; ${inDoubt} ${inDoubt > 1 ? 'are' : 'is'} in doubt` : '';
  return {
    applied,
    changed:
      applied === 'no'
        ? 'Nothing was changed.'
        : `${changed} of ${count} ${changed === 1 ? 'was' : 'were'} changed${doubt}.`,
  };
}

/** The error of a bulk run that ended early. What was done before it stays done. */
function cutShort(failure: CentavoError, tally: Tally): CentavoError {
  return failure.with(seenOf(tally, failure.details.applied));
}

/** @returns the object as it is now, and whether it had that status before */
async function performOne(
  context: Context,
  registered: RegisteredOperation,
  ids: readonly string[],
  params: Readonly<Record<string, unknown>>,
): Promise<{readonly result: object; readonly already?: boolean}> {
  const client = await context.client();
  const {resource, operation, verb} = registered;
  try {
    const result = await client.perform({...registered, ids, params}, {signal: context.signal});
    return {result: (result ?? {id: ids[0], resource: resource.shape.name, done: verb}) as object};
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
        context.io.note(`${ids[0]} is ${operation.reaches} already; nothing was changed.`);
        return {result: current as object, already: true};
      }
    }
    return proposing(context, {registered, ids, params})(error);
  }
}

/** Where the API returns nothing, the result says what was done. */
const doneResult = (done: object): Result => ({
  ...resultOfRecord(done as Row),
  all: recordColumns(['id', 'done']),
});

/** The error when some of several targets failed: which ones, and why. */
function partial(tally: Tally, write: boolean, hint: string | undefined): CentavoError {
  const {failures, count} = tally;
  const [first] = failures.map(({error}) => error);
  const why = failures.map(({id, error}) => `${id}: ${error.message}`).join(' ');
  const seen = write ? seenOf(tally) : {};
  // If all failed for the same reason, that reason is more useful than "some failed".
  if (failures.length === count && failures.every(({error}) => error.kind === first!.kind)) {
    return new CentavoError(first!.kind, `all ${count} failed: ${first!.message}`, {
      ...first!.details,
      why,
      ...(hint && {hint}),
      ...seen,
    });
  }
  return new CentavoError('partial', `${failures.length} of ${count} failed.`, {why, hint, ...seen});
}
