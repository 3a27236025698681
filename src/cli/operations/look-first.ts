// Looks at objects before a person is asked about them: nobody confirms what is so already, or what cannot be done.

import type {RegisteredOperation} from '../../api/registry.js';
import type {Context} from '../../context.js';
import {CentavoError} from '../../errors.js';
import type {GuardFlags} from '../../guard/guard.js';
import {insteadOf, sameAccount, nameFor} from '../next-command.js';

/** By id: the object as it is, where it has the wanted state already; or why the verb is refused for it. */
export type Looked = ReadonlyMap<string, object | CentavoError>;

/**
 * What need not be asked about. Nothing is read where nobody will be asked.
 * @throws CentavoError kind `interrupted`
 */
export async function lookFirst(
  context: Context,
  {resource, operation, verb}: RegisteredOperation,
  flags: GuardFlags,
  targets: readonly (readonly string[])[],
): Promise<Looked> {
  const looked = new Map<string, object | CentavoError>();
  const {get} = resource.operations;
  const {mode} = await context.connection();
  const live = mode === 'live';
  // Without --live it is refused before anything is read.
  const asks = context.io.canAsk && !flags.yes && (live ? flags.live : operation.destroys || targets.length > 1);
  const isStatement = resource.topic === 'billing-statements';
  if (!asks || !get || !(operation.reaches || isStatement)) return looked;
  const client = await context.client();
  const account = sameAccount(context);
  for (const ids of targets) {
    const [id = ''] = ids;
    const read = client.perform({resource, operation: get, verb: 'get', ids, params: {}}, {signal: context.signal});
    const object = (await Promise.resolve(read).catch((error: unknown) => {
      // Whatever cannot be read is left to the change itself.
      if (!(error instanceof CentavoError) || error.kind === 'interrupted') throw error;
    })) as {readonly status?: unknown} | undefined;
    if (object === undefined) continue;
    const state = String(object.status);
    const hint = isStatement ? insteadOf(verb, state, nameFor(context, id), account) : undefined;
    if (operation.reaches !== undefined && state === operation.reaches) looked.set(id, object);
    else if (hint !== undefined)
      looked.set(
        id,
        new CentavoError('rejected', `${nameFor(context, id)} is ${state}.`, {
          code: 'wrong_state',
          hint,
          applied: 'no',
        }),
      );
  }
  return looked;
}
