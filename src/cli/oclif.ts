// The parts of oclif that are used. Its index would load all of it.

export * as Args from '@oclif/core/args';
export {Command} from '@oclif/core/command';
export {Config} from '@oclif/core/config';
export * as Flags from '@oclif/core/flags';
export type {Interfaces} from '@oclif/core';

/** A flag that may be given several times, with one value each. */
export const repeatable = {multiple: true, multipleNonGreedy: true} as const;

/** The placeholder of a flag whose value is optional, and its default. oclif has no such flags. */
export const OPTIONAL_TIME = '[time]';
const ALONE = '1d';

/** The words, with the default value of {@link OPTIONAL_TIME} for each such flag without a number. */
export function withValues(argv: readonly string[], flags: Readonly<Record<string, {helpValue?: unknown}>> = {}) {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const isAlone = (word: string, index: number): boolean =>
    index < end && flags[word.slice(2)]?.helpValue === OPTIONAL_TIME && !/^\d/.test(argv[index + 1] ?? '');
  return argv.map((word, index) => (isAlone(word, index) ? `${word}=${ALONE}` : word));
}
