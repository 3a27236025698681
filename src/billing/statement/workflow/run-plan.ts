// The engine of all that bills: a plan says what is wanted, a journal what is known, decide the next act, and this loop does it.

import {dueTimeOf, hasEnded} from '../../../api/statement.js';
import type {CallOptions} from '../../../client/call.js';
import type {Client} from '../../../client/client.js';
import {wasAborted} from '../../../common/deadlines.js';
import {CentavoError} from '../../../common/errors.js';
import {isJsonObject} from '../../../common/json.js';
import {DAY} from '../../../common/manila.js';
import {DEFAULT_RETRY} from '../../../http/retry.js';
import {exactTotalOf} from '../../../input/items.js';
import {
  customerPages,
  getStatement,
  ignoreNotFound,
  statementsWithKey,
  type DraftSearch,
} from '../../account/account-reader.js';
import {PREVIOUS_RUNS_KEY, PLAN_KEY, RUN_KEY} from '../copy.js';
import type {EarlierActivity} from '../../../history/queries.js';
import type {RunOutcome, RunProgress, RunStop} from './outcome.js';
import {
  requireWholeItems,
  itemContentOf,
  differenceOf,
  hasWholeItems,
  itemsOf,
  type ExistingItem,
  type BillingStatementData,
  type StatementPlan,
} from '../plan.js';
import {
  decide,
  matchesPlan,
  draftOwnersOf,
  wantedItems,
  type NextAction,
  type ProcessMemory,
  type ServiceTiming,
  type CallAction,
  type ObservedStatement,
  type WaitReason,
} from './decide.js';
import {
  isCreation,
  INITIAL_RUN_STATE,
  evolve,
  type RunCall,
  type RunEvent,
  type StatementRunState,
} from './run-events.js';
import type {RunJournal} from './journal.js';

/** After more unknown outcomes than this, a run stops. */
const MAX_UNKNOWN_OUTCOMES = 3;
/** Milliseconds after which a call is given up. */
const CALL_TIMEOUT = 10_000;
/** Looks in a row that took too long to finalize by. */
const MAX_SLOW_READS = 4;

export type RunProgressEvent =
  /** `id` is that of the object that was made, changed or removed, or of the statement. */
  | {readonly what: 'done'; readonly call: RunCall; readonly id: string}
  | {readonly what: 'doubt'; readonly call: RunCall; readonly error: CentavoError}
  /** Milliseconds since the epoch. */
  | {readonly what: 'wait'; readonly why: WaitReason; readonly until: number};

export interface RunOptions {
  readonly client: Client;
  readonly journal: RunJournal;
  readonly signal?: AbortSignal;
  /** Sleeps this many milliseconds, or rejects when the signal aborts. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** How the service behaves; asked before each act, since answers tell. */
  readonly timing: () => ServiceTiming;
  /** Milliseconds that the waiting for 429 answers may take. */
  readonly timeout: number;
  /** Finds the drafts of runs; an import looks for all of its own at once. */
  readonly search?: DraftSearch;
  readonly tell: (news: RunProgressEvent) => void;
  /** The history of this machine: told before each call, and of the ids that were made. */
  readonly history: {
    readonly intend: (call: RunCall, ids: readonly string[]) => unknown;
    readonly made: (id: string) => void;
    readonly sendEnded: (id: string, sent: boolean) => void;
    readonly former: (id: string) => EarlierActivity;
  };
}

/** Carries out a plan. Never throws a CentavoError. */
export async function runPlan(plan: StatementPlan, options: RunOptions): Promise<RunOutcome> {
  // A reissue has the same name on every machine; those of its drafts must differ.
  const journal = plan.replaces ? {...options.journal, key: options.journal.run} : options.journal;
  try {
    return await new StatementRun(plan, {...options, journal}).work();
  } finally {
    journal.close();
  }
}

