// The engine of all that bills: a plan says what is wanted, a journal what is known, decide the next act, and this loop does it.

import {dueOf} from '../../api/statement.js';
import type {Client} from '../../client/client.js';
import {CentavoError} from '../../ground/errors.js';
import {isHash} from '../../ground/json.js';
import {DAY} from '../../ground/manila.js';
import {FORMER_KEY, isSamePayer, PLAN_KEY, RUN_KEY, statementsWithKey} from '../compose/draft.js';
import type {Former} from '../compose/journal.js';
import type {Outcome, RunState, Stop} from '../compose/outcome.js';
import {
  amountOf,
  differenceOf,
  itemsOf,
  type PresentItem,
  type Statement,
  type StatementItem,
  type StatementPlan,
} from '../compose/plan.js';
import {
  decide,
  isWanted,
  ownersOf,
  wantedItems,
  type Act,
  type Present,
  type Timing,
  type View,
  type Why,
} from './decide.js';
import {isCreation, NOTHING, withFact, type Call, type Fact, type Known} from './facts.js';
import type {RunJournal} from './journal.js';

/** After more unknown outcomes than this, a run stops. */
const MOST_DOUBTS = 3;
/** What a call takes that was certainly not made: attempts, and the first pause in milliseconds. */
const MOST_ATTEMPTS = 3;

export type RunNews =
  | {readonly what: 'added' | 'customer' | 'draft' | 'finalized' | 'sent'; readonly id: string}
  | {readonly what: 'removed'; readonly id: string; readonly item: PresentItem}
  | {readonly what: 'doubt'; readonly call: Call; readonly error: CentavoError}
  /** Milliseconds since the epoch. */
  | {readonly what: 'wait'; readonly why: Why; readonly until: number};

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
  const {journal} = options;
  try {
    return await new Run(plan, options).work();
  } finally {
    journal.close();
  }
}

class Run {
  #plan: StatementPlan;
  readonly #options: EngineOptions;
  #known: Known = NOTHING;
  #present: Present;
  #former: Former = {unsettled: false};
  /** What this process did: whether a call was answered, and how many were not. */
  #made = false;
  #doubts = 0;
  #attempts = 0;
  #limited = 0;
  #itemNumber: number | undefined;
  #sentBefore = false;

  constructor(plan: StatementPlan, options: EngineOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#present = {startedAt: options.now(), isCompared: false};
  }

