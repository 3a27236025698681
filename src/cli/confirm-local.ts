// What stands before a change on this machine only: --dry-run, and a person's yes. A script is not asked.

import type {Context} from '../context.js';
import {capitalized, CentavoError} from '../errors.js';
import type {GlobalFlags} from './base.js';
import {isDryRun} from './dry-run.js';

/**
 * @param what in the imperative: `remove the profile shop`
 * @returns false for a dry run, which is said
 * @throws CentavoError kind `refused` when it is declined
 */
export async function confirmLocal(context: Context, flags: GlobalFlags, what: string): Promise<boolean> {
  if (isDryRun(context, flags, what)) return false;
  if (flags.yes || flags['no-input'] || !context.io.canAsk) return true;
  if (await context.prompt.confirm(`${capitalized(what)}?`)) return true;
  throw new CentavoError('refused', 'not confirmed.', {applied: 'no'});
}
