// The checks of `centavo doctor`. A change must be able to use each database.

import {foldersElsewhere} from '../config/folders-elsewhere.js';
import {projectOfFile} from '../config/projects.js';
import type {NextCommand} from '../common/errors.js';
import type {StoreCheck} from '../storage/check-folder.js';

/** @param resetOf returns the command that replaces a project's damaged sandbox */
export async function openHealth(resetOf: (project: string) => NextCommand) {
  const {checkFolder} = await import('../storage/check-folder.js');
  const {openDatabase, versionOf} = await import('../storage/sqlite.js');
  const stores = {
    'history.db': (await import('../history/history.js')).HISTORY_STORE,
    'repeats.db': (await import('../repeats/repeats.js')).REPEATS_STORE,
    'deliveries.db': (await import('../webhooks/store/deliveries.js')).DELIVERY_STORE,
    'runs.db': (await import('../billing/statement/workflow/journal.js')).JOURNAL_STORE,
  };
  const {readJob} = await import('../billing/import/job/job-file.js');
  const {checkVersion} = await import('../sandbox/store.js');
  const checkOf = (name: string): StoreCheck => {
    if (name === 'sandbox.db') return (database, path) => checkVersion(database, path, resetOf(projectOfFile(path)));
    return (database, path) =>
      name in stores ? versionOf(database, path, stores[name as keyof typeof stores]) : readJob(path, database);
  };
  return {checkFolder, foldersElsewhere, openDatabase, checkOf};
}
