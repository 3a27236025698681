// Reissues one statement: bills again what is open, corrected. At most one of the two can be paid at any time.
//
// What a run does depends only on what it reads, so the same command goes on wherever another run, a failure or a kill stopped:
//
//   old statement          its replacement   what is done
//   open                   none              a draft is created, with the old statement's id in its metadata, and completed
//   open                   draft             the draft is completed; both are read again; the old statement is voided
//   open                   open, paid        the old statement is voided
//   void, uncollectible    draft             the draft is finalized (and sent)
//   void, uncollectible    open, paid        nothing more (it is sent, if asked for and not done before)
//   void, uncollectible    none              refused: there is nothing to reissue
//   paid                   draft             the draft is deleted, and it is said: nothing is billed twice
//   paid                   open              said, with the command that voids the replacement
//   draft, deleted         any               refused
//
// A replacement is finalized only after the old statement was answered or read as void or uncollectible. Of several replacements
// all runs use the same one: see readReissued.

import {hasEnded, dueOf} from '../../api/statement.js';
import {CentavoError} from '../../ground/errors.js';
import {Changes} from '../compose/changes.js';
import {composeStatement} from '../compose/compose.js';
import {AMOUNT_KEY, createParamsOf, plannedItems, REPLACES_KEY} from '../compose/copy.js';
import type {Outcome, RunOptions} from '../compose/outcome.js';
import {amountOf, differenceOf, itemsOf, type Statement, type StatementPlan} from '../compose/plan.js';
import type {ReissueOutcome, ReissuePlan, ReissueStop} from './reissue-outcome.js';
import {isDraft, readReissued, type Reissued} from './replacements.js';

/** Each round reads, and does the next thing. More rounds than this mean that there is no progress. */
const MOST_ROUNDS = 8;

/** Carries out a reissue. Never throws a CentavoError. */
export async function reissueStatement(plan: ReissuePlan, around: RunOptions): Promise<ReissueOutcome> {
  const {client, signal, tell} = around;
  const {billingStatements} = client;
  const changes = new Changes(around);
  /** Drafts that this run created. */
  const own = new Set<string>();
  let seen: Reissued | undefined;
  /** What the completed draft has. */
  let ready: Statement | undefined;
  let composed = {changed: false, unknown: false};

  const look = async (): Promise<Reissued> =>
    (seen = await changes.read(() => readReissued(client, plan.id, own, {signal})));

  async function compose(part: StatementPlan): Promise<Outcome> {
    const outcome = await composeStatement(part, {
      ...around,
      tell: (news) => {
        if (news.what === 'draft') own.add(news.id);
        tell(news);
      },
    });
    const {applied} = outcome.end === 'stopped' ? outcome.state : {applied: outcome.changed ? 'yes' : 'no'};
    composed = {
      changed: composed.changed || applied === 'yes',
      unknown: outcome.end === 'stopped' && applied === 'unknown',
    };
    return outcome;
  }

  /** The plan of a complete draft that replaces the old statement: of the one that is there, or of a new one. */
  function draftPlan(old: Statement, draft: Statement | undefined): StatementPlan {
    const items = plan.items ?? plannedItems(old);
    const dueAt = plan.dueAt ?? dueOf(old);
    if (draft) return {id: draft.id, items, dueAt, finalize: false, send: false};
    const {metadata, ...create} = createParamsOf(old);
    const keys = {[REPLACES_KEY]: old.id, [AMOUNT_KEY]: String(amountOf(items))};
    return {
      create: {...create, metadata: {...(metadata as object | undefined), ...keys}},
      items,
      dueAt,
      finalize: false,
      send: false,
    };
  }

  /** Whether it is void now; otherwise it must be read again. */
  async function voidOld({old}: Reissued): Promise<boolean> {
    try {
      const answer = await changes.attempt('void', [old.id], () => billingStatements.void(old.id, {signal}));
      if (answer === undefined) {
        await changes.settle();
        return false;
      }
      seen = {...seen!, old: {...old, ...(answer as Statement)}};
      if (!hasEnded(seen.old)) return false;
      tell({what: 'voided', id: old.id});
      return true;
    } catch (error) {
      if (!(error instanceof CentavoError) || error.kind !== 'rejected') throw error;
      // Somebody else was faster: it is paid, or void already.
      if ((await look()).old.status === 'open') throw error;
      return false;
    }
  }

  /** Finalizes the replacement, and sends it if asked for. The old statement is void. */
  async function open(replacement: Statement): Promise<ReissueOutcome> {
    if (replacement.status === 'paid') return done(replacement);
    const items = ready ? plannedItems(ready) : (plan.items ?? []);
    const dueAt = ready ? dueOf(ready) : plan.dueAt;
    const rest = {id: replacement.id, items, dueAt, finalize: true, send: plan.send};
    const outcome = await compose(rest);
    return outcome.end === 'stopped'
      ? stopped({why: 'compose', outcome, plan: rest})
      : done(outcome.statement, outcome);
  }

  /** The old statement was paid: the drafts that were to replace it go. */
  async function giveUp({old, replacements}: Reissued): Promise<ReissueOutcome> {
    const removed: string[] = [];
    for (const {id} of replacements) {
      const remove = () => billingStatements.delete(id, {signal}).catch(notFoundIsGone);
      if ((await changes.attempt('remove', [id], remove)) === undefined) continue;
      removed.push(id);
    }
    const left = replacements.map(({id}) => id).filter((id) => !removed.includes(id));
    return stopped({why: 'paid', removed, left, old});
  }

  async function run(): Promise<ReissueOutcome> {
    for (let round = 1; round <= MOST_ROUNDS; round++) {
      const now = await look();
      const next = nextStep(now, plan, ready?.id);
      switch (next.do) {
        case 'stop':
          return stopped(next.stop);
        case 'remove':
          return giveUp(now);
        case 'open':
          return open(next.replacement);
        case 'void':
          if (await voidOld(now)) return open(next.replacement);
          break;
        case 'compose': {
          const part = draftPlan(now.old, next.draft);
          const outcome = await compose(part);
          if (outcome.end === 'stopped') return stopped({why: 'compose', outcome, plan: part});
          ready = outcome.statement;
        }
      }
    }
    throw new CentavoError('outcome_unknown', 'the statements keep changing.', {applied: 'unknown'});
  }

  const done = (statement: Statement, more: {unread?: CentavoError; sentBefore?: boolean} = {}): ReissueOutcome => ({
    end: 'done',
    statement,
    old: seen!.old,
    changed: composed.changed || changes.changedAnything,
    surplus: [...seen!.replacements.filter(isDraft).map(({id}) => id)].filter((id) => id !== statement.id),
    ...(more.unread && {unread: more.unread}),
    ...(more.sentBefore && {sentBefore: true}),
  });

  function stopped(stop: ReissueStop): ReissueOutcome {
    const {unsettled: inDoubt} = changes;
    const isUnknown = inDoubt !== undefined || composed.unknown;
    const isChanged = composed.changed || changes.changedAnything;
    const applied = isUnknown ? 'unknown' : isChanged ? 'yes' : 'no';
    return {end: 'stopped', stop, state: {old: seen?.old, draft: draftOf(stop), applied, inDoubt}};
  }

  const draftOf = (stop: ReissueStop): string | undefined =>
    stop.why === 'compose' ? stop.outcome.state.statementId : (ready?.id ?? seen?.replacements[0]?.id);

  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    return stopped({why: 'failed', error, at: changes.at});
  }
}

