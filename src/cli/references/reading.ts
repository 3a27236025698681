// Reads of an account that may take long: they end with the command, and a terminal shows how far they are.

import type {ReadOptions} from '../../billing/account.js';
import type {Context} from '../../context.js';
import {count} from '../../ground/counts.js';

/** @param doing `Reading billing statements` */
export async function reading<T>(
  {io, signal}: Context,
  doing: string,
  read: (options: Required<ReadOptions>) => Promise<T>,
): Promise<T> {
  try {
    return await read({signal, onPage: (looked) => io.progress(`${doing}: ${count(looked)}`)});
  } finally {
    io.progress(undefined);
  }
}
