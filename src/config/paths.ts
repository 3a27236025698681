// Finds the folders of the configuration and the data on each platform, and the files of the sandbox.

import {userInfo} from 'node:os';
import {isAbsolute, join} from 'node:path';
import type {Environment} from '../common/environment.js';
import {CentavoError} from '../common/errors.js';
import {DEFAULT_PROJECT} from './profiles.js';

/** Folder of the projects but the default one, in the data folder. */
export const PROJECTS_FOLDER = 'sandboxes';
const SANDBOX_FILE = 'sandbox.db';

/** Returns the file of a project's sandbox, which has its snapshots beside it. */
export const sandboxFile = (dataFolder: string, project: string): string =>
  project === DEFAULT_PROJECT
    ? join(dataFolder, SANDBOX_FILE)
    : join(dataFolder, PROJECTS_FOLDER, project, SANDBOX_FILE);

/** Returns the folder for data such as the sandbox. Throws if CENTAVO_DATA_DIR is relative. */
export const dataDirectory = (env: Environment, platform: NodeJS.Platform): string =>
  directoryOf('DATA', join('.local', 'share'), ['LOCALAPPDATA', 'Local'], env, platform);

/** Returns the folder of the configuration. Throws if CENTAVO_CONFIG_DIR is relative. */
export const configDirectory = (env: Environment, platform: NodeJS.Platform): string =>
  directoryOf('CONFIG', '.config', ['APPDATA', 'Roaming'], env, platform);

/** Returns the folder in centavo's variable, else by the convention of Windows, macOS or XDG. */
function directoryOf(
  kind: 'CONFIG' | 'DATA',
  xdgFolder: string,
  [windowsVariable, windowsFolder]: readonly [string, string],
  env: Environment,
  platform: NodeJS.Platform,
): string {
  const variable = `CENTAVO_${kind}_DIR`;
  const value = env[variable];
  if (value && isAbsolute(value)) return value;
  if (value)
    throw new CentavoError('config', `${variable} is ${JSON.stringify(value)}, which is not an absolute path.`, {
      hint: `To use another folder: export ${variable}="$HOME/centavo"`,
    });
  if (platform === 'win32')
    return join(env[windowsVariable] ?? join(homeOf(env, platform), 'AppData', windowsFolder), 'centavo');
  if (platform === 'darwin') return join(homeOf(env, platform), 'Library', 'Application Support', 'centavo');
  // The XDG specification requires that relative paths are ignored.
  const base = env[`XDG_${kind}_HOME`];
  return join(base && isAbsolute(base) ? base : join(homeOf(env, platform), xdgFolder), 'centavo');
}

/** Returns an absolute path, because keys must never be written to the working directory. */
export function homeOf(env: Environment, platform: NodeJS.Platform): string {
  const value = platform === 'win32' ? env.USERPROFILE : env.HOME;
  if (value && isAbsolute(value)) return value;
  try {
    return userInfo().homedir;
  } catch {
    throw new CentavoError(
      'config',
      `no home folder found: HOME is ${value === undefined ? 'not set' : JSON.stringify(value)}.`,
      {
        why: 'The system has no home folder for this user either.',
        hint: 'To find folders to use: centavo doctor',
      },
    );
  }
}
