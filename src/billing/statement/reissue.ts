// Reissues one statement: bills an open one again, corrected. At most one of the two can be paid at any time.
//
//   old statement          its replacement   action
//   open                   none, draft       the draft is made or completed, the old statement voided, and the draft opened
//   open                   open, paid        the old statement is voided
//   void, uncollectible    draft             the draft is opened, if it may be
//   void, uncollectible    open, paid        nothing more (it is sent, if asked for, and opened by this run)
//   void, uncollectible    none              refused: there is nothing to reissue
//   paid                   draft             the draft is deleted, and it is said: nothing is billed twice
//   paid                   open              said, with the command that voids the replacement
//   draft, deleted         any               refused
//
// A run may open its draft if the service answered that it voided the old statement: the service says so once. A run that was refused,
// finds it ended, or never gets an answer, waits until every read shows the drafts of all runs that may have been answered, and opens
// its own if there is no other.

import {dueTimeOf, hasEnded} from '../../api/statement.js';
import type {Client} from '../../client/client.js';
import {wasAborted} from '../../common/deadlines.js';
import {CentavoError, type Applied} from '../../common/errors.js';
import {exactTotalOf, type StatementItem} from '../../input/items.js';
import {getStatement, findStatementById, statementsSince} from '../account/account-reader.js';
import {AMOUNT_KEY, createParamsOf, plannedItems, replacedBy, REPLACES_KEY} from './copy.js';
import type {RunOutcome} from './workflow/outcome.js';
import {differenceOf, itemsOf, type BillingStatementData, type StatementPlan} from './plan.js';
import {readDelay, draftOwnersOf} from './workflow/decide.js';
import type {RunOptions, RunProgressEvent} from './workflow/run-plan.js';

export interface ReissuePlan {
  readonly id: string;
  /** All items of the new statement; if omitted, the items of the old one, or of its existing draft. */
  readonly items?: readonly StatementItem[];
  /** Unix seconds; same default. */
  readonly dueAt?: number;
  readonly send: boolean;
}

export type ReissueStop =
  /** A read of the statements failed. */
  | {readonly why: 'failed'; readonly error: CentavoError}
  /** The new statement was not created or finalized, or the old one was not voided. */
  | {readonly why: 'run'; readonly outcome: Extract<RunOutcome, {end: 'stopped'}>; readonly plan: StatementPlan}
  /** The old statement has another state, and nothing replaces it. */
  | {readonly why: 'not_open'}
  /** The old statement is paid: its replacement drafts were removed, or may remain. */
  | {readonly why: 'paid'; readonly removed: readonly string[]; readonly left: readonly string[]}
  /** The old statement is paid, and its replacement is not a draft any more. */
  | {readonly why: 'billed_twice'; readonly replacement: BillingStatementData}
  /** It was reissued before, with other content than now. */
  | {readonly why: 'replaced'; readonly replacement: BillingStatementData}
  /** The replacement's amount differs from the run that created it. */
  | {readonly why: 'incomplete'; readonly replacement: BillingStatementData}
  /**
   * Another run has a draft of its own, and may have voided the old statement, or has opened one that was voided since. The draft
   * of this run was removed, or remains.
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
      /** `unknown` if a change was not answered, and the result may be another run's. */
      readonly applied: Applied;
      /** Other drafts that were to replace the old one. */
      readonly surplus: readonly string[];
      readonly unread?: CentavoError;
      /** An earlier run of this machine sent it, so this one did not. */
      readonly sentBefore?: boolean;
      /** Finalized by another run, which may have sent it; do not send it again. */
      readonly byOther?: boolean;
    }
  | {
      readonly end: 'stopped';
      readonly stop: ReissueStop;
      /** The old statement as last read; undefined when it could not be read. */
      readonly old: BillingStatementData | undefined;
      readonly applied: Applied;
    };

/** The states in which a replacement counts: a voided one replaces nothing. */
const LIVE: readonly string[] = ['draft', 'open', 'paid'];

/** A statement to reissue, and its existing replacements. */
export interface ReissueTarget {
  readonly old: BillingStatementData;
  /** Oldest first, drafts last. Runs without their own draft continue the first one. */
  readonly replacements: readonly BillingStatementData[];
  /** Replacements that were opened and have ended. */
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
    // A replacement is newer.
    if (listed.id === oldId) break;
    // A list may omit metadata: candidates are then read one by one.
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
  // Read last, so that it is not older than its replacements.
  const old = await getStatement(client, oldId, options);
  return {
    old,
    replacements: replacements.toSorted((a, b) => Number(isDraft(a)) - Number(isDraft(b))),
    ended: all.filter(hasEnded),
  };
}

export const isDraft = ({status}: BillingStatementData): boolean => status === 'draft';

/** Each round reads, and continues from the result. More rounds than this mean that there is no progress. */
const MAX_ROUNDS = 4;

export interface ReissueOptions extends Omit<RunOptions, 'history' | 'journal' | 'search' | 'timeout'> {
  /** Called before a draft is removed. */
  readonly intend: RunOptions['history']['intend'];
  /** Carries out a plan. A run with the same key on this machine is continued. */
  readonly carryOut: (
    plan: StatementPlan,
    how: {readonly key: string; readonly onProgress: (event: RunProgressEvent) => void},
  ) => Promise<RunOutcome>;
}

