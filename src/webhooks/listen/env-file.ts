// Writes a secret, and related settings of an app, to an env file with mode 0600. Other lines stay unchanged.

import {existsSync, readFileSync} from 'node:fs';
import {APP_SECRET_VARIABLE} from '../../common/environment.js';
import {localError} from '../../common/system-errors.js';
import {InvalidInput} from '../../input/invalid-input.js';
import {replaceFile} from '../../storage/replace-file.js';

/** Reads `FILE[:VAR]`. */
export function readEnvTarget(text: string): InvalidInput | {file: string; variable: string} {
  const [, file = '', variable = APP_SECRET_VARIABLE] = /^(.+?)(?::([^:/\\]+))?$/s.exec(text) ?? [];
  if (file === '')
    return new InvalidInput('--write-env needs a file name.', {
      code: 'invalid_env_file',
      hint: 'For example: --write-env .env.local',
    });
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable)) {
    return new InvalidInput(`${JSON.stringify(variable)} is not a valid variable name.`, {
      code: 'invalid_env_file',
      hint: `For example: --write-env .env:${APP_SECRET_VARIABLE}`,
    });
  }
  return {file, variable};
}

export type EnvValues = Readonly<Record<string, string>>;

export const envLineOf = (variable: string, value: string): string =>
  `${variable}='${value.replaceAll("'", String.raw`'\''`)}'`;

/** Sets a variable in place, or else at the end of the text. A different API key stays, as a comment. */
function withVariable(text: string, variable: string, value: string): string {
  const line = envLineOf(variable, value);
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const isSet = new RegExp(`^([ \\t]*(?:export[ \\t]+)?)${variable}[ \\t]*=[^\\r\\n]*`, 'gm');
  const found = [...text.matchAll(isSet)].at(-1);
  if (!found) return `${text}${text === '' || text.endsWith('\n') ? '' : lineBreak}${line}${lineBreak}`;
  const [previous, indent] = found;
  const comment = /=\s*["']?[ps]k_/.test(previous) && !previous.includes(value) ? `# ${previous}${lineBreak}` : '';
  return `${text.slice(0, found.index)}${comment}${indent}${line}${text.slice(found.index + previous.length)}`;
}

/** Writes variables in one step. @param file not a link, which would be replaced @param token names the temporary file */
export function writeEnvFile(file: string, values: EnvValues, token: string): void {
  try {
    // latin1 keeps every byte, since the file may be in any encoding.
    let content = existsSync(file) ? readFileSync(file, 'latin1') : '';
    for (const [variable, value] of Object.entries(values))
      content = withVariable(content, variable, Buffer.from(value).toString('latin1'));
    replaceFile(file, Buffer.from(content, 'latin1'), token);
  } catch (error) {
    throw localError(`the secret could not be written to ${file}.`, error);
  }
}
