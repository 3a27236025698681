// What merchants do with statements, made of the API's calls: bill, bill again, import, remind, and see who owes what.
// This file composes one statement, from nothing to sent. Each call is recorded before it is made. After an unknown outcome the run
// waits, reads again and corrects what differs. It finalizes only a draft that it has just read to be exactly the plan, and reads it
// again before it sends it. A finalized statement takes no more items, so a late call cannot change what is sent.

import {CentavoError} from '../../ground/errors.js';
import {Changes, notFoundIsGone} from './changes.js';
import {Draft} from './draft.js';
import {Knowledge} from './knowledge.js';
import type {Outcome, Stop, RunOptions} from './outcome.js';
import {
  differenceOf,
  itemsOf,
  type PresentItem,
  type Statement,
  type StatementItem,
  type StatementPlan,
} from './plan.js';

/** Each round reads, and changes what differs. More rounds than this mean that there is no progress. */
const MOST_ROUNDS = 8;

/** Carries out a plan, in the order that the service needs. Never throws a CentavoError. */
export async function composeStatement(plan: StatementPlan, around: RunOptions): Promise<Outcome> {
  const {client, journal, signal, tell} = around;
  const options = {signal};
  const startedAt = around.now();
  const known = new Knowledge(plan);
  const changes = new Changes(around);
  let itemNumber: number | undefined;
  let id = plan.id;

  const look = (): Promise<Statement> =>
    changes.read(async () => known.read(await client.billingStatements.get(id!, options)));

  /** Undefined when reads do not show all answered changes, even after the settle time. */
  async function lookUntilShown(): Promise<Statement | undefined> {
    if (changes.unsettled === undefined) {
      const statement = await look();
      if (known.isShownBy(statement)) return statement;
      tell({what: 'stale'});
    }
    await changes.settle();
    const statement = await look();
    return known.isShownBy(statement) ? statement : undefined;
  }

  async function createDraft(draft: Draft): Promise<Statement> {
    const created = await draft.create();
    id = created.id;
    changes.unsettled = undefined;
    changes.made = true;
    journal.made(id);
    tell({what: 'draft', id});
    return created.answer ? known.created(created.answer) : look();
  }

  /** Adds, removes and sets what differs, until the first unknown outcome. */
  async function complete(added: readonly StatementItem[], removed: readonly PresentItem[]): Promise<void> {
    for (const item of added) {
      itemNumber = known.wanted.indexOf(item) + 1;
      const answer = await changes.attempt('item', [id!], () =>
        client.billingStatementLineItems.create({...item, billing_statement_id: id!}, options),
      );
      if (answer === undefined) return;
      known.added(item, answer);
      tell({what: 'added', id: answer.id});
    }
    itemNumber = undefined;
    for (const item of removed) {
      const gone = await changes.attempt('remove', [id!, item.id], () =>
        client.billingStatementLineItems.delete(item.id, options).catch(notFoundIsGone),
      );
      if (gone === undefined) return;
      known.removed(item.id);
      tell({what: 'removed', id: item.id, item});
    }
    if (known.isDue(known.statement!)) return;
    // The service ignores a due time on create, and requires the payment settings on each update.
    const settings = known.statement!.payment_settings as {payment_methods: string[]} | null;
    const change = {due_at: known.dueAt!, ...(settings && {payment_settings: settings})};
    const updated = (await changes.attempt('due', [id!], () =>
      client.billingStatements.update(id!, change, options),
    )) as Statement | undefined;
    if (updated) known.updated(updated);
  }

  /** The finalized statement as answered; undefined when it must be read. */
  async function finalize(): Promise<Statement | undefined> {
    try {
      return (await changes.attempt('finalize', [id!], () =>
        client.billingStatements.finalize(id!, {...options, onlyAnswers: plan.job?.shared === true}),
      )) as Statement | undefined;
    } catch (error) {
      // The first finalize, whose answer was lost, may have been applied late. The second is then refused.
      if (!(error instanceof CentavoError) || error.kind !== 'rejected' || !changes.finalizeDoubted) throw error;
      if ((await look()).status === 'draft') throw error;
      return undefined;
    }
  }

  async function run(): Promise<Outcome> {
    const goesOn = id !== undefined;
    const {job} = plan;
    const draft = goesOn && !job ? undefined : new Draft(plan, changes, around, startedAt);
    if (goesOn && job) {
      await changes.settle(job.unsettledAt ?? 0);
      const {id: oldest, other} = await draft!.oldestOf(id!);
      if (other !== undefined) return stopped({why: 'twin', id: other});
      if (oldest !== id) journal.made(oldest);
      id = oldest;
      if (changes.unsettled !== undefined) await changes.settle();
    }
    let seen: Statement | undefined = goesOn ? await look() : await createDraft(draft!);
    // What a job has added itself it may also remove.
    const before = new Set(goesOn && !job ? itemsOf(seen).map((item) => item.id) : []);
    if (goesOn && plan.items.length === 0) known.wanted = itemsOf(seen);
    // A change of an earlier run may still be applied.
    if (goesOn && !job && seen.status === 'draft' && journal.earlier(id!).unsettled) {
      await changes.settle();
      seen = await look();
    }

    const wasDraft = seen.status === 'draft';
    for (let round = 1; ; round++) {
      if (round > MOST_ROUNDS)
        throw new CentavoError('outcome_unknown', 'the draft keeps changing.', {applied: 'unknown'});
      try {
        seen ??= await lookUntilShown();
      } catch (error) {
        // Everything is done and was answered; only the last read failed.
        if (error instanceof CentavoError && lacksOnlyTheLook(error)) return done(known.statement!, {unread: error});
        throw error;
      }
      if (!seen) return stopped({why: 'not_shown'});
      if (seen.status !== 'draft') break;
      const difference = differenceOf(known.wanted, itemsOf(seen), before);
      const {missing, surplus, foreign} = difference;
      const others = [...foreign, ...surplus.filter((item) => before.has(item.id))];
      if (others.length > 0) return stopped({why: 'foreign', items: others});
      if (missing.length + surplus.length > 0 || !known.isDue(seen)) {
        await complete(missing, surplus);
        // A job reads its drafts again before it finalizes them.
        if (job && !plan.finalize && changes.unsettled === undefined) return done(known.statement!);
        seen = undefined;
        continue;
      }
      if (!job) await draft?.removeTwins(id!);
      if (changes.unsettled !== undefined) {
        seen = undefined;
        continue;
      }
      if (!plan.finalize) return done(seen);
      const opened = await finalize();
      const whole = opened && known.opened(opened);
      if (opened) tell({what: 'finalized', id: id!});
      // Some answer 200 and leave it a draft.
      seen = plan.send || whole?.status === 'draft' ? undefined : whole;
      if (seen) break;
    }

    // Who has paid needs no e-mail.
    const isPaid = seen.status === 'paid' && (known.finalized || changes.finalizeDoubted || job?.opened === true);
    if (job && isPaid && known.isWanted(seen)) return done(seen);
    if (seen.status !== 'open') return stopped({why: 'ended', statement: seen});
    if (!known.isWanted(seen)) return stopped({why: 'mismatch', statement: seen});
    if (!plan.send) return done(seen);
    // Whoever opened it meanwhile may have sent it, too.
    const byOthers = (wasDraft || job?.opened === false) && !known.finalized && !changes.finalizeDoubted;
    if (byOthers) return stopped({why: 'ended', statement: seen});
    return job?.shared && !known.finalized ? stopped({why: 'send_in_doubt', statement: seen}) : send(seen);
  }

  async function send(statement: Statement): Promise<Outcome> {
    changes.at = 'send';
    await journal.intend('send', [id!]);
    let sent = false;
    try {
      // Other runs can see the intention now. What they have done is read after it, so that no two of them send.
      const {send: earlier} = journal.earlier(id!);
      if (earlier === 'in_doubt') return stopped({why: 'send_in_doubt', statement});
      if (earlier === 'sent') return done(statement, {sentBefore: true});
      await client.billingStatements.send(id!, options);
      changes.made = sent = true;
    } catch (error) {
      if (!(error instanceof CentavoError) || error.details.applied === 'unknown') changes.unsettled = 'send';
      throw error;
    } finally {
      // A send in doubt stays an intention without an outcome.
      if (changes.unsettled !== 'send') journal.sendEnded(id!, sent);
    }
    tell({what: 'sent', id: id!});
    return done(statement);
  }

  /** Whether everything is done and was answered, and only the last read failed. */
  const lacksOnlyTheLook = (error: CentavoError): boolean =>
    !plan.send &&
    known.finalized === plan.finalize &&
    changes.unsettled === undefined &&
    error.kind !== 'interrupted' &&
    known.isWanted(known.statement!);

  /** If the statement equals the plan, changes whose outcome was unknown count as made. */
  const done = (statement: Statement, more: {unread?: CentavoError; sentBefore?: boolean} = {}): Outcome => ({
    end: 'done',
    statement,
    changed: changes.changedAnything,
    ...more,
  });

  const stopped = (stop: Stop): Outcome => {
    const {count: items, status, wanted} = known;
    const state = {statementId: id, items, of: wanted.length, status, ...changes.doubt(status)};
    return {end: 'stopped', stop, state};
  };

  /** A change may be refused because somebody else changed the statement: the error tells its present state. */
  async function lookAfterRefusal(): Promise<void> {
    if (id === undefined) return;
    await look().catch((error: unknown) => {
      if (!(error instanceof CentavoError)) throw error;
      if (error.kind === 'not_found') known.statement = {...known.statement!, deleted: true};
    });
  }

  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    const {at} = changes;
    const stop = {why: 'failed', error, at, itemNumber} as const;
    if (at !== 'read' && (error.kind === 'rejected' || error.kind === 'not_found')) await lookAfterRefusal();
    return stopped(stop);
  }
}
