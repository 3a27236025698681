// The faults of a spreadsheet, each with its place, its value and its fix.

import {placeOf, usageError, type CentavoError, type FileFault} from '../../ground/errors.js';

/** The rest are only counted. */
const MOST_SHOWN = 20;

const byLine = (one: FileFault, other: FileFault): number => one.line - other.line;

/** Keeps the first faults of each kind, so that one in every row does not hide others, and memory stays bounded. */
export class Faults {
  count = 0;
  /** By code and column. */
  private readonly kinds = new Map<string, FileFault[]>();

  add(...faults: readonly FileFault[]): void {
    this.count += faults.length;
    for (const fault of faults) {
      const kind = `${fault.code} ${fault.column}`;
      const same = this.kinds.get(kind) ?? [];
      if (same.length === 0 && this.kinds.size === MOST_SHOWN) continue;
      this.kinds.set(kind, same);
      same.push(fault);
      // Faults found by asking the account come in any order.
      same.sort(byLine).splice(MOST_SHOWN);
    }
  }

  /** Equally many of each kind, in the order of the file. */
  get shown(): FileFault[] {
    const kinds = [...this.kinds.values()];
    const shown: FileFault[] = [];
    for (let nth = 0; nth < MOST_SHOWN; nth++) shown.push(...kinds.flatMap((faults) => faults.slice(nth, nth + 1)));
    return shown.slice(0, MOST_SHOWN).sort(byLine);
  }

  error(file: string): CentavoError {
    const count = this.count === 1 ? '1 fault' : `${this.count.toLocaleString('en')} faults`;
    const {shown} = this;
    const kinds =
      this.kinds.size > 1
        ? ` of ${this.kinds.size} kinds, the first of each below`
        : `, the first ${shown.length} of them below`;
    const more = this.count > shown.length ? kinds : '';
    const [only] = shown;
    return this.count === 1 && only
      ? usageError('invalid_file', `${file}, ${placeOf(only)}: ${only.problem}`, {hint: only.fix, faults: shown})
      : usageError('invalid_file', `${file} has ${count}${more}.`, {faults: shown});
  }
}

export function refuseFile(file: string, problem: string, fix: string, why?: string): never {
  throw usageError('invalid_file', `${file}: ${problem}`, {why, hint: fix});
}
