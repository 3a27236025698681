// The checks of `centavo doctor`, with what each file of this machine must be for a change to use it.

import {nextCommand} from '../common/errors.js';
import type {StoreCheck} from '../storage/check-folder.js';

export async function openHealth() {
  const [folder, {versionOf}, {HISTORY_STORE}, {REPEATS_STORE}, {DELIVERY_STORE}, {JOURNAL_STORE}, jobs, sandbox] =
    await Promise.all([
      import('../storage/check-folder.js'),
      import('../storage/sqlite.js'),
      import('../history/history.js'),
      import('../repeats/repeats.js'),
      import('../webhooks/store/deliveries.js'),
      import('../billing/statement/workflow/journal.js'),
      import('../billing/import/job/job-file.js'),
      import('../sandbox/store.js'),
    ]);
  const reset = nextCommand('To replace it with an empty one', 'sandbox reset');
  /** By the file's name, or `jobs` for every file in that folder. */
  const checks: Readonly<Record<string, StoreCheck>> = {
    'history.db': (database, path) => versionOf(database, path, HISTORY_STORE),
    'repeats.db': (database, path) => versionOf(database, path, REPEATS_STORE),
    'deliveries.db': (database, path) => versionOf(database, path, DELIVERY_STORE),
    'runs.db': (database, path) => versionOf(database, path, JOURNAL_STORE),
    'sandbox.db': (database, path) => sandbox.checkVersion(database, path, reset),
    jobs: (database, path) => jobs.readJob(path, database),
  };
  return {...folder, checks};
}
