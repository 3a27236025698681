// What is wrong in a spreadsheet: each fault with its place, its value and what to do about it.

import {placeOf, usageError, type CentavoError, type FileFault} from '../../errors.js';

/** Faults that are shown; the rest are counted. */
const MOST_SHOWN = 20;

/** Collects the faults of a file, the first of them in its order. What it keeps does not grow with the file. */
export class Faults {
  count = 0;
  private readonly shown: FileFault[] = [];

  add(...faults: readonly FileFault[]): void {
    this.count += faults.length;
    this.shown.push(...faults);
    // What the account says of the rows comes in any order.
    this.shown.sort((one, other) => one.line - other.line);
    this.shown.splice(MOST_SHOWN);
  }

  /** The error that says them all. @param file as it was named */
  error(file: string): CentavoError {
    const count = this.count === 1 ? '1 fault' : `${this.count.toLocaleString('en')} faults`;
    const more = this.count > this.shown.length ? `, the first ${this.shown.length} of them below` : '';
    const [only] = this.shown;
    return this.count === 1 && only
      ? usageError(`${file}, ${placeOf(only)}: ${only.problem}`, {
          code: 'invalid_file',
          hint: only.fix,
          faults: this.shown,
        })
      : usageError(`${file} has ${count}${more}.`, {code: 'invalid_file', faults: this.shown});
  }
}

/** A fault of the file as a whole. @throws always */
export function refuseFile(file: string, problem: string, fix: string, why?: string): never {
  throw usageError(`${file}: ${problem}`, {code: 'invalid_file', why, hint: fix});
}
