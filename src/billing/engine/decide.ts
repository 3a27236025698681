// The next act of a run, from its plan, what it knows, and what the service last showed. Pure: it reads no clock and calls nobody.
//
// What is relied on: a call is applied within the settle time S after it ended, or never. A read is as old as the lag L at most, so
// that one begun at t shows all of t - L, and need not show more. Only finalize's own answer is as of now.

import {dueOf} from '../../api/statement.js';
import type {CentavoError} from '../../ground/errors.js';
import {isHash} from '../../ground/json.js';
import {FORMER_KEY, PLAN_KEY, RUN_KEY} from '../compose/draft.js';
import {
  amountOf,
  differenceOf,
  editsOf,
  isAsBefore,
  isSame,
  isSameItem,
  itemsOf,
  type PresentItem,
  type Statement,
  type StatementItem,
  type StatementPlan,
} from '../compose/plan.js';
import type {Call, Doubt, Due, Known} from './facts.js';

/** Milliseconds. */
export interface Timing {
  /** S: the longest after the end of a call that it may still be applied. */
  readonly settle: number;
  /** L: how old a read may be. */
  readonly lag: number;
  /** The longest that a call takes until it is given up. */
  readonly call: number;
  /** How old a read may be when finalizing relies on it. */
  readonly age: number;
}

export const OVER_HTTP: Timing = {settle: 15_000, lag: 15_000, call: 10_000, age: 5000};
/** For the sandbox inside this program, where a call has ended when it returns. */
export const AT_ONCE: Timing = {settle: 0, lag: 0, call: 0, age: 5000};

/** @param consistent whether the service said that its reads are never old */
export const timingOf = ({embedded, consistent = false}: {embedded: boolean; consistent?: boolean}): Timing =>
  embedded ? AT_ONCE : consistent ? {...OVER_HTTP, lag: 0} : OVER_HTTP;

/** Milliseconds that are added where a creation is waited for: clocks and timers are not exact. */
const MARGIN = 1000;

/** What the service showed, with the answers since then. */
export interface View {
  readonly statement: Statement;
  /** When the request began; for finalize's own answer, when that came. */
  readonly began: number;
  /** `shown` as it is; `assembled` with answers to calls since; `final` is finalize's own answer. */
  readonly kind: 'assembled' | 'final' | 'shown';
}

/** What only this process knows. */
export interface Present {
  readonly startedAt: number;
  readonly view?: View;
  /** The draft was not found by its id. */
  readonly missing?: {readonly error: CentavoError; readonly began: number};
  /** The call that failed for good, and when. */
  readonly failure?: {readonly error: CentavoError; readonly call: Call | 'read'; readonly at: number};
  /** Whether the draft that the plan names was seen to be as it was when the plan was made. */
  readonly isCompared: boolean;
}

export interface Self {
  /** The random names of the plan and of the run. */
  readonly key: string;
  readonly run: string;
  /** Whether a release without runs made the statement on this machine, and has ended. */
  readonly hasFormer: boolean;
}

export type Why = 'creation' | 'lag' | 'opened' | 'takeover';

export type Act =
  | {readonly act: 'create-customer' | 'create-draft' | 'finalize' | 'send'}
  | {readonly act: 'find-customer' | 'find-draft'; readonly doubt: Doubt}
  | {readonly act: 'look'}
  /** Until a time in milliseconds since the epoch; then it looks again. */
  | {readonly act: 'wait'; readonly until: number; readonly why: Why}
  | {readonly act: 'take'; readonly statement: Statement; readonly former: readonly string[]; readonly waits: boolean}
  | {readonly act: 'compare'; readonly items: readonly PresentItem[]}
  | {readonly act: 'claim'; readonly doubt: Doubt; readonly item: PresentItem}
  | {readonly act: 'overruled'}
  | {readonly act: 'absent'; readonly doubt: Doubt}
  | {readonly act: 'add'; readonly item: StatementItem}
  | {readonly act: 'change'; readonly from: PresentItem; readonly to: StatementItem}
  | {readonly act: 'remove'; readonly item: PresentItem}
  | {readonly act: 'set-due'; readonly statement: Statement}
  | {readonly act: 'opened'}
  | {readonly act: 'done'}
  | {readonly act: 'stop'; readonly stop: Ending};

