// Arguments of commands: several words as one, and those that must be given.

import {Args} from '@oclif/core';
import {usageError} from '../errors.js';

/** Any number of words. */
export const severalWords = Args.custom<string[]>({multiple: true});

/**
 * An argument that must be given.
 * @param name for the error: `the id`
 * @throws CentavoError kind `usage`
 */
export function requiredArgument(text: string | undefined, name: string, example: string): string {
  if (text) return text;
  throw usageError(`${name} is missing.`, {code: 'missing_argument', hint: `For example: ${example}`});
}
