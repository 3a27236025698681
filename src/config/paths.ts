// The folders of the configuration and the data on each platform.

import {userInfo} from 'node:os';
import {isAbsolute, join} from 'node:path';
import type {Environment} from '../ground/environment.js';
import {CentavoError} from '../ground/errors.js';

/** Our own variable, else the convention of Windows or XDG. */
interface Locations {
  readonly variable: string;
  readonly windows: {readonly variable: string; readonly folder: string};
  readonly xdg: {readonly variable: string; readonly folder: string};
}

const DATA: Locations = {
  variable: 'CENTAVO_DATA_DIR',
  windows: {variable: 'LOCALAPPDATA', folder: 'Local'},
  xdg: {variable: 'XDG_DATA_HOME', folder: join('.local', 'share')},
};

const CONFIGURATION: Locations = {
  variable: 'CENTAVO_CONFIG_DIR',
  windows: {variable: 'APPDATA', folder: 'Roaming'},
  xdg: {variable: 'XDG_CONFIG_HOME', folder: '.config'},
};

/** For data such as the sandbox. Throws for a relative path, which would depend on the working directory. */
export const dataDirectory = (env: Environment, platform: NodeJS.Platform): string => directoryOf(DATA, env, platform);

/** For the configuration. Throws likewise. */
export const configDirectory = (env: Environment, platform: NodeJS.Platform): string =>
  directoryOf(CONFIGURATION, env, platform);

function directoryOf({variable, windows, xdg}: Locations, env: Environment, platform: NodeJS.Platform): string {
  const own = env[variable];
  if (own && isAbsolute(own)) return own;
  if (own)
    throw new CentavoError('config', `${variable} is ${JSON.stringify(own)}, which is not an absolute path.`, {
      applied: 'no',
    });
  if (platform === 'win32')
    return join(env[windows.variable] ?? join(homeOf(env, platform), 'AppData', windows.folder), 'centavo');
  if (platform === 'darwin') return join(homeOf(env, platform), 'Library', 'Application Support', 'centavo');
  // The XDG specification says that relative paths are ignored.
  const base = env[xdg.variable];
  return join(base && isAbsolute(base) ? base : join(homeOf(env, platform), xdg.folder), 'centavo');
}

/** Never the working directory: keys must not end up there. */
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
        why: 'The system has no home folder for this user either.',
        hint: 'Set CENTAVO_CONFIG_DIR and CENTAVO_DATA_DIR to folders to use.',
        applied: 'no',
      },
    );
  }
}
