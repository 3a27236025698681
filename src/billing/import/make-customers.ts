// Creates the customers of a job, each once.

import {CentavoError} from '../../ground/errors.js';
import {notFoundIsGone} from '../compose/changes.js';
import {byAge, PLAN_KEY} from '../compose/draft.js';
import type {JobCustomer} from './job/facts.js';
import type {JobFile} from './job/file.js';
import {endsRun, isHeldUp, type Workers} from './workers.js';

export interface CustomerOptions {
  readonly job: JobFile;
  readonly workers: Workers;
  /** Unix seconds. */
  readonly now: () => number;
  /** Ends calls that are under way. */
  readonly patience?: AbortSignal;
  /** Gets those with a creation whose outcome is not known, by what the file calls them. */
  readonly inDoubt: Set<number | string>;
  /** Is told of one that cannot be created. */
  readonly onFailed: (ref: string, error: CentavoError) => void;
}

export function* missingCustomers(job: JobFile): Generator<JobCustomer> {
  for (const customer of job.customers()) if (customer.creates === 1 && customer.id === null) yield customer;
}

/** Creates a customer. One in doubt is looked for after the settle time; one that is held up waits for another round. */
export async function createCustomer({ref, email, name}: JobCustomer, options: CustomerOptions): Promise<void> {
  const {job, workers, now, patience: signal, inDoubt, onFailed} = options;
  const key = job.customerKey(ref);
  const {begun_at: begunAt} = job.customer(ref)!;
  try {
    if (begunAt !== null) {
      await workers.settle(begunAt);
      const found = await ownCustomer(email!, key, options);
      inDoubt.delete(ref);
      if (found !== undefined) {
        workers.changed = true;
        return job.setCustomer(ref, {id: found});
      }
    }
    workers.throwIfStopped();
    job.setCustomer(ref, {begun_at: now()});
    await job.commitTogether();
    const params = {name: name!, email: email!, currency: 'PHP', metadata: {[PLAN_KEY]: key}} as const;
    const made = await workers.client.customers.create(params, {signal}).catch((error: unknown) => {
      const isUnknown = !(error instanceof CentavoError) || error.details.applied === 'unknown';
      job.setCustomer(ref, {begun_at: isUnknown ? now() : null});
      if (isUnknown) inDoubt.add(ref);
      throw error;
    });
    job.setCustomer(ref, {id: made.id});
    workers.succeeded();
  } catch (error) {
    if (!(error instanceof CentavoError) || endsRun(error)) throw error;
    if (isHeldUp(error)) workers.heldUp(error);
    else onFailed(ref, error);
  }
}

/** The oldest of the customers that this job made for an address; a duplicate is removed, since nothing is billed to it yet. */
async function ownCustomer(
  email: string,
  key: string,
  {workers, patience: signal}: CustomerOptions,
): Promise<string | undefined> {
  const own: {readonly id: string; readonly created_at: number}[] = [];
  for await (const listed of workers.client.customers.list({email, limit: 100}, {signal})) {
    // A list may leave out metadata.
    const {metadata} = listed.metadata === undefined ? await workers.client.customers.get(listed.id, {signal}) : listed;
    if ((metadata as Record<string, unknown> | null)?.[PLAN_KEY] === key) own.push(listed as never);
  }
  const [oldest, ...others] = own.sort(byAge);
  for (const {id} of others) await workers.client.customers.delete(id, {signal}).catch(notFoundIsGone);
  return oldest?.id;
}
