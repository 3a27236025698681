// Collects the contents of each column in one pass over the cells, in constant memory.

import {comparedCell, isCreditNumber, isLoud, type Candidate} from './meanings.js';

/** The values of a column. Both lists are missing if there were too many. */
export interface SeenValues {
  /** All values, if at most three. */
  readonly values?: readonly string[];
  /** All shapes, if at most six: `#` for any number, `0` for zero. */
  readonly shapes?: readonly string[];
  /** Values that may mean that the row is not owed. */
  readonly loud: readonly string[];
}

const MAX_SAMPLES = 2;
const MAX_CHOICES = 6;
const MAX_VALUES = 3;
const MAX_SHAPES = 6;
const MAX_LOUD = 1000;

/** A cell that says nothing: empty, or a dash. */
export const isBlank = (cell: string): boolean => /^[-–—._\s]*$/.test(cell);

const shapeOf = (value: string): string =>
  value
    .toLowerCase()
    .replace(/\d[\d,.]*/g, (number) => (/[1-9]/.test(number) ? '#' : '0'))
    .slice(0, 60);

/** The contents of a column. Without a header, its name is `column F`. */
export class ColumnSurvey {
  /** Number of cells that hold something, and the line of the first. */
  filled = 0;
  firstLine = 0;
  isHidden = false;
  /** The first two different values. */
  readonly samples: string[] = [];
  /** The first line of each value that makes the column doubtful: `Rent - PAID`. */
  readonly loud = new Map<string, number>();
  readonly #choices = new Map<string, string>();
  /** By value in lower case, and by shape: the first cell, and its line. */
  readonly #values = new Map<string, readonly [value: string, line: number]>();
  readonly #shapes = new Map<string, readonly [value: string, line: number]>();
  #fitting = 0;
  #credits = 0;
  #previous = '';

  /** @param index position of the column; the first is 0 @param candidate the meaning that fits the header */
  constructor(
    readonly index: number,
    readonly name: string,
    readonly candidate: Candidate | undefined,
  ) {}

  add(cell: string, line: number): void {
    const value = cell.replace(/\s+/g, ' ').trim();
    if (isBlank(value)) return;
    if (this.filled++ === 0) this.firstLine = line;
    if (this.samples.length < MAX_SAMPLES && !this.samples.includes(value)) this.samples.push(value);
    const low = value.toLowerCase();
    const shape = this.#shapes.size > MAX_SHAPES ? '' : shapeOf(value);
    if (this.#values.size <= MAX_VALUES && !this.#values.has(low)) this.#values.set(low, [value, line]);
    if (this.#choices.size <= MAX_CHOICES && !this.#choices.has(comparedCell(value)))
      this.#choices.set(comparedCell(value), value);
    if (shape && !this.#shapes.has(shape)) this.#shapes.set(shape, [value, line]);
    const isCredit = this.candidate?.means === 'external_id' && isCreditNumber(value);
    if (isCredit) this.#credits++;
    if ((isCredit || isLoud(value)) && this.loud.size < MAX_LOUD && !this.loud.has(value)) this.loud.set(value, line);
    if (this.candidate?.fits(value, this.#previous)) this.#fitting++;
    this.#previous = value;
  }

  /** True if the cells fit the header. */
  get fits(): boolean {
    return (
      this.candidate !== undefined && (this.candidate.isStrict ? this.#fitting === this.filled : this.#fitting > 0)
    );
  }

  /** True if all of several numbers begin as those of credit notes do: `CN-7`. */
  get hasOwnPrefix(): boolean {
    return this.filled > 1 && this.#credits === this.filled;
  }

  /** All different values, if at most six. */
  get choices(): readonly string[] | undefined {
    return this.#choices.size <= MAX_CHOICES ? [...this.#choices.values()] : undefined;
  }

  /** Remembered with an answer. */
  get seen(): SeenValues {
    const loud = [...this.loud.keys()].map((value) => value.toLowerCase());
    if (this.#values.size <= MAX_VALUES) return {values: [...this.#values.keys()], loud};
    return this.#shapes.size <= MAX_SHAPES ? {shapes: [...this.#shapes.keys()], loud} : {loud};
  }

  /** The first value, with its line, that was not there when the column was answered, or had another shape. */
  newTo({values, shapes, loud}: SeenValues): readonly [value: string, line: number] | undefined {
    const fresh = [...this.loud].find(([value]) => !loud.includes(value.toLowerCase()));
    const [now, before] = values ? [this.#values, values] : [this.#shapes, shapes];
    return fresh ?? [...now].find(([each]) => before?.includes(each) === false)?.[1];
  }
}

/** Adds earlier values to those of a column that is answered again. */
export function withSeen(now: SeenValues, before: SeenValues | undefined): SeenValues {
  const both = (one: readonly string[] = [], other: readonly string[] = []) => [...new Set([...one, ...other])];
  const loud = both(before?.loud, now.loud);
  if (now.values && before?.values) return {values: both(before.values, now.values), loud};
  return now.shapes && before?.shapes ? {shapes: both(before.shapes, now.shapes), loud} : {...now, loud};
}
