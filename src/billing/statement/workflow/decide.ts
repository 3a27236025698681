// Decides the next action of a run, from its plan, its state and the last read. Pure: reads no clock and makes no calls.
//
// Assumptions: a call is applied within the settle time S after its end, or never. A read that begins at t shows all changes
// up to t - L (the lag), and may omit later changes. Only the answer to finalize is certain to be current.

import {dueTimeOf} from '../../../api/statement.js';
import type {CentavoError} from '../../../common/errors.js';
import {isJsonObject} from '../../../common/json.js';
import {exactTotalOf, type StatementItem} from '../../../input/items.js';
import {PREVIOUS_RUNS_KEY, PLAN_KEY, replacedBy, RUN_KEY} from '../metadata-keys.js';
import {
  itemContentOf,
  differenceOf,
  editsOf,
  isUnchangedSince,
  readsTheSame,
  isSameItem,
  itemsOf,
  type ExistingItem,
  type BillingStatementData,
  type StatementPlan,
} from '../plan.js';
import type {RunCall, UncertainCall, DueTime, RunEvent, StatementRunState} from './run-events.js';
import {takeoverWait, type ServiceTiming} from './service-timing.js';

/** Milliseconds added to the wait for a create: clocks and timers are not exact. */
const MARGIN = 1000;

/** The statement as last read, with the answers since then. */
export interface ObservedStatement {
  readonly statement: BillingStatementData;
  /** Milliseconds since the epoch when the request began, or when the answer to finalize arrived. */
  readonly began: number;
  /** `shown`: as read. `assembled`: with later answers. `final`: the answer to finalize. */
  readonly kind: 'assembled' | 'final' | 'shown';
}

/** State of this process that the journal does not contain. */
export interface ProcessMemory {
  readonly startedAt: number;
  readonly view?: ObservedStatement;
  /** The last read, if it did not find the statement. */
  readonly missing?: {readonly error: CentavoError; readonly began: number};
  /** The call that failed and is not retried. `at`: milliseconds since the epoch. */
  readonly failure?: {readonly error: CentavoError; readonly call: RunCall | 'read'; readonly at: number};
  /** True if the plan's draft was read, and an edited draft is as the user confirmed it. */
  readonly isCompared: boolean;
}

export interface RunIdentity {
  /** Keys of the plan and of the run, as in the draft's metadata. */
  readonly key: string;
  readonly run: string;
}

export type WaitReason = 'creation' | 'lag' | 'opened' | 'other_runs' | 'takeover';

export interface CallAction {
  readonly type: 'call';
  readonly call: RunCall;
  /** Id of the changed or removed item. */
  readonly id?: string;
  /** The plan's item to add, or the new content of the changed item. */
  readonly item?: StatementItem;
  /** For `take_over`: the earlier owners; `waits` is true if another run may still be working on the draft. */
  readonly previousOwners?: readonly string[];
  readonly waits?: boolean;
}

export type NextAction =
  | CallAction
  | {readonly type: 'done' | 'read'}
  | {readonly type: 'find'; readonly call: 'customer' | 'draft'; readonly uncertain: UncertainCall}
  /** `until`: milliseconds since the epoch. */
  | {readonly type: 'wait'; readonly until: number; readonly why: WaitReason}
  /** The plan's draft was read, and passed the comparison. */
  | {readonly type: 'compared'; readonly items: readonly ExistingItem[]}
  | {readonly type: 'record'; readonly event: RunEvent}
  | {readonly type: 'stop'; readonly stop: StopReason};

export type StopReason =
  | {readonly why: 'failed'}
  | {readonly why: 'changed' | 'ended' | 'mismatch' | 'not_shown' | 'opened_by_other' | 'send_in_doubt' | 'taken'}
  | {readonly why: 'replaces'; readonly old: string}
  | {readonly why: 'foreign'; readonly items: readonly ExistingItem[]};

const stopAction = (why: Exclude<StopReason['why'], 'foreign' | 'replaces'>): NextAction => ({
  type: 'stop',
  stop: {why},
});

