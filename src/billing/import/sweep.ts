// Finds the statements of a job by their keys. Rows that look at the same time share one walk of the service's list.

import type {Client} from '../../client/client.js';
import {byAge, keyOf, statementsSince} from '../compose/draft.js';
import type {Search} from '../compose/outcome.js';
import type {Statement} from '../compose/plan.js';

interface SweepOptions {
  readonly client: Client;
  readonly signal?: AbortSignal;
  /** Unix seconds: nothing of the job is older. */
  readonly since: number;
  /** Whether a key is one of the job's. */
  readonly isOwn: (key: string) => boolean;
}

export class Sweep {
  readonly #options: SweepOptions;
  #running: Promise<unknown> | undefined;
  #next: Promise<ReadonlyMap<string, readonly string[]>> | undefined;
  /** How many walks there were. */
  walks = 0;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  /** Ids of the statements with a key, as a walk finds them that begins after this call. */
  search: Search = async ({key}) => (await this.#walk()).get(key) ?? [];

  /** A walk that has begun may have passed what is looked for, so the next one is shared. */
  #walk(): Promise<ReadonlyMap<string, readonly string[]>> {
    this.#next ??= this.#begin();
    return this.#next;
  }

  async #begin(): Promise<ReadonlyMap<string, readonly string[]>> {
    await this.#running?.catch(() => {});
    // All that asked meanwhile share the walk that begins now.
    const walk = this.#read();
    this.#running = walk;
    this.#next = undefined;
    return walk;
  }

  async #read(): Promise<ReadonlyMap<string, readonly string[]>> {
    const {client, signal, since, isOwn} = this.#options;
    this.walks++;
    const found = new Map<string, Statement[]>();
    for await (const listed of statementsSince(client, since, {signal})) {
      const said = keyOf(listed);
      // What was voided bills nobody: it may be billed again.
      if (listed.status === 'void' || listed.status === 'uncollectible') continue;
      // A list may leave out metadata.
      const key =
        said === 'unclear' ? keyOf((await client.billingStatements.get(listed.id, {signal})) as Statement) : said;
      if (key !== undefined && isOwn(key)) found.set(key, [...(found.get(key) ?? []), listed]);
    }
    return new Map([...found].map(([key, all]) => [key, all.sort(byAge).map(({id}) => id)]));
  }
}
