// The changes of a run: each is recorded before it is made. An unknown outcome is remembered until the statement is read.

import {CentavoError, type Applied} from '../../ground/errors.js';
import type {Step} from './journal.js';
import type {RunOptions} from './outcome.js';

/**
 * How long a run waits, in seconds, before it looks whether a change in doubt was made. A change that the service makes
 * within this time is found and, if it is too much, taken back; one that comes later at worst stops the run unsent.
 */
export const SETTLE_SECONDS = 15;
/** After more unknown outcomes than this, the run stops. */
const MOST_DOUBTS = 3;

export class Changes {
  readonly #around: Pick<RunOptions, 'journal' | 'now' | 'signal' | 'sleep' | 'tell'>;
  #doubts = 0;
  /** The current call, or the last one. */
  at: Step | 'read' = 'read';
  /** Whether any change is known to have been made. */
  made = false;
  /** The last change with an unknown outcome, until the statement is read. */
  unsettled: Step | undefined;
  finalizeDoubted = false;

  constructor(around: Pick<RunOptions, 'journal' | 'now' | 'signal' | 'sleep' | 'tell'>) {
    this.#around = around;
  }

  /** For a run that finds everything it wanted: a change in doubt then counts as made. */
  get changedAnything(): boolean {
    return this.made || this.#doubts > 0;
  }

  /**
   * Makes a call. Returns undefined when its outcome is unknown and this run can settle it; throws any other error.
   * @param repeatable false for a call whose result cannot be found or undone when its answer is lost
   */
  async attempt<T>(
    step: Step,
    ids: readonly string[],
    call: () => PromiseLike<T>,
    repeatable = true,
  ): Promise<T | undefined> {
    const {journal, tell} = this.#around;
    this.at = step;
    await journal.intend(step, ids);
    try {
      const answer = await call();
      this.made = true;
      return answer;
    } catch (error) {
      if (!(error instanceof CentavoError) || error.details.applied !== 'unknown') throw error;
      this.unsettled = step;
      if (step === 'finalize') this.finalizeDoubted = true;
      if (error.kind !== 'outcome_unknown' || !repeatable || ++this.#doubts > MOST_DOUBTS) throw error;
      tell({what: 'doubt', step, error});
      return undefined;
    }
  }

  /** Waits until a change in doubt must have been made, if it ever is. @param since unix seconds; now if left out */
  async settle(since?: number): Promise<void> {
    const {now, signal, sleep} = this.#around;
    // The clock may have been set back since.
    const left = since === undefined ? SETTLE_SECONDS : Math.min(SETTLE_SECONDS, since + SETTLE_SECONDS - now());
    if (left <= 0) return;
    await sleep(left * 1000, signal).catch((error: unknown) => {
      if (error instanceof CentavoError) throw error;
    });
    if (signal?.aborted)
      throw new CentavoError('interrupted', 'the run was interrupted while it waited.', {applied: 'unknown'});
  }

  /** Reads the statement. After that, no outcome is unknown. */
  async read<T>(read: () => PromiseLike<T>): Promise<T> {
    const before = this.at;
    this.at = 'read';
    const answer = await read();
    this.unsettled = undefined;
    this.at = before;
    return answer;
  }

  doubt(status: string | undefined): {readonly applied: Applied; readonly inDoubt: Step | undefined} {
    // A finalize with an unknown outcome may still be applied as long as the statement is a draft. Of two doubts it matters more.
    const inDoubt = this.finalizeDoubted && status === 'draft' ? 'finalize' : this.unsettled;
    const isUnknown = inDoubt !== undefined || (this.#doubts > 0 && !this.made);
    return {applied: isUnknown ? 'unknown' : this.made ? 'yes' : 'no', inDoubt};
  }
}

/** Removing what is not there counts as done. Any other error is thrown. */
export function notFoundIsGone(error: unknown): true {
  if (error instanceof CentavoError && error.kind === 'not_found') return true;
  throw error;
}
