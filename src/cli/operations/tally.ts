// What is known of a run over several objects: how many were changed, which failed and which are in doubt, as one error at its end.

import type {Context} from '../../context.js';
import {isWrite} from '../../api/operation.js';
import type {RegisteredOperation} from '../../api/registry.js';
import {CentavoError, whatAndWhy, type Applied, type ErrorDetails, type FailedResult} from '../../errors.js';
import {clean} from '../../output/format.js';
import type {Io} from '../../output/io.js';
import {checkCommand, nameFor, sameAccount} from '../next-command.js';

/** How many failures are told as they happen. JSON has all of them at the end. */
const TOLD = 10;
/** How many ids a command names that can be pasted. */
const LONGEST_CHECK = 20;

/** For a list of what was changed: the changes go on when nobody reads the output any more, and after a signal it ends with what came back. */
export const whateverHappens = ({io}: Pick<Context, 'io'>) => ({
  io: Object.create(io, {checkSignal: {value: async () => {}}}) as Io,
  stops: () => false,
});

export class Tally {
  readonly count: number;
  readonly #done: string;
  readonly failures: FailedResult[] = [];
  changed = 0;
  #inDoubt = 0;
  /** The first failure, and whether all others are of its kind. */
  #first?: CentavoError;
  #alike = true;

  /** @param count of objects @param done what is done to them: `changed`, `reminded` */
  constructor(count: number, done = 'changed') {
    this.count = count;
    this.#done = done;
  }

  /** Counts a failure, and tells it. */
  fail({io, names}: Pick<Context, 'io' | 'names'>, id: string, error: CentavoError): void {
    const {applied, apiErrors = []} = error.details;
    this.#first ??= error;
    this.#alike &&= error.kind === this.#first.kind;
    if (applied === 'unknown') this.#inDoubt++;
    this.failures.push({id, code: error.code, applied, apiErrors});
    const {length} = this.failures;
    // A single one is the error itself.
    if (this.count > 1 && length <= TOLD)
      io.note(clean(`${nameFor({names}, id)}: ${whatAndWhy(error)} ${apiErrors[0]?.detail ?? ''}`.trim()));
    if (length === TOLD + 1) io.note('More failures follow. To see them all, use --json and read error.results.');
  }

  /** Whether anything was changed, as far as is known, and how much in words. @param last how the last call failed */
  seen(last?: Applied): {applied: Applied; changed: string} {
    const {count, changed} = this;
    const inDoubt = this.#inDoubt + (last === 'unknown' ? 1 : 0);
    const applied = inDoubt > 0 ? 'unknown' : changed > 0 ? 'yes' : 'no';
    const doubt = inDoubt > 0 ? `; ${inDoubt} ${inDoubt > 1 ? 'are' : 'is'} in doubt` : '';
    return {
      applied,
      changed:
        applied === 'no'
          ? 'Nothing was changed.'
          : `${changed} of ${count} ${changed === 1 ? 'was' : 'were'} ${this.#done}${doubt}.`,
    };
  }

  /** The error of a run that ended early. What was done before it stays done. */
  cutShort(failure: CentavoError): CentavoError {
    return failure.with({...this.seen(failure.details.applied), results: this.failures});
  }

  /** The error when what came back could not be printed: what was changed stays changed, whatever kept it from being told. */
  printingFailed({kind, message, details}: CentavoError): CentavoError {
    return this.cutShort(new CentavoError(kind === 'interrupted' ? kind : 'local_io', message, details));
  }

  /** The error when some of the objects failed. @param registered what was done to them, if it is an operation of the API */
  failed(context: Context, registered?: RegisteredOperation): CentavoError {
    const {failures, count} = this;
    const first = this.#first!;
    const inDoubt = failures.filter(({applied}) => applied === 'unknown').map(({id}) => id);
    const check =
      registered &&
      inDoubt.length > 0 &&
      checkCommand(registered, inDoubt.slice(0, LONGEST_CHECK), {}, sameAccount(context));
    const details: ErrorDetails = {
      results: failures,
      ...(check && {hint: check}),
      ...((!registered || isWrite(registered.operation)) && this.seen()),
    };
    // If all failed for the same reason, that reason is more useful than "some failed".
    if (failures.length === count && this.#alike) {
      const message = count === 1 ? first.message : `all ${count} failed: ${first.message}`;
      return new CentavoError(first.kind, message, {...first.details, ...details});
    }
    return new CentavoError('partial', `${failures.length} of ${count} failed.`, details);
  }
}
