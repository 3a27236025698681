// The draft that a run creates. By its key it is found when the answer is lost, and duplicates are removed.

import type {Client} from '../../client/client.js';
import {notFoundIsGone, type Changes} from './changes.js';
import type {KeySearch, RunOptions} from './outcome.js';
import {differenceOf, itemsOf, type Statement, type StatementPlan} from './plan.js';

/** The metadata key that says of which plan a draft is: by it a draft is found again when the answer to its creation was lost. */
export const PLAN_KEY = 'centavo_key';
/** The metadata key that says which run owns a draft: random, and new with each run. */
export const RUN_KEY = 'centavo_run';
/** The metadata key with the former owners, separated by blanks. */
export const FORMER_KEY = 'centavo_was';
/** How far the clocks of this machine and of the service may differ, in seconds. */
const CLOCK_DIFFERENCE = 86_400;

export class Draft {
  readonly #client: Client;
  readonly #changes: Changes;
  readonly #around: RunOptions;
  readonly #plan: StatementPlan;
  readonly #params: NonNullable<StatementPlan['create']>;
  readonly #key: string | undefined;
  readonly #since: number;
  #doubted: boolean;

  /** @param startedAt unix seconds at which the run began */
  constructor(plan: StatementPlan, changes: Changes, around: RunOptions, startedAt: number) {
    const {create, job} = plan;
    this.#client = around.client;
    this.#changes = changes;
    this.#around = around;
    this.#plan = plan;
    this.#since = job?.since ?? startedAt;
    this.#doubted = job?.doubted ?? false;
    const metadata = create!.metadata ?? {};
    // The service refuses metadata that is not a hash.
    const takesKey = typeof metadata === 'object' && !Array.isArray(metadata);
    this.#key = takesKey ? (job?.key ?? around.token()) : undefined;
    this.#params = takesKey ? {...create!, metadata: {...(metadata as object), [PLAN_KEY]: this.#key}} : create!;
  }

  /** `answer` is missing when it was lost and the draft was found by its key. */
  async create(): Promise<{readonly id: string; readonly answer?: Statement}> {
    const {signal} = this.#around;
    if (this.#plan.job?.begun) {
      const id = await this.#find(this.#plan.job.unsettledAt);
      if (id !== undefined) return {id};
    }
    for (;;) {
      // A draft without a key cannot be found again.
      const answer = (await this.#changes.attempt(
        'draft',
        [],
        () => this.#client.billingStatements.create(this.#params as never, {signal}),
        this.#key !== undefined,
      )) as Statement | undefined;
      if (answer) return {id: answer.id, answer};
      const id = await this.#find();
      if (id !== undefined) return {id};
    }
  }

  /** Looks for the draft of a creation in doubt, when that must have been applied. */
  async #find(since?: number): Promise<string | undefined> {
    this.#doubted = true;
    await this.#changes.settle(since);
    this.#changes.at = 'read';
    const [id] = await this.#sameKey();
    return id;
  }

  /** Removes others with this run's key: a draft whose creation was in doubt may be there twice, the second time empty. */
  async removeTwins(id: string): Promise<void> {
    if (!this.#doubted) return;
    for (const twin of (await this.#sameKey()).filter((each) => each !== id)) {
      if ((await this.#duplicate(twin)) !== 'empty') continue;
      if (!(await this.#remove(twin))) return;
    }
  }

  /**
   * Makes one draft of those with the job's key: the oldest stays and its duplicates go, so that two machines with one file
   * agree. `other` is a statement that is no duplicate and must not be removed.
   */
  async oldestOf(known: string): Promise<{readonly id: string; readonly other?: string}> {
    if (!this.#doubted) return {id: known};
    const found = await this.#sameKey();
    const [id = known, ...twins] = found.includes(known) ? found : [...found, known];
    for (const twin of twins) {
      const how = await this.#duplicate(twin);
      if (how === 'other') return {id, other: twin};
      if (how !== 'gone' && !(await this.#remove(twin))) return {id};
    }
    return {id};
  }

  /** `other` for a statement that is no draft, or has items that this run did not plan. */
  async #duplicate(id: string): Promise<'empty' | 'gone' | 'other' | 'same'> {
    const {signal} = this.#around;
    // A list may still have what was deleted.
    const statement = await this.#client.billingStatements.get(id, {signal}).catch(notFoundIsGone);
    if (statement === true || (statement as Statement).deleted === true) return 'gone';
    const {line_items: items, status} = statement as Statement;
    if (status !== 'draft' || !Array.isArray(items)) return 'other';
    if (items.length === 0) return 'empty';
    const {surplus, foreign} = differenceOf(this.#plan.items, itemsOf(statement as Statement));
    return surplus.length + foreign.length === 0 ? 'same' : 'other';
  }

  /** False when it is not known whether it was removed. */
  async #remove(id: string): Promise<boolean> {
    const {signal, tell} = this.#around;
    const gone = await this.#changes.attempt('remove', [id], () =>
      this.#client.billingStatements.delete(id, {signal}).catch(notFoundIsGone),
    );
    if (gone !== undefined) tell({what: 'removed', id});
    return gone !== undefined;
  }

  #sameKey(): Promise<readonly string[]> {
    const wanted = {key: this.#key!, customer: this.#params.customer_id, since: this.#since};
    return this.#around.search?.(wanted) ?? statementsWithKey(this.#client, wanted, {signal: this.#around.signal});
  }
}

/** The key of the run that made a listed statement; `unclear` when the statement must be read to know it. */
export function keyOf({metadata, status}: Statement): string | 'unclear' | undefined {
  if (!metadata) return metadata === undefined || status === 'draft' ? 'unclear' : undefined;
  const key = (metadata as Record<string, unknown>)[PLAN_KEY];
  return typeof key === 'string' ? key : undefined;
}

/** The statements that a run may have made, newest first. @param since unix seconds at which it began */
export async function* statementsSince(
  client: Client,
  since: number,
  options: {readonly signal?: AbortSignal},
): AsyncGenerator<Statement> {
  for await (const listed of client.billingStatements.list({limit: 100}, options) as AsyncIterable<Statement>) {
    if (listed.created_at < since - CLOCK_DIFFERENCE) return;
    yield listed;
  }
}

/** The oldest first; of equal times the lowest id. */
export const byAge = (one: Aged, other: Aged): number =>
  one.created_at - other.created_at || (one.id < other.id ? -1 : 1);

interface Aged {
  readonly id: string;
  readonly created_at: number;
}

/** Ids of the statements that carry a run's key, oldest first. */
export async function statementsWithKey(
  client: Client,
  {key, customer, since}: KeySearch,
  options: {readonly signal?: AbortSignal},
): Promise<string[]> {
  const found: Statement[] = [];
  for await (const listed of statementsSince(client, since, options)) {
    const said = keyOf(listed);
    // A list may leave out metadata: those that could be the run's own are then read one by one.
    const own =
      said === 'unclear'
        ? listed.customer_id === customer && keyOf(await client.billingStatements.get(listed.id, options)) === key
        : said === key;
    if (own) found.push(listed);
  }
  return found.sort(byAge).map(({id}) => id);
}
