// Exports the parts of oclif that centavo uses. oclif's index would load all of oclif.

export * as Args from '@oclif/core/args';
export {Command} from '@oclif/core/command';
export {Config} from '@oclif/core/config';
export * as Flags from '@oclif/core/flags';
export type {Interfaces} from '@oclif/core';

/** Options of a flag that may be given several times, with one value each time. */
export const repeatable = {multiple: true, multipleNonGreedy: true} as const;

/** Placeholders of flags with an optional value, which oclif does not support. */
export const OPTIONAL_TIME = '[time]';
export const OPTIONAL_STORAGE = '[test|live]';
/** By placeholder: the value of a flag that stands alone, and the words that are its value. */
const OPTIONAL: Readonly<Record<string, readonly [alone: string, value: RegExp]>> = {
  // A day in words, too, which the reader of the flag refuses.
  [OPTIONAL_TIME]: ['1d', /^(?:\d.*|last|today|tomorrow|yesterday)$/s],
  [OPTIONAL_STORAGE]: ['test', /^(?!-)/],
};

export const isTime = (word = ''): boolean => OPTIONAL[OPTIONAL_TIME]![1].test(word);

/** Adds its value to each flag with an optional value that stands alone. */
export function withValues(argv: readonly string[], flags: Readonly<Record<string, {helpValue?: unknown}>> = {}) {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  return argv.map((word, index) => {
    const [alone, value] = (index < end && OPTIONAL[String(flags[word.slice(2)]?.helpValue)]) || [];
    const next = argv[index + 1];
    return alone === undefined || (next !== undefined && value!.test(next)) ? word : `${word}=${alone}`;
  });
}
