// The amount of testing. `npm test` shows each behaviour once; `npm run test:extended` runs these files in full.

import {test} from 'vitest';

const isExtended = process.env.CENTAVO_TEST_RUNS === 'all';

/** A test for `npm run test:extended` alone. `npm test` does not count it as skipped, which fails in CI. */
export const extendedTest = (title: string, run: () => Promise<unknown>): void => {
  if (isExtended) test(title, run);
};

/** The number of repetitions with other input: a fifth in `npm test`. */
export const runs = (all: number): number => (isExtended ? all : Math.ceil(all / 5));

/** The number of simulations: a third in `npm test`. */
export const cases = (all: number): number => Number(process.env.CASES ?? (isExtended ? all : Math.ceil(all / 3)));

/** The widths of a tested screen: only the most common in `npm test`. */
export const widths = <T extends number>(all: readonly T[]): readonly T[] =>
  isExtended ? all : all.filter((width) => width === 80);

/** Equivalent examples: in `npm test` this many, from the first to the last. */
export const some = <T>(all: readonly T[], count: number): readonly T[] =>
  isExtended ? all : Array.from({length: count}, (_, index) => all[Math.floor((index * all.length) / count)]!);
