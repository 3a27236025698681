// Splits a command line into the command, flags and values.

import type {CommandIndex} from '../catalog/command-index.js';
import {longId} from '../catalog/short-names.js';

export type IndexedFlag = CommandIndex['globalFlags'][string];

/** Finds the flag in `--name`, `--name=value` or `-qo`. `takesNext` is true if the flag's value is the next word. */
export function flagOfWord(word: string, known: readonly IndexedFlag[]) {
  const [, name, value] = /^--([^=]+)(=.*)?$/s.exec(word) ?? [];
  const matches = (wanted: string) => (flag: IndexedFlag) => (name === undefined ? flag.char : flag.name) === wanted;
  const flags = (name === undefined ? [...word.slice(1)] : [name]).map((one) => known.find(matches(one)));
  // The rest of the word after a flag's letter is the flag's value.
  const at = flags.findIndex((flag) => flag?.type !== 'boolean');
  const flag = flags.at(at);
  return {flag, takesNext: flag?.type === 'option' && at === flags.length - 1 && value === undefined};
}

/** Moves global flags after the command, where oclif expects them: `-p shop status` becomes `status -p shop`. */
export function moveGlobalFlags(argv: readonly string[], globalFlags: CommandIndex['globalFlags']): string[] {
  const known = Object.values(globalFlags);
  const words: string[] = [];
  const flags: string[] = [];
  let at = 0;
  for (; at < argv.length; at++) {
    const word = argv[at]!;
    if (!word.startsWith('-') || word === '-') {
      words.push(word);
      continue;
    }
    const {flag, takesNext} = flagOfWord(word, known);
    // Only the command knows whether its own flag takes a value.
    if (!flag) break;
    flags.push(word);
    if (takesNext && at + 1 < argv.length) flags.push(argv[++at]!);
  }
  return [...words, ...flags, ...argv.slice(at)];
}

/** Returns the words before the first flag, the command that they name as typed, and the remaining words. */
export function findCommand(argv: readonly string[], commands: CommandIndex['commands']) {
  const firstFlag = argv.findIndex((word) => word.startsWith('-'));
  const words = firstFlag < 0 ? argv : argv.slice(0, firstFlag);
  const ids = words.map((_, index) => words.slice(0, index + 1).join(':'));
  const typed = ids.findLast((each) => Object.hasOwn(commands, longId(each)));
  return {words, typed, rest: typed === undefined ? [] : argv.slice(ids.indexOf(typed) + 1)};
}
