// Decides the next action of a run, from its plan, its state, and the last read. Pure: it reads no clock and makes no call.
//
// Assumptions: a call is applied within the settle time S after it ended, or never. A read is at most as old as the lag L, so a
// read begun at t shows everything up to t - L, and may omit later changes. Only finalize's own answer is certain to be current.

import {dueTimeOf} from '../../../api/statement.js';
import type {CentavoError} from '../../../common/errors.js';
import {isJsonObject} from '../../../common/json.js';
import {exactTotalOf, type StatementItem} from '../../../input/items.js';
import {PREVIOUS_RUNS_KEY, PLAN_KEY, replacedBy, RUN_KEY} from '../copy.js';
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

/** Milliseconds. */
export interface ServiceTiming {
  /** S: how long after its end a call may still be applied. */
  readonly settle: number;
  /** L: how old a read may be. */
  readonly lag: number;
  /** Timeout of a call. */
  readonly call: number;
  /** Maximum age of a read when finalizing relies on it. */
  readonly age: number;
}

export const HTTP_TIMING: ServiceTiming = {settle: 15_000, lag: 15_000, call: 10_000, age: 5000};
/** For the embedded sandbox, where a call has ended when it returns. */
export const EMBEDDED_TIMING: ServiceTiming = {settle: 0, lag: 0, call: 0, age: 5000};

/** @param consistent whether the service said that its reads are never old */
export const serviceTimingOf = ({
  embedded,
  consistent = false,
}: {
  embedded: boolean;
  consistent?: boolean;
}): ServiceTiming => (embedded ? EMBEDDED_TIMING : consistent ? {...HTTP_TIMING, lag: 0} : HTTP_TIMING);

/** Milliseconds from a creation until a read shows everything created before: creation times are whole seconds. */
export const readDelay = ({lag, settle}: ServiceTiming): number => (settle > 0 ? lag + 1000 : lag);

/** Milliseconds from taking over a draft until a read shows everything that its earlier owner may have done before noticing. */
export const takeoverWait = ({lag, age, call, settle}: ServiceTiming): number =>
  settle > 0 ? lag + age + call + settle + lag : 0;

/** Milliseconds added to the wait for a creation: clocks and timers are not exact. */
const MARGIN = 1000;

/** The last read of the service, with the answers since. */
export interface ObservedStatement {
  readonly statement: BillingStatementData;
  /** When the request began; for finalize's own answer, when it arrived. */
  readonly began: number;
  /** `shown` as read; `assembled` with later answers; `final` is finalize's own answer. */
  readonly kind: 'assembled' | 'final' | 'shown';
}

/** Facts that only this process knows. */
export interface ProcessMemory {
  readonly startedAt: number;
  readonly view?: ObservedStatement;
  /** The draft was not found by its id. */
  readonly missing?: {readonly error: CentavoError; readonly began: number};
  /** The call that failed for good, and when. */
  readonly failure?: {readonly error: CentavoError; readonly call: RunCall | 'read'; readonly at: number};
  /** True if the named draft was read and equals its state when the plan was made. */
  readonly isCompared: boolean;
}

export interface RunIdentity {
  /** The random names of the plan and of the run. */
  readonly key: string;
  readonly run: string;
}

export type WaitReason = 'creation' | 'lag' | 'opened' | 'other_runs' | 'takeover';

export interface CallAction {
  readonly type: 'call';
  readonly call: RunCall;
  /** Id of the changed or removed item. */
  readonly id?: string;
  /** From the plan: the item to add, or the new form of the item. */
  readonly item?: StatementItem;
  /** For a takeover: the earlier owners, and whether another machine may still be working on it. */
  readonly previousOwners?: readonly string[];
  readonly waits?: boolean;
}

export type NextAction =
  | CallAction
  | {readonly type: 'done' | 'read'}
  | {readonly type: 'find'; readonly call: 'customer' | 'draft'; readonly uncertain: UncertainCall}
  /** Until a time in milliseconds since the epoch; then it reads again. */
  | {readonly type: 'wait'; readonly until: number; readonly why: WaitReason}
  /** The draft is unchanged since the plan was made. */
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

