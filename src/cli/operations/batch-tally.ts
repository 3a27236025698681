// Counts the changes to several objects, and combines failures and unknown outcomes into one error.

import {isWrite} from '../../api/operation.js';
import type {RegisteredOperation} from '../../api/registry.js';
import type {Context} from '../../context/context.js';
import {
  CentavoError,
  messageAndReason,
  type Applied,
  type ErrorDetails,
  type FailedResult,
} from '../../common/errors.js';
import {oneLineText} from '../../output/format.js';
import type {OutputStreams} from '../../output/streams.js';
import {checkCommand, nameFor} from '../next-command.js';
import {accountArgs} from '../next-steps.js';

/** Maximum number of failures printed as they happen. JSON lists all failures at the end. */
const MAX_SHOWN_FAILURES = 10;
const MAX_CHECKED_IDS = 20;

/** Lets changes continue after stdout is closed. After a signal, the output has the results so far. */
export const shieldFromOutput = ({io}: Pick<Context, 'io'>) => ({
  io: Object.create(io, {checkSignal: {value: async () => {}}}) as OutputStreams,
  shouldStop: () => false,
});

export class BatchTally {
  readonly count: number;
  readonly #done: string;
  readonly failures: FailedResult[] = [];
  changed = 0;
  #unknown = 0;
  #first?: CentavoError;
  #sameKind = true;

  constructor(count: number, done = 'changed') {
    this.count = count;
    this.#done = done;
  }

  fail({io, names}: Pick<Context, 'io' | 'names'>, id: string, error: CentavoError): void {
    const {applied, apiErrors = [], standing} = error.details;
    this.#first ??= error;
    this.#sameKind &&= error.kind === this.#first.kind;
    if (applied === 'unknown') this.#unknown++;
    this.failures.push({id, code: error.code, applied, apiErrors, standing});
    const {length} = this.failures;
    // With a single object, the failure is printed as the error of the command.
    if (this.count > 1 && length <= MAX_SHOWN_FAILURES)
      io.note(oneLineText(`${nameFor({names}, id)}: ${messageAndReason(error)} ${apiErrors[0]?.detail ?? ''}`.trim()));
    if (length === MAX_SHOWN_FAILURES + 1)
      io.note('More failures follow. To see them all, use --json and read error.results.');
  }

  /** Summarizes the changes made. @param last `applied` of the call that stopped the run */
  summary(last?: Applied): {applied: Applied; changed: string} {
    const {count, changed} = this;
    const unknown = this.#unknown + (last === 'unknown' ? 1 : 0);
    const applied = unknown > 0 ? 'unknown' : changed > 0 ? 'yes' : 'no';
    const uncertain = unknown > 0 ? `; ${unknown} ${unknown > 1 ? 'outcomes are' : 'outcome is'} unknown` : '';
    return {
      applied,
      changed:
        applied === 'no'
          ? 'Nothing was changed.'
          : `${changed} of ${count} ${changed === 1 ? 'was' : 'were'} ${this.#done}${uncertain}.`,
    };
  }

  cutShort(failure: CentavoError): CentavoError {
    return failure.with({...this.summary(failure.details.applied), results: this.failures});
  }

  /** Returns the error if results could not be printed, with the number of changes made. */
  printingFailed({kind, message, details}: CentavoError): CentavoError {
    return this.cutShort(new CentavoError(kind === 'interrupted' ? kind : 'local_io', message, details));
  }

  failed(context: Context, registered: RegisteredOperation): CentavoError {
    const {failures, count} = this;
    const first = this.#first!;
    const unknown = failures.filter(({applied}) => applied === 'unknown').map(({id}) => id);
    const check =
      unknown.length > 0 && checkCommand(registered, unknown.slice(0, MAX_CHECKED_IDS), {}, accountArgs(context));
    const details: ErrorDetails = {
      results: failures,
      ...check,
      ...(isWrite(registered.operation) && this.summary()),
    };
    // If all failed for the same reason, that reason is more useful than "some failed".
    if (failures.length === count && this.#sameKind) {
      const message = count === 1 ? first.message : `all ${count} failed: ${first.message}`;
      return new CentavoError(first.kind, message, {...first.details, ...details});
    }
    return new CentavoError('partial', `${failures.length} of ${count} failed.`, details);
  }
}
