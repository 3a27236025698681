// Finds statements that other imports created for the rows of a job. The oldest draft of each row and the oldest customer of
// each address stay. The check starts when reads show everything older than this job's own objects.

import type {Client} from '../../client/client.js';
import {CentavoError} from '../../common/errors.js';
import {isJsonObject} from '../../common/json.js';
import {
  oldestFirst,
  findCustomerById,
  customersSince,
  getStatement,
  planKeyOf,
  ignoreNotFound,
  findStatementById,
  statementsSince,
  type Dated,
  type DraftSearch,
} from '../account/account-reader.js';
import {PLAN_KEY} from '../statement/metadata-keys.js';
import type {BillingStatementData} from '../statement/plan.js';
import {draftOwnersOf} from '../statement/workflow/decide.js';
import {HTTP_TIMING} from '../statement/workflow/service-timing.js';
import {rowOfStatement} from './existing-statements.js';
import type {JobFile} from './job/job-file.js';

interface SweepOptions {
  readonly client: Client;
  readonly signal?: AbortSignal;
  readonly job: JobFile;
  /** True to bill rows that another import bills with other content. */
  readonly allowDuplicate: boolean;
  /** Ids of statements that had ended when this process began. Their rows may be billed again. */
  readonly endedStatements: ReadonlySet<string>;
}

/** A row with statements of other imports, or with several drafts of this job. */
export interface ContestedRow {
  readonly n: number;
  readonly rivals: readonly RivalStatement[];
  /** Drafts of this job in addition to the draft recorded for the row. */
  readonly extra: readonly Dated[];
}

export interface RivalStatement extends Dated {
  readonly status: string | undefined;
  /** True if the statement has the same content as the row. */
  readonly isSame: boolean;
}

/** Seconds by which reads may be stale. Objects created within this time before the newest one may be missing. */
const READ_MARGIN = (HTTP_TIMING.lag + 1000) / 1000;

export class RivalSweep {
  readonly #options: SweepOptions;
  #currentRead: Promise<unknown> | undefined;
  #nextRead: Promise<ReadonlyMap<string, readonly string[]>> | undefined;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  /** Finds the drafts of a run, oldest first. A running search may have missed them, so all callers share the next search. */
  search: DraftSearch = async ({run}) => {
    this.#nextRead ??= this.#startSearch();
    return (await this.#nextRead).get(run!) ?? [];
  };

  async #startSearch(): Promise<ReadonlyMap<string, readonly string[]>> {
    await this.#currentRead?.catch(() => {});
    const walk = this.#findDrafts();
    this.#currentRead = walk;
    this.#nextRead = undefined;
    return walk;
  }

