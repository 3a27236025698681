// One statement from nothing to sent. Each call is recorded before it is made; after any doubt the run waits, reads again and
// puts right what differs; it finalizes only what it has just read to be exactly the plan, and sends only what it reads so again.
// Once a statement is finalized no item can come, so what is sent has the items that were asked for, however late a call is applied.

import {CentavoError} from '../errors.js';
import {RUN_KEY, statementsWithKey} from './find.js';
import type {Step} from './journal.js';
import {Knowledge} from './knowledge.js';
import type {Outcome, Stop, Surroundings} from './outcome.js';
import {differenceOf, itemsOf, type Difference, type Statement, type StatementPlan} from './plan.js';

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
  const known = new Knowledge(plan);
  let changed = false;
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
      // A second customer cannot be taken back, and a draft without a key cannot be told from others.
      const final = step === 'customer' || (step === 'draft' && key === undefined);
      if (error.kind !== 'outcome_unknown' || final || ++doubts > MOST_DOUBTS) throw error;
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
    const statement = known.read(await client.billingStatements.get(id!, options));
    unsettled = undefined;
    at = before;
    return statement;
  }

  /** @returns the statement with all that was answered, or nothing when it does not show that even after the settle time */
  async function lookUntilShown(): Promise<Statement | undefined> {
    if (unsettled === undefined) {
      const statement = await look();
      if (known.isShownBy(statement)) return statement;
      tell({what: 'stale'});
    }
    await settle();
    const statement = await look();
    return known.isShownBy(statement) ? statement : undefined;
  }

  async function createCustomer({name, email}: {name: string; email: string}): Promise<string> {
    const customer = await attempt('customer', [], () =>
      client.customers.create({name, email, currency: 'PHP'}, options),
    );
    customerId = customer!.id;
    journal.made(customerId);
    tell({what: 'customer', id: customerId});
    return customerId;
  }

  async function createDraft(params: NonNullable<StatementPlan['create']>): Promise<Statement> {
    const metadata = params.metadata ?? {};
    // Metadata that is no hash is for the service to refuse.
    if (typeof metadata === 'object' && !Array.isArray(metadata)) key = around.token();
    const own = key === undefined ? params : {...params, metadata: {...(metadata as object), [RUN_KEY]: key}};
    for (;;) {
      const draft = (await attempt('draft', [], () => client.billingStatements.create(own as never, options))) as
        Statement | undefined;
      if (draft === undefined) {
        twins = true;
        await settle();
        at = 'read';
        id = (await sameKey(params))[0];
      } else id = draft.id;
      if (id === undefined) continue;
      unsettled = undefined;
      changed = true;
      journal.made(id);
      tell({what: 'draft', id});
      return draft ? known.created(draft) : look();
    }
  }

  const sameKey = ({customer_id: customer}: {readonly customer_id: string}): Promise<string[]> =>
    statementsWithKey(client, {key: key!, customer, since: startedAt}, options);

  /** A draft whose creation was in doubt may be there a second time: empty, and with this run's key. */
  async function removeTwins(params: NonNullable<StatementPlan['create']>): Promise<void> {
    for (const twin of (await sameKey(params)).filter((each) => each !== id)) {
      const {status, line_items: items} = await client.billingStatements.get(twin, options);
      if (status !== 'draft' || !Array.isArray(items) || items.length > 0) continue;
      const gone = await attempt('remove', [twin], () => client.billingStatements.delete(twin, options));
      if (gone === undefined) return;
      tell({what: 'removed', id: twin});
    }
  }

  /** Adds, removes and sets what differs, until the first doubt. */
  async function complete({missing, surplus}: Difference): Promise<void> {
    for (const item of missing) {
      itemNumber = known.wanted.indexOf(item) + 1;
      const added = await attempt('item', [id!], () =>
        client.billingStatementLineItems.create({...item, billing_statement_id: id!}, options),
      );
      if (added === undefined) return;
      known.added(item, added);
      tell({what: 'added', id: added.id});
    }
    itemNumber = undefined;
    for (const item of surplus) {
      const gone = await attempt('remove', [id!, item.id], () =>
        client.billingStatementLineItems.delete(item.id, options).catch(notFoundIsGone),
      );
      if (gone === undefined) return;
      known.removed(item.id);
      tell({what: 'removed', id: item.id, item});
    }
    if (known.isDue(known.statement!)) return;
    // The service drops the due time of a create, and asks for the payment settings on each update.
    const settings = known.statement!.payment_settings as {payment_methods: string[]} | null;
    const change = {due_at: known.dueAt!, ...(settings && {payment_settings: settings})};
    const updated = (await attempt('due', [id!], () => client.billingStatements.update(id!, change, options))) as
      Statement | undefined;
    if (updated) known.updated(updated);
  }

  /** @returns the statement as the service answers with it; nothing when it must be looked at */
  async function finalize(): Promise<Statement | undefined> {
    try {
      return (await attempt('finalize', [id!], () => client.billingStatements.finalize(id!, options))) as
        Statement | undefined;
    } catch (error) {
      // A second finalize is refused when the first one, whose answer was lost, was late.
      if (!(error instanceof CentavoError) || error.kind !== 'rejected' || !finalizeDoubted) throw error;
      if ((await look()).status === 'draft') throw error;
      return undefined;
    }
  }

  async function run(): Promise<Outcome> {
    let create = plan.create;
    if (plan.newCustomer) create = {...create!, customer_id: await createCustomer(plan.newCustomer)};
    const goesOn = id !== undefined;
    let seen: Statement | undefined = goesOn ? await look() : await createDraft(create!);
    const before = new Set(goesOn ? itemsOf(seen).map((item) => item.id) : []);
    if (goesOn && plan.items.length === 0) known.wanted = itemsOf(seen);
    // A change of an earlier run may still come: what is there now is not the last word.
    if (goesOn && seen.status === 'draft' && journal.earlier(id!).unsettled) {
      await settle();
      seen = await look();
    }

    const wasDraft = seen.status === 'draft';
    for (let round = 1; ; round++) {
      if (round > MOST_ROUNDS)
        throw new CentavoError('outcome_unknown', 'the draft keeps changing.', {applied: 'unknown'});
      try {
        seen ??= await lookUntilShown();
      } catch (error) {
        // All that was asked for is done, and was answered.
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
        await complete(difference);
        seen = undefined;
        continue;
      }
      if (twins) await removeTwins(create!);
      if (unsettled !== undefined) {
        seen = undefined;
        continue;
      }
      if (!plan.finalize) return done(seen);
      const opened = await finalize();
      const whole = opened && known.opened(opened);
      if (opened) tell({what: 'finalized', id: id!});
      seen = plan.send ? undefined : whole;
      if (seen) break;
    }

    if (seen.status !== 'open') return stopped({why: 'ended', statement: seen});
    if (!known.isWanted(seen)) return stopped({why: 'mismatch', statement: seen});
    if (!plan.send) return done(seen);
    // Whoever opened it meanwhile may have sent it, too.
    const byOthers = wasDraft && !known.finalized && !finalizeDoubted;
    return byOthers ? stopped({why: 'ended', statement: seen}) : send(seen);
  }

  async function send(statement: Statement): Promise<Outcome> {
    at = 'send';
    journal.intend('send', [id!]);
    let sent = false;
    try {
      // Other runs can see the intention now. What they have done is read after it, so that no two of them send.
      const {send: earlier} = journal.earlier(id!);
      if (earlier === 'in_doubt') return stopped({why: 'send_in_doubt', statement});
      if (earlier === 'sent') return done(statement, {sentBefore: true});
      await client.billingStatements.send(id!, options);
      changed = sent = true;
    } catch (error) {
      if (!(error instanceof CentavoError) || error.details.applied === 'unknown') unsettled = 'send';
      throw error;
    } finally {
      // A send in doubt stays an intention without an outcome.
      if (unsettled !== 'send') journal.sendEnded(sent);
    }
    tell({what: 'sent', id: id!});
    return done(statement);
  }

  /** Whether all that was asked for is done and was answered, and only the last look is missing. */
  const lacksOnlyTheLook = (error: CentavoError): boolean =>
    !plan.send &&
    known.finalized === plan.finalize &&
    unsettled === undefined &&
    error.kind !== 'interrupted' &&
    known.isWanted(known.statement!);

  /** A change in doubt was made, when all is as it was to be. */
  const done = (statement: Statement, more: {unread?: CentavoError; sentBefore?: boolean} = {}): Outcome => ({
    end: 'done',
    statement,
    changed: changed || doubts > 0,
    ...more,
  });

  const stopped = (stop: Stop): Outcome => {
    // However long it was waited for, a finalize in doubt may still come as long as the statement is seen to be a draft.
    const inDoubt = unsettled ?? (finalizeDoubted && known.status === 'draft' ? 'finalize' : undefined);
    const applied = inDoubt !== undefined || (doubts > 0 && !changed) ? 'unknown' : changed ? 'yes' : 'no';
    const {count: items, status, wanted} = known;
    const progress = {customerId, statementId: id, items, of: wanted.length, status, applied, inDoubt} as const;
    return {end: 'stopped', stop, progress};
  };

  /** Somebody else may have changed what refuses a change: what is said of it is then what it is now. */
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
    const stop = {why: 'failed', error, at, itemNumber} as const;
    if (at !== 'read' && (error.kind === 'rejected' || error.kind === 'not_found')) await lookAfterRefusal();
    return stopped(stop);
  }
}

function notFoundIsGone(error: unknown): true {
  if (error instanceof CentavoError && error.kind === 'not_found') return true;
  throw error;
}
