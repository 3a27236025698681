// Reissues an open statement: voids it and bills a corrected replacement. At most one of the two can be paid at any time.
//
//   old statement          its replacement   action
//   open                   none, draft       create or complete the draft, void the old statement, finalize the draft
//   open                   open, paid        void the old statement
//   void, uncollectible    draft             finalize the draft, if this run may
//   void, uncollectible    open, paid        send the replacement, if requested and if this run finalized it
//   void, uncollectible    none              refuse: nothing to reissue
//   paid                   draft             delete the draft and report it: nothing is billed twice
//   paid                   open              report it, with the command that voids the replacement
//   draft, deleted         any               refuse
//
// A run may finalize its draft after the API confirmed its void call. Only one run receives that confirmation. Any other
// run waits until every read shows the drafts of all runs that may have received it. The run then finalizes its own draft
// if no other replacement exists.

import {dueTimeOf, hasEnded} from '../../api/statement.js';
import type {Client} from '../../client/client.js';
import {wasAborted} from '../../common/deadlines.js';
import {CentavoError, type Applied} from '../../common/errors.js';
import {exactTotalOf, type StatementItem} from '../../input/items.js';
import {getStatement, findStatementById, statementsSince} from '../account/account-reader.js';
import {createParamsOf, plannedItems} from './copy.js';
import {AMOUNT_KEY, replacedBy, REPLACES_KEY} from './metadata-keys.js';
import type {RunOutcome} from './workflow/outcome.js';
import {differenceOf, itemsOf, type BillingStatementData, type StatementPlan} from './plan.js';
import {draftOwnersOf} from './workflow/decide.js';
import {readDelay} from './workflow/service-timing.js';
import type {RunOptions, RunProgressEvent} from './workflow/run-plan.js';

export interface ReissuePlan {
  readonly id: string;
  /** All items of the new statement. Default: the items of the old statement, or of its existing replacement. */
  readonly items?: readonly StatementItem[];
  /** Unix seconds; same default as the items. */
  readonly dueAt?: number;
  readonly send: boolean;
}

export type ReissueStop =
  /** A read or a record failed, or a wait was interrupted. */
  | {readonly why: 'failed'; readonly error: CentavoError}
  /** The new statement was not created or finalized, or the old statement was not voided. */
  | {readonly why: 'run'; readonly outcome: Extract<RunOutcome, {end: 'stopped'}>; readonly plan: StatementPlan}
  /** The old statement is deleted or a draft, or has ended without a replacement. */
  | {readonly why: 'not_open'}
  /** The old statement is paid. Its replacement drafts were `removed`, or may remain (`left`). */
  | {readonly why: 'paid'; readonly removed: readonly string[]; readonly left: readonly string[]}
  /** The old statement is paid, and its replacement is no longer a draft. */
  | {readonly why: 'billed_twice'; readonly replacement: BillingStatementData}
  /** An earlier reissue finalized a replacement with other items or another due date. */
  | {readonly why: 'replaced'; readonly replacement: BillingStatementData}
  /** The replacement's amount differs from the amount that its run recorded. */
  | {readonly why: 'incomplete'; readonly replacement: BillingStatementData}
  /**
   * Another run may have voided the old statement. That run's replacement exists, or was finalized and has ended. This
   * run's draft was `removed`, or remains (`left`).
   */
  | {
      readonly why: 'elsewhere';
      readonly other: BillingStatementData;
      readonly removed: readonly string[];
      readonly left: readonly string[];
    };

export type ReissueOutcome =
  | {
      readonly end: 'done';
      readonly statement: BillingStatementData;
      readonly old: BillingStatementData;
      /** `unknown` if a change got no answer: the result may be another run's. */
      readonly applied: Applied;
      /** Ids of further drafts meant to replace the old statement. */
      readonly surplus: readonly string[];
      readonly unread?: CentavoError;
      /** True if another command on this machine sent the statement, so this run did not. */
      readonly sentBefore?: boolean;
      /** True if another run finalized the statement and may have sent it: do not send it again. */
      readonly byOther?: boolean;
    }
  | {
      readonly end: 'stopped';
      readonly stop: ReissueStop;
      /** The old statement as last read; undefined if the read failed. */
      readonly old: BillingStatementData | undefined;
      readonly applied: Applied;
    };

/** Statuses in which a replacement counts: a voided statement replaces nothing. */
const LIVE: readonly string[] = ['draft', 'open', 'paid'];

export interface ReissueTarget {
  readonly old: BillingStatementData;
  /** Oldest first, drafts last. A run without its own draft continues the first replacement. */
  readonly replacements: readonly BillingStatementData[];
  /** Replacements that are void or uncollectible. */
  readonly ended: readonly BillingStatementData[];
}