  /** Ids of this job's statements by the run that owns them, oldest first. */
  async #findDrafts(): Promise<ReadonlyMap<string, readonly string[]>> {
    const {job} = this.#options;
    const found = new Map<string, BillingStatementData[]>();
    for await (const statement of this.#statements()) {
      const {owner} = draftOwnersOf(statement);
      const row = job.rowWithKey(String(planKeyOf(statement)));
      if (owner === undefined || owner !== row?.run) continue;
      found.set(owner, [...(found.get(owner) ?? []), statement]);
    }
    return new Map([...found].map(([owner, all]) => [owner, all.sort(oldestFirst).map(({id}) => id)]));
  }

  /** Returns rows with further statements. Reads the list once. @param billed receives duplicate customers with a statement */
  async findContested(billed: Set<string>): Promise<ContestedRow[]> {
    const {job, allowDuplicate, endedStatements: ended} = this.#options;
    const {newest} = job.record;
    const surplus = new Set(job.surplusCustomers());
    const found = new Map<number, {readonly rivals: RivalStatement[]; readonly extra: Dated[]}>();
    for await (const statement of this.#statements()) {
      const {id, created_at, status, customer_id: customer} = statement;
      if (surplus.has(customer)) billed.add(customer);
      const {row, isSame} = rowOfStatement(statement, job) ?? {};
      if (!row || row.id === id || ended.has(id) || job.isOther(id)) continue;
      if (created_at <= newest && (status === 'void' || status === 'uncollectible')) continue;
      // Older statements with other content were allowed when the file was checked.
      if (!isSame && (allowDuplicate || created_at < newest - READ_MARGIN)) continue;
      const {rivals, extra} = found.get(row.n) ?? {rivals: [], extra: []};
      if (row.run !== null && draftOwnersOf(statement).owner === row.run) extra.push({id, created_at});
      else rivals.push({id, created_at, status: status ?? undefined, isSame: isSame === true});
      found.set(row.n, {rivals, extra});
    }
    return [...found].map(([n, which]) => ({n, ...which}));
  }

  /**
   * Decides which statement bills a row: a finalized statement always stays; among drafts, the oldest. Deletes this job's other
   * drafts. Returns as `winner` the other import's statement that bills the row, if any. `stays` is true if this job's
   * statement is no longer a draft.
   */
  async resolveContest({
    n,
    rivals,
    extra,
  }: ContestedRow): Promise<{readonly winner: RivalStatement | undefined; readonly stays: boolean}> {
    const {client, job, signal} = this.#options;
    const row = job.row(n);
    const own = row.id === null ? undefined : await findStatementById(client, row.id, {signal});
    const oldest = [...extra, ...(own ? [own] : [])].sort(oldestFirst)[0];
    const older = rivals.filter((rival) => rival.status !== 'draft' || !oldest || oldestFirst(rival, oldest) < 0);
    older.sort((one, other) => Number(isPayable(other)) - Number(isPayable(one)) || oldestFirst(one, other));
    const winner = await this.#firstExisting(older);
    const isOwnDraft = own?.status === 'draft' && draftOwnersOf(own).owner === row.run;
    // An older draft is kept: another import may have given up the row because of it.
    const isYounger = (each: Dated): boolean => own !== undefined && oldestFirst(own, each) < 0;
    const canDelete = (each: Dated): boolean => winner !== undefined || rivals.length === 0 || isYounger(each);
    const surplus = extra.filter(canDelete);
    for (const {id} of [...surplus, ...(winner && isOwnDraft ? [own] : [])])
      await client.billingStatements.delete(id, {signal}).catch(ignoreMissingOrRejected);
    const stays = own !== undefined && own.status !== 'draft';
    return {winner, stays};
  }

  /** Returns the first rival that still exists: a list may contain deleted objects. */
  async #firstExisting(rivals: readonly RivalStatement[]): Promise<RivalStatement | undefined> {
    const {client, signal} = this.#options;
    for (const rival of rivals) {
      const statement = await findStatementById(client, rival.id, {signal});
      if (statement) return {...rival, status: statement.status};
    }
    return undefined;
  }

  /** Keeps the oldest customer per email address and records this job's duplicates. */
  async mergeCustomers(): Promise<void> {
    const {client, job, signal} = this.#options;
    const since = job.record.customers_since - READ_MARGIN;
    const oldest = new Map<string, Dated>();
    for await (const {id, created_at, email, ...listed} of customersSince(client, since, {signal})) {
      const customer = job.customer(String(email).toLowerCase());
      if (customer?.creates !== 1 || listed.deleted === true) continue;
      // A list may omit metadata.
      const {metadata} = listed.metadata === undefined ? await client.customers.get(id, {signal}) : listed;
      if (!isJsonObject(metadata) || metadata[PLAN_KEY] !== job.customerKey(customer.ref)) continue;
      const other = oldest.get(customer.ref);
      if (!other || oldestFirst({id, created_at}, other) < 0) oldest.set(customer.ref, {id, created_at});
    }
    for (const [ref, {id}] of oldest) {
      const {id: own} = job.customer(ref)!;
      if (own !== null && own !== id) job.setCustomer(ref, {id, surplus: own});
    }
    job.confirmCustomers();
  }

  /** Deletes a duplicate customer of this job, unless billed. Returns false if the customer remains. */
  async deleteCustomer(id: string): Promise<boolean> {
    const {client, signal} = this.#options;
    const customer = await findCustomerById(client, id, {signal});
    if (!customer) return true;
    if (Number(customer.next_billing_statement_sequence_number) !== 1) return false;
    await client.customers.delete(id, {signal}).catch(ignoreNotFound);
    return true;
  }

  /** Includes void statements: a user who voided a statement may not want the row billed again. */
  async *#statements(): AsyncGenerator<BillingStatementData> {
    const {client, signal, job} = this.#options;
    for await (const listed of statementsSince(client, job.record.since - READ_MARGIN, {signal}))
      yield planKeyOf(listed) === 'omitted' ? await getStatement(client, listed.id, {signal}) : listed;
  }
}

const isPayable = ({status}: RivalStatement): boolean => status === 'open' || status === 'paid';

/** The API rejects the deletion of a draft that a user has finalized. */
const ignoreMissingOrRejected = (error: unknown): undefined =>
  error instanceof CentavoError && error.kind === 'rejected' ? undefined : ignoreNotFound(error);
