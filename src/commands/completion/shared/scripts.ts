// The scripts by which shells complete centavo: they ask it for candidates when Tab is pressed, and execute nothing of them.

import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Args} from '../../../cli/oclif.js';
import {choice} from '../../../cli/schema.js';
import {usageError} from '../../../ground/errors.js';

const SHELLS = ['bash', 'fish', 'zsh'] as const;
export type Shell = (typeof SHELLS)[number];

export const SHELL = choice(...SHELLS);
export const shellArgument = Args.string({
  description: 'bash, fish or zsh. Defaults to your login shell.',
  helpValue: `<${SHELLS.join('|')}>`,
});

/** @param login path of the login shell, as in SHELL */
export function shellNamed(typed: string | undefined, login = ''): Shell {
  const name = typed ?? login.split('/').at(-1)!;
  const found = SHELLS.find((shell) => shell === name);
  if (found) return found;
  const what =
    name === '' ? 'the shell is missing.' : `there is no completion for ${JSON.stringify(name.slice(0, 60))}.`;
  throw usageError('invalid_argument', what, {
    hint: `Name one of these shells: ${SHELLS.join(', ')}`,
  });
}

/** @param root the package's folder */
export const scriptFor = (shell: Shell, root: string): string =>
  readFileSync(join(root, 'completions', `centavo.${shell}`), 'utf8');