export type Ending =
  | {readonly why: 'failed'}
  | {readonly why: 'changed' | 'ended' | 'mismatch' | 'not_shown' | 'opened_by_other' | 'send_in_doubt' | 'taken'}
  | {readonly why: 'foreign'; readonly items: readonly PresentItem[]};

const stop = (why: Exclude<Ending['why'], 'foreign'>): Act => ({act: 'stop', stop: {why}});

/** @param now milliseconds since the epoch */
export function decide(
  plan: StatementPlan,
  known: Known,
  present: Present,
  self: Self,
  timing: Timing,
  now: number,
): Act {
  const {failure, view, missing} = present;
  if (failure && (known.statementId === undefined || failure.call === 'send' || !isRefusal(failure.error)))
    return stop('failed');
  if (known.statementId === undefined) return begin(plan, known, timing, now);
  if (missing)
    return missing.began - timing.lag >= known.shownAt ? stop('failed') : lookLater(known.shownAt, timing, now);
  if (plan.named) return only(plan, known, present);
  if (!view || (failure && view.began < failure.at)) return {act: 'look'};
  if (known.send === 'done') return {act: 'done'};
  if (known.send === 'intended') return stop('send_in_doubt');
  const {statement} = view;
  const {owner, former, isOld} = ownersOf(statement);
  if (former.includes(self.run) && owner !== self.run) return stop('taken');
  if (statement.deleted) return stop('ended');
  if (lacksFact(known, statement)) {
    if (view.began - timing.lag < known.shownAt) return lookLater(known.shownAt, timing, now);
    const byOthers = known.shownAt < present.startedAt && known.finalize !== 'done';
    return byOthers ? {act: 'overruled'} : stop('not_shown');
  }
  const isOurs = owner === self.run;
  if (statement.status === 'draft') {
    // One's own keys were there, and others are now.
    if (!isOurs && known.taken) return stop(owner === undefined ? 'not_shown' : 'taken');
    return draft(plan, known, {...present, view}, self, timing, now);
  }
  if (statement.status !== 'open' && statement.status !== 'paid') return stop('ended');
  // Nothing is written into what is open.
  return opened(plan, known, {...present, view}, timing, now, isOurs || (isOld && self.hasFormer));
}

/** What a person named and was shown is finalized or sent, whoever made it. A send in doubt is not repeated. */
function only({named, send}: StatementPlan, known: Known, {view, failure}: Present): Act {
  if (failure) return stop('failed');
  const doubted = known.doubts.find(({call}) => call === 'finalize');
  const isOpen = known.finalize === 'done' || view?.statement.status === 'open';
  if (known.send === 'done') return {act: 'done'};
  if (!view && (known.finalize || named!.shown)) return {act: 'look'};
  if (!send)
    return isOpen ? {act: 'done'} : doubted && view!.began < doubted.endedAt ? {act: 'look'} : {act: 'finalize'};
  if (view && !isOpen) return stop('ended');
  return view && view.statement.amount !== named!.shown?.amount ? stop('changed') : {act: 'send'};
}

/** The API refused it for what was asked, or for the state of the statement, which a look then tells. */
const isRefusal = ({kind}: CentavoError): boolean => kind === 'rejected' || kind === 'not_found';

/** Before there is a draft. */
function begin(plan: StatementPlan, known: Known, timing: Timing, now: number): Act {
  const first = plan.newCustomer !== undefined && known.customerId === undefined ? 'customer' : 'draft';
  const doubt = known.doubts.find(({call, absent}) => call === first && !absent);
  if (!doubt) return {act: `create-${first}`};
  const until = doubt.endedAt + timing.settle + timing.lag + (timing.settle > 0 ? MARGIN : 0);
  if (now < until) return {act: 'wait', until, why: 'creation'};
  return {act: `find-${first}`, doubt};
}

