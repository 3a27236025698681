// Finds folders for a user whose own folders cannot be used.

import {existsSync} from 'node:fs';
import {tmpdir, userInfo} from 'node:os';
import {isAbsolute, join} from 'node:path';
import type {Environment} from '../common/environment.js';
import type {FileOwner} from '../storage/private-file.js';
import {homeOf} from './paths.js';

/** The best first: in a home, then among temporary files. Any may be unusable, too. */
export function foldersElsewhere(env: Environment, platform: NodeJS.Platform, user: FileOwner): string[] {
  const homes = [() => homeOf(env, platform), () => userInfo().homedir].flatMap((home) => {
    try {
      return [join(home(), 'centavo')];
    } catch {
      return [];
    }
  });
  // `/var/tmp` outlives a restart.
  const temporary = ['/var/tmp', tmpdir()].filter((folder) => isAbsolute(folder) && existsSync(folder));
  return [...homes, ...temporary.map((folder) => join(folder, `centavo-${user ?? 'data'}`))];
}