/** Everything that the next action depends on. */
export interface Situation {
  readonly plan: StatementPlan;
  readonly state: StatementRunState;
  readonly memory: ProcessMemory;
  readonly identity: RunIdentity;
  readonly timing: ServiceTiming;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

interface ReadSituation extends Situation {
  readonly view: ObservedStatement;
}

export function decide(situation: Situation): NextAction {
  const {plan, state, memory, identity, timing} = situation;
  const {failure, view, missing} = memory;
  if (failure && (state.statementId === undefined || !isRefusal(failure.error))) return stopAction('failed');
  if (state.statementId === undefined) return decideCreation(situation);
  if (missing)
    return missing.began - timing.lag >= state.mustShowSince
      ? stopAction('failed')
      : readLater(state.mustShowSince, situation);
  if (plan.named) return decideNamed(situation);
  if (!view && !failure && canSkipRead(plan, state)) return {type: 'call', call: 'due'};
  if (!view || (failure && view.began < failure.at)) return {type: 'read'};
  const {statement} = view;
  const {owner, previous} = draftOwnersOf(statement);
  if (previous.includes(identity.run) && owner !== identity.run) return stopAction('taken');
  if (statement.deleted) return stopAction('ended');
  if (isOutdated(state, statement)) {
    if (view.began - timing.lag < state.mustShowSince) return readLater(state.mustShowSince, situation);
    // Only items and the due time are restored. Removed keys and a statement that became a draft again are not.
    const hasChanges = state.items.size > 0 || state.due !== undefined;
    const isReverted = hasChanges && state.mustShowSince < memory.startedAt && state.finalize !== 'done';
    return isReverted ? {type: 'record', event: {type: 'reverted'}} : stopAction('not_shown');
  }
  const isOurs = owner === identity.run;
  if (statement.status === 'draft') {
    // Our keys were on the draft, and have been removed or replaced.
    if (!isOurs && state.taken) return stopAction(owner === undefined ? 'not_shown' : 'taken');
    return decideDraft({...situation, view});
  }
  if (statement.status !== 'open' && statement.status !== 'paid') return stopAction('ended');
  return decideFinalized({...situation, view}, isOurs);
}

/** True for an import row whose items were all answered: the answer to `due` then replaces a read. */
const canSkipRead = ({dueAt, items, stage}: StatementPlan, state: StatementRunState): boolean =>
  stage === 'rest' &&
  dueAt !== undefined &&
  state.settings !== undefined &&
  state.due === undefined &&
  state.openedAt === undefined &&
  state.uncertain.length === 0 &&
  state.items.size === items.length &&
  [...state.items.values()].every(Boolean);

/** Returns the action for a statement that the user named. Never repeats a send with an unknown outcome. */
function decideNamed(situation: Situation): NextAction {
  const {plan, state, memory, timing} = situation;
  const {named, send} = plan;
  const {view, failure} = memory;
  if (state.send === 'done') return {type: 'done'};
  const isOpen = view?.statement.status === 'open';
  if (send) {
    if (failure) return stopAction('failed');
    if (named!.shown && !view) return {type: 'read'};
    if (view && !isOpen) return stopAction('ended');
    return view && view.statement.amount !== named!.shown?.amount
      ? stopAction('changed')
      : {type: 'call', call: 'send'};
  }
  if (view?.kind === 'final' || (isOpen && state.finalize)) return {type: 'done'};
  // An earlier finalize with an unknown outcome may be why the API refused this finalize.
  if (failure && !(state.finalize && isRefusal(failure.error))) return stopAction('failed');
  const unknownFinalize = state.uncertain.findLast(({call}) => call === 'finalize');
  const since = failure?.at ?? (state.finalize === 'done' ? state.mustShowSince : undefined);
  if (since === undefined)
    return unknownFinalize && !(view && view.began >= unknownFinalize.endedAt)
      ? {type: 'read'}
      : {type: 'call', call: 'finalize'};
  if (!view) return {type: 'read'};
  if (view.began - timing.lag < since) return readLater(since, situation);
  return failure ? stopAction('failed') : {type: 'done'};
}

/** True if the API rejected the parameters or the statement's state; a read tells which. */
const isRefusal = ({kind}: CentavoError): boolean => kind === 'rejected' || kind === 'not_found';

function decideCreation({plan, state, timing, now}: Situation): NextAction {
  const first = plan.newCustomer !== undefined && state.customerId === undefined ? 'customer' : 'draft';
  // An import creates its customers before its drafts, in runs without `create`.
  if (first === 'draft' && plan.create === undefined) return {type: 'done'};
  const uncertain = state.uncertain.find(({call, notFound}) => call === first && !notFound);
  if (!uncertain) return {type: 'call', call: first};
  const until = uncertain.endedAt + timing.settle + timing.lag + (timing.settle > 0 ? MARGIN : 0);
  if (now < until) return {type: 'wait', until, why: 'creation'};
  return {type: 'find', call: first, uncertain};
}

/** Waits before a stale read is repeated. The intervals grow until a read must show the known changes. */
function readLater(mustShowSince: number, {timing: {lag}, now}: Situation): NextAction {
  const since = Math.max(0, now - mustShowSince);
  const until = Math.min(now + Math.max(500, since), Math.max(now, mustShowSince + lag));
  return {type: 'wait', until, why: 'lag'};
}

/** Returns the run that owns a draft, and its previous owners. Without a run key, the plan key names the owner. */
export function draftOwnersOf({metadata}: BillingStatementData): {
  readonly owner: string | undefined;
  readonly previous: readonly string[];
} {
  const {[PLAN_KEY]: plan, [RUN_KEY]: run, [PREVIOUS_RUNS_KEY]: was} = isJsonObject(metadata) ? metadata : {};
  const previous = typeof was === 'string' ? was.split(' ').filter(Boolean) : [];
  return {owner: [run, plan].find((each) => typeof each === 'string'), previous};
}

function isOutdated(state: StatementRunState, statement: BillingStatementData): boolean {
  const {status, metadata} = statement;
  if (status === 'draft' && state.openedAt !== undefined) return true;
  if ((state.isCreated || state.taken) && !(isJsonObject(metadata) && RUN_KEY in metadata)) return true;
  const items = itemsOf(statement);
  for (const [id, item] of state.items) {
    const there = items.find((each) => each.id === id);
    if (item === undefined ? there !== undefined : !there || !readsTheSame(there, item)) return true;
  }
  return state.due !== undefined && !isDueTime(state.due, dueTimeOf(statement));
}

const isDueTime = ({asked, answered}: DueTime, due: number | undefined): boolean => due === asked || due === answered;

/** Returns the plan's items, with the descriptions that the API returned. */
export const wantedItems = ({items}: StatementPlan, {written}: StatementRunState): readonly StatementItem[] =>
  items.map((item) => written.findLast(({asked}) => readsTheSame(asked, item))?.item ?? item);

const isDue = ({dueAt}: StatementPlan, {due}: StatementRunState, statement: BillingStatementData): boolean =>
  dueAt === undefined || (due?.asked === dueAt ? isDueTime(due, dueTimeOf(statement)) : dueTimeOf(statement) === dueAt);

/** True if the statement has the plan's items, amount and due time. */
export function matchesPlan(plan: StatementPlan, state: StatementRunState, statement: BillingStatementData): boolean {
  const wanted = wantedItems(plan, state);
  const {missing, surplus, foreign} = differenceOf(wanted, itemsOf(statement));
  const {amount} = statement;
  return (
    missing.length + surplus.length + foreign.length === 0 &&
    (amount === undefined || amount === null || BigInt(amount) === exactTotalOf(wanted)) &&
    isDue(plan, state, statement)
  );
}

/** Returns the action for an open or paid statement, which can no longer change. A stale read may show earlier items. */
function decideFinalized(
  {plan, state, memory: {failure}, view, timing, now}: ReadSituation,
  isOurs: boolean,
): NextAction {
  if (plan.edits) return stopAction('changed');
  // A paid statement needs no email, so its failed send does not matter.
  if (failure?.call === 'send' && view.statement.status === 'paid') return {type: 'done'};
  if (failure?.call === 'send' || failure?.call === 'void') return stopAction('failed');
  // Another writer finalized the replacement before the old statement was void: both could be paid.
  if (plan.replaces?.next === 'void' && state.voided !== 'done') return {type: 'call', call: 'void'};
  if (plan.send && !(isOurs && state.finalize !== undefined)) return stopAction('opened_by_other');
  if (view.kind !== 'final') {
    if (state.openedAt === undefined) return {type: 'record', event: {type: 'opened', at: now}};
    const until = state.openedAt + timing.lag;
    if (view.began < until) return now < until ? {type: 'wait', until, why: 'opened'} : {type: 'read'};
  }
  if (plan.items.length > 0 && !matchesPlan(plan, state, view.statement)) return stopAction('mismatch');
  if (state.send === 'intended') return stopAction('send_in_doubt');
  const sends = plan.send && view.statement.status === 'open' && state.send !== 'done';
  return sends ? {type: 'call', call: 'send'} : {type: 'done'};
}

function decideDraft(situation: ReadSituation): NextAction {
  const {plan, state, memory, view, timing} = situation;
  const {failure} = memory;
  const {statement} = view;
  const asOf = view.began - timing.lag;
  // An earlier finalize with an unknown outcome may have opened the statement: only a later read tells.
  if (failure) return state.finalize && asOf < failure.at ? readLater(failure.at, situation) : stopAction('failed');
  const items = itemsOf(statement);
  const before = plan.edits ? itemsOf(plan.edits) : [];
  const first = compareDraft(situation) ?? foundItem(situation, items, before);
  if (first) return first;
  const wanted = wantedItems(plan, state);
  const isOwn = (item: ExistingItem): boolean =>
    state.items.get(item.id) !== undefined || before.some((each) => isSameItem(each, item));
  // Among equal items, the items that this run may remove become surplus first.
  const difference = differenceOf(wanted, items, new Set(items.filter((item) => !isOwn(item)).map(({id}) => id)));
  const others = [...difference.foreign, ...difference.surplus].filter((item) => !isOwn(item));
  if (others.length > 0) return {type: 'stop', stop: {why: 'foreign', items: others}};
  const open = state.uncertain.find(({call, notFound}) => call === 'item' && !notFound);
  return (
    claimDraft(situation) ??
    (open && (waitUntilCertain(open, asOf, situation) ?? {type: 'record', event: {type: 'not_found', n: open.n}})) ??
    itemCall(situation, items, wanted, difference) ??
    (plan.stage === 'items' ? {type: 'done'} : finishDraft(situation))
  );
}

/** Compares an edited draft with its confirmed state, and refuses to finalize a replacement outside a reissue. */
function compareDraft({plan, memory, view: {statement}}: ReadSituation): NextAction | undefined {
  if (plan.id === undefined || memory.isCompared) return undefined;
  if (plan.edits && !isUnchangedSince(statement, plan.edits)) return stopAction('changed');
  // Only a reissue checks whether the replaced statement can still be paid.
  const old = plan.finalize && !plan.replaces ? replacedBy(statement) : undefined;
  if (old !== undefined) return {type: 'stop', stop: {why: 'replaces', old}};
  return {type: 'compared', items: itemsOf(statement)};
}

/** Returns a `found` event if a read shows the item of an uncertain create. */
function foundItem(
  {state: {uncertain, items: known, itemsBefore}, now}: Situation,
  items: readonly ExistingItem[],
  before: readonly ExistingItem[],
): NextAction | undefined {
  const isNew = ({id}: ExistingItem): boolean =>
    !known.has(id) && !itemsBefore?.includes(id) && !before.some((each) => each.id === id);
  for (const {call, n, item: asked} of uncertain) {
    const item = call === 'item' ? items.find((each) => readsTheSame(each, asked!) && isNew(each)) : undefined;
    if (item) return {type: 'record', event: {type: 'found', n, at: now, id: item.id, item: itemContentOf(item)}};
  }
  return undefined;
}

/** Claims the draft for this run, then waits until no other run can be working on the draft. */
function claimDraft({state, view, identity, timing, now}: ReadSituation): NextAction | undefined {
  const {statement, began} = view;
  const {owner, previous} = draftOwnersOf(statement);
  if (owner !== identity.run) {
    const waits = owner !== undefined;
    return {type: 'call', call: 'take_over', previousOwners: waits ? [...previous, owner] : previous, waits};
  }
  // A read shows the claim, whose outcome was unknown. The previous owner may still be working on the draft.
  const take = state.uncertain.find(({call}) => call === 'take_over');
  if (take && !state.taken) return {type: 'record', event: {type: 'found', n: take.n, at: now, id: state.statementId!}};
  if (!state.taken?.waits || timing.settle === 0) return undefined;
  const until = state.taken.at + takeoverWait(timing);
  if (now < until) return {type: 'wait', until, why: 'takeover'};
  return began < until ? {type: 'read'} : undefined;
}

function itemCall(
  {plan, state}: Situation,
  items: readonly ExistingItem[],
  wanted: readonly StatementItem[],
  {missing, surplus, foreign}: ReturnType<typeof differenceOf>,
): NextAction | undefined {
  const {changed, added, removed} = plan.edits
    ? editsOf(wanted, items)
    : {changed: [], added: missing, removed: [...surplus, ...foreign]};
  const asked = (item: StatementItem): StatementItem => plan.items[wanted.indexOf(item)]!;
  if (changed[0]) return {type: 'call', call: 'change', id: changed[0].from.id, item: asked(changed[0].to)};
  // Record the present items first: the next call creates none of them.
  const there = items.map(({id}) => id).filter((id) => !state.items.has(id) && !state.itemsBefore?.includes(id));
  if (added[0] && there.length > 0)
    return {type: 'record', event: {type: 'items_before', ids: [...(state.itemsBefore ?? []), ...there]}};
  if (added[0]) return {type: 'call', call: 'item', item: asked(added[0])};
  return removed[0] && {type: 'call', call: 'remove', id: removed[0].id};
}

/** Returns the action for a draft with all its items: set the due time, void the old statement, then finalize. */
function finishDraft(situation: ReadSituation): NextAction {
  const {plan, state, view, timing, now} = situation;
  if (!isDue(plan, state, view.statement)) return {type: 'call', call: 'due'};
  // An uncertain call of an earlier process may still undo a change of this run.
  for (const uncertain of state.uncertain) {
    const isOther = uncertain.call === 'finalize' || uncertain.call === 'void';
    const wait =
      uncertain.earlier && !isOther ? waitUntilCertain(uncertain, view.began - timing.lag, situation) : undefined;
    if (wait) return wait;
  }
  const unknownFinalize = state.uncertain.findLast(({call}) => call === 'finalize');
  const isOld =
    now - view.began > timing.age || (unknownFinalize !== undefined && view.began < unknownFinalize.endedAt);
  if (view.kind === 'assembled' || isOld) return {type: 'read'};
  if (!plan.finalize) return {type: 'done'};
  // Several runs may try to void the old statement. Only the run whose call succeeded may finalize its draft.
  const mayOpen = plan.replaces === undefined || plan.replaces.next === 'open' || state.voided === 'done';
  if (!mayOpen && plan.replaces!.next === 'ask') return stopAction('failed');
  return {type: 'call', call: mayOpen ? 'finalize' : 'void'};
}

/** Waits until a read must show the outcome of an uncertain call. Then returns undefined. */
function waitUntilCertain(
  {endedAt}: UncertainCall,
  asOf: number,
  {timing: {settle, lag}, now}: Situation,
): NextAction | undefined {
  if (asOf >= endedAt + settle) return undefined;
  const until = endedAt + settle + lag;
  return now < until ? {type: 'wait', until, why: 'creation'} : {type: 'read'};
}
