// Tests run the built program: it is built first when it is stale.

import {execFileSync} from 'node:child_process';

export default function setup(): void {
  execFileSync(process.execPath, ['tools/setup.mjs'], {stdio: 'inherit'});
}
