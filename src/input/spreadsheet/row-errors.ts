// Collects the faults of a spreadsheet, and makes one error of them.

import {placeInFile, usageError, type CentavoError, type ErrorDetails, type FileFault} from '../../common/errors.js';
import {formatInteger} from '../../common/counts.js';
import {shellQuote} from '../../common/next-text.js';
import type {ColumnDecision} from './decide.js';

const MAX_SHOWN = 20;
/** Limits for equal faults: lines kept, line ranges named, and values named. */
const MAX_LINES = 1000;
const MAX_RANGES = 8;
const MAX_VALUES = 3;
/** Columns that a hint names, so that it stays short. */
const MAX_TEMPLATES = 3;

/** Equal faults: the first MAX_SHOWN, and the lines of up to MAX_LINES. */
interface FaultGroup {
  readonly faults: FileFault[];
  readonly lines: number[];
}

const byLine = (one: FileFault, other: FileFault): number => one.line - other.line;
const byFirst = (one: FaultGroup, other: FaultGroup): number => byLine(one.faults[0]!, other.faults[0]!);

/** True for a cell that is empty because its column is missing, which an earlier fault says. */
const isOfMissingColumn = ({column, problem}: FileFault): boolean =>
  column === null && /^(?:It is empty|The row names no customer)\./.test(problem);

/** Keeps the first faults of each kind: memory stays bounded, and a fault in every row does not hide others. */
export class RowErrors {
  count = 0;
  private readonly kinds = new Map<string, FaultGroup[]>();

  /** @param decision names the columns that are not understood */
  constructor(private readonly decision?: Pick<ColumnDecision, 'unknown'>) {}

  add(...all: readonly FileFault[]): void {
    const faults = this.count > 0 ? all.filter((fault) => !isOfMissingColumn(fault)) : all;
    this.count += faults.length;
    for (const fault of faults) {
      const kind = `${fault.code} ${fault.column}`;
      const folds = this.kinds.get(kind) ?? [];
      if (folds.length === 0 && this.kinds.size === MAX_SHOWN) continue;
      this.kinds.set(kind, folds);
      let fold = folds.find(({faults: [first]}) => first!.problem === fault.problem && first!.fix === fault.fix);
      if (!fold) folds.push((fold = {faults: [], lines: []}));
      fold.faults.push(fault);
      if (fold.lines.length < MAX_LINES) fold.lines.push(fault.line);
      // Faults found in the account come in any order.
      fold.faults.sort(byLine).splice(MAX_SHOWN);
      folds.sort(byFirst).splice(MAX_SHOWN);
    }
  }

  /** At most MAX_SHOWN faults, the same number of each kind if possible, in the order of the file. */
  get shown(): FileFault[] {
    return evenly(
      [...this.kinds.values()].map((folds) => folds.flatMap(({faults}) => faults).sort(byLine)),
      byLine,
    );
  }

  error(file: string): CentavoError {
    const {shown, count} = this;
    const unknown = this.decision?.unknown ?? [];
    const groups = evenly([...this.kinds.values()], byFirst);
    const named = groups.reduce((sum, {lines}) => sum + lines.length, 0);
    const details = {faults: shown, ...(unknown.length > 0 && askAbout(unknown))};
    // The hint has the template for all columns.
    const folded = groups.map(foldedFault).map((each) => (each.code === 'unknown_column' ? {...each, fix: ''} : each));
    const [only, ...others] = folded;
    if (only && others.length === 0 && named === count)
      return usageError('invalid_file', `${file}, ${placeInFile(only)}: ${only.problem}`, {
        hint: only.fix || undefined,
        next: only.next && [only.next],
        override: only.override,
        ...details,
      });
    const kinds =
      this.kinds.size > 1
        ? ` of ${this.kinds.size} kinds, the first of each below`
        : `, the first ${named} of them below`;
    const problem =
      count === unknown.length
        ? `${count} columns that are not understood`
        : `${formatInteger(count)} faults${count > named ? kinds : ''}`;
    return usageError('invalid_file', `${file} has ${problem}.`, {folded, ...details});
  }
}

/** The details of an error about columns that are not understood: what a column means is a person's to say. */
const askAbout = (unknown: ColumnDecision['unknown']): ErrorDetails => ({
  code: 'unknown_column',
  needsPerson: true,
  next: [],
  columns: unknown.map(({column: {name, samples, filled}}) => ({column: name, values: samples, rows: filled})),
  why: 'A meaning is a field such as unit_price, or charge, leave_out:<value>, metadata.<name> or ignore.',
  hint: `Say what each means${unknown.length > MAX_TEMPLATES ? ', beginning with' : ''}: ${unknown
    .slice(0, MAX_TEMPLATES)
    .map(({column: {name}}) => `--map ${shellQuote(`${name}=…`)}`)
    .join(' ')}`,
});

/** Takes the first of each list, then the second of each, up to MAX_SHOWN. */
function evenly<T>(lists: readonly (readonly T[])[], order: (one: T, other: T) => number): T[] {
  const taken: T[] = [];
  for (let nth = 0; nth < MAX_SHOWN; nth++) taken.push(...lists.flatMap((each) => each.slice(nth, nth + 1)));
  return taken.slice(0, MAX_SHOWN).sort(order);
}

/** The first of equal faults, with the lines of all equal faults: `3 to 9 and 14`. */
function foldedFault({faults, lines}: FaultGroup): FileFault {
  const [first] = faults;
  if (lines.length === 1) return first!;
  const ranges: number[][] = [];
  for (const line of lines.sort((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last && line <= last.at(-1)! + 1) last.push(line);
    else ranges.push([line]);
  }
  const parts = ranges
    .slice(0, MAX_RANGES)
    .map((range) => (range.length < 3 ? range.join(', ') : `${range[0]} to ${range.at(-1)}`));
  if (ranges.length > MAX_RANGES) parts.push('more');
  const values = [...new Set(faults.map(({value}) => JSON.stringify(value)))];
  const value = `${values.slice(0, MAX_VALUES).join(', ')}${values.length > MAX_VALUES ? ', …' : ''}`;
  return {...first!, value: value === '""' ? '' : value, lines: parts.join(', ').replace(/, (?=[^,]*$)/, ' and ')};
}

export function unreadableFileError(file: string, problem: string, fix: string, why?: string): never {
  throw usageError('invalid_file', `${file}: ${problem}`, {why, hint: fix});
}
