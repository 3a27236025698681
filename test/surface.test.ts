// Everything that scripts and tests rely on, in one file to review: commands, flags, output, exit codes, error codes, library.
// Nothing leaves it within a major version.

import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {operations} from '../src/api/registry.js';
import type {CommandClass} from '../src/cli/base.js';
import {globalFlags} from '../src/cli/global-flags.js';
import {describeCommand, describeFlags} from '../src/cli/help/described.js';
import type {Schema} from '../src/cli/schema.js';
import {readIndex} from '../src/cli/catalog/command-catalog.js';
import {indexOf, type CommandIndex} from '../src/cli/catalog/command-index.js';
import {errorSchema, outputSchema} from '../src/cli/help/schemas.js';
import {SHORT_NAMES} from '../src/cli/catalog/short-names.js';
import {HAND_WRITTEN, loadCommands} from '../src/command-table.js';
import {ERROR_CODES} from '../src/common/error-codes.js';
import {EXIT_CODES} from '../src/common/errors.js';

interface FlagLike {
  readonly type: 'boolean' | 'option';
  readonly char?: string;
  readonly aliases?: readonly string[];
  readonly hidden?: boolean;
}

const COMMANDS = await loadCommands();
const INDEX_TEXT = indexOf(COMMANDS, operations);
const INDEX = readIndex(INDEX_TEXT);
const SNAPSHOT = join(import.meta.dirname, 'surface.snapshot.txt');

const MOST_REPLACEMENTS = 5;

/** Hand-written commands that replace a derived one. */
const replacements = Object.keys(HAND_WRITTEN).filter((id) => operations.some((operation) => operation.id === id));

/** The promised properties of a flag or argument. */
interface Facts {
  readonly [name: string]: unknown;
  readonly type?: string;
  readonly prefix?: string;
  readonly choices?: readonly string[];
}

/** `type=choice json csv`. */
const factWords = ({type = 'text', prefix, choices = [], ...facts}: Facts): string[] => [
  `type=${type}`,
  ...(prefix ? [prefix] : []),
  ...(facts.required ? ['required'] : []),
  ...(facts.multiple ? ['several'] : []),
  ...(facts.negatable ? ['negatable'] : []),
  ...(facts.default === undefined ? [] : [`default=${String(facts.default)}`]),
  ...choices,
];

function flagLines(flags: CommandIndex['globalFlags'] = {}): string[] {
  const described = describeFlags(flags) as Record<string, Facts>;
  return Object.entries(flags as Record<string, FlagLike>)
    .map(([name, {char, aliases = [], hidden}]) =>
      [
        `--${name}`,
        ...(char ? [`-${char}`] : []),
        ...factWords(described[name]!),
        ...aliases.map((alias) => `alias=${alias}`),
        ...(hidden ? ['hidden'] : []),
      ].join(' '),
    )
    .sort();
}

/** The names of fields, each with where it is: `data[].id`; an object of the contract by its name alone. */
function fieldsOf(schema: Schema, where = ''): string[] {
  const {$ref, anyOf, items, properties} = schema as {
    $ref?: string;
    anyOf?: Schema[];
    items?: Schema;
    properties?: Record<string, Schema>;
  };
  if ($ref) return [`${where}${where ? '.' : ''}${$ref.replace('#/$defs/', '@')}`];
  if (anyOf) return [...new Set(anyOf.flatMap((each) => fieldsOf(each, where)))];
  if (items) return [`${where}[]`, ...fieldsOf(items, `${where}[]`)];
  return Object.entries(properties ?? {}).flatMap(([name, inner]) => {
    const path = `${where}${where ? '.' : ''}${name}`;
    return [path, ...fieldsOf(inner, path)];
  });
}

