// Whether a program is on this machine, without starting it.

import {constants} from 'node:fs';
import {access, stat} from 'node:fs/promises';
import {delimiter, join} from 'node:path';
import type {CentavoError} from '../../errors.js';
import {tunnelError, type TunnelCheck, type TunnelHost} from './tunnel.js';
import {nameOf} from '../../thrown.js';

const isExecutable = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
};

/** The path of a program that a start by this name would run, or undefined. */
export async function locate(program: string, environment: TunnelHost['environment']): Promise<string | undefined> {
  const folders = /[/\\]/.test(program) ? [''] : (environment.PATH ?? '').split(delimiter).filter(Boolean);
  const endings = ['', ...(environment.PATHEXT ?? '').split(';').filter(Boolean)];
  const paths = folders.flatMap((folder) => endings.map((ending) => join(folder, program + ending)));
  for (const path of paths) if (await isExecutable(path)) return path;
  return undefined;
}

/** @param where words on where to get it */
export async function checkProgram(
  program: string,
  where: string,
  environment: TunnelHost['environment'],
): Promise<TunnelCheck> {
  const found = await locate(program, environment);
  return found === undefined ? {ok: false, hint: `${program} is not installed. ${where}`} : {ok: true};
}

/** @param cause what the attempt to start it threw */
export function startError(program: string, where: string, cause: NodeJS.ErrnoException): CentavoError {
  if (cause.code === 'ENOENT') {
    return tunnelError('tunnel_not_installed', `${program} is not installed.`, {
      why: 'No program of that name was found on the PATH.',
      hint: where,
      retryable: false,
      cause,
    });
  }
  return tunnelError('tunnel_not_started', `${program} could not be started.`, {
    why: `The system says ${cause.code ?? nameOf(cause)}.`,
    hint: 'Check that the file may be executed.',
    retryable: false,
    cause,
  });
}
