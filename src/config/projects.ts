// Finds the projects of the sandbox: each but the default one has a folder, with its file and its snapshots.

import {existsSync, readdirSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {PROJECTS_FOLDER, sandboxFile} from './paths.js';
import {DEFAULT_PROJECT, PROFILE_NAME} from './profiles.js';

/** Returns the project of a path from `sandboxFile`. */
export const projectOfFile = (path: string): string =>
  basename(dirname(dirname(path))) === PROJECTS_FOLDER ? basename(dirname(path)) : DEFAULT_PROJECT;

/** Returns the name and the sandbox file of the default project, then of those that have a file. */
export function projectsIn(dataFolder: string): {name: string; file: string}[] {
  const folder = join(dataFolder, PROJECTS_FOLDER);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => PROFILE_NAME.test(name)) : [];
  return [DEFAULT_PROJECT, ...names.sort()]
    .map((name) => ({name, file: sandboxFile(dataFolder, name)}))
    .filter(({name, file}) => name === DEFAULT_PROJECT || existsSync(file));
}