  async work(): Promise<Outcome> {
    try {
      this.#resume();
      for (;;) {
        const {now, timing, journal} = this.#options;
        const self = {...journal, hasFormer: this.#former.madeAt !== undefined};
        const act = decide(this.#plan, this.#known, this.#present, self, timing(), now());
        if (act.act === 'done') return this.#done();
        if (act.act === 'stop') {
          // Whoever is told to go on after that begins a run of their own.
          if (act.stop.why === 'taken') journal.disown();
          return this.#stopped(this.#stopOf(act.stop));
        }
        await this.#perform(act);
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
    const {finalizedAt, madeAt, unsettled} = this.#former;
    if (unsettled && journal.facts.length === 0) {
      this.#learn({what: 'intend', call: 'change', at: now()}, true);
      this.#learn({what: 'doubt', at: now()}, true);
    }
    if (this.#known.finalize === undefined && finalizedAt !== undefined && madeAt !== undefined) {
      this.#learn({what: 'intend', call: 'finalize', at: finalizedAt}, true);
      this.#learn({what: 'doubt', at: finalizedAt}, true);
    }
  }

  #learn(fact: Fact, earlier = false): void {
    this.#known = withFact(this.#known, fact, earlier);
    this.#options.journal.record(fact);
  }

  async #perform(act: Exclude<Act, {act: 'done' | 'stop'}>): Promise<void> {
    const {client, now, signal, tell, journal} = this.#options;
    const plan = this.#plan;
    const id = this.#known.statementId!;
    switch (act.act) {
      case 'look':
        return this.#look();
      case 'wait':
        if (act.until - now() > 1000) tell({what: 'wait', why: act.why, until: act.until});
        await this.#pause(act.until - now(), 'read');
        return this.#known.statementId === undefined || signal?.aborted ? undefined : this.#look();
      case 'compare':
        this.#present = {...this.#present, isCompared: true};
        if (!this.#known.before) this.#learn({what: 'before', ids: act.items.map((item) => item.id)});
        if (plan.items.length === 0) this.#plan = {...plan, items: act.items};
        return;
      case 'overruled':
        return this.#learn({what: 'overruled'});
      case 'opened':
        return this.#learn({what: 'opened', at: now()});
      case 'claim': {
        const {id: itemId, ...item} = act.item;
        this.#learn({what: 'found', n: act.doubt.n, at: now(), id: itemId, item});
        tell({what: 'added', id: itemId});
        return;
      }
      case 'absent':
        return this.#learn({what: 'absent', n: act.doubt.n});
      case 'create-customer':
        return this.#createCustomer();
      case 'create-draft':
        return this.#createDraft();
      case 'find-customer':
      case 'find-draft':
        return this.#find(act);
      case 'take': {
        const metadata = isHash(act.statement.metadata) ? act.statement.metadata : {};
        const keys = {[PLAN_KEY]: journal.key, ...metadata, [RUN_KEY]: journal.run, [FORMER_KEY]: act.former.join(' ')};
        const dueAt = plan.dueAt ?? dueOf(act.statement);
        const {waits} = act;
        await this.#put(
          {call: 'take', waits},
          {...(dueAt !== undefined && {due_at: dueAt}), metadata: withoutEmpty(keys)},
        );
        return;
      }
      case 'set-due':
        return this.#put({call: 'due'}, {due_at: plan.dueAt!});
      case 'add': {
        const item = this.#asked(act.item);
        const call = {call: 'item' as const, item};
        await this.#call(
          call,
          [id],
          (once) => client.billingStatementLineItems.create({...item, billing_statement_id: id}, once),
          (answer) => {
            const made = {...item, ...describedIn(answer), id: answer.id};
            this.#assemble([...this.#items(), made]);
            tell({what: 'added', id: answer.id});
            return {id: answer.id, item: contentOf(made)};
          },
        );
        return;
      }
      case 'change': {
        const item = this.#asked(act.to);
        const {id: itemId} = act.from;
        await this.#call(
          {call: 'change', id: itemId, item},
          [id, itemId],
          (once) => client.billingStatementLineItems.update(itemId, {...item}, once),
          (answer) => {
            const made = {...item, ...describedIn(answer), id: itemId};
            this.#assemble(this.#items().map((each) => (each.id === itemId ? made : each)));
            return {item: contentOf(made)};
          },
        );
        return;
      }
      case 'remove': {
        const {item} = act;
        await this.#call(
          {call: 'remove', id: item.id},
          [id, item.id],
          (once) => client.billingStatementLineItems.delete(item.id, once).catch(notFoundIsGone),
          () => {
            this.#assemble(this.#items().filter((each) => each.id !== item.id));
            if (!plan.edits) tell({what: 'removed', id: item.id, item});
            return {};
          },
        );
        return;
      }
      case 'finalize':
        await this.#call(
          {call: 'finalize'},
          [id],
          (once) => client.billingStatements.finalize(id, once),
          (answer) => {
            tell({what: 'finalized', id});
            const whole = isUsable(answer as Statement) && answer.status === 'open';
            this.#present = {
              ...this.#present,
              view: whole ? {statement: answer as Statement, began: now(), kind: 'final'} : undefined,
            };
            return {};
          },
        );
        return;
      case 'send':
        return this.#send(id);
    }
  }

  async #createCustomer(): Promise<void> {
    const {client, journal, history, tell} = this.#options;
    const {name, email} = this.#plan.newCustomer!;
    const metadata = {[PLAN_KEY]: journal.key};
    await this.#call(
      {call: 'customer'},
      [],
      (once) => client.customers.create({name, email, currency: 'PHP', metadata}, once),
      ({id}) => {
        history.made(id);
        tell({what: 'customer', id});
        return {id};
      },
    );
  }

  async #createDraft(): Promise<void> {
    const {client, journal, history, now, tell} = this.#options;
    const create = this.#plan.create!;
    const {metadata = {}} = create;
    // The service refuses metadata that is not a hash. Without the key, a draft could not be found again.
    const keys = {[PLAN_KEY]: journal.key, [RUN_KEY]: journal.run};
    const params = {
      ...create,
      customer_id: this.#known.customerId ?? create.customer_id,
      metadata: isHash(metadata) ? {...metadata, ...keys} : metadata,
    };
    const began = now();
    await this.#call(
      {call: 'draft'},
      [],
      (once) => client.billingStatements.create(params as never, once),
      (answer) => {
        const {id, status} = answer as Statement;
        history.made(id);
        tell({what: 'draft', id});
        // Whatever the answer leaves out, it is an empty draft with these keys.
        const statement = {
          ...answer,
          status: status ?? 'draft',
          metadata: answer.metadata ?? params.metadata,
          line_items: itemsOf(answer as Statement),
        } as never;
        this.#present = {...this.#present, view: {statement, began, kind: 'shown'}};
        return {id};
      },
    );
  }

  /** Looks for what a creation in doubt made, when that must be there. */
  async #find({act, doubt}: Extract<Act, {act: 'find-customer' | 'find-draft'}>): Promise<void> {
    const {client, journal, history, now, signal, tell} = this.#options;
    try {
      let id: string | undefined;
      if (act === 'find-draft') {
        const customer = this.#known.customerId ?? this.#plan.create!.customer_id;
        const since = Math.floor(this.#present.startedAt / 1000) - DAY;
        [id] = await statementsWithKey(client, {key: journal.key, customer, since}, {signal});
      } else {
        const wanted = this.#plan.newCustomer!;
        for await (const each of client.customers.list({email: wanted.email, limit: 100}, {signal})) {
          const own = isHash(each.metadata) && each.metadata[PLAN_KEY] === journal.key && isSamePayer(each, wanted);
          if (own) id = each.id;
        }
      }
      if (id === undefined) return this.#learn({what: 'absent', n: doubt.n});
      this.#learn({what: 'found', n: doubt.n, at: now(), id});
      history.made(id);
      tell({what: act === 'find-draft' ? 'draft' : 'customer', id});
    } catch (error) {
      this.#failRead(error);
    }
  }

  /** An update. The service requires the payment settings with each. */
  async #put(
    intent: {call: 'due' | 'take'; waits?: boolean},
    change: {due_at?: number; metadata?: object},
  ): Promise<void> {
    const {client, now} = this.#options;
    const id = this.#known.statementId!;
    const settings = this.#present.view!.statement.payment_settings;
    const params = {...change, ...(isHash(settings) && {payment_settings: settings})};
    const began = now();
    await this.#call(
      intent,
      [id],
      (once) => client.billingStatements.update(id, params as never, once),
      (answer) => {
        const before = this.#present.view!.statement;
        const statement = answer as Statement;
        const due =
          change.due_at === undefined ? undefined : {asked: change.due_at, answered: dueIn(statement, change.due_at)};
        const view: View =
          isUsable(statement) && statement.metadata !== undefined
            ? {statement, began, kind: 'shown'}
            : {
                statement: {
                  ...before,
                  ...(due && {due_at: due.answered}),
                  ...(change.metadata && {metadata: change.metadata}),
                } as Statement,
                began,
                kind: 'assembled',
              };
        this.#present = {...this.#present, view};
        return {due};
      },
    );
  }

  async #send(id: string): Promise<void> {
    const {client, history, tell} = this.#options;
    await this.#call(
      {call: 'send'},
      [id],
      async (once) => {
        // Other commands can see the intention now. What they have done is read after it, so that no two of them send.
        const {send} = history.former(id);
        if (send === 'sent') return void (this.#sentBefore = true);
        if (send === 'in_doubt') throw new CentavoError('outcome_unknown', '', {applied: 'no', code: 'send_in_doubt'});
        await client.billingStatements.send(id, once);
        this.#made = true;
      },
      () => {
        if (!this.#sentBefore) tell({what: 'sent', id});
        return {};
      },
    );
  }

  /** Makes a call, once. What is not made is decided on again. */
  async #call<T>(
    intent: {readonly call: Call; readonly id?: string; readonly item?: StatementItem; readonly waits?: boolean},
    ids: readonly string[],
    perform: (once: OnceOptions) => PromiseLike<T>,
    answered: (answer: T) => Partial<Extract<Fact, {what: 'done'}>>,
  ): Promise<void> {
    const {history, now, signal, timeout, timing} = this.#options;
    const {call} = intent;
    const {view} = this.#present;
    this.#itemNumber = intent.item && this.#plan.items.findIndex((each) => each === intent.item) + 1;
    let pause: number | undefined;
    try {
      await history.intend(call, ids);
      this.#learn({what: 'intend', at: now(), ...intent});
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      return this.#fail(error, call);
    }
    // The lid may have been closed since it was decided.
    if (view && call === 'finalize' && !this.#plan.named && now() - view.began > timing().age)
      return this.#learn({what: 'refused', at: now()});
    let answer: T;
    try {
      answer = await perform({
        signal,
        timeout: Math.min(timeout, 10_000),
        once: (milliseconds) => (pause = milliseconds),
      });
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      if (error.details.applied === 'unknown') {
        this.#learn({what: 'doubt', at: now()});
        const isOver = error.kind !== 'outcome_unknown' || ++this.#doubts > MOST_DOUBTS;
        const isLost = call === 'send' || (call === 'draft' && !isHash(this.#plan.create!.metadata ?? {}));
        if (isOver || isLost) return this.#fail(error, call);
        return this.#options.tell({what: 'doubt', call, error});
      }
      this.#learn({what: 'refused', at: now()});
      if (call === 'send') history.sendEnded(this.#known.statementId!, false);
      return this.#retry(error, call, pause);
    }
    this.#attempts = 0;
    if (!this.#sentBefore || call !== 'send') this.#made = true;
    this.#learn({what: 'done', at: now(), ...answered(answer)});
    if (call === 'send' && !this.#sentBefore) history.sendEnded(this.#known.statementId!, true);
  }

  /** After a call that was certainly not made: pauses and decides again, or ends. */
  async #retry(error: CentavoError, call: Call, pause: number | undefined): Promise<void> {
    const {timeout} = this.#options;
    const isLimited = error.kind === 'rate_limited';
    const isTooMany = isLimited ? (this.#limited += pause ?? 0) > timeout : ++this.#attempts >= MOST_ATTEMPTS;
    if (pause === undefined || isTooMany) return this.#fail(error, call);
    await this.#pause(pause, call);
  }

  async #pause(milliseconds: number, call: Call | 'read'): Promise<void> {
    const {signal, sleep} = this.#options;
    try {
      await sleep(Math.max(0, milliseconds), signal);
    } catch (error) {
      if (!signal?.aborted) throw error;
      this.#fail(new CentavoError('interrupted', 'the run was interrupted while it waited.', {applied: 'no'}), call);
    }
  }

  #fail(error: CentavoError, call: Call | 'read'): void {
    this.#present = {...this.#present, failure: {error, call, at: this.#options.now()}};
  }

  async #look(): Promise<void> {
    const {client, now, signal} = this.#options;
    const began = now();
    try {
      const statement = (await client.billingStatements.get(this.#known.statementId!, {signal})) as Statement;
      if (!isUsable(statement)) throw unusable(statement.id);
      this.#present = {...this.#present, view: {statement, began, kind: 'shown'}, missing: undefined};
    } catch (error) {
      if (error instanceof CentavoError && error.kind === 'not_found')
        this.#present = {...this.#present, missing: {error, began}};
      else this.#failRead(error);
    }
  }

  /** An earlier failure says more than that the look after it failed. */
  #failRead(error: unknown): void {
    if (!(error instanceof CentavoError)) throw error;
    const {failure, view} = this.#present;
    if (failure && view) this.#present = {...this.#present, failure: {...failure, at: 0}};
    else this.#fail(error, 'read');
  }

  #items = (): readonly PresentItem[] => itemsOf(this.#present.view!.statement);

  #assemble(items: readonly PresentItem[]): void {
    const {view} = this.#present;
    const statement = {...view!.statement, line_items: items, amount: Number(amountOf(items))} as never;
    this.#present = {...this.#present, view: {...view!, statement, kind: 'assembled'}};
  }

  /** The item as the plan has it, for one that is described as the service describes it. */
  #asked(item: StatementItem): StatementItem {
    const wanted = wantedItems(this.#plan, this.#known);
    return this.#plan.items[wanted.indexOf(item)] ?? item;
  }

  #stopOf(ending: Extract<Act, {act: 'stop'}>['stop']): Stop {
    const {failure, missing, view} = this.#present;
    if (ending.why !== 'failed') return {...ending, statement: view?.statement} as Stop;
    const {error, call} = failure ?? {error: missing!.error, call: 'read'};
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
    const status = statement?.deleted
      ? 'deleted'
      : (known.finalize === 'done' || known.openedAt !== undefined) && (statement?.status ?? 'draft') === 'draft'
        ? 'open'
        : statement?.status;
    const open = known.doubts.findLast(({absent, earlier}) => !absent && !earlier)?.call;
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
    };
  }
}

