// Tests run the built program: it is built first when it is stale. `npm test` has done so already, and stops where that fails.

import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** Sets a folder for the test processes, which is removed at the end. */
export const RUN_FOLDER = 'CENTAVO_TEST_RUN_FOLDER';

export default function setup(): () => void {
  const {status} = spawnSync(process.execPath, ['tools/setup.mjs'], {stdio: 'inherit'});
  if (status !== 0) console.error('The build failed: what runs the program runs the last one that was built.');
  const folder = mkdtempSync(join(tmpdir(), 'centavo-test-run-'));
  process.env[RUN_FOLDER] = folder;
  return () => rmSync(folder, {recursive: true, force: true});
}
