// Creates the customers of a job, each once.

import {CentavoError} from '../../errors.js';
import {byAge, RUN_KEY} from '../compose/draft.js';
import type {JobFile} from './job-file.js';
import type {JobCustomer} from './job-types.js';
import {endsRun, isHeldUp, type Workers} from './workers.js';

export interface CustomerOptions {
  readonly job: JobFile;
  readonly workers: Workers;
  /** Unix seconds. */
  readonly now: () => number;
  /** Ends calls that are under way. */
  readonly patience?: AbortSignal;
  /** Is told of one that cannot be created. */
  readonly onFailed: (ref: string, error: CentavoError) => void;
}

/** Customers that do not exist yet. */
export function* missingCustomers(job: JobFile): Generator<JobCustomer> {
  for (const customer of job.customers()) if (customer.creates === 1 && customer.id === null) yield customer;
}

/**
 * Creates a customer. One whose creation is in doubt is looked for after the settle time. What is held up is left for another try.
 * @throws CentavoError what ends the run
 */
export async function createCustomer({ref, email, name}: JobCustomer, options: CustomerOptions): Promise<void> {
  const {job, workers, now, patience: signal, onFailed} = options;
  const key = job.customerKey(ref);
  const {begun_at: begunAt} = job.customer(ref)!;
  try {
    if (begunAt !== null) {
      await workers.settle(begunAt);
      const found = await ownCustomer(email!, key, options);
      if (found !== undefined) return job.setCustomer(ref, {id: found});
    }
    workers.throwIfStopped();
    job.setCustomer(ref, {begun_at: now()});
    await job.commitTogether();
    const params = {name: name!, email: email!, currency: 'PHP', metadata: {[RUN_KEY]: key}} as const;
    const made = await workers.client.customers.create(params, {signal}).catch((error: unknown) => {
      const isUnknown = !(error instanceof CentavoError) || error.details.applied === 'unknown';
      job.setCustomer(ref, {begun_at: isUnknown ? now() : null});
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
  const {data} = await workers.client.customers.list({email, limit: 100}, {signal});
  const own = data.filter(({metadata}) => (metadata as Record<string, unknown> | null)?.[RUN_KEY] === key).sort(byAge);
  for (const {id} of own.slice(1)) await workers.client.customers.delete(id, {signal});
  return own[0]?.id;
}