function commandLines([id, command]: [string, CommandClass]): string {
  const words = id.replaceAll(':', ' ');
  const {arguments: args = []} = describeCommand(id, INDEX.commands[id]!, {bin: 'centavo', whole: true});
  const lines = [
    ...(args as Facts[]).map((arg) => [`<${String(arg.name)}>`, ...factWords(arg)].join(' ')),
    ...(command.aliases?.length ? [`alias ${command.aliases.join(' ')}`] : []),
    ...flagLines(INDEX.commands[id]!.flags),
    `exits ${INDEX.commands[id]!.exitCodes.join(' ')}`.trim(),
    command.output ? `prints ${fieldsOf(command.output()).join(' ')}`.trim() : 'prints text',
  ];
  return [`centavo ${words}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** The objects of the contract that commands print. */
function objects(): string[] {
  const all = Object.values(COMMANDS).map(({output}) => outputSchema('', output?.()).$defs ?? {});
  const byName = new Map(all.flatMap((defs) => Object.entries(defs as Record<string, Schema>)));
  return [...byName]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => `  @${name} ${fieldsOf(schema).join(' ')}`);
}

/** The codes of centavo's errors; without one of its own, an error has the name of its exit. */
const errorCodes = (): string[] =>
  [...Object.keys(EXIT_CODES).filter((name) => name !== 'ok'), ...ERROR_CODES.map(({code}) => code)].sort();

/** The exports of the library, each with its members and choices, also those of declarations that are not exported. */
function libraryLines(): string[] {
  const text = readFileSync(join(import.meta.dirname, '../bundle/index.d.mts'), 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
  const declarations = new Map(
    [...text.matchAll(/^(?:declare )?(?:class|const|function|interface|type) (\w+)[^]*?(?=^[a-z])/gm)].map(
      ([declaration, name]) => [name!, declaration],
    ),
  );
  const exported = /^export \{(.*?)\};/ms.exec(text)![1]!.match(/\w+/g)!;
  const membersOf = (name: string, seen = new Set([...exported, name])): string[] => {
    const declaration = declarations.get(name)!;
    const own = [...declaration.matchAll(/^ +(?:readonly )?(\w+)\??[(<:]|'([\w.]+)'/gm)].map(
      ([, member, choice]) => member ?? choice!,
    );
    const inner = declaration.match(/\w+/g)!.filter((word) => declarations.has(word) && !seen.has(word));
    for (const each of inner) seen.add(each);
    return [...own, ...[...new Set(inner)].flatMap((each) => membersOf(each, seen))];
  };
  return exported.map((name) => `  ${[name, ...new Set(membersOf(name))].join(' ')}`).sort();
}

/** `  billing-statements create send`: each line begins with another word. */
const byTopic = (ids: readonly string[]): string[] =>
  [...new Set(ids.map((id) => id.split(':')[0]))].map((topic) => {
    const verbs = ids.filter((id) => id.startsWith(`${topic}:`)).map((id) => id.split(':')[1]);
    return `  ${topic} ${verbs.join(' ')}`;
  });

function surface(): string {
  const {error} = errorSchema().properties as {error: Schema};
  const blocks = [
    ['Exit codes', ...Object.entries(EXIT_CODES).map(([name, {exit}]) => `  ${exit} ${name}`)],
    ['Exit codes of every command', `  exits ${INDEX.globalExitCodes.join(' ')}`],
    ['Error fields', ...fieldsOf(error).map((field) => `  ${field}`)],
    ['Error codes', ...errorCodes().map((code) => `  ${code}`)],
    ['Flags of every command', ...flagLines(INDEX.globalFlags).map((line) => `  ${line}`)],
    ['Hand-written in the place of derived', ...byTopic(replacements)],
    ['Short names', ...Object.entries(SHORT_NAMES).map(([name, id]) => `  ${name} ${id.replaceAll(':', ' ')}`)],
    ['Objects', ...objects()],
    ['Library', ...libraryLines()],
  ];
  const commands = Object.entries(COMMANDS).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${[...blocks.map((lines) => lines.join('\n')), ...commands.map(commandLines)].join('\n\n')}\n`;
}

/** The words of each line, by its block and its first word. */
const linesOf = (text: string): Map<string, string[]> =>
  new Map(
    text
      .trim()
      .split('\n\n')
      .filter(Boolean)
      .flatMap((block) => {
        const [heading, ...lines] = block.split('\n').map((line) => line.trim());
        const words = lines.map((line) => line.split(' '));
        return [[heading!, []], ...words.map(([first, ...rest]) => [`${heading}: ${first}`, rest] as const)] as [
          string,
          string[],
        ][];
      }),
  );

/** Broken promises: removed lines and words, and new requirements. */
function broken(promised: string, now: string): string[] {
  const [before, after] = [linesOf(promised), linesOf(now)];
  const gone = [...before].flatMap(([line, words]) => {
    const found = after.get(line);
    if (!found) return [line];
    return words.filter((word) => !found.includes(word)).map((word) => `${line} … ${word}`);
  });
  const demanded = [...after].flatMap(([line, words]) => {
    const known = before.get(line);
    const isNew = known === undefined && !before.has(line.replace(/: [^:]*$/, ''));
    return words.includes('required') && !isNew && !known?.includes('required') ? [`${line} is now required`] : [];
  });
  return [...gone, ...demanded];
}

describe('the contract with scripts', () => {
  const now = surface();
  const promised = readFileSync(SNAPSHOT, 'utf8');

  test('stays within a major version', () => {
    expect(
      broken(promised, now),
      'docs/guarantees.md, “Version 1”, promises that these are neither removed nor renamed within a major version: keep them, and add the new beside the old. In a new major version, take them out of test/surface.snapshot.txt by hand.',
    ).toEqual([]);
  });

  test('matches the reviewed snapshot', async () => {
    // Updating the snapshot adds new lines. It cannot remove a promise.
    if (broken(promised, now).length > 0) return;
    await expect(
      now,
      'Something new: review it, and add it with vitest run test/surface.test.ts -u',
    ).toMatchFileSnapshot(SNAPSHOT);
  });

  test('names a removed command, flag, choice, field, code, exit code or part of the library', () => {
    const changes: [RegExp | string, string, string][] = [
      ['  --due type=date', '  --due-on type=date', 'centavo billing-statements create: --due'],
      [/( {2}--output [^\n]*) csv/, '$1', 'Flags of every command: --output … csv'],
      [/( {2}@customer [^\n]*) email/, '$1 mail', 'Objects: @customer … email'],
      ['  invalid_id\n', '', 'Error codes: invalid_id'],
      ['  4 auth', '  16 auth', 'Exit codes: 4'],
      [/(\n {2}--status type=choice)/, '$1 required', 'is now required'],
      ['centavo customers get\n', 'centavo customers show\n', 'centavo customers get'],
      ['  hand_over.id\n', '', 'Error fields: hand_over.id'],
      [' buckets.current', '', 'prints … buckets.current'],
      [/ {2}verifySignature.*\n/, '', 'Library: verifySignature'],
      [/( {2}TestSandbox [^\n]*) pay /, '$1 ', 'Library: TestSandbox … pay'],
    ];
    for (const [from, to, named] of changes) {
      const changed = now.replace(from, to);
      expect(changed).not.toBe(now);
      expect(broken(now, changed).join('\n')).toContain(named);
    }
    expect(broken(now, `${now}\ncentavo new\n  --flag type=text required\n`)).toEqual([]);
  });
});

test(`at most ${MOST_REPLACEMENTS} hand-written commands replace derived ones; past that the decision is reopened`, () => {
  console.info(`Hand-written in the place of derived: ${replacements.join(', ') || 'none'}`);
  expect(replacements.length).toBeLessThanOrEqual(MOST_REPLACEMENTS);
});

test('the index that is read by the entry is the whole index', () => {
  expect(readIndex(INDEX_TEXT)).toEqual(JSON.parse(INDEX_TEXT));
});

test('every operation is a command', () => {
  expect(Object.keys(COMMANDS)).toEqual(expect.arrayContaining(operations.map(({id}) => id)));
});

test('no command reuses the letter or name of a global flag, or one letter twice', () => {
  const letters = Object.values(globalFlags as Record<string, FlagLike>).flatMap(({char}) => char ?? []);
  for (const [id, command] of Object.entries(COMMANDS)) {
    const own = Object.values((command.flags ?? {}) as Record<string, FlagLike>).flatMap(({char}) => char ?? []);
    expect(new Set([...letters, ...own]).size, id).toBe(letters.length + own.length);
    for (const name of Object.keys(command.flags ?? {})) expect(Object.keys(globalFlags), id).not.toContain(name);
  }
});