class StatementRun {
  #plan: StatementPlan;
  readonly #options: RunOptions;
  #known: StatementRunState = INITIAL_RUN_STATE;
  #present: ProcessMemory;
  #former: EarlierActivity = {unsettled: false};
  /** What this process did: whether a call was answered, and how many were not. */
  #made = false;
  #doubts = 0;
  #doubted: CentavoError | undefined;
  #attempts = 0;
  #limited = 0;
  #itemNumber: number | undefined;
  #sentBefore = false;
  #slowLooks = 0;

  constructor(plan: StatementPlan, options: RunOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#present = {startedAt: options.now(), isCompared: false};
  }

  async work(): Promise<RunOutcome> {
    const {now, timing, journal} = this.#options;
    try {
      this.#resume();
      for (;;) {
        const act = decide(this.#plan, this.#known, this.#present, journal, timing(), now());
        if (act.act === 'done') return this.#done();
        if (act.act !== 'stop') await this.#perform(act);
        else {
          // A command that goes on from here starts a run of its own.
          const {failure, missing} = this.#present;
          const isGone = act.stop.why === 'ended' || (missing !== undefined && failure === undefined);
          if (act.stop.why === 'taken' || (this.#plan.replaces && isGone)) journal.disown();
          return this.#stopped(this.#stopOf(act.stop));
        }
      }
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      return this.#stopped({why: 'failed', error, at: 'read'});
    }
  }

  /** Takes up what earlier processes learnt. A call that they were about to make may have been made. */
  #resume(): void {
    const {journal, history, now, timing} = this.#options;
    const {id} = this.#plan;
    for (const fact of journal.facts) this.#known = evolve(this.#known, fact, true);
    this.#sentBefore = this.#known.send === 'done';
    const {pending} = this.#known;
    if (pending) {
      const latest = isCreation(pending.call) ? now() : pending.at + timing().call;
      this.#learn({what: 'doubt', at: Math.min(now(), latest)}, true);
    }
    if (id === undefined) return;
    if (this.#known.statementId === undefined) this.#learn({what: 'named', id});
    this.#former = history.former(id);
    const {finalizedAt = -Infinity, madeAt, unsettled} = this.#former;
    if (unsettled && journal.facts.length === 0) {
      this.#learn({what: 'intend', call: 'change', at: now()}, true);
      this.#learn({what: 'doubt', at: now()}, true);
    }
    // The history also has the calls of this journal, which knows what came of them.
    const own = journal.facts.map((fact) => (fact.what === 'intend' && fact.call === 'finalize' ? fact.at : -Infinity));
    const lastOwn = Math.max(...own) + timing().call;
    if (this.#known.finalize === undefined && madeAt !== undefined && finalizedAt > lastOwn) {
      this.#learn({what: 'intend', call: 'finalize', at: finalizedAt}, true);
      this.#learn({what: 'doubt', at: finalizedAt}, true);
    }
  }

  #learn(fact: RunEvent, earlier = false): void {
    // The outcome of a call counts even where it cannot be written to the journal.
    this.#known = evolve(this.#known, fact, earlier);
    void this.#options.journal.record(fact);
  }

  async #perform(act: Exclude<NextAction, {act: 'done' | 'stop'}>): Promise<void> {
    const {now, tell} = this.#options;
    switch (act.act) {
      case 'look':
        return this.#look();
      case 'call':
        return this.#call(act);
      case 'find':
        return this.#find(act);
      case 'wait':
        if (act.until - now() > 1000) tell({what: 'wait', why: act.why, until: act.until});
        return this.#pause(act.until - now(), this.#known.statementId !== undefined);
      case 'compared':
        this.#present = {...this.#present, isCompared: true};
        // In a draft of its own nothing was there before the run: what is in doubt may be what it finds.
        if (!this.#known.before && !this.#known.isCreated)
          this.#learn({what: 'before', ids: act.items.map(({id}) => id)});
        if (this.#plan.items.length === 0) this.#plan = {...this.#plan, items: act.items};
        return;
      case 'learn':
        if (act.fact.what === 'found') this.#found(act.fact.n);
        this.#learn(act.fact);
        if (act.fact.what === 'found') tell({what: 'done', call: 'item', id: act.fact.id});
    }
  }

  /** Makes a call, once. What is not made is decided on again. */
  async #call(act: CallAction): Promise<void> {
    const {history, now, signal, tell, timeout, timing} = this.#options;
    const {call, id, item, waits} = act;
    const {statementId} = this.#known;
    const {view} = this.#present;
    this.#itemNumber = item && this.#plan.items.indexOf(item) + 1;
    let isNoted = false;
    try {
      await history.intend(
        call,
        [call === 'void' ? this.#plan.replaces!.id : statementId, id].filter((each) => each !== undefined),
      );
      isNoted = true;
      const fact = {
        what: 'intend',
        call,
        at: now(),
        ...(id && {id}),
        ...(item && {item}),
        ...(waits && {waits}),
      } as const;
      await this.#options.journal.record(fact);
      this.#known = evolve(this.#known, fact);
    } catch (error) {
      if (call === 'send' && isNoted) history.sendEnded(statementId!, false);
      return this.#fail(error, call);
    }
    // The computer may have slept since the decision: what was seen may be too old by now.
    if (view && call === 'finalize' && !this.#plan.named && now() - view.began > timing().age)
      return this.#learn({what: 'refused', at: now()});
    const began = now();
    let pause: number | undefined;
    let answer: unknown;
    try {
      const once = {signal, timeout: Math.min(timeout, CALL_TIMEOUT), once: (ms: number | undefined) => (pause = ms)};
      answer = await this.#request(act, once);
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      if (error.details.applied === 'unknown') {
        this.#learn({what: 'doubt', at: now()});
        const isOver = error.kind !== 'outcome_unknown' || ++this.#doubts > MAX_UNKNOWN_OUTCOMES;
        const isLost = call === 'send' || (call === 'draft' && !isJsonObject(this.#plan.create!.metadata ?? {}));
        this.#doubted = error;
        return isOver || isLost ? this.#fail(error, call) : tell({what: 'doubt', call, error});
      }
      this.#learn({what: 'refused', at: now()});
      if (call === 'send') history.sendEnded(statementId!, false);
      // It was certainly not made: it pauses and decides again, or ends.
      const isLimited = error.kind === 'rate_limited';
      const isTooMany = isLimited
        ? (this.#limited += pause ?? 0) > timeout
        : ++this.#attempts >= DEFAULT_RETRY.attempts;
      if (pause === undefined || isTooMany) return this.#fail(error, call);
      return this.#pause(pause, false);
    }
    this.#attempts = 0;
    this.#made ||= !this.#sentBefore;
    const fact = this.#answered(act, answer, began);
    this.#learn({what: 'done', at: now(), ...fact});
    if (call === 'customer' || call === 'draft') history.made(fact.id!);
    if (call === 'send' && !this.#sentBefore) history.sendEnded(statementId!, true);
    const about = call === 'void' ? this.#plan.replaces!.id : statementId!;
    if (!this.#sentBefore) tell({what: 'done', call, id: fact.id ?? id ?? about});
  }

  async #request({call, id, item, former}: CallAction, once: CallOptions): Promise<unknown> {
    const {client, history, journal} = this.#options;
    const {newCustomer, create, dueAt} = this.#plan;
    const {billingStatements: statements, billingStatementLineItems: items} = client;
    const statementId = this.#known.statementId!;
    switch (call) {
      case 'customer': {
        // The name of a plan for a statement is random; that of a customer of an import is the same on every machine.
        const metadata = {[PLAN_KEY]: journal.key, ...(!create && {[RUN_KEY]: journal.run})};
        return client.customers.create({...newCustomer!, currency: 'PHP', metadata}, once);
      }
      case 'draft': {
        // The service refuses metadata that is not a hash. Without the key, a draft could not be found again.
        const {customer_id: customer, metadata = {}} = create!;
        const keys = {[PLAN_KEY]: journal.key, [RUN_KEY]: journal.run};
        const params = {metadata: isJsonObject(metadata) ? {...metadata, ...keys} : metadata};
        return statements.create(
          {...create!, customer_id: this.#known.customerId ?? customer, ...params} as never,
          once,
        );
      }
      case 'item':
        return items.create({...item!, billing_statement_id: statementId}, once);
      case 'change':
        return items.update(id!, {...item!}, once);
      case 'remove':
        return items.delete(id!, once).catch(ignoreNotFound);
      case 'due':
      case 'take': {
        // The service requires the payment settings with each update, and may replace the metadata as a whole.
        const {
          payment_settings: settings = this.#known.settings,
          metadata,
          ...seen
        } = this.#present.view?.statement ?? {};
        const due = dueAt ?? dueTimeOf(seen as BillingStatementData);
        const keys = {
          [RUN_KEY]: journal.run,
          ...((former ?? []).length > 0 && {[PREVIOUS_RUNS_KEY]: former!.join(' ')}),
        };
        const params = {
          ...(due !== undefined && {due_at: due}),
          ...(call === 'take' && {
            metadata: {[PLAN_KEY]: journal.key, ...(isJsonObject(metadata) && metadata), ...keys},
          }),
          ...(isJsonObject(settings) && {payment_settings: settings}),
        };
        return statements.update(statementId, params as never, once);
      }
      case 'finalize':
        return statements.finalize(statementId, once);
      case 'void': {
        const {status} = await statements.void(this.#plan.replaces!.id, once);
        if (status === undefined || hasEnded({status})) return undefined;
        throw new CentavoError('outcome_unknown', `the API answered that it is ${status}.`, {applied: 'unknown'});
      }
      case 'send': {
        // Other commands can see the intention now. What they have done is read after it, so that no two of them send.
        const {send} = history.former(statementId);
        this.#sentBefore = send === 'sent';
        if (send === 'in_doubt') throw new CentavoError('outcome_unknown', '', {applied: 'no', code: 'send_in_doubt'});
        return this.#sentBefore ? undefined : statements.send(statementId, once);
      }
    }
  }

  /** What an answer says; it is kept as far as it shows the statement. */
  #answered({call, id, item}: CallAction, answer: unknown, began: number): Partial<Extract<RunEvent, {what: 'done'}>> {
    const made = answer as BillingStatementData;
    switch (call) {
      case 'customer':
      case 'draft':
        if (call === 'customer') return {id: made.id};
        this.#see(made, began);
        return {id: made.id, ...(isJsonObject(made.payment_settings) && {settings: made.payment_settings})};
      case 'item':
      case 'change': {
        const {description} = made;
        const written = {...item!, ...(typeof description === 'string' && {description})};
        const whole = {...written, id: id ?? made.id};
        const before = this.#items();
        this.#assemble(id ? before.map((each) => (each.id === id ? whole : each)) : [...before, whole]);
        return {id: whole.id, item: itemContentOf(written)};
      }
      case 'remove':
        this.#assemble(this.#items().filter((each) => each.id !== id));
        return {};
      case 'due':
      case 'take': {
        const asked = this.#plan.dueAt ?? dueTimeOf(this.#present.view!.statement);
        this.#see(made, began);
        const answered = dueTimeOf(made);
        // The service may round a due time to the day.
        const isRounded = asked !== undefined && answered !== undefined && Math.abs(answered - asked) < DAY;
        return {due: asked === undefined ? undefined : {asked, answered: isRounded ? answered : asked}};
      }
      case 'finalize':
        this.#see(made.status === 'open' || this.#plan.named ? made : undefined, this.#options.now(), 'final');
        return {};
      case 'send':
      case 'void':
        return {};
    }
  }

  /** Looks for what a creation in doubt made, when that must be there. */
  async #find({call, doubt}: Extract<NextAction, {act: 'find'}>): Promise<void> {
    const {client, journal, history, now, search, signal, tell} = this.#options;
    const {newCustomer, create} = this.#plan;
    let id: string | undefined;
    try {
      if (call === 'draft') {
        const customer = this.#known.customerId ?? create!.customer_id;
        const since = Math.floor(this.#present.startedAt / 1000) - DAY;
        const wanted = {key: journal.key, run: journal.run, customer, since};
        [id] = await (search?.(wanted) ?? statementsWithKey(client, wanted, {signal}));
      } else
        for await (const {data} of customerPages(client, {signal}, {email: newCustomer!.email}))
          for (const each of data) {
            const {[PLAN_KEY]: key, [RUN_KEY]: run = journal.run} = isJsonObject(each.metadata) ? each.metadata : {};
            if (key === journal.key && run === journal.run) ({id} = each);
          }
    } catch (error) {
      return this.#fail(error, 'read');
    }
    if (id === undefined) return this.#learn({what: 'absent', n: doubt.n});
    this.#found(doubt.n);
    this.#learn({what: 'found', n: doubt.n, at: now(), id});
    history.made(id);
    tell({what: 'done', call, id});
  }

  /** What this process did in doubt was made. */
  #found(n: number): void {
    this.#made ||= this.#known.doubts.some((doubt) => doubt.n === n && !doubt.earlier);
  }

  async #pause(milliseconds: number, thenLooks: boolean): Promise<void> {
    const {signal, sleep} = this.#options;
    const words = 'the run was interrupted while it waited.';
    if (await wasAborted(sleep(Math.max(0, milliseconds), signal), signal))
      this.#fail(new CentavoError('interrupted', words, {applied: 'no'}), 'read');
    else if (thenLooks) await this.#look();
  }

  async #look(): Promise<void> {
    const {client, now, signal, timing} = this.#options;
    const id = this.#known.statementId!;
    const began = now();
    try {
      const statement = await getStatement(client, id, {signal});
      // Of what a person named, only the status matters.
      if (!this.#plan.named) requireWholeItems(statement);
      const took = now() - began;
      this.#slowLooks = took > timing().age ? this.#slowLooks + 1 : 0;
      if (this.#slowLooks >= MAX_SLOW_READS)
        throw new CentavoError('unavailable', 'the API takes too long to answer.', {
          why: `Each read of ${id} took ${Math.round(took / 1000)} s or more, and what is finalized must just have been read.`,
        });
      this.#present = {...this.#present, view: {statement, began, kind: 'shown'}, missing: undefined};
    } catch (error) {
      const {failure, view} = this.#present;
      if (error instanceof CentavoError && error.kind === 'not_found')
        this.#present = {...this.#present, missing: {error, began}};
      // An earlier failure says more than that the look after it failed.
      else if (failure && view) this.#present = {...this.#present, failure: {...failure, at: 0}};
      // What was asked for may have been done, which a read that fails does not say.
      else this.#fail((this.#plan.named && this.#doubted) ?? error, 'read');
    }
  }

  #fail(error: unknown, call: RunCall | 'read'): void {
    if (!(error instanceof CentavoError)) throw error;
    this.#present = {...this.#present, failure: {error, call, at: this.#options.now()}};
  }

  /** Keeps the answer to a change. One that leaves out what is needed says nothing: it is looked again. */
  #see(statement: BillingStatementData | undefined, began: number, kind: ObservedStatement['kind'] = 'shown'): void {
    const isWhole =
      this.#plan.named !== undefined ||
      (statement !== undefined && hasWholeItems(statement) && statement.metadata !== undefined);
    this.#present = {...this.#present, view: statement && isWhole ? {statement, began, kind} : undefined};
  }

  #items = (): readonly ExistingItem[] => itemsOf(this.#present.view!.statement);

  #assemble(items: readonly ExistingItem[]): void {
    const {view} = this.#present;
    const statement = {...view!.statement, line_items: items, amount: Number(exactTotalOf(items))} as never;
    this.#present = {...this.#present, view: {...view!, statement, kind: 'assembled'}};
  }

  #stopOf(ending: Extract<NextAction, {act: 'stop'}>['stop']): RunStop {
    const {failure, missing, view} = this.#present;
    if (ending.why !== 'failed') return {...ending, statement: view?.statement} as RunStop;
    const {error, call} = failure ?? (missing ? {error: missing.error, call: 'read' as const} : HAS_ENDED);
    if (error.code === 'send_in_doubt') return {why: 'send_in_doubt', statement: view!.statement};
    return {why: 'failed', error, at: call, itemNumber: this.#itemNumber || undefined};
  }

  #done(more: {unread?: CentavoError} = {}): RunOutcome {
    // A statement that was only sent was not read.
    const statement = this.#present.view?.statement ?? ({id: this.#known.statementId} as BillingStatementData);
    // What was in doubt counts as made if the statement is this run's own.
    const isOwn = draftOwnersOf(statement).owner === this.#options.journal.run;
    const changed = this.#made || (this.#doubts > 0 && (isOwn || this.#plan.named !== undefined));
    const sent = this.#sentBefore && this.#plan.send && {sentBefore: true};
    return {end: 'done', statement, changed, ...more, ...sent};
  }

  #stopped(stop: RunStop): RunOutcome {
    if (stop.why === 'failed' && stop.at === 'read' && this.#lacksOnlyTheLook(stop.error))
      return this.#done({unread: stop.error});
    return {end: 'stopped', stop, state: this.#state()};
  }

  /** Whether everything is done and was answered, and only the last read failed. */
  #lacksOnlyTheLook({kind}: CentavoError): boolean {
    const {doubts, finalize} = this.#known;
    const {view} = this.#present;
    return (
      view !== undefined &&
      this.#made &&
      kind !== 'interrupted' &&
      !this.#plan.send &&
      this.#plan.finalize === (finalize === 'done') &&
      doubts.every(({absent}) => absent) &&
      matchesPlan(this.#plan, this.#known, view.statement)
    );
  }

  #state(): RunProgress {
    const known = this.#known;
    const statement = this.#present.view?.statement;
    const wanted = wantedItems(this.#plan, known);
    const status =
      statement?.deleted || this.#present.missing
        ? 'deleted'
        : known.openedAt !== undefined && (statement?.status ?? 'draft') === 'draft'
          ? 'open'
          : statement?.status;
    const last = known.doubts.findLast(({absent, earlier}) => !absent && !earlier)?.call;
    const open = known.voided === 'doubt' && this.#plan.replaces?.next !== 'open' ? 'void' : last;
    const isFinalizing = known.finalize === 'doubt' && (status ?? 'draft') === 'draft';
    const inDoubt =
      known.send === 'intended' ? 'send' : isFinalizing ? 'finalize' : open === 'finalize' ? undefined : open;
    const isUnknown = inDoubt !== undefined || (this.#doubts > 0 && !this.#made);
    return {
      customerId: known.customerId,
      statementId: known.statementId,
      items: statement ? wanted.length - differenceOf(wanted, itemsOf(statement)).missing.length : 0,
      of: wanted.length,
      status,
      applied: isUnknown ? 'unknown' : this.#made ? 'yes' : 'no',
      inDoubt,
      voided: known.voided === 'done',
    };
  }
}

/** What somebody else voided is not voided again. */
const HAS_ENDED = {
  error: new CentavoError('rejected', 'the old statement has ended.', {applied: 'no'}),
  call: 'void' as const,
};
