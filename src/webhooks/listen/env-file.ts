// Writes a secret, and related settings of an app, to an env file with mode 0600. Other lines stay unchanged.

import {existsSync, readFileSync} from 'node:fs';
import {APP_SECRET_VARIABLE} from '../../common/environment.js';
import {usageError} from '../../common/errors.js';
import {localError} from '../../common/system-errors.js';
import {InvalidInput} from '../../input/invalid-input.js';
import {replaceFile} from '../../storage/replace-file.js';
import type {UserFile} from '../../storage/user-file.js';

/** Reads `FILE[:VAR]`. */
export function readEnvTarget(text: string): InvalidInput | {file: string; variable: string} {
  const [, file = '', variable = APP_SECRET_VARIABLE] = /^(.+?)(?::([^:/\\]+))?$/s.exec(text) ?? [];
  if (file === '')
    return new InvalidInput('--write-env needs a file name.', {
      code: 'invalid_env_file',
      hint: 'For example: --write-env .env.local',
    });
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable))
    return new InvalidInput(`${JSON.stringify(variable)} is not a valid variable name.`, {
      code: 'invalid_env_file',
      hint: `For example: --write-env .env:${APP_SECRET_VARIABLE}`,
    });
  return {file, variable};
}

/** The path as typed, and the path to replace, which is not a link. */
type EnvFile = Pick<UserFile, 'path' | 'real'>;

export type EnvValues = Readonly<Record<string, string>>;

export const envLineOf = (variable: string, value: string): string =>
  `${variable}='${value.replaceAll("'", String.raw`'\''`)}'`;

/** The start of a line, in latin1. A file may begin with the byte order mark of UTF-8. */
const START = String.raw`^(?:\xEF\xBB\xBF)?[ \t]*(?:export[ \t]+)?`;

const assignmentOf = (variable: string): RegExp => new RegExp(`(${START})${variable}[ \\t]*=[^\\r\\n]*`, 'gm');

/** A quoted value, up to its closing quote or the end of the file, even over several lines. */
const QUOTED = new RegExp(`${START}${String.raw`[\w.-]+[ \t]*=[ \t]*(["'\`])(?:\\.|(?!\1)[^\\])*(\1?)`}`, 'gms');

/** Returns why a file cannot be edited line by line; undefined if it can. */
function whyNotEditable(bytes: Buffer, variables: readonly string[]): string | undefined {
  if (bytes.includes(0)) return 'It is UTF-16 or not text.';
  const text = bytes.toString('latin1');
  for (const {index, 0: all, 2: end} of text.matchAll(QUOTED)) {
    if (end === '') return `The quote in line ${text.slice(0, index).split('\n').length} does not end.`;
    const variable = all.includes('\n') && variables.find((each) => assignmentOf(each).test(all));
    if (variable) return `${variable} is in a value of several lines.`;
  }
  return undefined;
}

/** @throws usage error with the variables to add by hand, if the file exists and cannot be edited safely */
export function checkEnvFile({path, real}: EnvFile, variables: readonly string[], verb: string): void {
  const why = existsSync(real) ? whyNotEditable(readFileSync(real), variables) : undefined;
  if (why === undefined) return;
  throw usageError('invalid_env_file', `${path} cannot be edited.`, {
    why,
    hint: `Without --write-env, centavo ${verb} shows the values to add by hand: ${variables.map((name) => `${name}=…`).join(' ')}`,
  });
}

/** Sets a variable in place, or else at the end of the text. A different API key stays, as a comment. */
function withVariable(text: string, variable: string, value: string): string {
  const line = envLineOf(variable, value);
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const found = [...text.matchAll(assignmentOf(variable))].at(-1);
  if (!found) return `${text}${text === '' || text.endsWith('\n') ? '' : lineBreak}${line}${lineBreak}`;
  const [previous, indent] = found;
  const comment = /=\s*["']?[ps]k_/.test(previous) && !previous.includes(value) ? `# ${previous}${lineBreak}` : '';
  return `${text.slice(0, found.index)}${comment}${indent}${line}${text.slice(found.index + previous.length)}`;
}

/** Writes variables in one step. @param token names the temporary file */
export function writeEnvFile(file: EnvFile, values: EnvValues, token: string, verb: string): void {
  try {
    checkEnvFile(file, Object.keys(values), verb);
    // latin1 keeps every byte, since the file may be in any encoding.
    let content = existsSync(file.real) ? readFileSync(file.real, 'latin1') : '';
    for (const [variable, value] of Object.entries(values))
      content = withVariable(content, variable, Buffer.from(value).toString('latin1'));
    replaceFile(file.real, Buffer.from(content, 'latin1'), token);
  } catch (error) {
    throw localError(`the secret could not be written to ${file.path}.`, error);
  }
}
