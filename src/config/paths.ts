// CONFIG: where things are kept, and which account a command speaks to. This file: the folders, by the platform's custom.

import {userInfo} from 'node:os';
import {isAbsolute, join} from 'node:path';
import {CentavoError} from '../errors.js';
import type {Environment} from '../secrets.js';

/**
 * The folder of what centavo keeps: the sandbox, for one. `CENTAVO_DATA_DIR` says otherwise.
 * @throws CentavoError kind `config` for a relative path: it would mean another folder in every directory
 */
export function dataDirectory(env: Environment, platform: NodeJS.Platform): string {
  const own = env.CENTAVO_DATA_DIR;
  if (own) return absolute('CENTAVO_DATA_DIR', own);
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(homeOf(env, platform), 'AppData', 'Local'), 'centavo');
  if (platform === 'darwin') return join(homeOf(env, platform), 'Library', 'Application Support', 'centavo');
  // The XDG specification has relative paths ignored.
  const xdg = env.XDG_DATA_HOME;
  return join(xdg && isAbsolute(xdg) ? xdg : join(homeOf(env, platform), '.local', 'share'), 'centavo');
}

/** The folder of the configuration. `CENTAVO_CONFIG_DIR` says otherwise. @throws CentavoError kind `config` for a relative path */
export function configDirectory(env: Environment, platform: NodeJS.Platform): string {
  const own = env.CENTAVO_CONFIG_DIR;
  if (own) return absolute('CENTAVO_CONFIG_DIR', own);
  if (platform === 'win32') return join(env.APPDATA ?? join(homeOf(env, platform), 'AppData', 'Roaming'), 'centavo');
  if (platform === 'darwin') return join(homeOf(env, platform), 'Library', 'Application Support', 'centavo');
  const xdg = env.XDG_CONFIG_HOME;
  return join(xdg && isAbsolute(xdg) ? xdg : join(homeOf(env, platform), '.config'), 'centavo');
}

/** As the environment says it; where that names no folder, as the system does: keys do not go where a command happens to run. */
function homeOf(env: Environment, platform: NodeJS.Platform): string {
  const own = platform === 'win32' ? env.USERPROFILE : env.HOME;
  if (own && isAbsolute(own)) return own;
  try {
    return userInfo().homedir;
  } catch {
    throw new CentavoError(
      'config',
      `there is no home folder: HOME is ${own === undefined ? 'not set' : JSON.stringify(own)}.`,
      {
        why: 'The system knows no folder of this user, either.',
        hint: 'Name folders in CENTAVO_CONFIG_DIR and CENTAVO_DATA_DIR.',
        applied: 'no',
      },
    );
  }
}

function absolute(name: string, path: string): string {
  if (isAbsolute(path)) return path;
  throw new CentavoError('config', `${name} is ${JSON.stringify(path)}, which is not an absolute path.`, {
    applied: 'no',
  });
}

/** The file that holds what `webhooks listen` received. */
export const deliveriesFile = (directory: string): string => join(directory, 'deliveries.db');

/** The file that holds the embedded sandbox. */
export const sandboxFile = (directory: string): string => join(directory, 'sandbox.db');

/** The folder of keys that are kept in files. */
export const keysDirectory = (directory: string): string => join(directory, 'keys');

/** The file that says what was changed from this machine. */
export const auditFile = (directory: string): string => join(directory, 'history.jsonl');
