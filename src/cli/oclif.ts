// The parts of oclif that are used. Its index would load all of it.

export * as Args from '@oclif/core/args';
export {Command} from '@oclif/core/command';
export {Config} from '@oclif/core/config';
export * as Flags from '@oclif/core/flags';
export type {Interfaces} from '@oclif/core';

/** For a flag that may be given several times, with one value each. */
export const repeatable = {multiple: true, multipleNonGreedy: true} as const;
