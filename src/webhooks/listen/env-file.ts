// Puts a secret into an env file: one line of its own, safely quoted, every other line as it was, and nobody else can read it.

import {chmodSync, existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {usageError} from '../../errors.js';
import {localFault} from '../../thrown.js';

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
  const usual = text.includes('\r\n') ? '\r\n' : '\n';
  const isSet = new RegExp(`^([ \\t]*(?:export[ \\t]+)?)${variable}[ \\t]*=[^\\r\\n]*`, 'gm');
  const found = [...text.matchAll(isSet)].at(-1);
  if (!found) return `${text}${text === '' || text.endsWith('\n') ? '' : usual}${line}${usual}`;
  const end = found.index + found[0].length;
  return `${text.slice(0, found.index)}${found[1]}${line}${text.slice(end)}`;
}

/**
 * Sets the variable in the file, at once and whole, readable by its owner only.
 * @throws CentavoError kind `local_io`
 */
export function writeEnvFile(file: string, variable: string, value: string): void {
  let temporary: string | undefined;
  try {
    const exists = existsSync(file);
    // What is a link stays one.
    const real = exists ? realpathSync(file) : file;
    // Byte by byte: what else is in the file may be in any encoding.
    const before = exists ? readFileSync(real, 'latin1') : '';
    temporary = `${real}.centavo-new`;
    rmSync(temporary, {force: true});
    writeFileSync(temporary, withVariable(before, variable, Buffer.from(value).toString('latin1')), {
      encoding: 'latin1',
      mode: 0o600,
      flag: 'wx',
    });
    chmodSync(temporary, 0o600);
    renameSync(temporary, real);
  } catch (error) {
    if (temporary) rmSync(temporary, {force: true});
    throw localFault(`the secret could not be written to ${file}.`, error);
  }
}
