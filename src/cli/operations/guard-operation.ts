// Checks before a change: reads its objects, warns the user, and asks.

import type {RegisteredOperation} from '../../api/registry.js';
import type {Context} from '../../context/context.js';
import {CentavoError} from '../../common/errors.js';
import type {JsonObject} from '../../common/json.js';
import {changeOf, type PlannedChange} from '../../guard/change.js';
import {guardChange, type GuardFlags} from '../../guard/guard.js';
import {guardRepeats, momentText, refuseRepeats, type Repeat} from '../../guard/repeats.js';
import {askBeforeRepeating, nameFor, withSuggestion} from '../next-command.js';

type OperationParams = Readonly<Record<string, unknown>>;

/** Under an idempotency key, keeps what the account shows before the change. */
export const lastReadOf = (
  context: Context,
  registered: RegisteredOperation,
  [id]: readonly string[],
  params: OperationParams,
): Pick<PlannedChange, 'lastRead'> => ({
  lastRead: async () => {
    if (!context.keyed()) return;
    const {seenBefore} = await import('./settle-unknown.js');
    context.keyed()!.send(await seenBefore(context, registered, params as JsonObject), id);
  },
});

/** Confirms or refuses a change, and records it. @returns targets that need no change or cannot change */
export async function guardOperation(
  context: Context,
  registered: RegisteredOperation,
  flags: GuardFlags,
  targets: readonly (readonly string[])[],
  params: OperationParams,
): Promise<TargetStates> {
  const isSend = registered.id === 'billing-statements:send';
  if (isSend) await (await context.runs()).recallSends(targets.flat());
  const states = await readTargets(context, registered, flags, targets);
  const remaining = () => targets.filter(([id]) => id === undefined || !states.has(id));
  const asks = context.io.canConfirm && !flags.yes;
  const sends = isSend && (await earlierSends(context, remaining().flat(), states));
  if (sends && !asks)
    await refuseRepeats(context, flags, sends, (error) => states.set(error.details.before!.ids[0]!, error));
  const rest = remaining();
  if (rest.length === 0) return states;
  const planned = changeOf(context, registered, rest, params);
  // Ask if the user named several objects, even if only one needs a change.
  const confirmed = {...planned, needsConfirmation: planned.needsConfirmation || targets.length > 1};
  const isCustomer = registered.id === 'customers:delete';
  const change = isCustomer
    ? await (await import('./customer-changes.js')).guardDebtors(context, flags, confirmed, rest.flat())
    : sends
      ? await guardRepeats(context, flags, confirmed, sends)
      : confirmed;
  const read = lastReadOf(context, registered, rest[0]!, params);
  await guardChange(context, flags, {...change, ...read}).catch(withSuggestion(context, {registered, ids: [], params}));
  return states;
}

/** By id: the object if it already has the wanted status, or the error if the verb is refused. */
export type TargetStates = ReadonlyMap<string, object | CentavoError>;

/** Reads the objects if the user will be asked; otherwise only statements that this machine settled or replaced. */
async function readTargets(
  context: Context,
  {resource, operation, verb}: RegisteredOperation,
  flags: GuardFlags,
  targets: readonly (readonly string[])[],
): Promise<Map<string, object | CentavoError>> {
  const states = new Map<string, object | CentavoError>();
  const {get} = resource.operations;
  const {mode} = await context.connection();
  const live = mode === 'live';
  // A live change without --live is refused later, without a question.
  const asks = context.io.canConfirm && !flags.yes && (live ? flags.live : operation.destroys || targets.length > 1);
  const isStatement = resource.topic === 'billing-statements';
  const money = isStatement ? await import('../presentation/standings.js') : undefined;
  const history = !live || flags.live ? await money?.moneyHistory(context, () => {}) : undefined;
  // One that was sent may have been paid since: that says more than that it was sent before.
  const isKnown = (id: string): boolean =>
    history !== undefined &&
    (history.settlement(id) !== undefined ||
      history.replacements(id).length > 0 ||
      (verb === 'send' && history.send(id) !== undefined));
  const mayBeRuledOut = (id = ''): boolean => asks || isKnown(id);
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
    else if (money) {
      const {alternativeStep} = await import('../refusals.js');
      const standing = await money.readStanding(context, object);
      if (alternativeStep(verb, standing) !== undefined && standing.state !== 'held' && standing.state !== 'processing')
        states.set(id, await money.refusalIn(context, verb, standing, {code: 'wrong_state'}));
    }
  }
  return states;
}

async function earlierSends(context: Context, ids: readonly string[], skipped: TargetStates): Promise<Repeat> {
  const history = await context.history();
  const now = await context.accountNow();
  return {
    code: 'sent_before',
    look: () =>
      ids.flatMap((id) => {
        const sends = skipped.has(id) ? [] : history.sends(id);
        return sends.map((send) => ({...send, is_certain: send.state === 'sent', ids: [id]}));
      }),
    words: ({at, is_certain: isCertain, ids: [id = '']}) =>
      `${nameFor(context, id)} ${isCertain ? 'was' : 'may have been'} sent from this machine ${momentText(at, now)}`,
    check: () => ({hint: askBeforeRepeating('sent')}),
  };
}