/** @param now milliseconds since the epoch */
export function decide(
  plan: StatementPlan,
  state: StatementRunState,
  memory: ProcessMemory,
  identity: RunIdentity,
  timing: ServiceTiming,
  now: number,
): NextAction {
  const {failure, view, missing} = memory;
  if (failure && (state.statementId === undefined || !isRefusal(failure.error))) return stopAction('failed');
  if (state.statementId === undefined) return decideCreation(plan, state, timing, now);
  if (missing)
    return missing.began - timing.lag >= state.shownAt ? stopAction('failed') : readLater(state.shownAt, timing, now);
  if (plan.named) return decideNamed(plan, state, memory, timing, now);
  if (!view && !failure && canSkipRead(plan, state)) return {type: 'call', call: 'due'};
  if (!view || (failure && view.began < failure.at)) return {type: 'read'};
  const {statement} = view;
  const {owner, previous} = draftOwnersOf(statement);
  if (previous.includes(identity.run) && owner !== identity.run) return stopAction('taken');
  if (statement.deleted) return stopAction('ended');
  if (isOutdated(state, statement)) {
    if (view.began - timing.lag < state.shownAt) return readLater(state.shownAt, timing, now);
    // Removed keys, and a statement that is a draft again, stay so: only items and the due time are restored.
    const hasChanges = state.items.size > 0 || state.due !== undefined;
    const isReverted = hasChanges && state.shownAt < memory.startedAt && state.finalize !== 'done';
    return isReverted ? {type: 'record', event: {type: 'reverted'}} : stopAction('not_shown');
  }
  const isOurs = owner === identity.run;
  if (statement.status === 'draft') {
    // Our keys were on the draft, and have been replaced.
    if (!isOurs && state.taken) return stopAction(owner === undefined ? 'not_shown' : 'taken');
    return decideDraft(plan, state, {...memory, view}, identity, timing, now);
  }
  if (statement.status !== 'open' && statement.status !== 'paid') return stopAction('ended');
  // An open statement is never changed.
  return decideFinalized(plan, state, {...memory, view}, timing, now, isOurs);
}

/** For an import: true if every item was answered, so that the answer to the due time is as good as a read. */
const canSkipRead = ({dueAt, items, stage}: StatementPlan, state: StatementRunState): boolean =>
  stage === 'rest' &&
  dueAt !== undefined &&
  state.settings !== undefined &&
  state.due === undefined &&
  state.openedAt === undefined &&
  state.uncertain.length === 0 &&
  state.items.size === items.length &&
  [...state.items.values()].every(Boolean);

/** Finalizes or sends the statement that a person named and saw. Does not repeat an unknown send. */
function decideNamed(
  {named, send}: StatementPlan,
  state: StatementRunState,
  {view, failure}: ProcessMemory,
  timing: ServiceTiming,
  now: number,
): NextAction {
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
  // An unknown finalize may be why the next one was refused.
  if (failure && !(state.finalize && isRefusal(failure.error))) return stopAction('failed');
  const unknownFinalize = state.uncertain.findLast(({call}) => call === 'finalize');
  const since = failure?.at ?? (state.finalize === 'done' ? state.shownAt : undefined);
  if (since === undefined)
    return unknownFinalize && !(view && view.began >= unknownFinalize.endedAt)
      ? {type: 'read'}
      : {type: 'call', call: 'finalize'};
  if (!view) return {type: 'read'};
  if (view.began - timing.lag < since) return readLater(since, timing, now);
  return failure ? stopAction('failed') : {type: 'done'};
}

/** The API rejected the parameters or the statement's state; a read tells which. */
const isRefusal = ({kind}: CentavoError): boolean => kind === 'rejected' || kind === 'not_found';

function decideCreation(plan: StatementPlan, state: StatementRunState, timing: ServiceTiming, now: number): NextAction {
  const first = plan.newCustomer !== undefined && state.customerId === undefined ? 'customer' : 'draft';
  // An import makes its customers before its drafts.
  if (first === 'draft' && plan.create === undefined) return {type: 'done'};
  const uncertain = state.uncertain.find(({call, notFound}) => call === first && !notFound);
  if (!uncertain) return {type: 'call', call: first};
  const until = uncertain.endedAt + timing.settle + timing.lag + (timing.settle > 0 ? MARGIN : 0);
  if (now < until) return {type: 'wait', until, why: 'creation'};
  return {type: 'find', call: first, uncertain};
}