/** A read that does not show what is known is old: it is repeated at growing intervals, the last time when it must show it. */
function lookLater(shownAt: number, {lag}: Timing, now: number): Act {
  const since = Math.max(0, now - shownAt);
  const until = Math.min(now + Math.max(500, since), Math.max(now, shownAt + lag));
  return {act: 'wait', until, why: 'lag'};
}

/** Whose a draft is, and whose it was. */
export function ownersOf({metadata}: Statement): {
  readonly owner: string | undefined;
  readonly former: readonly string[];
  /** Release 0.6.0 and before wrote only the key of the plan. */
  readonly isOld: boolean;
} {
  const {[PLAN_KEY]: plan, [RUN_KEY]: run, [FORMER_KEY]: was} = isHash(metadata) ? metadata : {};
  const former = typeof was === 'string' ? was.split(' ').filter(Boolean) : [];
  const isOld = typeof run !== 'string';
  return {owner: !isOld ? run : typeof plan === 'string' ? plan : undefined, former, isOld};
}

function lacksFact(known: Known, statement: Statement): boolean {
  const {status, metadata} = statement;
  if (status === 'draft' && (known.finalize === 'done' || known.openedAt !== undefined)) return true;
  if ((known.isCreated || known.taken) && !(isHash(metadata) && RUN_KEY in metadata)) return true;
  const items = itemsOf(statement);
  for (const [id, item] of known.items) {
    const there = items.find((each) => each.id === id);
    if (item === undefined ? there !== undefined : !there || !isSame(there, item)) return true;
  }
  return known.due !== undefined && !isOneOf(known.due, dueOf(statement));
}

const isOneOf = ({asked, answered}: Due, due: number | undefined): boolean => due === asked || due === answered;

/** The items of the plan, described as the service described them. */
export const wantedItems = ({items}: StatementPlan, {written}: Known): readonly StatementItem[] =>
  items.map((item) => written.findLast(({asked}) => isSame(asked, item))?.item ?? item);

const isDue = ({dueAt}: StatementPlan, {due}: Known, statement: Statement): boolean =>
  dueAt === undefined || (due?.asked === dueAt ? isOneOf(due, dueOf(statement)) : dueOf(statement) === dueAt);

/** Whether it has the items, the amount and the due time that were asked for. */
export function isWanted(plan: StatementPlan, known: Known, statement: Statement): boolean {
  const wanted = wantedItems(plan, known);
  const {missing, surplus, foreign} = differenceOf(wanted, itemsOf(statement));
  const {amount} = statement;
  return (
    missing.length + surplus.length + foreign.length === 0 &&
    (amount === undefined || amount === null || BigInt(amount) === amountOf(wanted)) &&
    isDue(plan, known, statement)
  );
}

interface Seen extends Present {
  readonly view: View;
}

/** Open or paid. Nothing of it can change any more, but an old read may show it as it was before. */
function opened(plan: StatementPlan, known: Known, {view}: Seen, timing: Timing, now: number, isOurs: boolean): Act {
  if (plan.edits) return stop('changed');
  if (plan.send && !(isOurs && known.finalize !== undefined)) return stop('opened_by_other');
  if (view.kind !== 'final') {
    if (known.openedAt === undefined) return {act: 'opened'};
    const until = known.openedAt + timing.lag;
    if (view.began < until) return now < until ? {act: 'wait', until, why: 'opened'} : {act: 'look'};
  }
  if (plan.items.length > 0 && !isWanted(plan, known, view.statement)) return stop('mismatch');
  // Who has paid needs no e-mail.
  return plan.send && view.statement.status === 'open' ? {act: 'send'} : {act: 'done'};
}

