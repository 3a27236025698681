// One statement from nothing to sent. Each call is recorded before it is made; after any doubt the run waits, reads again and
// puts right what differs; it finalizes only what it has just read to be exactly the plan, and sends only what it reads so again.
// Once a statement is finalized no item can come, so what is sent has the items that were asked for, however late a call is applied.

import {CentavoError} from '../errors.js';
import {RUN_KEY, statementsWithKey} from './find.js';
import type {Step} from './journal.js';
import type {Outcome, Stop, Surroundings} from './outcome.js';
import {
  amountOf,
  differenceOf,
  itemsOf,
  type PresentItem,
  type Statement,
  type StatementItem,
  type StatementPlan,
} from './plan.js';

/**
 * How long a run waits, in seconds, before it looks whether a change in doubt was made. A change that the service makes
 * within this time is found and, if it is too much, taken back; one that comes later at worst stops the run unsent.
 */
export const SETTLE_SECONDS = 15;
/** A service that leaves more calls in doubt than this is not relied on any further. */
const MOST_DOUBTS = 3;
/** Each round reads, and changes what differs: a run that needs more is not getting anywhere. */
const MOST_ROUNDS = 8;

/** Brings about what the plan says, in the order that the service needs. Never throws a CentavoError. */
export async function composeStatement(plan: StatementPlan, around: Surroundings): Promise<Outcome> {
  const {client, journal, signal, tell} = around;
  const options = {signal};
  let at: Step | 'read' = 'read';
  let itemNumber: number | undefined;
  let id = plan.id;
  let customerId: string | undefined;
  /** What is known of the statement from the answers so far. */
  let known: Statement | undefined;
  let wanted = [...plan.items];
  let dueAt = plan.dueAt;
  let changed = false;
  let finalized = false;
  let doubts = 0;
  let finalizeDoubted = false;
  let unsettled: Step | undefined;
  let key: string | undefined;
  let twins = false;
  const startedAt = around.now();

  /** Makes a call. @returns its answer, or nothing when it is in doubt */
  async function attempt<T>(step: Step, ids: readonly string[], call: () => PromiseLike<T>): Promise<T | undefined> {
    at = step;
    journal.intend(step, ids);
    try {
      const answer = await call();
      changed = true;
      return answer;
    } catch (error) {
      if (!(error instanceof CentavoError) || error.details.applied !== 'unknown') throw error;
      unsettled = step;
      if (step === 'finalize') finalizeDoubted = true;
      // A second customer or a second e-mail cannot be taken back.
      if (error.kind !== 'outcome_unknown' || step === 'customer' || step === 'send' || ++doubts > MOST_DOUBTS)
        throw error;
      tell({what: 'doubt', step, error});
      return undefined;
    }
  }

  async function settle(): Promise<void> {
    await around.sleep(SETTLE_SECONDS * 1000, signal).catch(() => {});
    if (signal?.aborted)
      throw new CentavoError('interrupted', 'the run was interrupted while it waited.', {applied: 'unknown'});
  }

  async function look(): Promise<Statement> {
    const before = at;
    at = 'read';
    known = await client.billingStatements.get(id!, options);
    unsettled = undefined;
    at = before;
    return known;
  }

  async function createCustomer({name, email}: {name: string; email: string}): Promise<string> {
    const customer = await attempt('customer', [], () =>
      client.customers.create({name, email, currency: 'PHP'}, options),
    );
    journal.made(customer!.id);
    tell({what: 'customer', id: customer!.id});
    return customer!.id;
  }

  async function createDraft(params: NonNullable<StatementPlan['create']>): Promise<Statement> {
    const metadata = params.metadata ?? {};
    // Metadata that is no hash is for the service to refuse.
    if (typeof metadata === 'object' && !Array.isArray(metadata)) key = around.token();
    const own = key === undefined ? params : {...params, metadata: {...(metadata as object), [RUN_KEY]: key}};
    for (;;) {
      let draft = (await attempt('draft', [], () => client.billingStatements.create(own as never, options))) as
        Statement | undefined;
      if (draft === undefined) {
        twins = true;
        // Without a key it could not be told from others.
        if (key === undefined) throw new CentavoError('outcome_unknown', 'the draft', {applied: 'unknown'});
        await settle();
        at = 'read';
        draft = (await sameKey())[0];
      }
      if (draft === undefined) continue;
      unsettled = undefined;
      changed = true;
      journal.made(draft.id);
      tell({what: 'draft', id: draft.id});
      return draft;
    }
  }

  const sameKey = (): Promise<Statement[]> => statementsWithKey(client, key!, startedAt, options);

  /** A draft whose creation was in doubt may be there a second time: empty, and with this run's key. */
  async function removeTwins(): Promise<void> {
    for (const twin of await sameKey()) {
      if (twin.id === id || twin.status !== 'draft' || itemsOf(twin).length > 0) continue;
      await attempt('remove', [twin.id], () => client.billingStatements.delete(twin.id, options));
      tell({what: 'removed', id: twin.id});
    }
  }

  /** Adds, removes and sets what differs, until the first doubt. */
  async function complete(missing: readonly StatementItem[], surplus: readonly PresentItem[]): Promise<void> {
    for (const item of missing) {
      itemNumber = wanted.indexOf(item) + 1;
      const added = (await attempt('item', [id!], () =>
        client.billingStatementLineItems.create({...item, billing_statement_id: id!}, options),
      )) as PresentItem | undefined;
      if (added === undefined) return;
      adopt(item, added);
      tell({what: 'added', id: added.id});
    }
    itemNumber = undefined;
    for (const item of surplus) {
      const gone = await attempt('remove', [id!, item.id], () =>
        client.billingStatementLineItems.delete(item.id, options).catch(notFoundIsGone),
      );
      if (gone === undefined) return;
      tell({what: 'removed', id: item.id, item});
    }
    if (dueAt === undefined || known!.due_at === dueAt) return;
    // The service drops the due time of a create, and asks for the payment settings on each update.
    const settings = known!.payment_settings as {payment_methods: string[]} | null;
    const updated = (await attempt('due', [id!], () =>
      client.billingStatements.update(id!, {due_at: dueAt!, ...(settings && {payment_settings: settings})}, options),
    )) as Statement | undefined;
    if (updated === undefined) return;
    known = {...known, ...updated, line_items: known!.line_items};
    dueAt = updated.due_at ?? dueAt;
  }

  /** The service may write a description in a way of its own: what it answers with is what is there. */
  function adopt(item: StatementItem, added: PresentItem): void {
    wanted = wanted.map((each) => (each === item ? {...item, description: added.description} : each));
    const items = [...itemsOf(known!), added];
    known = {...known!, line_items: items as never, amount: Number(amountOf(items))};
  }

  /** @returns the statement as the service answers with it; nothing when it must be looked at */
  async function finalize(): Promise<Statement | undefined> {
    try {
      return (await attempt('finalize', [id!], () => client.billingStatements.finalize(id!, options))) as
        Statement | undefined;
    } catch (error) {
      // A second finalize is refused when the first one, whose answer was lost, was late.
      if (!(error instanceof CentavoError) || error.kind !== 'rejected' || doubts === 0) throw error;
      if ((await look()).status === 'draft') throw error;
      return undefined;
    }
  }

  const isWanted = (statement: Statement, before: ReadonlySet<string>): boolean => {
    const {missing, surplus, foreign} = differenceOf(wanted, itemsOf(statement), before);
    const sum = amountOf(wanted);
    return (
      missing.length + surplus.length + foreign.length === 0 &&
      (statement.amount === undefined || statement.amount === null || BigInt(statement.amount) === sum) &&
      (dueAt === undefined || statement.due_at === dueAt)
    );
  };

  async function run(): Promise<Outcome> {
    let seen: Statement | undefined;
    let create = plan.create;
    if (plan.newCustomer) {
      customerId = await createCustomer(plan.newCustomer);
      create = {...create!, customer_id: customerId};
    }
    const earlier = id === undefined ? undefined : journal.earlier(id);
    if (id === undefined) {
      known = seen = await createDraft(create!);
      id = seen.id;
    } else seen = await look();
    const before = new Set(plan.id === undefined ? [] : itemsOf(seen).map((item) => item.id));
    if (plan.id !== undefined && plan.items.length === 0) wanted = itemsOf(seen);
    // A change of an earlier run may still come: what is there now is not the last word.
    if (earlier?.unsettled && seen.status === 'draft') {
      await settle();
      seen = undefined;
    }

    for (let round = 1; ; round++) {
      if (round > MOST_ROUNDS)
        throw new CentavoError('outcome_unknown', 'the draft keeps changing.', {applied: 'unknown'});
      if (unsettled !== undefined) {
        await settle();
        seen = undefined;
      }
      try {
        seen ??= await look();
      } catch (error) {
        // All that was asked for is done, and was answered.
        if (error instanceof CentavoError && lacksOnlyTheLook(error)) return done(known!, {unread: error});
        throw error;
      }
      if (seen.status !== 'draft') break;
      const {missing, surplus, foreign} = differenceOf(wanted, itemsOf(seen), before);
      const others = [...foreign, ...surplus.filter((item) => before.has(item.id))];
      if (others.length > 0) return stopped({why: 'foreign', items: others});
      if (missing.length + surplus.length > 0 || (dueAt !== undefined && seen.due_at !== dueAt)) {
        await complete(missing, surplus);
        seen = undefined;
        continue;
      }
      if (!plan.finalize) return done(seen);
      if (twins) await removeTwins();
      if (unsettled !== undefined) continue;
      const opened = await finalize();
      if (opened) {
        finalized = true;
        tell({what: 'finalized', id});
      }
      seen = plan.send ? undefined : opened;
      if (seen) break;
    }

    if (seen.status === 'open') finalized = true;
    else return stopped({why: 'ended', statement: seen});
    if (!isWanted(seen, before)) return stopped({why: 'mismatch', statement: seen});
    if (!plan.send) return done(seen);
    if (earlier?.send === 'sent') return done(seen, {sentBefore: true});
    if (earlier?.send === 'in_doubt') return stopped({why: 'send_in_doubt', statement: seen});
    await attempt('send', [id], () => client.billingStatements.send(id!, options));
    tell({what: 'sent', id});
    return done(seen);
  }

  /** Whether only the last look at a draft is missing. */
  const lacksOnlyTheLook = (error: CentavoError): boolean =>
    !plan.finalize && unsettled === undefined && error.kind !== 'interrupted' && isWanted(known!, new Set());

  /** A change in doubt was made, when all is as it was to be. */
  const done = (statement: Statement, more: {unread?: CentavoError; sentBefore?: boolean} = {}): Outcome => ({
    end: 'done',
    statement,
    changed: changed || doubts > 0,
    ...more,
  });

  const stopped = (stop: Stop): Outcome => {
    // However long it was waited for, a finalize in doubt may still come as long as the statement is not seen to be open.
    const inDoubt = unsettled ?? (finalizeDoubted && !finalized ? 'finalize' : undefined);
    const applied = inDoubt !== undefined || (doubts > 0 && !changed) ? 'unknown' : changed ? 'yes' : 'no';
    const progress = {
      customerId,
      statementId: id,
      items: known ? wanted.length - differenceOf(wanted, itemsOf(known)).missing.length : 0,
      of: wanted.length,
      finalized,
      applied,
      inDoubt,
    } as const;
    return {end: 'stopped', stop, progress};
  };

  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    return stopped({why: 'failed', error, at, itemNumber});
  }
}

function notFoundIsGone(error: unknown): true {
  if (error instanceof CentavoError && error.kind === 'not_found') return true;
  throw error;
}
