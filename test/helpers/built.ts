// Tests run the built program: it is built first when it is stale. `npm test` has done so already, and stops where that fails.

import {spawnSync} from 'node:child_process';

export default function setup(): void {
  const {status} = spawnSync(process.execPath, ['tools/setup.mjs'], {stdio: 'inherit'});
  if (status !== 0) console.error('The build failed: what runs the program runs the last one that was built.');
}
