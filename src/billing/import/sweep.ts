// Finds the statements of a job by their keys; rows that look at the same time share one walk of the service's list. Another
// walk, before anything is finalized, finds what other imports have made for the same rows.

import type {Client} from '../../client/client.js';
import {byAge, keyOf, statementsSince} from '../compose/draft.js';
import type {Search} from '../compose/outcome.js';
import type {Statement} from '../compose/plan.js';
import type {Row} from './job/facts.js';
import type {JobFile} from './job/file.js';
import {EXTERNAL_ID} from './read-statements.js';

interface SweepOptions {
  readonly client: Client;
  readonly signal?: AbortSignal;
  /** Unix seconds: nothing of the job is older. */
  readonly since: number;
  readonly job: JobFile;
}

/** A statement that somebody else made for a row of the job. */
export interface MadeElsewhere {
  readonly row: Row;
  readonly statement: Statement;
  /** `changed`: with the same external id and other content. */
  readonly how: 'changed' | 'same';
}

/** What is open already can only stay; of drafts the oldest does. */
const byWhatStays = (one: Statement, other: Statement): number =>
  Number(one.status === 'draft') - Number(other.status === 'draft') || byAge(one, other);

export class Sweep {
  readonly #options: SweepOptions;
  #running: Promise<unknown> | undefined;
  #next: Promise<ReadonlyMap<string, readonly string[]>> | undefined;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  /** Ids of the statements with a key, the one that stays first, as a walk finds them that begins after this call. */
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
    const {job} = this.#options;
    const found = new Map<string, Statement[]>();
    for await (const listed of this.#statements()) {
      const statement = await this.#withMetadata(listed);
      const key = keyOf(statement);
      if (key !== undefined && job.rowWithKey(key)) found.set(key, [...(found.get(key) ?? []), statement]);
    }
    return new Map([...found].map(([key, all]) => [key, all.sort(byWhatStays).map(({id}) => id)]));
  }

  /**
   * What others have made for rows whose own statement was never in doubt: another import of the same file, confirmed at the
   * same time or begun before this one went on.
   */
  async *madeElsewhere(): AsyncGenerator<MadeElsewhere> {
    const {job} = this.#options;
    const {newest} = job.record;
    for await (const listed of this.#statements()) {
      if (job.rowOf(listed.id)) continue;
      const statement = await this.#withMetadata(listed);
      const same = job.rowWithKey(keyOf(statement) ?? '');
      const externalId = (statement.metadata as Record<string, unknown> | null)?.[EXTERNAL_ID];
      const row = same ?? (typeof externalId === 'string' ? job.rowNamed(externalId) : undefined);
      if (same && same.doubted === 0) yield {row: same, statement, how: 'same'};
      // What was there when the file was checked was allowed.
      else if (!same && row && statement.created_at > newest) yield {row, statement, how: 'changed'};
    }
  }

  async *#statements(): AsyncGenerator<Statement> {
    const {client, signal, since} = this.#options;
    for await (const listed of statementsSince(client, since, {signal}))
      // What was voided bills nobody: it may be billed again.
      if (listed.status !== 'void' && listed.status !== 'uncollectible') yield listed;
  }

  /** A list may leave out metadata. */
  async #withMetadata(listed: Statement): Promise<Statement> {
    const {client, signal} = this.#options;
    return keyOf(listed) === 'unclear'
      ? ((await client.billingStatements.get(listed.id, {signal})) as Statement)
      : listed;
  }
}
