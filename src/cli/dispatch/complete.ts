// Completes command lines for a shell, from the index, the configuration and cached statement numbers.
// Reads no key and sends no request. Skips unreadable sources.

import {InvalidInput} from '../../input/invalid-input.js';
import {splitWords} from '../../input/shell-quoting.js';
import {typeOf} from '../help/described.js';
import type {CommandCatalog} from '../catalog/command-catalog.js';
import {longId, SHORT_NAMES} from '../catalog/short-names.js';
import {lookupCacheOptions} from '../account-reads.js';
import {moveGlobalFlags, findCommand, flagOfWord, type IndexedFlag} from './argv.js';

type CompletionCandidate = readonly [word: string, summary?: string];

/** Words without special shell characters. Other words are not offered. */
const SAFE = /^[\p{L}\p{N}_.,=-]+$/u;
/** Tells the shell to complete a file name. */
const FILES = ':files';
const TAKES_COMMAND = ['commands', 'help'];

/** Prints candidates with summaries. @param form `words`: the words after `centavo`; `line`: the whole line */
export async function complete([form, ...given]: readonly string[], program: CommandCatalog): Promise<void> {
  // The added character keeps the last word, even if it is still empty.
  const split =
    form === 'line' ? splitWords(`${given.join(' ')}.`) : ['centavo', ...given.slice(0, -1), `${given.at(-1) ?? ''}.`];
  // An open quote cannot be split.
  if (split instanceof InvalidInput) return;
  const current = split.at(-1)!.slice(0, -1);
  const lines = (await candidates(split.slice(1, -1), current, program))
    .filter(([word]) => word === FILES || (SAFE.test(word) && word.toLowerCase().startsWith(current.toLowerCase())))
    .map(([word, summary]) => (summary === undefined ? `${word}\n` : `${word}\t${summary}\n`));
  await program.context.io.out(lines.join(''));
}

type Option = Pick<IndexedFlag, 'name'> & {readonly helpValue?: string; readonly options?: readonly string[]};

async function candidates(
  earlier: readonly string[],
  current: string,
  program: CommandCatalog,
): Promise<CompletionCandidate[]> {
  const {commands, globalFlags} = program.index;
  const before = moveGlobalFlags(earlier, globalFlags);
  // The words after `--` belong to another program.
  if (before.includes('--')) return [];
  const {words, typed: command, rest} = findCommand(before, commands);
  const entry = command === undefined ? undefined : commands[longId(command)];
  const flags = Object.values({...entry?.flags, ...globalFlags});
  const {args, given, pending} = readCommandLine(entry ? rest : before, flags);
  // Sandbox commands use the sandbox's numbers with every profile.
  const profile = command?.startsWith('sandbox:') ? 'sandbox' : given.get('profile');
  Object.assign(program.context.flags, {profile, project: given.get('project'), live: given.has('live')});

  const [, head = '', name, text = current] = (!pending && /^(--([^=]+)=)(.*)$/s.exec(current)) || [];
  const flag = pending ?? flags.find((each) => each.name === name);
  if (flag) {
    // In a list, complete only the last value.
    const start = text.slice(0, text.lastIndexOf(',') + 1);
    return (await completionValuesOf(flag as Option, program))
      .filter((word) => !start.split(',').includes(word))
      .map((word) => [word === FILES ? word : head + start + word]);
  }
  const excluded = flags.flatMap((each) => (given.has(each.name) ? (each.exclusive ?? []) : []));
  const flagWords = flags
    .filter((each) => !given.has(each.name) || (each.type === 'option' && each.multiple))
    .filter(({name: each}) => !excluded.includes(each))
    .map((each): CompletionCandidate => [`--${each.name}`, each.summary])
    .concat([['--help', 'Show help.']]);
  if (current.startsWith('-')) return flagWords;
  const expected = Object.values((entry?.args ?? {}) as Record<string, Option & {multiple?: boolean}>);
  const argument = expected[args.length] ?? (expected.at(-1)?.multiple ? expected.at(-1) : undefined);
  const values = argument ? await completionValuesOf(argument, program, argument.helpValue === '<id>') : [];
  const found = [
    ...nextWords(words, program),
    ...(TAKES_COMMAND.includes(words[0]!) ? nextWords(words.slice(1), program) : []),
    ...values.filter((word) => !args.includes(word)).map((word): CompletionCandidate => [word]),
  ];
  return found.length === 0 && current === '' ? flagWords : found;
}

/** Returns the arguments, the given flags, and as `pending` a flag that still lacks its value. */
function readCommandLine(rest: readonly string[], flags: readonly IndexedFlag[]) {
  const args: string[] = [];
  const given = new Map<string, string | undefined>();
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!;
    const isFlag = /^-./.test(word);
    const {flag, takesNext = false} = isFlag ? flagOfWord(word, flags) : {};
    // The value is optional for a flag with the placeholder `[time]`.
    const takes = takesNext && !String((flag as Option).helpValue).startsWith('[');
    if (takes && at === rest.length - 1) return {args, given, pending: flag};
    if (flag) given.set(flag.name, takes ? rest[++at] : word.split('=')[1]);
    else if (!isFlag) args.push(word);
  }
  return {args, given};
}

/** @param isAny true if the option accepts any object, including a statement */
async function completionValuesOf(option: Option, {context, index}: CommandCatalog, isAny = false) {
  const {helpValue, name} = option;
  const {type, prefix, choices} = typeOf(option);
  try {
    if (helpValue === '<project>' || name === 'project')
      return (await import('../../config/projects.js')).projectsIn(context.dataDirectory()).map((each) => each.name);
    if (helpValue === '<profile>' || name === 'profile')
      return ['sandbox', ...Object.keys(context.configuration.read().profiles)];
    if (prefix === 'bstm_' || isAny) {
      const known = await lookupCacheOptions(context, context.account);
      const numbers = known ? (await context.lookupCache()).statementNumberCache(known).names() : [];
      return numbers.filter((number) => !number.startsWith('-'));
    }
  } catch {
    return [];
  }
  if (type === 'file') return [FILES];
  if (type === 'event' || name === 'events') return index.events;
  return choices ?? /^<(\w+(?:\|\w+)+)>$/.exec(helpValue ?? '')?.[1]?.split('|') ?? [];
}

function nextWords(words: readonly string[], {commandIDs, index, topics}: CommandCatalog): CompletionCandidate[] {
  const start = words.map((word) => `${word}:`).join('');
  const ids = [...commandIDs, ...Object.keys(SHORT_NAMES)]
    .filter((id) => id.startsWith(start))
    .map((id) => start + id.slice(start.length).split(':')[0]!);
  return [...new Set(ids)].map((id) => [
    id.slice(start.length),
    index.commands[longId(id)]?.summary ?? topics.find(({name}) => name === id)?.description,
  ]);
}
