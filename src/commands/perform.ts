// Performs an operation on each of its targets in turn, and says of each what came of it.

import type {Context} from '../context.js';
import {isWrite} from '../api/operation.js';
import {shapeOfId, type RegisteredOperation} from '../api/registry.js';
import {CentavoError} from '../errors.js';
import {toCentavoError} from '../thrown.js';
import {clean} from '../output/format.js';
import type {Result} from '../output/render.js';
import {checkCommand} from './check-command.js';
import {resultOf} from './columns.js';
import {sameAccount} from './same-account.js';

type Print = (result: Result) => Promise<void>;

interface Failure {
  readonly id: string;
  readonly error: CentavoError;
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
  const failures: Failure[] = [];
  let changed = false;
  for (const ids of targets) {
    try {
      const {result, already} = await performOne(context, registered, ids, params);
      results.push(result);
      if (!already) changed = true;
      if (isWrite(operation)) await noteMade(context, result);
    } catch (error) {
      if (targets.length === 1) throw error;
      const failure = toCentavoError(error);
      if (failure.kind === 'internal' || failure.kind === 'interrupted')
        throw isWrite(operation) ? cutShort(failure, results.length, targets.length) : failure;
      failures.push({id: ids[0]!, error: failure});
      context.io.note(clean(`${ids[0]}: ${failure.message} ${failure.details.apiErrors?.[0]?.detail ?? ''}`.trim()));
    }
  }
  if (isWrite(operation) && !changed && failures.length === 0) (await context.audit()).unchanged();
  const several = targets.length > 1;
  if (several) await print(resultOf(shape, results, results, 'many'));
  else if (operation.returns.kind === 'nothing') await print(doneResult(results[0]!));
  else await print(resultOf(shape, results, results[0], 'one'));
  if (failures.length > 0) {
    const inDoubt = failures.filter(({error}) => error.details.applied === 'unknown').map(({id}) => id);
    const hint = inDoubt.length > 0 ? checkCommand(registered, inDoubt, params, sameAccount(context)) : undefined;
    throw partial(failures, targets.length, isWrite(operation), hint);
  }
  return several ? results : results[0];
}

/** Notes for the history what a write has answered with. */
export async function noteMade(context: Context, answer: unknown): Promise<void> {
  const {id} = (answer ?? {}) as {id?: unknown};
  if (typeof id === 'string' && shapeOfId(id)) (await context.audit()).touched(id);
}

/** The end of a bulk run before its end: what was done until then was done. */
function cutShort(failure: CentavoError, done: number, count: number): CentavoError {
  if (done === 0) return failure;
  return new CentavoError(failure.kind, `${failure.message.replace(/\.$/, '')}, after ${done} of ${count}.`, {
    ...failure.details,
    applied: failure.details.applied === 'unknown' ? 'unknown' : 'yes',
  });
}

/** @returns what it is now, and whether it was that already */
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
      // That it cannot be looked at takes nothing from the refusal.
      const current = await Promise.resolve(look).catch(() => undefined);
      if ((current as {status?: unknown} | undefined)?.status === operation.reaches) {
        context.io.note(`${ids[0]} is ${operation.reaches} already; nothing was changed.`);
        return {result: current as object, already: true};
      }
    }
    throw withNextCommand(context, error, registered, ids, params);
  }
}

/** Adds the command that helps: how to look after a doubt. */
export function withNextCommand(
  context: Context,
  error: CentavoError,
  registered: RegisteredOperation,
  ids: readonly string[],
  params: Readonly<Record<string, unknown>>,
): CentavoError {
  if (error.details.hint) return error;
  const hint =
    error.details.applied === 'unknown'
      ? checkCommand(registered, ids.slice(0, 1), params, sameAccount(context))
      : error.kind === 'not_found'
        ? listHint(registered, sameAccount(context))
        : undefined;
  return hint ? new CentavoError(error.kind, error.message, {...error.details, hint}) : error;
}

const listHint = ({resource}: RegisteredOperation, account: string): string | undefined =>
  'list' in resource.operations ? `Look for it with: centavo ${resource.topic} list${account}` : undefined;

/** Where the API gives nothing, what was done is said instead. */
const doneResult = (done: object): Result => ({
  rows: [done as Record<string, unknown>],
  document: done,
  columns: [],
  all: [
    {path: 'id', header: 'id', kind: 'text'},
    {path: 'done', header: 'done', kind: 'text'},
  ],
  shape: 'one',
});

/** Several targets, of which some failed: which, and why each. */
function partial(failures: readonly Failure[], count: number, write: boolean, hint: string | undefined): CentavoError {
  const [first] = failures.map(({error}) => error);
  const each = failures.map(({id, error}) => `${id}: ${error.message}`).join(' ');
  // When all failed alike, the status of one says it better than "some failed".
  if (failures.length === count && failures.every(({error}) => error.kind === first!.kind)) {
    return new CentavoError(first!.kind, `all ${count} failed: ${first!.message}`, {
      ...first!.details,
      why: each,
      hint,
    });
  }
  return new CentavoError('partial', `${failures.length} of ${count} failed.`, {
    why: each,
    hint,
    ...(write && {applied: failures.some(({error}) => error.details.applied === 'unknown') ? 'unknown' : 'yes'}),
  });
}
