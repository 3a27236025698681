// Reads the settlements made from this machine.

import type {LocalSettlement} from '../../accounting/standing.js';
import type {Context} from '../../context/context.js';
import {CentavoError} from '../../common/errors.js';

/**
 * Reads the settlements made from this machine, by statement id, from the local history.
 * @param warn called if the history cannot be read; the result is then empty
 */
export async function localSettlements(
  context: Context,
  warn: (words: string) => void = context.io.note,
): Promise<ReadonlyMap<string, LocalSettlement>> {
  const {profile, mode} = await context.connection();
  try {
    return (await context.history()).settlements({profile: profile.value, mode});
  } catch (error) {
    if (!(error instanceof CentavoError) || error.kind !== 'local_io') throw error;
    warn(`Warning: ${error.message} Statements settled outside the service are not marked.`);
    return new Map();
  }
}
