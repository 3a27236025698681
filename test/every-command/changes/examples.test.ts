// The examples of help are valid command lines.

import {Parser} from '@oclif/core';
import {expect, test} from 'vitest';
import {operations, pathPrefixes} from '../../../src/api/registry.js';
import {HAND_WRITTEN, loadCommands} from '../../../src/command-table.js';
import {withValues} from '../../../src/cli/oclif.js';
import {flagSpecs, type FlagValues, readFlags} from '../../../src/cli/operations/flags.js';
import {readId} from '../../../src/cli/references/references.js';
import {wordsOf} from '../../support/words.js';

/** The program's name in oclif's examples. */
const BIN = '<%= config.bin %>';
const NOW = 1_800_000_000;
const COMMANDS = await loadCommands();

const examples = Object.entries(COMMANDS).flatMap(([id, command]) =>
  ((command.examples ?? []) as string[]).flatMap((line) =>
    wordsOf(line.replaceAll(BIN, 'centavo')).map((words) => ({id, line: words.join(' '), words})),
  ),
);

test('every command has an example with its own name', () => {
  for (const [id, command] of Object.entries(COMMANDS)) {
    const [first] = (command.examples ?? []) as string[];
    expect(first?.startsWith([BIN, ...id.split(':')].join(' ')), id).toBe(true);
  }
});

test.for(examples.filter(({words}) => words[0] === 'centavo'))('$line', async ({words}) => {
  const {id, rest} = commandOf(words.slice(1));
  const command = COMMANDS[id]!;
  const {flags, args} = await Parser.parse(withValues(rest, command.flags as never), {
    flags: {...command.baseFlags, ...command.flags},
    args: command.args,
    strict: true,
  });

  const registered = operations.find((operation) => operation.id === id);
  // A hand-written command in the place of an operation has flags of its own.
  if (!registered || Object.hasOwn(HAND_WRITTEN, id)) return;
  const specs = flagSpecs(registered.operation.params);
  const params = readFlags(specs, flags as FlagValues, NOW);
  const prefixes = pathPrefixes(registered.resource, registered.operation);
  const ids = Object.values(args as Record<string, string | string[]>).flat();
  ids.forEach((text, index) => expect(readId(text, prefixes[Math.min(index, prefixes.length - 1)]!)).toBe(text));
  expect(ids.length).toBeGreaterThanOrEqual(prefixes.length);
  for (const [name, field] of Object.entries(registered.operation.params))
    if (field.required && field.kind !== 'currency') expect(params).toHaveProperty(name);
});

/** The longest prefix that names a command, and the remaining words. */
function commandOf(words: readonly string[]): {id: string; rest: string[]} {
  for (let length = words.length; length > 0; length--) {
    const id = words.slice(0, length).join(':');
    if (Object.hasOwn(COMMANDS, id)) return {id, rest: words.slice(length)};
  }
  throw new Error(`${words.join(' ')} names no command.`);
}
