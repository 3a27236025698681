// Writes commands as text to paste into a shell.

import type {ErrorDetails, NextCommand} from './errors.js';

/** Returns the text as one word of a POSIX shell, quoted only if needed. */
export const shellQuote = (text: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Matches a name or a file that a command would take for a flag: `-june.csv`. */
const LIKE_FLAG = /^-(?!-?$|[a-z]$|-[a-z][a-z-]*(?:$|=))/;

/** Returns the words of a command with names that begin with a dash after `--`. The value of a flag may have a dash. */
export function pasteableWords(words: readonly string[]): readonly string[] {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const isName = (word: string, at: number): boolean =>
    at < end && LIKE_FLAG.test(word) && !/^--[^=]+$/.test(words[at - 1] ?? '');
  const names = words.filter(isName);
  if (names.length === 0) return words;
  return [...words.slice(0, end).filter((word, at) => !isName(word, at)), '--', ...names, ...words.slice(end + 1)];
}

/** `centavo jobs get job_3Kd8` */
export const commandLine = (words: readonly string[]): string =>
  ['centavo', ...pasteableWords(words)].map(shellQuote).join(' ');

/** `To see it: centavo jobs get job_3Kd8` */
export const commandText = ({words, args}: NextCommand): string => `${words}: ${commandLine(args)}`;

/** Returns the next step of an error as one line: words, or the first command. */
export const nextText = ({hint, next: [first] = []}: Pick<ErrorDetails, 'hint' | 'next'>): string | undefined =>
  hint ?? (first && commandText(first));