export type Next =
  | {readonly do: 'compose'; readonly draft: Statement | undefined}
  | {readonly do: 'open' | 'void'; readonly replacement: Statement}
  | {readonly do: 'remove'}
  | {readonly do: 'stop'; readonly stop: ReissueStop};

/** The table above. @param ready the id of the draft that this run has completed */
export function nextStep({old, replacements}: Reissued, plan: ReissuePlan, ready?: string): Next {
  const [first] = replacements;
  const stop = (stop: ReissueStop): Next => ({do: 'stop', stop});
  if (old.deleted) return stop({why: 'not_open'});
  if (old.status === 'paid') {
    if (!first) return stop({why: 'paid', old, removed: [], left: []});
    return isDraft(first) ? {do: 'remove'} : stop({why: 'billed_twice', replacement: first});
  }
  if (first && !isDraft(first) && first.id !== ready && differs(first, plan))
    return stop({why: 'replaced', replacement: first});
  if (hasEnded(old)) {
    if (!first) return stop({why: 'not_open'});
    const isUnclear = isDraft(first) && first.id !== ready && plan.items === undefined && !isComplete(first);
    return isUnclear ? stop({why: 'incomplete', replacement: first}) : {do: 'open', replacement: first};
  }
  if (old.status !== 'open') return stop({why: 'not_open'});
  if (!first || (isDraft(first) && first.id !== ready)) return {do: 'compose', draft: first};
  return {do: 'void', replacement: first};
}

/** Whether an opened replacement is another than the one that is asked for. */
function differs(statement: Statement, {items, dueAt}: ReissuePlan): boolean {
  if (dueAt !== undefined && dueOf(statement) !== dueAt) return true;
  if (items === undefined) return false;
  const {missing, surplus, foreign} = differenceOf(items, itemsOf(statement));
  return missing.length + surplus.length + foreign.length > 0;
}

/** Whether a draft comes to what the run that made it wrote down. */
function isComplete(draft: Statement): boolean {
  const planned = (draft.metadata as Record<string, unknown> | null)?.[AMOUNT_KEY];
  return String(planned) === String(amountOf(itemsOf(draft)));
}

function notFoundIsGone(error: unknown): true {
  if (error instanceof CentavoError && error.kind === 'not_found') return true;
  throw error;
}
