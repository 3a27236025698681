// Finds a program on the PATH, without starting it.

import {constants} from 'node:fs';
import {access, stat} from 'node:fs/promises';
import {delimiter, join} from 'node:path';
import type {Environment} from '../environment.js';

/** The path of the program that a start by this name would run, or undefined. */
export async function locateProgram(program: string, env: Environment): Promise<string | undefined> {
  const folders = /[/\\]/.test(program) ? [''] : (env.PATH ?? '').split(delimiter).filter(Boolean);
  const endings = ['', ...(env.PATHEXT ?? '').split(';').filter(Boolean)];
  const paths = folders.flatMap((folder) => endings.map((ending) => join(folder, program + ending)));
  for (const path of paths) if (await isExecutable(path)) return path;
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