export async function readReissued(
  client: Client,
  oldId: string,
  options: {readonly signal?: AbortSignal},
): Promise<ReissueTarget> {
  const {customer_id: customer} = await getStatement(client, oldId, options);
  const found: string[] = [];
  for await (const listed of statementsSince(client, 0, options)) {
    // Statements are listed newest first, and a replacement is newer than the old statement.
    if (listed.id === oldId) break;
    // A list may omit metadata: possible replacements are then read one by one.
    const unclear = !listed.metadata && listed.customer_id === customer && LIVE.includes(String(listed.status));
    const statement = unclear ? await getStatement(client, listed.id, options) : listed;
    if (replacedBy(statement) === oldId) found.push(listed.id);
  }
  const all: BillingStatementData[] = [];
  for (const id of found.reverse()) {
    const statement = await findStatementById(client, id, options);
    if (statement) all.push(statement);
  }
  const replacements = all.filter(({status}) => LIVE.includes(String(status)));
  // The old statement is read last, so that its status is not older than the replacements'.
  const old = await getStatement(client, oldId, options);
  return {
    old,
    replacements: replacements.toSorted((a, b) => Number(isDraft(a)) - Number(isDraft(b))),
    ended: all.filter(hasEnded),
  };
}

export const isDraft = ({status}: BillingStatementData): boolean => status === 'draft';

/** Each round reads the statements and takes one step. More rounds than this mean no progress. */
const MAX_ROUNDS = 4;

export interface ReissueOptions extends Omit<
  RunOptions,
  'history' | 'journal' | 'search' | 'serviceAhead' | 'timeout'
> {
  /** Records the removal of a draft before the call. */
  readonly intend: RunOptions['history']['intend'];
  /** Carries out a plan, and continues this machine's run with the same key. */
  readonly carryOut: (
    plan: StatementPlan,
    how: {readonly key: string; readonly onProgress: (event: RunProgressEvent) => void},
  ) => Promise<RunOutcome>;
}

/** A run with its own draft that must check whether it may finalize the draft. */
interface PendingReissue {
  readonly draft: string | undefined;
  /** True if the run's void of the old statement may have been applied. */
  readonly isUncertain: boolean;
  readonly outcome: Extract<RunOutcome, {end: 'stopped'}>;
  readonly part: StatementPlan;
}

/** Carries out a reissue. Never throws a CentavoError. */
export async function reissueStatement(plan: ReissuePlan, options: ReissueOptions): Promise<ReissueOutcome> {
  const reissue = new Reissue(plan, options);
  try {
    return await reissue.work();
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    return reissue.stopped({why: 'failed', error});
  }
}

class Reissue {
  readonly #plan: ReissuePlan;
  readonly #options: ReissueOptions;
  #target: ReissueTarget | undefined;
  #applied: Applied = 'no';
  #isChanged = false;

  constructor(plan: ReissuePlan, options: ReissueOptions) {
    this.#plan = plan;
    this.#options = options;
  }

