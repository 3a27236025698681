// Exports the parts of oclif that centavo uses. oclif's index would load all of oclif.

export * as Args from '@oclif/core/args';
export {Command} from '@oclif/core/command';
export {Config} from '@oclif/core/config';
export * as Flags from '@oclif/core/flags';
export type {Interfaces} from '@oclif/core';

/** Options of a flag that may be given several times, with one value each time. */
export const repeatable = {multiple: true, multipleNonGreedy: true} as const;

/** Placeholder of a flag with an optional value, which oclif does not support. */
export const OPTIONAL_TIME = '[time]';
const ALONE = '1d';

/** True for a number, and for a day in words, which the reader of the flag refuses. */
export const isTime = (word = ''): boolean => /^(?:\d.*|last|today|tomorrow|yesterday)$/s.test(word);

/** Adds the default value to each {@link OPTIONAL_TIME} flag that no time follows. */
export function withValues(argv: readonly string[], flags: Readonly<Record<string, {helpValue?: unknown}>> = {}) {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const isAlone = (word: string, index: number): boolean =>
    index < end && flags[word.slice(2)]?.helpValue === OPTIONAL_TIME && !isTime(argv[index + 1]);
  return argv.map((word, index) => (isAlone(word, index) ? `${word}=${ALONE}` : word));
}
