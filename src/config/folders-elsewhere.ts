// Finds folders for a user whose own folders cannot be used.

import {tmpdir, userInfo} from 'node:os';
import {join} from 'node:path';
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
  return [...homes, join(platform === 'win32' ? tmpdir() : '/var/tmp', `centavo-${user ?? 'data'}`)];
}
