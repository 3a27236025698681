// Everything that can be typed, in one file to review: a change of arguments, flags, letters or aliases shows there and nowhere else.

import {expect, test} from 'vitest';
import {operations} from '../src/api/registry.js';
import {HAND_WRITTEN, loadCommands} from '../src/commands/index.js';
import {globalFlags} from '../src/cli/base.js';

interface FlagLike {
  readonly type: 'boolean' | 'option';
  readonly char?: string;
  readonly aliases?: readonly string[];
  readonly options?: readonly string[];
  readonly helpValue?: string | readonly string[];
  readonly multiple?: boolean;
  readonly allowNo?: boolean;
  readonly default?: unknown;
  readonly hidden?: boolean;
}

const COMMANDS = await loadCommands();

const MOST_REPLACEMENTS = 5;

/** Hand-written commands that stand in the place of one that would be derived. */
const replacements = Object.keys(HAND_WRITTEN).filter((id) => operations.some((operation) => operation.id === id));

/** `-o, --output <table|json>`, with what else is worth a look. */
function flagLine(name: string, flag: FlagLike): string {
  const value = flag.options?.join('|') ?? (typeof flag.helpValue === 'string' ? flag.helpValue : 'value');
  return [
    `${flag.char ? `-${flag.char}, ` : ''}--${flag.allowNo ? '[no-]' : ''}${name}`,
    ...(flag.type === 'option' ? [`<${value.replace(/^<(.*)>$/, '$1')}>${flag.multiple ? '...' : ''}`] : []),
    ...(flag.default === undefined ? [] : [`default ${String(flag.default)}`]),
    ...(flag.aliases?.length ? [`alias ${flag.aliases.join(', ')}`] : []),
    ...(flag.hidden ? ['hidden'] : []),
  ].join(' ');
}

const flagLines = (flags: object): string[] =>
  Object.entries(flags as Record<string, FlagLike>)
    .map(([name, flag]) => flagLine(name, flag))
    .sort();

function commandLines([id, command]: [string, (typeof COMMANDS)[string]]): string {
  const args = Object.entries(command.args ?? {}).map(
    ([name, arg]) => `${arg.required ? '' : '['}<${name}>${arg.multiple ? '...' : ''}${arg.required ? '' : ']'}`,
  );
  const heading = ['centavo', ...id.split(':'), ...args].join(' ');
  const aliases = command.aliases?.length ? [`alias ${command.aliases.join(', ')}`] : [];
  return [heading, ...[...aliases, ...flagLines(command.flags ?? {})].map((line) => `  ${line}`)].join('\n');
}

test('the surface is the one that was reviewed', async () => {
  const surface = [
    ['Flags of every command', ...flagLines(globalFlags).map((line) => `  ${line}`)].join('\n'),
    ['Hand-written in the place of derived', ...replacements.map((id) => `  ${id.replaceAll(':', ' ')}`)].join('\n'),
    ...Object.entries(COMMANDS)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(commandLines),
  ];
  await expect(`${surface.join('\n\n')}\n`).toMatchFileSnapshot('surface.snapshot.txt');
});

test(`at most ${MOST_REPLACEMENTS} hand-written commands replace derived ones; past that the decision is reopened`, () => {
  console.info(`Hand-written in the place of derived: ${replacements.join(', ') || 'none'}`);
  expect(replacements.length).toBeLessThanOrEqual(MOST_REPLACEMENTS);
});

test('every operation is a command', () => {
  expect(Object.keys(COMMANDS)).toEqual(expect.arrayContaining(operations.map(({id}) => id)));
});

test('no command takes a letter or a name that is a global flag, or two flags with one letter', () => {
  const letters = Object.values(globalFlags as Record<string, FlagLike>).flatMap(({char}) => char ?? []);
  for (const [id, command] of Object.entries(COMMANDS)) {
    const own = Object.values((command.flags ?? {}) as Record<string, FlagLike>).flatMap(({char}) => char ?? []);
    expect(new Set([...letters, ...own]).size, id).toBe(letters.length + own.length);
    for (const name of Object.keys(command.flags ?? {})) expect(Object.keys(globalFlags), id).not.toContain(name);
  }
});