/** A read without known changes is old: it is repeated at growing intervals, the last time when it must show them. */
function readLater(shownAt: number, {lag}: ServiceTiming, now: number): NextAction {
  const since = Math.max(0, now - shownAt);
  const until = Math.min(now + Math.max(500, since), Math.max(now, shownAt + lag));
  return {type: 'wait', until, why: 'lag'};
}

/** The run that owns a draft, and the runs that owned it. Without a run key, the plan key stands for the owner. */
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

/** The items of the plan, described as the service described them. */
export const wantedItems = ({items}: StatementPlan, {written}: StatementRunState): readonly StatementItem[] =>
  items.map((item) => written.findLast(({asked}) => readsTheSame(asked, item))?.item ?? item);

const isDue = ({dueAt}: StatementPlan, {due}: StatementRunState, statement: BillingStatementData): boolean =>
  dueAt === undefined || (due?.asked === dueAt ? isDueTime(due, dueTimeOf(statement)) : dueTimeOf(statement) === dueAt);

/** True if it has the wanted items, amount and due time. */
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

interface MemoryWithView extends ProcessMemory {
  readonly view: ObservedStatement;
}

/** Open or paid. It cannot change any more, but an old read may show an earlier state. */
function decideFinalized(
  plan: StatementPlan,
  state: StatementRunState,
  {view, failure}: MemoryWithView,
  timing: ServiceTiming,
  now: number,
  isOurs: boolean,
): NextAction {
  if (plan.edits) return stopAction('changed');
  // A paid statement is not emailed.
  if (failure?.call === 'send' && view.statement.status === 'paid') return {type: 'done'};
  if (failure?.call === 'send' || failure?.call === 'void') return stopAction('failed');
  // Finalized too first by another writer: both can be paid.
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

function decideDraft(
  plan: StatementPlan,
  state: StatementRunState,
  memory: MemoryWithView,
  identity: RunIdentity,
  timing: ServiceTiming,
  now: number,
): NextAction {
  const {view, failure} = memory;
  const {statement} = view;
  const asOf = view.began - timing.lag;
  // An unknown finalize may be why the next one was refused: until a later read, it may be open.
  if (failure) return state.finalize && asOf < failure.at ? readLater(failure.at, timing, now) : stopAction('failed');
  const items = itemsOf(statement);
  const before = plan.edits ? itemsOf(plan.edits) : [];
  const first = compareDraft(plan, statement, memory.isCompared) ?? foundItem(state, items, before, now);
  if (first) return first;
  const wanted = wantedItems(plan, state);
  const isOwn = (item: ExistingItem): boolean =>
    state.items.get(item.id) !== undefined || before.some((each) => isSameItem(each, item));
  // Of equal items, those that this run may remove come last.
  const difference = differenceOf(wanted, items, new Set(items.filter((item) => !isOwn(item)).map(({id}) => id)));
  const others = [...difference.foreign, ...difference.surplus].filter((item) => !isOwn(item));
  if (others.length > 0) return {type: 'stop', stop: {why: 'foreign', items: others}};
  const open = state.uncertain.find(({call, notFound}) => call === 'item' && !notFound);
  return (
    claimDraft(state, view, identity, timing, now) ??
    (open && (waitUntilCertain(open, asOf, timing, now) ?? {type: 'record', event: {type: 'not_found', n: open.n}})) ??
    itemCall(plan, state, items, wanted, difference) ??
    (plan.stage === 'items' ? {type: 'done'} : finishDraft(plan, state, view, timing, now))
  );
}

/** For a named draft: compares it with its state when the plan was made. */
function compareDraft(
  plan: StatementPlan,
  statement: BillingStatementData,
  isCompared: boolean,
): NextAction | undefined {
  if (plan.id === undefined || isCompared) return undefined;
  if (plan.edits && !isUnchangedSince(statement, plan.edits)) return stopAction('changed');
  // Only a reissue checks whether the replaced statement can still be paid.
  const old = plan.finalize && !plan.replaces ? replacedBy(statement) : undefined;
  if (old !== undefined) return {type: 'stop', stop: {why: 'replaces', old}};
  return {type: 'compared', items: itemsOf(statement)};
}

/** An item whose uncertain creation is found. */
function foundItem(
  {uncertain, items: known, itemsBefore}: StatementRunState,
  items: readonly ExistingItem[],
  before: readonly ExistingItem[],
  now: number,
): NextAction | undefined {
  const isNew = ({id}: ExistingItem): boolean =>
    !known.has(id) && !itemsBefore?.includes(id) && !before.some((each) => each.id === id);
  for (const {call, n, item: asked} of uncertain) {
    const item = call === 'item' ? items.find((each) => readsTheSame(each, asked!) && isNew(each)) : undefined;
    if (item) return {type: 'record', event: {type: 'found', n, at: now, id: item.id, item: itemContentOf(item)}};
  }
  return undefined;
}

/** Makes the draft this run's own, and waits until no other run may be working on it. */
function claimDraft(
  state: StatementRunState,
  {statement, began}: ObservedStatement,
  identity: RunIdentity,
  timing: ServiceTiming,
  now: number,
): NextAction | undefined {
  const {owner, previous} = draftOwnersOf(statement);
  if (owner !== identity.run) {
    const waits = owner !== undefined;
    return {type: 'call', call: 'take_over', previousOwners: waits ? [...previous, owner] : previous, waits};
  }
  // A read shows that the take-over was made although its answer was unknownFinalize. The previous owner may still work on the draft.
  const take = state.uncertain.find(({call}) => call === 'take_over');
  if (take && !state.taken) return {type: 'record', event: {type: 'found', n: take.n, at: now, id: state.statementId!}};
  if (!state.taken?.waits || timing.settle === 0) return undefined;
  const until = state.taken.at + takeoverWait(timing);
  if (now < until) return {type: 'wait', until, why: 'takeover'};
  return began < until ? {type: 'read'} : undefined;
}

function itemCall(
  plan: StatementPlan,
  state: StatementRunState,
  items: readonly ExistingItem[],
  wanted: readonly StatementItem[],
  {missing, surplus, foreign}: ReturnType<typeof differenceOf>,
): NextAction | undefined {
  const {changed, added, removed} = plan.edits
    ? editsOf(wanted, items)
    : {changed: [], added: missing, removed: [...surplus, ...foreign]};
  const asked = (item: StatementItem): StatementItem => plan.items[wanted.indexOf(item)]!;
  if (changed[0]) return {type: 'call', call: 'change', id: changed[0].from.id, item: asked(changed[0].to)};
  // The next call creates none of the items that are there now.
  const there = items.map(({id}) => id).filter((id) => !state.items.has(id) && !state.itemsBefore?.includes(id));
  if (added[0] && there.length > 0)
    return {type: 'record', event: {type: 'items_before', ids: [...(state.itemsBefore ?? []), ...there]}};
  if (added[0]) return {type: 'call', call: 'item', item: asked(added[0])};
  return removed[0] && {type: 'call', call: 'remove', id: removed[0].id};
}

/** With all items: the due time, then finalizing. */
function finishDraft(
  plan: StatementPlan,
  state: StatementRunState,
  view: ObservedStatement,
  timing: ServiceTiming,
  now: number,
): NextAction {
  if (!isDue(plan, state, view.statement)) return {type: 'call', call: 'due'};
  // A call of an earlier process may still undo this one.
  for (const uncertain of state.uncertain) {
    const isOther = uncertain.call === 'finalize' || uncertain.call === 'void';
    const wait =
      uncertain.earlier && !isOther ? waitUntilCertain(uncertain, view.began - timing.lag, timing, now) : undefined;
    if (wait) return wait;
  }
  const unknownFinalize = state.uncertain.findLast(({call}) => call === 'finalize');
  const isOld =
    now - view.began > timing.age || (unknownFinalize !== undefined && view.began < unknownFinalize.endedAt);
  if (view.kind === 'assembled' || isOld) return {type: 'read'};
  if (!plan.finalize) return {type: 'done'};
  // Several runs may void the old statement. Only the run whose call was answered with void may finalize its draft.
  const mayOpen = plan.replaces === undefined || plan.replaces.next === 'open' || state.voided === 'done';
  if (!mayOpen && plan.replaces!.next === 'ask') return stopAction('failed');
  return {type: 'call', call: mayOpen ? 'finalize' : 'void'};
}

/** Waits until a read must show the outcome of an uncertain call; then undefined. */
function waitUntilCertain(
  {endedAt}: UncertainCall,
  asOf: number,
  {settle, lag}: ServiceTiming,
  now: number,
): NextAction | undefined {
  if (asOf >= endedAt + settle) return undefined;
  const until = endedAt + settle + lag;
  return now < until ? {type: 'wait', until, why: 'creation'} : {type: 'read'};
}