/** A run that has its draft, and must ask whether it may open it. */
interface PendingReissue {
  readonly draft: string | undefined;
  /** Its void of the old statement may have been made. */
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

  /** Carries out a part. It ends the reissue, or asks whether its draft may be opened. */
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
    // A statement taken over from this run may also have been opened by this run.
    const isOpenedByOther = stop.why === 'opened_by_other' || (stop.why === 'taken' && state.applied === 'no');
    const isOpen = 'statement' in stop && ['open', 'paid'].includes(stop.statement.status as string);
    const {old} = this.#target!;
    if (isOpenedByOther && isOpen && hasEnded(old)) return this.#done(stop.statement, {byOther: true});
    const isVoiding = stop.why === 'failed' && stop.at === 'void' && stop.error.kind === 'rejected';
    // The draft of an earlier run was deleted: this run begins anew.
    const isMissing = stop.why === 'ended' || (stop.why === 'failed' && stop.error.kind === 'not_found');
    const isGone = isMissing && state.status === 'deleted' && !this.#isChanged;
    if (round === MAX_ROUNDS || (!isVoiding && !isGone)) {
      if (!state.voided) await this.#readOldAgain();
      return this.stopped({why: 'run', outcome, plan: part});
    }
    const isUncertain = state.uncertainCall === 'void';
    return {asking: isVoiding ? {draft: state.statementId, isUncertain, outcome, part} : undefined};
  }

  /** Reads after this are at least as new as this moment. */
  async #waitForReads(): Promise<void> {
    const {now, signal, sleep, onProgress, timing} = this.#options;
    if (timing().lag === 0) return;
    const until = now() + readDelay(timing());
    onProgress({type: 'wait', why: 'other_runs', until});
    const words = 'the run was interrupted while it waited.';
    if (await wasAborted(sleep(until - now(), signal), signal))
      throw new CentavoError('interrupted', words, {applied: this.#applied});
  }

  /** A run may take long, so the old statement is read again before it is reported. */
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
    // An unknown call matters only if the run ends with it.
    const isSettled = this.#isChanged && stop.why !== 'run' && stop.why !== 'failed';
    const applied = isSettled || (this.#isChanged && this.#applied === 'no') ? 'yes' : this.#applied;
    return {end: 'stopped', stop, old: this.#target?.old, applied};
  }
}

const asVoid = ({old, ...rest}: ReissueTarget): ReissueTarget => ({old: {...old, status: 'void'}, ...rest});

/** The rest of a plan whose draft may be opened. It creates no other. */
const openPlanOf = ({draft, part}: PendingReissue, {id}: ReissuePlan): StatementPlan => {
  const {items, dueAt, finalize, send} = part;
  return {id: draft!, items, ...(dueAt !== undefined && {dueAt}), finalize, send, replaces: {id, next: 'open'}};
};

/** The plan of a complete replacement: of the one that is there, or of a new one. */
function planOf(
  plan: ReissuePlan,
  old: BillingStatementData,
  {replacement, next}: Extract<ReissueStep, {type: 'run'}>,
): StatementPlan {
  // An open statement stays unchanged, and the replacement of an ended one was complete.
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
  /** Another may be opened: `drafts` belong to this run. */
  | {readonly type: 'leave'; readonly other: BillingStatementData; readonly drafts: readonly BillingStatementData[]}
  | {readonly type: 'stop'; readonly stop: ReissueStop};

/** The table above. @param asking a run that could not void the old statement; all reads are from then or later */
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
    // A replacement that was voided since is not billed again.
    const other = replacements.find((each) => each !== own) ?? ended[0];
    if (!other || !isDraft(own)) return {type: 'run', replacement: own, next: 'open'};
    // The previous owner of the draft, or the run whose void may have been applied, may be the one that may open it.
    const isRefused = !asking!.isUncertain && draftOwnersOf(own).previous.length === 0;
    return {type: 'leave', other, drafts: isRefused ? [own] : []};
  }
  if (!isDraft(first) && !(plan.send && first.status === 'open')) return {type: 'done', replacement: first};
  const isUnclear = plan.items === undefined && !isComplete(first);
  return isUnclear ? stop({why: 'incomplete', replacement: first}) : {type: 'run', replacement: first, next: 'ask'};
}

/** True if an opened replacement differs from the wanted one. */
function differs(statement: BillingStatementData, {items, dueAt}: ReissuePlan): boolean {
  if (dueAt !== undefined && dueTimeOf(statement) !== dueAt) return true;
  if (items === undefined) return false;
  const {missing, surplus, foreign} = differenceOf(items, itemsOf(statement));
  return missing.length + surplus.length + foreign.length > 0;
}

/** True if a replacement has the amount that its run recorded. */
function isComplete(draft: BillingStatementData): boolean {
  const planned = (draft.metadata as Record<string, unknown> | null)?.[AMOUNT_KEY];
  return String(planned) === String(exactTotalOf(itemsOf(draft)));
}