interface OnceOptions {
  readonly signal?: AbortSignal;
  readonly timeout: number;
  readonly once: (milliseconds: number | undefined) => void;
}

const unusable = (id: string): CentavoError =>
  new CentavoError('unavailable', 'the API returned an unexpected response.', {
    code: 'unusable_answer',
    why: `The status or the line items of ${id} are missing or invalid.`,
  });

/** Whether it has a status and whole items: those that it lacks would seem to be missing from the statement. */
function isUsable({deleted, line_items: items, status}: Statement): boolean {
  const isWhole = (item: Partial<PresentItem> | null): boolean =>
    typeof item?.id === 'string' &&
    typeof item.description === 'string' &&
    Number.isSafeInteger(item.quantity) &&
    Number.isSafeInteger(item.unit_price);
  return deleted === true || (typeof status === 'string' && Array.isArray(items) && items.every(isWhole));
}

/** The service may round a due time to the day. */
function dueIn(statement: Statement, asked: number): number {
  const due = dueOf(statement);
  return due !== undefined && Math.abs(due - asked) < DAY ? due : asked;
}

const describedIn = ({description}: {readonly description?: unknown}) =>
  typeof description === 'string' ? {description} : {};
const contentOf = ({description, quantity, unit_price}: StatementItem): StatementItem => ({
  description,
  quantity,
  unit_price,
});

/** Removing what is not there counts as done. */
function notFoundIsGone(error: unknown): undefined {
  if (!(error instanceof CentavoError) || error.kind !== 'not_found') throw error;
}

const withoutEmpty = (keys: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== ''));
