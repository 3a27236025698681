// Node's cache of compiled code, in a folder that only its owner can change: what is read from there runs beside the key.

import {existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync, type Stats} from 'node:fs';
import {dirname, isAbsolute, join} from 'node:path';
import type {Environment} from './ground/environment.js';

export interface CompileCacheOptions {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** Id of the user this process runs as; undefined where files have no owner. */
  readonly user: number | undefined;
  readonly version: string;
}

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/** For Node 22.1 and later, which notices by itself when code has changed. */
export async function enableCompileCache(options: CompileCacheOptions): Promise<void> {
  // The types of Node 20 do not have it.
  const node = (await import('node:module')) as {enableCompileCache?: (folder: string) => unknown};
  if (!node.enableCompileCache) return;
  try {
    const folder = compileCacheFolder(options);
    if (folder !== undefined) node.enableCompileCache(folder);
  } catch {
    // The start is slower, but nothing else changes.
  }
}

/** The folder for this version, made if missing; undefined if somebody else could write to it or replace it. */
export function compileCacheFolder({env, platform, user, version}: CompileCacheOptions): string | undefined {
  const base = baseOf(env, platform);
  if (base === undefined) return undefined;
  const all = join(base, 'centavo', 'compiled');
  const folder = join(all, version);
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  // Nothing is made in the home of somebody else, as with sudo.
  if (existing !== folder && !isSafe(realpathSync(existing), user)) return undefined;
  if (mkdirSync(folder, {recursive: true, mode: 0o700}))
    // Code of other versions is not used again.
    for (const name of readdirSync(all)) if (name !== version) rmSync(join(all, name), {recursive: true, force: true});
  const real = realpathSync(folder);
  return isSafe(real, user) && isOwn(lstatSync(real), user) ? real : undefined;
}

function baseOf(env: Environment, platform: NodeJS.Platform): string | undefined {
  const home = platform === 'win32' ? env.USERPROFILE : env.HOME;
  const own = platform === 'win32' ? env.LOCALAPPDATA : platform === 'darwin' ? undefined : env.XDG_CACHE_HOME;
  if (own && isAbsolute(own)) return own;
  if (!home || !isAbsolute(home)) return undefined;
  return join(home, ...(platform === 'darwin' ? ['Library', 'Caches'] : ['.cache']));
}

/** Whether only this user can change the folder. */
const isOwn = ({mode, uid}: Stats, user: number | undefined): boolean =>
  user === undefined || (uid === user && !(mode & WRITABLE_BY_OTHERS));

/** Whether only this user and root can replace the folder. */
function isSafe(path: string, user: number | undefined): boolean {
  const stats = lstatSync(path);
  const safe = isOwn(stats, user) || (stats.uid === 0 && (!(stats.mode & WRITABLE_BY_OTHERS) || stats.mode & STICKY));
  if (!safe) return false;
  return path === dirname(path) || isSafe(dirname(path), user);
}
