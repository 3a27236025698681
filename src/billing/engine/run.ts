// The engine of all that bills: a plan says what is wanted, a journal what is known, decide the next act, and this loop does it.

import {dueOf, hasEnded} from '../../api/statement.js';
import type {CallOptions} from '../../client/call.js';
import type {Client} from '../../client/client.js';
import {isCutShort} from '../../ground/deadlines.js';
import {CentavoError} from '../../ground/errors.js';
import {isHash} from '../../ground/json.js';
import {DAY} from '../../ground/manila.js';
import {DEFAULT_RETRY} from '../../http/retry.js';
import {amountOf} from '../../input/items.js';
import {customerPages, getStatement, notFoundIsNothing, statementsWithKey, type Search} from '../account.js';
import {FORMER_KEY, PLAN_KEY, RUN_KEY} from '../compose/copy.js';
import type {Former} from '../../audit/queries.js';
import type {Outcome, RunState, Stop} from './outcome.js';
import {
  checkUsable,
  contentOf,
  differenceOf,
  isUsable,
  itemsOf,
  type PresentItem,
  type Statement,
  type StatementPlan,
} from '../compose/plan.js';
import {
  decide,
  isWanted,
  ownersOf,
  wantedItems,
  type Act,
  type ProcessState,
  type Timing,
  type ToCall,
  type View,
  type WaitReason,
} from './decide.js';
import {isCreation, NOTHING, withFact, type Call, type Fact, type Known} from './facts.js';
import type {RunJournal} from './journal.js';

/** After more unknown outcomes than this, a run stops. */
const MOST_DOUBTS = 3;
/** Milliseconds after which a call is given up. */
const LONGEST_CALL = 10_000;
/** Looks in a row that took too long to finalize by. */
const MOST_SLOW_LOOKS = 4;

export type RunNews =
  /** `id` is that of the object that was made, changed or removed, or of the statement. */
  | {readonly what: 'done'; readonly call: Call; readonly id: string}
  | {readonly what: 'doubt'; readonly call: Call; readonly error: CentavoError}
  /** Milliseconds since the epoch. */
  | {readonly what: 'wait'; readonly why: WaitReason; readonly until: number};

export interface EngineOptions {
  readonly client: Client;
  readonly journal: RunJournal;
  readonly signal?: AbortSignal;
  /** Sleeps this many milliseconds, or rejects when the signal aborts. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** How the service behaves; asked before each act, since answers tell. */
  readonly timing: () => Timing;
  /** Milliseconds that the waiting for 429 answers may take. */
  readonly timeout: number;
  /** Finds the drafts of runs; an import looks for all of its own at once. */
  readonly search?: Search;
  readonly tell: (news: RunNews) => void;
  /** The history of this machine: told before each call, and of the ids that were made. */
  readonly history: {
    readonly intend: (call: Call, ids: readonly string[]) => unknown;
    readonly made: (id: string) => void;
    readonly sendEnded: (id: string, sent: boolean) => void;
    readonly former: (id: string) => Former;
  };
}

/** Carries out a plan. Never throws a CentavoError. */
export async function runPlan(plan: StatementPlan, options: EngineOptions): Promise<Outcome> {
  // A reissue has the same name on every machine; those of its drafts must differ.
  const journal = plan.replaces ? {...options.journal, key: options.journal.run} : options.journal;
  try {
    return await new Run(plan, {...options, journal}).work();
  } finally {
    journal.close();
  }
}

class Run {
  #plan: StatementPlan;
  readonly #options: EngineOptions;
  #known: Known = NOTHING;
  #present: ProcessState;
  #former: Former = {unsettled: false};
  /** What this process did: whether a call was answered, and how many were not. */
  #made = false;
  #doubts = 0;
  #doubted: CentavoError | undefined;
  #attempts = 0;
  #limited = 0;
  #itemNumber: number | undefined;
  #sentBefore = false;
  #slowLooks = 0;

  constructor(plan: StatementPlan, options: EngineOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#present = {startedAt: options.now(), isCompared: false};
  }

  async work(): Promise<Outcome> {
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
    for (const fact of journal.facts) this.#known = withFact(this.#known, fact, true);
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

  #learn(fact: Fact, earlier = false): void {
    // The outcome of a call counts even where it cannot be written to the journal.
    this.#known = withFact(this.#known, fact, earlier);
    void this.#options.journal.record(fact);
  }

