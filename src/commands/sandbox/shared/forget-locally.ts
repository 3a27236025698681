// Deletes what centavo keeps about a sandbox outside its file: the cache of numbers, and unfinished statements.

import type {Context} from '../../../context/context.js';

/** @param name from `localName` */
export async function forgetLocally(context: Context, name: string): Promise<void> {
  const folder = context.dataDirectory();
  (await context.lookupCache()).clearLookupCache(folder, name);
  (await context.billing()).unfinishedStatementsOf(folder, name).forget();
}
