// Performs an operation on several objects, and prints the results.

import {isWrite} from '../../api/operation.js';
import type {RegisteredOperation} from '../../api/registry.js';
import type {Context} from '../../context/context.js';
import {CentavoError} from '../../common/errors.js';
import {toCentavoError} from '../../common/system-errors.js';
import {renderList} from '../../output/render-list.js';
import type {Rendering} from '../../output/result.js';
import {apiResultOf} from '../presentation/results.js';
import {withSettlements} from '../presentation/settlements.js';
import type {TargetState} from './guard-operation.js';
import {perform} from './perform.js';
import {BatchTally, shieldFromOutput} from './batch-tally.js';

/** Replaces the operation for some targets. */
export interface BatchTarget {
  /** The operation, decided on right before; it may throw why there is none. */
  readonly choose: (id: string) => Promise<RegisteredOperation>;
  readonly done: (id: string) => void;
}

/** An object that was named several times is printed each time, but the operation is performed once. */
export async function performBatch(
  context: Context,
  registered: RegisteredOperation,
  targets: readonly (readonly string[])[],
  rendering: Rendering,
  looked?: TargetState,
  each?: BatchTarget,
): Promise<void> {
  const {operation} = registered;
  const write = isWrite(operation);
  const {size} = new Set(targets.map(([id]) => id));
  const tally = new BatchTally(size);
  /** By id, for objects that were named several times; empty if it failed. */
  const answers = new Map<string, readonly object[]>();
  let cut: CentavoError | undefined;

  async function* results(): AsyncGenerator<readonly object[]> {
    for (const ids of targets) {
      const earlier = answers.get(ids[0]!);
      if (earlier) {
        yield earlier;
        continue;
      }
      if (size < targets.length) answers.set(ids[0]!, []);
      try {
        const chosen = (await each?.choose(ids[0]!)) ?? registered;
        const {result, already} = await perform(context, chosen, ids, {}, looked);
        if (!already) tally.changed++;
        each?.done(ids[0]!);
        if (size < targets.length) answers.set(ids[0]!, [result]);
        yield [result];
      } catch (error) {
        const failure = toCentavoError(error);
        if (failure.kind === 'internal' || failure.kind === 'interrupted') {
          cut = write ? tally.cutShort(failure) : failure;
          return;
        }
        tally.fail(context, ids[0]!, failure);
      }
    }
  }
  if (targets.length === 0) context.io.note('No ids on stdin. Nothing was done.');
  const list = (rows: readonly object[]) =>
    withSettlements(context, apiResultOf(operation.returns.shape, rows, rows, 'many'));
  try {
    await renderList(results(), list, rendering, shieldFromOutput(context));
  } catch (error) {
    if (!write || !(error instanceof CentavoError)) throw error;
    throw tally.printingFailed(error);
  }
  if (cut) throw cut;
  if (write && tally.changed === 0 && tally.failures.length === 0) (await context.audit()).markUnchanged();
  if (tally.failures.length > 0) throw tally.failed(context, registered);
}
