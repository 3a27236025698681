// The billing engine: a loop that performs the actions that `decide` derives from the plan and the recorded events.

import {dueTimeOf, hasEnded, statusText} from '../../../api/statement.js';
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
import {PREVIOUS_RUNS_KEY, PLAN_KEY, RUN_KEY} from '../metadata-keys.js';
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
  type CallAction,
  type ObservedStatement,
  type WaitReason,
} from './decide.js';
import type {ServiceTiming} from './service-timing.js';
import {
  isCreation,
  INITIAL_RUN_STATE,
  evolve,
  type RunCall,
  type RunEvent,
  type StatementRunState,
} from './run-events.js';
import type {RunJournal} from './journal.js';

/** A run stops after more unknown outcomes than this. */
const MAX_UNKNOWN_OUTCOMES = 3;
/** Timeout of a call, in milliseconds. */
const CALL_TIMEOUT = 10_000;
/** A run fails after this many consecutive reads, each too slow to rely on for finalizing. */
const MAX_SLOW_READS = 4;

export type RunProgressEvent =
  /** `id` of the created, changed or removed object, or else of the statement. */
  | {readonly type: 'answered'; readonly call: RunCall; readonly id: string}
  | {readonly type: 'outcome_unknown'; readonly call: RunCall; readonly error: CentavoError}
  /** `until`: milliseconds since the epoch. */
  | {readonly type: 'wait'; readonly why: WaitReason; readonly until: number};

export interface RunOptions {
  readonly client: Client;
  readonly journal: RunJournal;
  readonly signal?: AbortSignal;
  /** Resolves after this many milliseconds; rejects when the signal aborts. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;
  /** Milliseconds since the epoch, passing evenly: setting this machine's clock changes nothing. */
  readonly now: () => number;
  /** Milliseconds by which the service's clock is ahead of `now`; undefined before its first answer, or without a `Date`. */
  readonly serviceAhead: () => number | undefined;
  /** The API's timing. Read before each action, because answers may change it. */
  readonly timing: () => ServiceTiming;
  /** Milliseconds. Limits each call, and the total wait after 429 responses. */
  readonly timeout: number;
  /** Finds drafts by their keys; an import finds all its drafts at once. */
  readonly search?: DraftSearch;
  readonly onProgress: (event: RunProgressEvent) => void;
  /** This machine's history: `intend` is called before each call, `made` with the id of each created object. */
  readonly history: {
    readonly intend: (call: RunCall, ids: readonly string[]) => unknown;
    readonly made: (id: string) => void;
    readonly sendEnded: (id: string, sent: boolean) => void;
    readonly earlier: (id: string) => EarlierActivity;
  };
}

/** Carries out a plan. Never throws a CentavoError. */
export async function runPlan(plan: StatementPlan, options: RunOptions): Promise<RunOutcome> {
  // A reissue has the same key on every machine, but each of its drafts needs a key of its own.
  const journal = plan.replaces ? {...options.journal, key: options.journal.run} : options.journal;
  try {
    return await new StatementRun(plan, {...options, journal}).work();
  } finally {
    journal.close();
  }
}

type CallAnswer = Extract<RunEvent, {type: 'answered'}>;

/** Milliseconds between two processes' measures of the service's clock, at most: it tells whole seconds, and takes a while. */
const CLOCK_ERROR = 2000;

class StatementRun {
  #plan: StatementPlan;
  readonly #options: RunOptions;
  #state: StatementRunState = INITIAL_RUN_STATE;
  #memory: ProcessMemory;
  #earlier: EarlierActivity = {unsettled: false};
  /** True if a call of this process was applied. */
  #isApplied = false;
  #unknownOutcomes = 0;
  #lastUnknown: CentavoError | undefined;
  #attempts = 0;
  #rateLimitWait = 0;
  #itemNumber: number | undefined;
  #sentBefore = false;
  #slowReads = 0;
  #ahead: number | undefined;
  /** Milliseconds by the service's clock of the first recorded event; 0 if unknown. */
  #begunAt: number | undefined;

  constructor(plan: StatementPlan, options: RunOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#memory = {startedAt: options.now(), isCompared: false};
  }

  /** Stays the same during a run. */
  get #serviceAhead(): number | undefined {
    return (this.#ahead ??= this.#options.serviceAhead());
  }

