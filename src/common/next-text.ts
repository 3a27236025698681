// Writes commands as text to paste into a shell.

import type {ErrorDetails, NextCommand} from './errors.js';

/** Returns the text as one word of a POSIX shell, quoted only if needed. */
export const shellQuote = (text: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** `To see it: centavo jobs get job_3Kd8` */
export const commandText = ({words, args}: NextCommand): string =>
  `${words}: centavo ${args.map(shellQuote).join(' ')}`;

/** Returns the next step of an error as one line: words, or the first command. */
export const nextText = ({hint, next: [first] = []}: Pick<ErrorDetails, 'hint' | 'next'>): string | undefined =>
  hint ?? (first && commandText(first));
