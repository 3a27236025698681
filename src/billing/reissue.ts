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

import {CentavoError} from '../errors.js';
import {Changes} from './changes.js';
import {composeStatement} from './compose.js';
import {AMOUNT_KEY, createParamsOf, plannedItems, REPLACES_KEY} from './copy.js';
import type {Outcome, RunOptions} from './outcome.js';
import {amountOf, differenceOf, itemsOf, type Statement, type StatementPlan} from './plan.js';
import {isDraft, readReissued, type Reissued} from './replacements.js';
import type {ReissueOutcome, ReissuePlan, ReissueStop} from './reissue-outcome.js';
import {dueOf} from '../api/statement.js';

/** Each round reads, and does the next thing. More rounds than this mean that there is no progress. */
const MOST_ROUNDS = 8;

/** Whether a statement cannot be paid any more, and was not. */
export const hasEnded = ({status}: Statement): boolean => status === 'void' || status === 'uncollectible';

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

  async function compose(part: Omit<StatementPlan, 'send'> & {send?: boolean}): Promise<Outcome> {
    const outcome = await composeStatement(
      {...part, send: part.send ?? false},
      {
        ...around,
        tell: (news) => {
          if (news.what === 'draft') own.add(news.id);
          tell(news);
        },
      },
    );
    const {applied} = outcome.end === 'stopped' ? outcome.state : {applied: outcome.changed ? 'yes' : 'no'};
    composed = {
      changed: composed.changed || applied === 'yes',
      unknown: outcome.end === 'stopped' && applied === 'unknown',
    };
    return outcome;
  }

  /** A complete draft that replaces the old statement: the one that is there, or a new one. */
  function composeDraft({old}: Reissued, draft: Statement | undefined): Promise<Outcome> {
    const items = plan.items ?? plannedItems(old);
    const dueAt = plan.dueAt ?? dueOf(old);
    if (draft) return compose({id: draft.id, items, dueAt, finalize: false});
    const {metadata, ...create} = createParamsOf(old);
    const own = {[REPLACES_KEY]: old.id, [AMOUNT_KEY]: String(amountOf(items))};
    return compose({
      create: {...create, metadata: {...(metadata as object), ...own}} as never,
      items,
      dueAt,
      finalize: false,
    });
  }

  /** @returns whether it is void now; otherwise it must be read again */
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
    const items = ready ? plannedItems(ready) : (plan.items ?? []);
    const dueAt = ready ? dueOf(ready) : plan.dueAt;
    if (!isDraft(replacement) && !ready && differs(replacement, plan)) return stopped({why: 'replaced', replacement});
    if (isDraft(replacement) && items.length === 0 && !isComplete(replacement))
      return stopped({why: 'incomplete', replacement});
    if (replacement.status === 'paid') return done(replacement);
    const outcome = await compose({id: replacement.id, items, dueAt, finalize: true, send: plan.send});
    if (outcome.end === 'stopped')
      return stopped({
        why: 'compose',
        outcome,
        plan: {id: replacement.id, items, dueAt, finalize: true, send: plan.send},
      });
    return done(outcome.statement, outcome);
  }

  /** The old statement was paid: the drafts that were to replace it go. */
  async function giveUp({old, replacements}: Reissued): Promise<ReissueOutcome> {
    const billed = replacements.find((each) => !isDraft(each));
    if (billed) return stopped({why: 'billed_twice', replacement: billed});
    const removed: string[] = [];
    for (const {id} of replacements) {
      const gone = await changes.attempt('remove', [id], () =>
        billingStatements.delete(id, {signal}).catch(notFoundIsGone),
      );
      if (gone === undefined) continue;
      removed.push(id);
      tell({what: 'removed', id});
    }
    return stopped({
      why: 'paid',
      removed,
      left: replacements.map(({id}) => id).filter((id) => !removed.includes(id)),
      old,
    });
  }

  async function run(): Promise<ReissueOutcome> {
    let now = await look();
    for (let round = 1; round <= MOST_ROUNDS; round++) {
      const {old, replacements} = now;
      const [first] = replacements;
      if (old.deleted || isDraft(old)) return stopped({why: 'not_open'});
      if (old.status === 'paid') return giveUp(now);
      if (hasEnded(old)) return first ? await open(first) : stopped({why: 'not_open'});
      if (old.status !== 'open') return stopped({why: 'not_open'});
      if (first && !isDraft(first) && differs(first, plan)) return stopped({why: 'replaced', replacement: first});
      if (first === undefined || (isDraft(first) && first.id !== ready?.id)) {
        const outcome = await composeDraft(now, first);
        if (outcome.end === 'stopped') return stopped({why: 'compose', outcome, plan: partOf(now, plan, first)});
        ready = outcome.statement;
      } else if ((await voidOld(now)) && first) {
        return await open(first);
      }
      now = await look();
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

const partOf = ({old}: Reissued, {items, dueAt}: ReissuePlan, draft: Statement | undefined): StatementPlan => ({
  ...(draft ? {id: draft.id} : {create: createParamsOf(old)}),
  items: items ?? plannedItems(old),
  dueAt: dueAt ?? dueOf(old),
  finalize: false,
  send: false,
});

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