function draft(plan: StatementPlan, known: Known, present: Seen, self: Self, timing: Timing, now: number): Act {
  const {view, failure} = present;
  const {statement} = view;
  const asOf = view.began - timing.lag;
  // A finalize in doubt may be why the next one was refused: until a read is of later, it may be open.
  if (failure) return known.finalize && asOf < failure.at ? lookLater(failure.at, timing, now) : stop('failed');
  if (plan.id !== undefined && !present.isCompared) {
    if (plan.edits && !isAsBefore(statement, plan.edits)) return stop('changed');
    return {act: 'compare', items: itemsOf(statement)};
  }
  const {owner, former, isOld: hasNoRun} = ownersOf(statement);
  if (owner !== self.run) {
    const waits = owner !== undefined && !(hasNoRun && (self.hasFormer || owner === self.key));
    return {act: 'take', statement, former: owner === undefined ? former : [...former, owner], waits};
  }
  if (known.taken?.waits && timing.settle > 0) {
    const until = known.taken.at + timing.lag + timing.age + timing.call + timing.settle + timing.lag;
    if (now < until) return {act: 'wait', until, why: 'takeover'};
    if (view.began < until) return {act: 'look'};
  }
  const items = itemsOf(statement);
  const before = plan.edits ? itemsOf(plan.edits) : [];
  for (const doubt of known.doubts) {
    if (doubt.call !== 'item') continue;
    const isNew = ({id}: PresentItem): boolean =>
      !known.items.has(id) && !known.before?.includes(id) && !before.some((each) => each.id === id);
    const item = items.find((each) => isSame(each, doubt.item!) && isNew(each));
    if (item) return {act: 'claim', doubt, item};
  }
  const wanted = wantedItems(plan, known);
  const isOwn = (item: PresentItem): boolean =>
    known.items.get(item.id) !== undefined || before.some((each) => isSameItem(each, item));
  // Of equal items, those that this run may take out come last.
  const {missing, surplus, foreign} = differenceOf(
    wanted,
    items,
    new Set(items.filter((item) => !isOwn(item)).map(({id}) => id)),
  );
  const others = [...foreign, ...surplus].filter((item) => !isOwn(item));
  if (others.length > 0) return {act: 'stop', stop: {why: 'foreign', items: others}};
  const open = known.doubts.find(({call, absent}) => call === 'item' && !absent);
  if (open) return settled(open, asOf, timing, now) ?? {act: 'absent', doubt: open};
  const {changed, added, removed} = plan.edits
    ? editsOf(wanted, items)
    : {changed: [], added: missing, removed: [...surplus, ...foreign]};
  if (changed[0]) return {act: 'change', ...changed[0]};
  if (added[0]) return {act: 'add', item: added[0]};
  if (removed[0]) return {act: 'remove', item: removed[0]};
  if (!isDue(plan, known, statement)) return {act: 'set-due', statement};
  // What an earlier process asked for may still undo what this one did.
  for (const doubt of known.doubts) {
    const wait = doubt.earlier && doubt.call !== 'finalize' ? settled(doubt, asOf, timing, now) : undefined;
    if (wait) return wait;
  }
  const doubted = known.doubts.find(({call}) => call === 'finalize');
  const isOld = now - view.began > timing.age || (doubted !== undefined && view.began < doubted.endedAt);
  if (view.kind === 'assembled' || isOld) return {act: 'look'};
  return plan.finalize ? {act: 'finalize'} : {act: 'done'};
}

/** What to do until a view is of a time at which a call in doubt has been made, or never will be; then undefined. */
function settled({endedAt}: Doubt, asOf: number, {settle, lag}: Timing, now: number): Act | undefined {
  if (asOf >= endedAt + settle) return undefined;
  const until = endedAt + settle + lag;
  return now < until ? {act: 'wait', until, why: 'creation'} : {act: 'look'};
}
