// Finds the sandbox's projects: each but the default one has a folder, with its file and its snapshots.

import {existsSync, readdirSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {DEFAULT_PROJECT, PROFILE_NAME} from './profiles.js';

const SANDBOX_FILE = 'sandbox.db';
const FOLDER = 'sandboxes';

/** Returns the file of a project's sandbox, which has its snapshots beside it. */
export const sandboxFile = (dataFolder: string, project: string): string =>
  project === DEFAULT_PROJECT ? join(dataFolder, SANDBOX_FILE) : join(dataFolder, FOLDER, project, SANDBOX_FILE);

/** Returns the project of a path from {@link sandboxFile}. */
export const projectOfFile = (path: string): string =>
  basename(dirname(dirname(path))) === FOLDER ? basename(dirname(path)) : DEFAULT_PROJECT;

/** Names of the projects: the default one, and those that have a file. */
export function projectsIn(dataFolder: string): string[] {
  const folder = join(dataFolder, FOLDER);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => PROFILE_NAME.test(name)) : [];
  return [DEFAULT_PROJECT, ...names.sort().filter((name) => existsSync(sandboxFile(dataFolder, name)))];
}