  /** The journal has the service's times, because another process may have another clock. 0: unknown. */
  #serviceTime(at: number): number {
    const ahead = this.#serviceAhead;
    return ahead === undefined ? 0 : at + ahead;
  }

  /** Returns an event of an earlier process with its time on this process's clock: at its start if unknown or later. */
  #onOwnClock(event: RunEvent): RunEvent {
    if (!('at' in event)) return event;
    const latest = this.#memory.startedAt - 1;
    const ahead = this.#serviceAhead;
    const at = ahead === undefined || event.at === 0 ? latest : event.at - ahead + CLOCK_ERROR;
    return {...event, at: Math.min(at, latest)};
  }

  #write(event: RunEvent): Promise<void> | void {
    return this.#options.journal.record('at' in event ? {...event, at: this.#serviceTime(event.at)} : event);
  }

  async work(): Promise<RunOutcome> {
    const {now, timing, journal} = this.#options;
    try {
      this.#resume();
      for (;;) {
        const action = decide({
          plan: this.#plan,
          state: this.#state,
          memory: this.#memory,
          identity: journal,
          timing: timing(),
          now: now(),
        });
        if (action.type === 'done') return this.#done();
        if (action.type !== 'stop') await this.#perform(action);
        else {
          // The next command for this plan starts a new run.
          const {failure, missing} = this.#memory;
          const isGone = action.stop.why === 'ended' || (missing !== undefined && failure === undefined);
          if (action.stop.why === 'taken' || (this.#plan.replaces && isGone)) journal.disown();
          return this.#stopped(this.#stopOf(action.stop));
        }
      }
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      return this.#stopped({why: 'failed', error, at: 'read'});
    }
  }

  /** Replays the events of earlier processes. A call without a recorded outcome may have been made. */
  #resume(): void {
    const {journal, history, now, timing} = this.#options;
    const {id} = this.#plan;
    for (const event of journal.events) {
      if ('at' in event) this.#begunAt ??= event.at;
      this.#state = evolve(this.#state, this.#onOwnClock(event), true);
    }
    this.#sentBefore = this.#state.send === 'done';
    const {pending} = this.#state;
    if (pending) {
      const latest = isCreation(pending.call) ? now() : pending.at + timing().call;
      this.#record({type: 'outcome_unknown', at: Math.min(now(), latest)}, true);
    }
    if (id === undefined) return;
    if (this.#state.statementId === undefined) this.#record({type: 'named', id});
    this.#earlier = history.earlier(id);
    if (this.#earlier.unsettled && journal.events.length === 0) {
      this.#record({type: 'intended', call: 'change', at: now()}, true);
      this.#record({type: 'outcome_unknown', at: now()}, true);
    }
  }

  #record(event: RunEvent, earlier = false): void {
    // The outcome of a call counts even if it cannot be written to the journal.
    this.#state = evolve(this.#state, event, earlier);
    void this.#write(event);
  }

  async #perform(action: Exclude<NextAction, {type: 'done' | 'stop'}>): Promise<void> {
    const {now, onProgress} = this.#options;
    switch (action.type) {
      case 'read':
        return this.#read();
      case 'call':
        return this.#call(action);
      case 'find':
        return this.#find(action);
      case 'wait':
        if (action.until - now() > 1000) onProgress({type: 'wait', why: action.why, until: action.until});
        return this.#pause(action.until - now(), this.#state.statementId !== undefined);
      case 'compared':
        this.#memory = {...this.#memory, isCompared: true};
        // A draft of this run was empty at first: a found item may come from an uncertain call.
        if (!this.#state.itemsBefore && !this.#state.isCreated)
          this.#record({type: 'items_before', ids: action.items.map(({id}) => id)});
        if (this.#plan.items.length === 0) this.#plan = {...this.#plan, items: action.items};
        return;
      case 'record':
        if (action.event.type === 'found') this.#countAsApplied(action.event.n);
        this.#record(action.event);
        if (action.event.type === 'found') onProgress({type: 'answered', call: 'item', id: action.event.id});
    }
  }

  /** Makes a call once. After a call that was certainly not made, `decide` chooses again. */
  async #call(action: CallAction): Promise<void> {
    const {history, now, signal, onProgress, timeout, timing} = this.#options;
    const {call, id, item, waits} = action;
    const {statementId} = this.#state;
    const {view} = this.#memory;
    this.#itemNumber = item && this.#plan.items.indexOf(item) + 1;
    let isNoted = false;
    try {
      await history.intend(
        call,
        [call === 'void' ? this.#plan.replaces!.id : statementId, id].filter((each) => each !== undefined),
      );
      isNoted = true;
      const event = {
        type: 'intended',
        call,
        at: now(),
        ...(id && {id}),
        ...(item && {item}),
        ...(waits && {waits}),
      } as const;
      await this.#write(event);
      this.#state = evolve(this.#state, event);
    } catch (error) {
      if (call === 'send' && isNoted) history.sendEnded(statementId!, false);
      return this.#fail(error, call);
    }
    // The computer may have slept since the decision, so the last read may be too old.
    if (view && call === 'finalize' && !this.#plan.named && now() - view.began > timing().age)
      return this.#record({type: 'refused', at: now()});
    const began = now();
    let pause: number | undefined;
    let answer: unknown;
    try {
      const once = {signal, timeout: Math.min(timeout, CALL_TIMEOUT), once: (ms: number | undefined) => (pause = ms)};
      answer = await this.#request(action, once);
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      if (error.details.applied === 'unknown') {
        this.#record({type: 'outcome_unknown', at: now()});
        const isOver = error.kind !== 'outcome_unknown' || ++this.#unknownOutcomes > MAX_UNKNOWN_OUTCOMES;
        const isLost = call === 'send' || (call === 'draft' && !isJsonObject(this.#plan.create!.metadata ?? {}));
        this.#lastUnknown = error;
        return isOver || isLost ? this.#fail(error, call) : onProgress({type: 'outcome_unknown', call, error});
      }
      this.#record({type: 'refused', at: now()});
      if (call === 'send') history.sendEnded(statementId!, false);
      // The call was certainly not made: pause and decide again, or fail.
      const isLimited = error.kind === 'rate_limited';
      const isTooMany = isLimited
        ? (this.#rateLimitWait += pause ?? 0) > timeout
        : ++this.#attempts >= DEFAULT_RETRY.attempts;
      if (pause === undefined || isTooMany) return this.#fail(error, call);
      return this.#pause(pause, false);
    }
    this.#attempts = 0;
    this.#isApplied ||= !this.#sentBefore;
    const event = this.#answered(action, answer, began);
    this.#record({type: 'answered', at: now(), ...event});
    if (call === 'customer' || call === 'draft') history.made(event.id!);
    if (call === 'send' && !this.#sentBefore) history.sendEnded(statementId!, true);
    const about = call === 'void' ? this.#plan.replaces!.id : statementId!;
    if (!this.#sentBefore) onProgress({type: 'answered', call, id: event.id ?? id ?? about});
  }

  async #request({call, id, item, previousOwners}: CallAction, once: CallOptions): Promise<unknown> {
    const {client, history, journal} = this.#options;
    const {newCustomer, create, dueAt} = this.#plan;
    const {billingStatements: statements, billingStatementLineItems: items} = client;
    const statementId = this.#state.statementId!;
    switch (call) {
      case 'customer': {
        // An import's customer has the same plan key on every machine, so the run key tells the creates apart.
        const metadata = {[PLAN_KEY]: journal.key, ...(!create && {[RUN_KEY]: journal.run})};
        return client.customers.create({...newCustomer!, currency: 'PHP', metadata}, once);
      }
      case 'draft': {
        // The keys find a draft whose response was lost. Metadata that is not a hash stays as given: the API refuses it.
        const {customer_id: customer, metadata = {}} = create!;
        const keys = {[PLAN_KEY]: journal.key, [RUN_KEY]: journal.run};
        const params = {metadata: isJsonObject(metadata) ? {...metadata, ...keys} : metadata};
        return statements.create(
          {...create!, customer_id: this.#state.customerId ?? customer, ...params} as never,
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
      case 'take_over': {
        // The API requires the payment settings in each update, and may replace the metadata as a whole.
        const {
          payment_settings: settings = this.#state.settings,
          metadata,
          ...seen
        } = this.#memory.view?.statement ?? {};
        const due = dueAt ?? dueTimeOf(seen as BillingStatementData);
        const keys = {
          [RUN_KEY]: journal.run,
          ...((previousOwners ?? []).length > 0 && {[PREVIOUS_RUNS_KEY]: previousOwners!.join(' ')}),
        };
        const params = {
          ...(due !== undefined && {due_at: due}),
          ...(call === 'take_over' && {
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
        const message = `the API answered with a statement that is ${statusText({status})}.`;
        throw new CentavoError('outcome_unknown', message, {applied: 'unknown'});
      }
      case 'send': {
        // Read other commands' sends only after recording our intent, so that two commands cannot both send.
        const {send} = history.earlier(statementId);
        this.#sentBefore = send === 'sent';
        if (send === 'in_doubt') throw new CentavoError('outcome_unknown', '', {applied: 'no', code: 'send_in_doubt'});
        return this.#sentBefore ? undefined : statements.send(statementId, once);
      }
    }
  }

  /** Returns the content of an answer as fields of an event. Stores an answer that shows the statement. */
  #answered({call, id, item}: CallAction, answer: unknown, began: number): Partial<CallAnswer> {
    const made = answer as BillingStatementData;
    switch (call) {
      case 'customer':
      case 'draft':
        if (call === 'customer') return {id: made.id};
        this.#store(made, began);
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
      case 'take_over': {
        const asked = this.#plan.dueAt ?? dueTimeOf(this.#memory.view!.statement);
        this.#store(made, began);
        const answered = dueTimeOf(made);
        // The API may round a due time to the day.
        const isRounded = asked !== undefined && answered !== undefined && Math.abs(answered - asked) < DAY;
        return {due: asked === undefined ? undefined : {asked, answered: isRounded ? answered : asked}};
      }
      case 'finalize':
        this.#store(made.status === 'open' || this.#plan.named ? made : undefined, this.#options.now(), 'final');
        return {};
      case 'send':
      case 'void':
        return {};
    }
  }

  /** Looks for the object of an uncertain create, once reads must show the object. */
  async #find({call, uncertain}: Extract<NextAction, {type: 'find'}>): Promise<void> {
    const {client, journal, history, now, search, signal, onProgress} = this.#options;
    const {newCustomer, create} = this.#plan;
    let id: string | undefined;
    try {
      if (call === 'draft') {
        const customer = this.#state.customerId ?? create!.customer_id;
        const begun = this.#begunAt ?? this.#serviceTime(this.#memory.startedAt);
        const wanted = {key: journal.key, run: journal.run, customer, since: Math.floor(begun / 1000) - DAY};
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
    if (id === undefined) return this.#record({type: 'not_found', n: uncertain.n});
    this.#countAsApplied(uncertain.n);
    this.#record({type: 'found', n: uncertain.n, at: now(), id});
    history.made(id);
    onProgress({type: 'answered', call, id});
  }

  /** Notes that an uncertain call was applied, if this process made the call. */
  #countAsApplied(n: number): void {
    this.#isApplied ||= this.#state.uncertain.some((uncertain) => uncertain.n === n && !uncertain.earlier);
  }

  async #pause(milliseconds: number, readsAfter: boolean): Promise<void> {
    const {signal, sleep} = this.#options;
    const words = 'the run was interrupted while it waited.';
    if (await wasAborted(sleep(Math.max(0, milliseconds), signal), signal))
      this.#fail(new CentavoError('interrupted', words, {applied: 'no'}), 'read');
    else if (readsAfter) await this.#read();
  }

  async #read(): Promise<void> {
    const {client, now, signal, timing} = this.#options;
    const id = this.#state.statementId!;
    const began = now();
    try {
      const statement = await getStatement(client, id, {signal});
      // For a statement that the user named, only its status matters.
      if (!this.#plan.named) requireWholeItems(statement);
      this.#slowReads = now() - began > timing().age ? this.#slowReads + 1 : 0;
      if (this.#slowReads >= MAX_SLOW_READS)
        throw new CentavoError('unavailable', 'the API takes too long to answer.', {
          why: `The last ${MAX_SLOW_READS} reads of ${id} each took more than ${timing().age / 1000} s. centavo must read a statement just before it finalizes it.`,
        });
      this.#memory = {...this.#memory, view: {statement, began, kind: 'shown'}, missing: undefined};
    } catch (error) {
      const {failure, view} = this.#memory;
      if (error instanceof CentavoError && error.kind === 'not_found')
        this.#memory = {...this.#memory, missing: {error, began}};
      // Keep the first error: it explains more than the failed read after it.
      else if (failure && view) this.#memory = {...this.#memory, failure: {...failure, at: 0}};
      // The unknown outcome of a call matters more than the failed read after it.
      else this.#fail((this.#plan.named && this.#lastUnknown) ?? error, 'read');
    }
  }

  #fail(error: unknown, call: RunCall | 'read'): void {
    if (!(error instanceof CentavoError)) throw error;
    this.#memory = {...this.#memory, failure: {error, call, at: this.#options.now()}};
  }

  /** Stores the answer to a change. After an incomplete answer, the statement is read again. */
  #store(statement: BillingStatementData | undefined, began: number, kind: ObservedStatement['kind'] = 'shown'): void {
    const isWhole =
      this.#plan.named !== undefined ||
      (statement !== undefined && hasWholeItems(statement) && statement.metadata !== undefined);
    this.#memory = {...this.#memory, view: statement && isWhole ? {statement, began, kind} : undefined};
  }

  #items = (): readonly ExistingItem[] => itemsOf(this.#memory.view!.statement);

  #assemble(items: readonly ExistingItem[]): void {
    const {view} = this.#memory;
    const statement = {...view!.statement, line_items: items, amount: Number(exactTotalOf(items))} as never;
    this.#memory = {...this.#memory, view: {...view!, statement, kind: 'assembled'}};
  }

  #stopOf(ending: Extract<NextAction, {type: 'stop'}>['stop']): RunStop {
    const {failure, missing, view} = this.#memory;
    if (ending.why !== 'failed') return {...ending, statement: view?.statement} as RunStop;
    const {error, call} = failure ?? (missing ? {error: missing.error, call: 'read' as const} : HAS_ENDED);
    if (error.code === 'send_in_doubt') return {why: 'send_in_doubt', statement: view!.statement};
    return {why: 'failed', error, at: call, itemNumber: this.#itemNumber || undefined};
  }

  #done(more: {unread?: CentavoError} = {}): RunOutcome {
    // A statement that was only sent has not been read.
    const statement = this.#memory.view?.statement ?? ({id: this.#state.statementId} as BillingStatementData);
    // An uncertain call counts as applied if this run owns the statement.
    const isOwn = draftOwnersOf(statement).owner === this.#options.journal.run;
    const changed = this.#isApplied || (this.#unknownOutcomes > 0 && (isOwn || this.#plan.named !== undefined));
    const sent = this.#sentBefore && this.#plan.send && {sentBefore: true};
    return {end: 'done', statement, changed, ...more, ...sent};
  }

  #stopped(stop: RunStop): RunOutcome {
    if (stop.why === 'failed' && stop.at === 'read' && this.#lacksOnlyLastRead(stop.error))
      return this.#done({unread: stop.error});
    return {end: 'stopped', stop, state: this.#progress()};
  }

  /** True if every call was answered, and only the last read failed. */
  #lacksOnlyLastRead({kind}: CentavoError): boolean {
    const {uncertain, finalize} = this.#state;
    const {view} = this.#memory;
    return (
      view !== undefined &&
      this.#isApplied &&
      kind !== 'interrupted' &&
      !this.#plan.send &&
      this.#plan.finalize === (finalize === 'done') &&
      uncertain.every(({notFound}) => notFound) &&
      matchesPlan(this.#plan, this.#state, view.statement)
    );
  }

  #progress(): RunProgress {
    const state = this.#state;
    const statement = this.#memory.view?.statement;
    const wanted = wantedItems(this.#plan, state);
    const status =
      statement?.deleted || this.#memory.missing
        ? 'deleted'
        : state.openedAt !== undefined && (statement?.status ?? 'draft') === 'draft'
          ? 'open'
          : statement?.status;
    const last = state.uncertain.findLast(({notFound, earlier}) => !notFound && !earlier)?.call;
    const open = state.voided === 'unknown' && this.#plan.replaces?.next !== 'open' ? 'void' : last;
    const isFinalizing = state.finalize === 'unknown' && (status ?? 'draft') === 'draft';
    const uncertainCall =
      state.send === 'intended' ? 'send' : isFinalizing ? 'finalize' : open === 'finalize' ? undefined : open;
    const isUnknown = uncertainCall !== undefined || (this.#unknownOutcomes > 0 && !this.#isApplied);
    return {
      customerId: state.customerId,
      statementId: state.statementId,
      items: statement ? wanted.length - differenceOf(wanted, itemsOf(statement)).missing.length : 0,
      of: wanted.length,
      status,
      applied: isUnknown ? 'unknown' : this.#isApplied ? 'yes' : 'no',
      uncertainCall,
      voided: state.voided === 'done',
    };
  }
}

/** The failure of a run whose old statement has ended, although not by this run's void. */
const HAS_ENDED = {
  error: new CentavoError('rejected', 'the old statement has ended.', {applied: 'no'}),
  call: 'void' as const,
};
