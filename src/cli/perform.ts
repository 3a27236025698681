// Performs an operation on one object or on several, and prints what came back.

import type {Context} from '../context.js';
import {isWrite} from '../api/operation.js';
import {shapeOfId, type RegisteredOperation} from '../api/registry.js';
import {CentavoError, whatAndWhy, type Applied, type ErrorDetails, type FailedResult} from '../errors.js';
import {toCentavoError} from '../system-errors.js';
import {clean} from '../output/format.js';
import type {Io} from '../output/io.js';
import type {Rendering, Result, Row} from '../output/render.js';
import {renderList} from '../output/render-list.js';
import {checkCommand, proposing, sameAccount} from './next-command.js';
import {recordColumns, resultOf, resultOfRecord} from './columns.js';

/** What is known of a run over several objects. */
interface Tally {
  readonly count: number;
  changed: number;
  inDoubt: number;
  readonly failures: FailedResult[];
  /** The first failure, and whether all others are of its kind. */
  first?: CentavoError;
  alike: boolean;
}

/** Performs an operation on one object, and prints what came back. @param print is told whether anything was changed @throws CentavoError */
export async function performOne(
  context: Context,
  registered: RegisteredOperation,
  ids: readonly string[],
  params: Readonly<Record<string, unknown>>,
  print: (result: Result, applied: Applied) => Promise<void>,
): Promise<unknown> {
  const {operation} = registered;
  const {result, already} = await perform(context, registered, ids, params);
  if (isWrite(operation) && already) (await context.audit()).unchanged();
  await print(
    operation.returns.kind === 'nothing'
      ? doneResult(result)
      : resultOf(operation.returns.shape, [result], result, 'one'),
    already ? 'no' : 'yes',
  );
  return result;
}

/**
 * Performs an operation on each object in turn, and prints the list of those that came back, as they come.
 * @throws CentavoError that of all when they failed alike, or kind `partial` when some failed
 */
export async function performAll(
  context: Context,
  registered: RegisteredOperation,
  targets: readonly (readonly string[])[],
  rendering: Rendering,
): Promise<undefined> {
  const {operation} = registered;
  const write = isWrite(operation);
  const tally: Tally = {count: targets.length, changed: 0, inDoubt: 0, failures: [], alike: true};
  let cut: CentavoError | undefined;

  async function* results(): AsyncGenerator<readonly object[]> {
    for (const ids of targets) {
      try {
        const {result, already} = await perform(context, registered, ids, {});
        if (!already) tally.changed++;
        yield [result];
      } catch (error) {
        const failure = toCentavoError(error);
        if (failure.kind === 'internal' || failure.kind === 'interrupted') {
          cut = write ? cutShort(failure, tally) : failure;
          return;
        }
        note(context, tally, ids[0]!, failure);
      }
    }
  }
  if (targets.length === 0) context.io.note('No ids on stdin. Nothing was done.');
  const list = (rows: readonly object[]) => resultOf(operation.returns.shape, rows, rows, 'many');
  try {
    // The changes go on when nobody reads the output any more, and after a signal the list ends with what came back.
    const io = Object.create(context.io, {checkSignal: {value: async () => {}}}) as Io;
    await renderList(results(), list, rendering, {io, stops: () => false});
  } catch (error) {
    if (!write || !(error instanceof CentavoError)) throw error;
    // What was changed stays changed, whatever kept it from being printed.
    const kind = error.kind === 'interrupted' ? error.kind : 'local_io';
    throw cutShort(new CentavoError(kind, error.message, error.details), tally);
  }
  if (cut) throw cut;
  if (write && tally.changed === 0 && tally.failures.length === 0) (await context.audit()).unchanged();
  if (tally.failures.length > 0) throw failed(context, registered, tally);
  return undefined;
}

/** How many failures are told as they happen. JSON has all of them at the end. */
const TOLD = 10;

function note({io}: Context, tally: Tally, id: string, error: CentavoError): void {
  const {applied, apiErrors = []} = error.details;
  tally.first ??= error;
  tally.alike &&= error.kind === tally.first.kind;
  if (applied === 'unknown') tally.inDoubt++;
  tally.failures.push({id, code: error.code, applied, apiErrors});
  if (tally.failures.length <= TOLD) io.note(clean(`${id}: ${whatAndWhy(error)} ${apiErrors[0]?.detail ?? ''}`.trim()));
  if (tally.failures.length === TOLD + 1)
    io.note('More failures follow. To see them all, use --json and read error.results.');
}

/** Records in the history the object that a write returned. */
export async function noteMade(context: Context, answer: unknown): Promise<void> {
  const {id} = (answer ?? {}) as {id?: unknown};
  if (typeof id === 'string' && shapeOfId(id)) (await context.audit()).touched(id);
}

/** Whether anything was changed, as far as is known, and how much in words. @param last how the last call failed */
function seenOf(tally: Tally, last?: Applied): {applied: Applied; changed: string} {
  const {count, changed} = tally;
  const inDoubt = tally.inDoubt + (last === 'unknown' ? 1 : 0);
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

/** The error of a run that ended early. What was done before it stays done. */
const cutShort = (failure: CentavoError, tally: Tally): CentavoError =>
  failure.with({...seenOf(tally, failure.details.applied), results: tally.failures});

/** @returns the object as it is now, and whether it had that status before */
async function perform(
  context: Context,
  registered: RegisteredOperation,
  ids: readonly string[],
  params: Readonly<Record<string, unknown>>,
): Promise<{readonly result: object; readonly already?: boolean}> {
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
        context.io.note(`${ids[0]} is already ${operation.reaches}. Nothing was changed.`);
        await noteMade(context, current);
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

/** The error when some of several objects failed. */
function failed(context: Context, registered: RegisteredOperation, tally: Tally): CentavoError {
  const {failures, count, first, alike} = tally;
  const inDoubt = failures.filter(({applied}) => applied === 'unknown').map(({id}) => id);
  const check =
    inDoubt.length > 0 && checkCommand(registered, inDoubt.slice(0, LONGEST_CHECK), {}, sameAccount(context));
  const details: ErrorDetails = {
    results: failures,
    ...(check && {hint: check}),
    ...(isWrite(registered.operation) && seenOf(tally)),
  };
  // If all failed for the same reason, that reason is more useful than "some failed".
  if (failures.length === count && alike)
    return new CentavoError(first!.kind, `all ${count} failed: ${first!.message}`, {...first!.details, ...details});
  return new CentavoError('partial', `${failures.length} of ${count} failed.`, details);
}

/** How many ids a command names that can be pasted. */
const LONGEST_CHECK = 20;
