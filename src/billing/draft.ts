// The draft that a run creates. It carries a key, by which it is found when the answer is lost and by which duplicates are removed.

import type {Client} from '../client/client.js';
import type {Changes} from './changes.js';
import type {RunOptions} from './outcome.js';
import type {Statement, StatementPlan} from './plan.js';

/** The metadata key by which a run finds the draft that it created when the answer was lost. */
export const RUN_KEY = 'centavo_key';
/** How far the clocks of this machine and of the service may differ, in seconds. */
const CLOCK_DIFFERENCE = 86_400;

export class Draft {
  readonly #client: Client;
  readonly #changes: Changes;
  readonly #around: RunOptions;
  readonly #params: NonNullable<StatementPlan['create']>;
  readonly #key: string | undefined;
  readonly #startedAt: number;
  #doubted = false;

  /** @param startedAt unix seconds at which the run began */
  constructor(params: NonNullable<StatementPlan['create']>, changes: Changes, around: RunOptions, startedAt: number) {
    this.#client = around.client;
    this.#changes = changes;
    this.#around = around;
    this.#startedAt = startedAt;
    const metadata = params.metadata ?? {};
    // The service refuses metadata that is not a hash.
    const takesKey = typeof metadata === 'object' && !Array.isArray(metadata);
    this.#key = takesKey ? around.token() : undefined;
    this.#params = takesKey ? {...params, metadata: {...(metadata as object), [RUN_KEY]: this.#key}} : params;
  }

  /** @returns its id, and the draft as it was answered; only the id when the answer was lost and it was found by its key */
  async create(): Promise<{readonly id: string; readonly answer?: Statement}> {
    const {signal} = this.#around;
    for (;;) {
      // A draft without a key cannot be found again.
      const answer = (await this.#changes.attempt(
        'draft',
        [],
        () => this.#client.billingStatements.create(this.#params as never, {signal}),
        this.#key !== undefined,
      )) as Statement | undefined;
      if (answer) return {id: answer.id, answer};
      this.#doubted = true;
      await this.#changes.settle();
      this.#changes.at = 'read';
      const [id] = await this.#sameKey();
      if (id !== undefined) return {id};
    }
  }

  /** Removes others with this run's key: a draft whose creation was in doubt may be there twice, the second time empty. */
  async removeTwins(id: string): Promise<void> {
    if (!this.#doubted) return;
    const {signal, tell} = this.#around;
    const {billingStatements} = this.#client;
    for (const twin of (await this.#sameKey()).filter((each) => each !== id)) {
      const {status, line_items: items} = await billingStatements.get(twin, {signal});
      if (status !== 'draft' || !Array.isArray(items) || items.length > 0) continue;
      const gone = await this.#changes.attempt('remove', [twin], () => billingStatements.delete(twin, {signal}));
      if (gone === undefined) return;
      tell({what: 'removed', id: twin});
    }
  }

  #sameKey(): Promise<string[]> {
    const search = {key: this.#key!, customer: this.#params.customer_id, since: this.#startedAt};
    return statementsWithKey(this.#client, search, {signal: this.#around.signal});
  }
}

/** What identifies the statements of a run. */
interface Search {
  readonly key: string;
  readonly customer: string;
  /** Unix seconds; statements from well before it are not looked at. */
  readonly since: number;
}

/** Ids of the statements that carry a run's key, oldest first. */
export async function statementsWithKey(
  client: Client,
  {key, customer, since}: Search,
  options: {readonly signal?: AbortSignal},
): Promise<string[]> {
  const found: string[] = [];
  for await (const listed of client.billingStatements.list({limit: 100}, options) as AsyncIterable<Statement>) {
    if (listed.created_at < since - CLOCK_DIFFERENCE) break;
    // A list may leave out metadata: those that could be the run's own are then read one by one.
    const unclear = !listed.metadata && listed.customer_id === customer && listed.status === 'draft';
    const {metadata} = unclear ? await client.billingStatements.get(listed.id, options) : listed;
    if ((metadata as Record<string, unknown> | null)?.[RUN_KEY] === key) found.unshift(listed.id);
  }
  return found;
}