  async work(): Promise<ReissueOutcome> {
    const {client, signal} = this.#options;
    let asking: PendingReissue | undefined;
    for (let round = 1; ; round++) {
      const seen = (this.#target = await readReissued(client, this.#plan.id, {signal}));
      const next = nextReissueStep(seen, this.#plan, asking);
      switch (next.type) {
        case 'stop':
          return this.stopped(next.stop);
        case 'done':
          return this.#done(next.replacement);
        case 'remove':
          return this.stopped({why: 'paid', ...(await this.#removeDrafts(next.drafts))});
        case 'leave': {
          const {removed} = await this.#removeDrafts(next.drafts);
          if (!isDraft(next.other) && !hasEnded(next.other)) return this.#done(next.other, {byOther: true});
          const left = removed.length > 0 ? [] : [asking!.draft!];
          return this.stopped({why: 'elsewhere', other: next.other, removed, left});
        }
        case 'run': {
          const part = next.next === 'open' ? openPlanOf(asking!, this.#plan) : planOf(this.#plan, seen.old, next);
          const ended = await this.#run(part, next.next, round);
          if ('end' in ended) return ended;
          asking = ended.asking;
          await this.#waitForReads();
        }
      }
    }
  }

  /** Carries out one plan. Returns the end of the reissue, or a run that must check whether it may finalize its draft. */
  async #run(
    part: StatementPlan,
    next: Extract<ReissueStep, {type: 'run'}>['next'],
    round: number,
  ): Promise<ReissueOutcome | {readonly asking: PendingReissue | undefined}> {
    const onProgress = (event: RunProgressEvent): void => {
      this.#isChanged ||= event.type === 'answered';
      this.#options.onProgress(event);
    };
    const outcome = await this.#options.carryOut(part, {key: `reissue-${this.#plan.id}`, onProgress});
    const seen = this.#target!;
    if (outcome.end === 'done') {
      const {statement, changed, unread, sentBefore} = outcome;
      this.#isChanged ||= changed;
      if (next === 'void') this.#target = asVoid(seen);
      return this.#done(statement, {unread, sentBefore});
    }
    const {stop, state} = outcome;
    if (this.#applied === 'no' || state.applied !== 'no') this.#applied = state.applied;
    if (state.voided) this.#target = asVoid(seen);
    // If another run claimed the draft, this run may have finalized it first, unless this run applied nothing.
    const isOpenedByOther = stop.why === 'opened_by_other' || (stop.why === 'taken' && state.applied === 'no');
    const isOpen = 'statement' in stop && ['open', 'paid'].includes(stop.statement.status as string);
    const {old} = this.#target!;
    if (isOpenedByOther && isOpen && hasEnded(old)) return this.#done(stop.statement, {byOther: true});
    const isVoiding = stop.why === 'failed' && stop.at === 'void' && stop.error.kind === 'rejected';
    // The draft of an earlier run was deleted: the next round starts with a new draft.
    const isMissing = stop.why === 'ended' || (stop.why === 'failed' && stop.error.kind === 'not_found');
    const isGone = isMissing && state.status === 'deleted' && !this.#isChanged;
    if (round === MAX_ROUNDS || (!isVoiding && !isGone)) {
      if (!state.voided) await this.#readOldAgain();
      return this.stopped({why: 'run', outcome, plan: part});
    }
    const isUncertain = state.uncertainCall === 'void';
    return {asking: isVoiding ? {draft: state.statementId, isUncertain, outcome, part} : undefined};
  }

  /** Waits until reads show all changes made before the wait. */
  async #waitForReads(): Promise<void> {
    const {now, signal, sleep, onProgress, timing} = this.#options;
    if (timing().lag === 0) return;
    const until = now() + readDelay(timing());
    onProgress({type: 'wait', why: 'other_runs', until});
    const words = 'the run was interrupted while it waited.';
    if (await wasAborted(sleep(Math.max(0, until - now()), signal), signal))
      throw new CentavoError('interrupted', words, {applied: this.#applied});
  }

  /** Reads the old statement again for the report, because a run may take long. */
  async #readOldAgain(): Promise<void> {
    const {client, signal} = this.#options;
    const {old, ...rest} = this.#target!;
    const now = await getStatement(client, old.id, {signal}).catch((error: unknown) => {
      if (!(error instanceof CentavoError)) throw error;
      return {...old, status: undefined} as unknown as BillingStatementData;
    });
    this.#target = {old: now, ...rest};
  }

  async #removeDraft(id: string, attempts = 3): Promise<boolean> {
    const {client, intend, signal} = this.#options;
    await intend('remove', [id]);
    try {
      await client.billingStatements.delete(id, {signal});
      this.#isChanged = true;
      return true;
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      if (error.kind === 'not_found') return true;
      if (error.details.applied !== 'unknown') return false;
      if (this.#applied === 'no') this.#applied = 'unknown';
      return error.kind === 'outcome_unknown' && attempts > 1 && this.#removeDraft(id, attempts - 1);
    }
  }

  async #removeDrafts(drafts: readonly BillingStatementData[]): Promise<{removed: string[]; left: string[]}> {
    const removed: string[] = [];
    for (const {id} of drafts) if (await this.#removeDraft(id)) removed.push(id);
    const {replacements, ...rest} = this.#target!;
    this.#target = {...rest, replacements: replacements.filter(({id}) => !removed.includes(id))};
    return {removed, left: drafts.map(({id}) => id).filter((id) => !removed.includes(id))};
  }

  #done(statement: BillingStatementData, more: Partial<Extract<ReissueOutcome, {end: 'done'}>> = {}): ReissueOutcome {
    const {old, replacements} = this.#target!;
    const surplus = replacements.filter((each) => isDraft(each) && each.id !== statement.id).map(({id}) => id);
    return {...more, end: 'done', statement, old, applied: this.#isChanged ? 'yes' : this.#applied, surplus};
  }

  stopped(stop: ReissueStop): ReissueOutcome {
    // An unknown outcome matters only if the run ends with that call.
    const isSettled = this.#isChanged && stop.why !== 'run' && stop.why !== 'failed';
    const applied = isSettled || (this.#isChanged && this.#applied === 'no') ? 'yes' : this.#applied;
    return {end: 'stopped', stop, old: this.#target?.old, applied};
  }
}

const asVoid = ({old, ...rest}: ReissueTarget): ReissueTarget => ({old: {...old, status: 'void'}, ...rest});

/** Returns the rest of a plan whose draft may be finalized. The rest creates no other draft. */
const openPlanOf = ({draft, part}: PendingReissue, {id}: ReissuePlan): StatementPlan => {
  const {items, dueAt, finalize, send} = part;
  return {id: draft!, items, ...(dueAt !== undefined && {dueAt}), finalize, send, replaces: {id, next: 'open'}};
};

/** Returns the plan that completes an existing replacement or creates a new replacement. */
function planOf(
  plan: ReissuePlan,
  old: BillingStatementData,
  {replacement, next}: Extract<ReissueStep, {type: 'run'}>,
): StatementPlan {
  // Until the old statement is voided, its items count: a draft may be incomplete.
  const model = replacement && (next !== 'void' || !isDraft(replacement)) ? replacement : old;
  const items = plan.items ?? plannedItems(model);
  const rest = {
    items,
    dueAt: plan.dueAt ?? dueTimeOf(model),
    finalize: true,
    send: plan.send,
    replaces: {id: old.id, next},
  };
  if (replacement) return {id: replacement.id, ...rest};
  const {metadata, ...create} = createParamsOf(old);
  const keys = {[REPLACES_KEY]: old.id, [AMOUNT_KEY]: String(exactTotalOf(items))};
  return {create: {...create, metadata: {...(metadata as object | undefined), ...keys}}, ...rest};
}

export type ReissueStep =
  | {
      readonly type: 'run';
      readonly replacement: BillingStatementData | undefined;
      readonly next: NonNullable<StatementPlan['replaces']>['next'];
    }
  | {readonly type: 'done'; readonly replacement: BillingStatementData}
  | {readonly type: 'remove'; readonly drafts: readonly BillingStatementData[]}
  /** Another run's replacement may be finalized. `drafts` are this run's drafts to remove. */
  | {readonly type: 'leave'; readonly other: BillingStatementData; readonly drafts: readonly BillingStatementData[]}
  | {readonly type: 'stop'; readonly stop: ReissueStop};

/** Returns the next step by the table above. @param asking a run that could not void the old statement before these reads */
export function nextReissueStep(
  {old, replacements, ended}: ReissueTarget,
  plan: ReissuePlan,
  asking?: PendingReissue,
): ReissueStep {
  const [first] = replacements;
  const stop = (stop: ReissueStop): ReissueStep => ({type: 'stop', stop});
  if (old.deleted) return stop({why: 'not_open'});
  if (old.status === 'paid') {
    if (first && !isDraft(first)) return stop({why: 'billed_twice', replacement: first});
    return first ? {type: 'remove', drafts: replacements} : stop({why: 'paid', removed: [], left: []});
  }
  const own = replacements.find(({id}) => id === asking?.draft);
  if (first && !isDraft(first) && first !== own && differs(first, plan))
    return stop({why: 'replaced', replacement: first});
  if (!hasEnded(old)) {
    if (old.status !== 'open') return stop({why: 'not_open'});
    return asking
      ? stop({why: 'run', outcome: asking.outcome, plan: asking.part})
      : {type: 'run', replacement: first, next: 'void'};
  }
  if (!first) return stop({why: 'not_open'});
  if (own) {
    // A replacement that was finalized and has ended is not billed again.
    const other = replacements.find((each) => each !== own) ?? ended[0];
    if (!other || !isDraft(own)) return {type: 'run', replacement: own, next: 'open'};
    // The draft stays if its previous owner or this run may have voided the old statement.
    const isRefused = !asking!.isUncertain && draftOwnersOf(own).previous.length === 0;
    return {type: 'leave', other, drafts: isRefused ? [own] : []};
  }
  if (!isDraft(first) && !(plan.send && first.status === 'open')) return {type: 'done', replacement: first};
  const isUnclear = plan.items === undefined && !isComplete(first);
  return isUnclear ? stop({why: 'incomplete', replacement: first}) : {type: 'run', replacement: first, next: 'ask'};
}

function differs(statement: BillingStatementData, {items, dueAt}: ReissuePlan): boolean {
  if (dueAt !== undefined && dueTimeOf(statement) !== dueAt) return true;
  if (items === undefined) return false;
  const {missing, surplus, foreign} = differenceOf(items, itemsOf(statement));
  return missing.length + surplus.length + foreign.length > 0;
}

/** True if a replacement has the amount that its run recorded in the metadata. */
function isComplete(draft: BillingStatementData): boolean {
  const planned = (draft.metadata as Record<string, unknown> | null)?.[AMOUNT_KEY];
  return String(planned) === String(exactTotalOf(itemsOf(draft)));
}
