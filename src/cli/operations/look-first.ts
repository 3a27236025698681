// Reads objects before a person is asked to change them, so that nobody confirms what is already so or cannot be done.

import type {RegisteredOperation} from '../../api/registry.js';
import type {Context} from '../../context.js';
import {CentavoError} from '../../ground/errors.js';
import type {GuardFlags} from '../../guard/guard.js';
import {insteadOf, sameAccount, nameFor} from '../next-command.js';

/** By id: the object, if it already has the wanted state; or why the verb is refused for it. */
export type Looked = ReadonlyMap<string, object | CentavoError>;

/** Reads only if a person will be asked. @throws CentavoError kind `interrupted` */
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
  // A live change without --live is refused later, without a question.
  const asks = context.io.canAsk && !flags.yes && (live ? flags.live : operation.destroys || targets.length > 1);
  const isStatement = resource.topic === 'billing-statements';
  if (!asks || !get || !(operation.reaches || isStatement)) return looked;
  const client = await context.client();
  const account = sameAccount(context);
  for (const ids of targets) {
    const [id = ''] = ids;
    const read = client.perform({resource, operation: get, verb: 'get', ids, params: {}}, {signal: context.signal});
    const object = (await Promise.resolve(read).catch((error: unknown) => {
      // The change itself reports what cannot be read.
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
