// How often the app acted, as a program of the user's counts it. It is run without a shell, and without the secrets of centavo.

import {execFile, type ExecFileException} from 'node:child_process';
import {CentavoError, usageError} from '../../errors.js';
import {withoutSecrets} from '../../secrets.js';
import {splitWords} from '../../input/shell-words.js';
import {reasonOf} from '../../thrown.js';

export type CountEffects = () => Promise<number>;

export interface EffectsOptions {
  /** Program and arguments. */
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds that one run may take. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

/** The words of a `--state-command`. @throws CentavoError kind `usage` for what only a shell could do */
export function parseStateCommand(text: string): string[] {
  const fail = (why: string): CentavoError =>
    usageError(`--state-command ${JSON.stringify(text)} cannot be run.`, {
      code: 'invalid_command',
      why,
      hint: `For example: --state-command "sqlite3 app.db 'select count(*) from payments'"`,
    });
  // What is quoted is the program's; what is not would be a shell's, and there is none.
  if (/[|&;<>`]|\$\(/.test(text.replace(/'[^']*'|"[^"]*"/g, '')))
    throw fail('There is no shell to run it: put pipes and the like into a script.');
  let words: string[];
  try {
    words = splitWords(text);
  } catch {
    throw fail('A quote is not closed.');
  }
  if (words.length === 0) throw fail('It is empty.');
  return words;
}

/** @returns a function that runs the program once. It rejects with a CentavoError kind `usage` when that prints no whole number */
export function effectCounter({words, environment, timeout, signal}: EffectsOptions): CountEffects {
  const [program = '', ...args] = words;
  const env = withoutSecrets(environment);
  return () =>
    new Promise((resolve, reject) => {
      const fail = (why: string): void =>
        reject(
          usageError(`the state command ${JSON.stringify(program)} did not print a whole number.`, {
            code: 'invalid_state',
            why,
            hint: 'It is to print how many events the app has acted on, and end with status 0.',
            applied: undefined,
          }),
        );
      const finish = (error: ExecFileException | null, stdout: string, stderr: string): void => {
        if (error) {
          const {code, killed} = error;
          const last = stderr.trim().split('\n').at(-1);
          return fail(
            killed
              ? `It did not end within ${timeout / 1000} s.`
              : typeof code === 'number'
                ? `It ended with status ${code}${last ? `: ${last}` : ''}.`
                : `It could not be run. ${reasonOf(error)}`,
          );
        }
        const text = stdout.trim();
        if (!/^\d{1,15}$/.test(text)) return fail(`It printed ${JSON.stringify(text.slice(0, 40))}.`);
        return resolve(Number(text));
      };
      try {
        execFile(program, args, {env, timeout, signal, killSignal: 'SIGKILL', windowsHide: true}, finish);
      } catch (error) {
        // Some of what keeps a program from starting is thrown at once.
        fail(`It could not be run. ${reasonOf(error)}`);
      }
    });
}
