// Checks before a change: reads its objects, warns the user, and asks.

import {NO_HISTORY} from '../../accounting/standing.js';
import type {RegisteredOperation} from '../../api/registry.js';
import type {Context} from '../../context/context.js';
import {CentavoError} from '../../common/errors.js';
import {relativeDay} from '../../common/manila.js';
import {changeOf, type PlannedChange} from '../../guard/change.js';
import {guardChange, type GuardFlags} from '../../guard/guard.js';
import {nameFor, withSuggestion} from '../next-command.js';
import {alternativeStep} from '../next-steps.js';
import {moneyHistory, readStanding, refusalIn} from '../presentation/standings.js';

type OperationParams = Readonly<Record<string, unknown>>;

/** Confirms or refuses a change, and records it. @returns targets that need no change or cannot change */
export async function guardOperation(
  context: Context,
  registered: RegisteredOperation,
  flags: GuardFlags,
  targets: readonly (readonly string[])[],
  params: OperationParams,
): Promise<TargetStates> {
  const states = await readTargets(context, registered, flags, targets);
  const rest = targets.filter(([id]) => id === undefined || !states.has(id));
  if (rest.length === 0) return states;
  if (registered.id === 'billing-statements:send') await noteEarlierSends(context, rest.flat());
  const planned = changeOf(context, registered, rest, params);
  // Ask if the user named several objects, even if only one needs a change.
  const confirmed = {...planned, needsConfirmation: planned.needsConfirmation || targets.length > 1};
  const change = registered.resource.topic === 'customers' ? await customerChange() : confirmed;
  await guardChange(context, flags, change).catch(withSuggestion(context, {registered, ids: [], params}));
  return states;

  async function customerChange(): Promise<PlannedChange> {
    const {confirmSharedEmail, guardDebtors} = await import('./customer-changes.js');
    if (registered.verb === 'delete') return guardDebtors(context, flags, confirmed, rest.flat());
    const {email} = params;
    const mayConfirm = typeof email === 'string' && !flags.yes && context.io.canAsk;
    // Without --live, the guard later refuses a live change without a question.
    if (!mayConfirm || (!flags.live && (await context.connection()).mode === 'live')) return confirmed;
    return confirmSharedEmail(context, confirmed, email, rest[0]?.[0]);
  }
}

/** By id: the object if it already has the wanted status, or the error if the verb is refused. */
export type TargetStates = ReadonlyMap<string, object | CentavoError>;

/** Reads the objects if the user will be asked; otherwise only statements that this machine settled or replaced. */
async function readTargets(
  context: Context,
  {resource, operation, verb}: RegisteredOperation,
  flags: GuardFlags,
  targets: readonly (readonly string[])[],
): Promise<TargetStates> {
  const states = new Map<string, object | CentavoError>();
  const {get} = resource.operations;
  const {mode} = await context.connection();
  const live = mode === 'live';
  // A live change without --live is refused later, without a question.
  const asks = context.io.canAsk && !flags.yes && (live ? flags.live : operation.destroys || targets.length > 1);
  const isStatement = resource.topic === 'billing-statements';
  const history = isStatement && (!live || flags.live) ? await moneyHistory(context, () => {}) : NO_HISTORY;
  const mayBeRuledOut = (id = ''): boolean =>
    asks || history.settlement(id) !== undefined || history.replacements(id).length > 0;
  const toRead = targets.filter(([id]) => mayBeRuledOut(id));
  if (toRead.length === 0 || !get || !(operation.reaches || isStatement)) return states;
  const client = await context.client();
  for (const ids of toRead) {
    const [id = ''] = ids;
    const read = client.perform({resource, operation: get, verb: 'get', ids, params: {}}, {signal: context.signal});
    const object = (await Promise.resolve(read).catch((error: unknown) => {
      // The change itself reports an unreadable object.
      if (!(error instanceof CentavoError) || error.kind === 'interrupted') throw error;
    })) as {readonly status?: unknown} | undefined;
    if (object === undefined) continue;
    if (operation.reaches !== undefined && object.status === operation.reaches) states.set(id, object);
    else if (isStatement) {
      const standing = await readStanding(context, object);
      if (alternativeStep(verb, standing) !== undefined && standing.state !== 'held' && standing.state !== 'processing')
        states.set(id, await refusalIn(context, verb, standing, {code: 'wrong_state'}));
    }
  }
  return states;
}

const MAX_NAMED_TARGETS = 3;

/** Prints earlier and possible sends from this machine, before anything is asked or sent. */
async function noteEarlierSends(context: Context, ids: readonly string[]): Promise<void> {
  const history = await context.history();
  const sent = ids.flatMap((id) => {
    const send = history.lastSend(id);
    return send ? [{id, ...send}] : [];
  });
  for (const {id, at, state} of sent.slice(0, MAX_NAMED_TARGETS)) {
    const words = state === 'sent' ? 'was sent' : 'may have been sent';
    context.io.note(`${nameFor(context, id)} ${words} from this machine ${relativeDay(at, context.displayNow())}.`);
  }
  const more = sent.length - MAX_NAMED_TARGETS;
  if (more > 0)
    context.io.note(`${more.toLocaleString('en')} more were sent from this machine before, or may have been.`);
}
