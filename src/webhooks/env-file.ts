// Puts a secret into an env file: one line of its own, safely quoted, every other line as it was, and nobody else can read it.

import {chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {CentavoError, usageError} from '../errors.js';

export const DEFAULT_VARIABLE = 'PAYREX_WEBHOOK_SECRET';

/**
 * The file and the variable of `FILE[:VAR]`.
 * @throws CentavoError kind `usage`
 */
export function parseEnvTarget(text: string): {file: string; variable: string} {
  const [, file = '', variable = DEFAULT_VARIABLE] = /^(.+?)(?::([^:/\\]+))?$/s.exec(text) ?? [];
  if (file === '')
    throw usageError('--write-env needs the name of a file.', {
      code: 'invalid_env_file',
      hint: 'For example: --write-env .env.local',
    });
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable)) {
    throw usageError(`${JSON.stringify(variable)} is not the name of a variable.`, {
      code: 'invalid_env_file',
      hint: `For example: --write-env .env:${DEFAULT_VARIABLE}`,
    });
  }
  return {file, variable};
}

/** The text of an env file with the variable set: in its place where it is set already, else at the end. */
export function withVariable(text: string, variable: string, value: string): string {
  const line = `${variable}='${value.replaceAll("'", String.raw`'\''`)}'`;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text === '' ? [] : text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const isSet = new RegExp(`^\\s*(export\\s+)?${variable}\\s*=`);
  const at = lines.findLastIndex((each) => isSet.test(each));
  if (at < 0) lines.push(line);
  else lines[at] = /^\s*export\s/.test(lines[at]!) ? `export ${line}` : line;
  return lines.join(eol) + eol;
}

/**
 * Sets the variable in the file, at once and whole, readable by its owner only.
 * @throws CentavoError kind `local_io`
 */
export function writeEnvFile(file: string, variable: string, value: string): void {
  const temporary = `${file}.centavo-new`;
  try {
    const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
    writeFileSync(temporary, withVariable(before, variable, value), {mode: 0o600, flag: 'wx'});
    chmodSync(temporary, 0o600);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, {force: true});
    throw new CentavoError('local_io', `the secret could not be written to ${file}.`, {
      why: `${(error as Error).message}.`,
      applied: 'no',
      cause: error,
    });
  }
}