  async #perform(act: Exclude<Act, {act: 'done' | 'stop'}>): Promise<void> {
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
  async #call(act: ToCall): Promise<void> {
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
      this.#known = withFact(this.#known, fact);
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
      const once = {signal, timeout: Math.min(timeout, LONGEST_CALL), once: (ms: number | undefined) => (pause = ms)};
      answer = await this.#request(act, once);
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      if (error.details.applied === 'unknown') {
        this.#learn({what: 'doubt', at: now()});
        const isOver = error.kind !== 'outcome_unknown' || ++this.#doubts > MOST_DOUBTS;
        const isLost = call === 'send' || (call === 'draft' && !isHash(this.#plan.create!.metadata ?? {}));
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

  async #request({call, id, item, former}: ToCall, once: CallOptions): Promise<unknown> {
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
        const params = {metadata: isHash(metadata) ? {...metadata, ...keys} : metadata};
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
        return items.delete(id!, once).catch(notFoundIsNothing);
      case 'due':
      case 'take': {
        // The service requires the payment settings with each update, and may replace the metadata as a whole.
        const {
          payment_settings: settings = this.#known.settings,
          metadata,
          ...seen
        } = this.#present.view?.statement ?? {};
        const due = dueAt ?? dueOf(seen as Statement);
        const keys = {[RUN_KEY]: journal.run, ...((former ?? []).length > 0 && {[FORMER_KEY]: former!.join(' ')})};
        const params = {
          ...(due !== undefined && {due_at: due}),
          ...(call === 'take' && {metadata: {[PLAN_KEY]: journal.key, ...(isHash(metadata) && metadata), ...keys}}),
          ...(isHash(settings) && {payment_settings: settings}),
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
  #answered({call, id, item}: ToCall, answer: unknown, began: number): Partial<Extract<Fact, {what: 'done'}>> {
    const made = answer as Statement;
    switch (call) {
      case 'customer':
      case 'draft':
        if (call === 'customer') return {id: made.id};
        this.#see(made, began);
        return {id: made.id, ...(isHash(made.payment_settings) && {settings: made.payment_settings})};
      case 'item':
      case 'change': {
        const {description} = made;
        const written = {...item!, ...(typeof description === 'string' && {description})};
        const whole = {...written, id: id ?? made.id};
        const before = this.#items();
        this.#assemble(id ? before.map((each) => (each.id === id ? whole : each)) : [...before, whole]);
        return {id: whole.id, item: contentOf(written)};
      }
      case 'remove':
        this.#assemble(this.#items().filter((each) => each.id !== id));
        return {};
      case 'due':
      case 'take': {
        const asked = this.#plan.dueAt ?? dueOf(this.#present.view!.statement);
        this.#see(made, began);
        const answered = dueOf(made);
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
  async #find({call, doubt}: Extract<Act, {act: 'find'}>): Promise<void> {
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
            const {[PLAN_KEY]: key, [RUN_KEY]: run = journal.run} = isHash(each.metadata) ? each.metadata : {};
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
    if (await isCutShort(sleep(Math.max(0, milliseconds), signal), signal))
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
      if (!this.#plan.named) checkUsable(statement);
      const took = now() - began;
      this.#slowLooks = took > timing().age ? this.#slowLooks + 1 : 0;
      if (this.#slowLooks >= MOST_SLOW_LOOKS)
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

  #fail(error: unknown, call: Call | 'read'): void {
    if (!(error instanceof CentavoError)) throw error;
    this.#present = {...this.#present, failure: {error, call, at: this.#options.now()}};
  }

  /** Keeps the answer to a change. One that leaves out what is needed says nothing: it is looked again. */
  #see(statement: Statement | undefined, began: number, kind: View['kind'] = 'shown'): void {
    const isWhole =
      this.#plan.named !== undefined ||
      (statement !== undefined && isUsable(statement) && statement.metadata !== undefined);
    this.#present = {...this.#present, view: statement && isWhole ? {statement, began, kind} : undefined};
  }

  #items = (): readonly PresentItem[] => itemsOf(this.#present.view!.statement);

  #assemble(items: readonly PresentItem[]): void {
    const {view} = this.#present;
    const statement = {...view!.statement, line_items: items, amount: Number(amountOf(items))} as never;
    this.#present = {...this.#present, view: {...view!, statement, kind: 'assembled'}};
  }

  #stopOf(ending: Extract<Act, {act: 'stop'}>['stop']): Stop {
    const {failure, missing, view} = this.#present;
    if (ending.why !== 'failed') return {...ending, statement: view?.statement} as Stop;
    const {error, call} = failure ?? (missing ? {error: missing.error, call: 'read' as const} : HAS_ENDED);
    if (error.code === 'send_in_doubt') return {why: 'send_in_doubt', statement: view!.statement};
    return {why: 'failed', error, at: call, itemNumber: this.#itemNumber || undefined};
  }

  #done(more: {unread?: CentavoError} = {}): Outcome {
    // A statement that was only sent was not read.
    const statement = this.#present.view?.statement ?? ({id: this.#known.statementId} as Statement);
    // What was in doubt counts as made if the statement is this run's own.
    const isOwn = ownersOf(statement).owner === this.#options.journal.run;
    const changed = this.#made || (this.#doubts > 0 && (isOwn || this.#plan.named !== undefined));
    const sent = this.#sentBefore && this.#plan.send && {sentBefore: true};
    return {end: 'done', statement, changed, ...more, ...sent};
  }

  #stopped(stop: Stop): Outcome {
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
      isWanted(this.#plan, this.#known, view.statement)
    );
  }

  #state(): RunState {
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
