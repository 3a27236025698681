// The draft that a run creates: with a key of its own, by which it is found when the answer is lost, and by which others of the same key are removed.

import type {Client} from '../client/client.js';
import type {Changes} from './changes.js';
import {RUN_KEY, statementsWithKey} from './find.js';
import type {Surroundings} from './outcome.js';
import type {Statement, StatementPlan} from './plan.js';

export class Draft {
  readonly #client: Client;
  readonly #changes: Changes;
  readonly #around: Surroundings;
  readonly #params: NonNullable<StatementPlan['create']>;
  readonly #key: string | undefined;
  readonly #startedAt: number;
  #doubted = false;

  /** @param startedAt unix seconds at which the run began */
  constructor(params: NonNullable<StatementPlan['create']>, changes: Changes, around: Surroundings, startedAt: number) {
    this.#client = around.client;
    this.#changes = changes;
    this.#around = around;
    this.#startedAt = startedAt;
    const metadata = params.metadata ?? {};
    // Metadata that is no hash is for the service to refuse.
    const takesKey = typeof metadata === 'object' && !Array.isArray(metadata);
    this.#key = takesKey ? around.token() : undefined;
    this.#params = takesKey ? {...params, metadata: {...(metadata as object), [RUN_KEY]: this.#key}} : params;
  }

  /** @returns its id, and the draft as it was answered; only the id when the answer was lost and it was found by its key */
  async create(): Promise<{readonly id: string; readonly answer?: Statement}> {
    const {signal} = this.#around;
    for (;;) {
      // A draft without a key cannot be told from others.
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
