// How much is tried. `npm test` shows each behaviour once. `npm run test:extended` runs each file that uses this again, with all of it.

const isAll = process.env.CENTAVO_TEST_RUNS === 'all';

/** How often something is repeated with other input: in `npm test` a fifth of this. */
export const runs = (all: number): number => (isAll ? all : Math.ceil(all / 5));

/** The widths that a screen is looked at: in `npm test` the one that most terminals have. */
export const widths = <T extends number>(all: readonly T[]): readonly T[] =>
  isAll ? all : all.filter((width) => width === 80);

/** Examples of the same: in `npm test` so many of them, from the first to the last. */
export const some = <T>(all: readonly T[], count: number): readonly T[] =>
  isAll ? all : Array.from({length: count}, (_, index) => all[Math.floor((index * all.length) / count)]!);
