// Performs an operation on several objects, and prints the results.

import * as schema from '../schema.js';
import {isWrite} from '../../api/operation.js';
import type {RegisteredOperation} from '../../api/registry.js';
import type {Context} from '../../context/context.js';
import {CentavoError} from '../../common/errors.js';
import {toCentavoError} from '../../common/system-errors.js';
import {renderList} from '../../output/render-list.js';
import type {Rendering} from '../../output/result.js';
import {apiResultOf} from '../presentation/results.js';
import {addStandings} from '../base.js';
import type {TargetStates} from './guard-operation.js';
import {perform} from './perform.js';
import {BatchTally, shieldFromOutput} from './batch-tally.js';

/** Chooses an operation per object, in place of the same operation for all. */
export interface BatchTarget {
  /** Returns the operation, right before the call; throws if none applies to the object. */
  readonly choose: (id: string) => Promise<RegisteredOperation>;
  readonly done: (id: string) => void;
}

/** Performs the operation once per object, but prints an object as often as it was named. */
export async function performBatch(
  context: Context,
  registered: RegisteredOperation,
  targets: readonly (readonly string[])[],
  rendering: Rendering,
  states?: TargetStates,
  target?: BatchTarget,
): Promise<void> {
  const {operation} = registered;
  const write = isWrite(operation);
  const {size} = new Set(targets.map(([id]) => id));
  const tally = new BatchTally(size);
  /** Results by id, if some objects were named several times; empty for a failed object. */
  const results = new Map<string, readonly object[]>();
  let stoppedBy: CentavoError | undefined;

  async function* performEach(): AsyncGenerator<readonly object[]> {
    for (const ids of targets) {
      const previous = results.get(ids[0]!);
      if (previous) {
        yield previous;
        continue;
      }
      if (size < targets.length) results.set(ids[0]!, []);
      try {
        const chosen = (await target?.choose(ids[0]!)) ?? registered;
        const {result, already} = await perform(context, chosen, ids, {}, states);
        if (!already) tally.changed++;
        target?.done(ids[0]!);
        if (size < targets.length) results.set(ids[0]!, [result]);
        yield [result];
      } catch (error) {
        const failure = toCentavoError(error);
        if (failure.kind === 'internal' || failure.kind === 'interrupted') {
          stoppedBy = write ? tally.cutShort(failure) : failure;
          return;
        }
        tally.fail(context, ids[0]!, failure);
      }
    }
  }
  if (targets.length === 0) context.io.note('No ids on stdin. Nothing was done.');
  const list = (rows: readonly object[]) =>
    addStandings(context, apiResultOf(operation.returns.shape, rows, schema.listDocument(rows), 'many'), rendering);
  try {
    await renderList(performEach(), list, rendering, shieldFromOutput(context));
  } catch (error) {
    if (!write || !(error instanceof CentavoError)) throw error;
    throw tally.printingFailed(error);
  }
  if (stoppedBy) throw stoppedBy;
  if (write && tally.changed === 0 && tally.failures.length === 0) (await context.history()).markUnchanged();
  if (tally.failures.length > 0) throw tally.failed(context, registered);
}
