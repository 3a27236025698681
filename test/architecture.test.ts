// The shape of the house: which room may import which, what stays out of most of them, and what a start must not load.

import {spawnSync} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join, normalize, relative} from 'node:path';
import {pathToFileURL} from 'node:url';
import {describe, expect, test} from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');

type Kind = 'dynamic' | 'static' | 'type';

interface Import {
  readonly kind: Kind;
  /** `api/wire` for a file of ours, the package or `node:…` for another. */
  readonly target: string;
}

interface Source {
  /** `api/wire` */
  readonly name: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly Import[];
}

/** Blanks comments, and nothing else: quotes and regular expressions that hold slashes stay as they are. */
const withoutComments = (text: string): string =>
  text.replace(
    /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|(^|\s)\/\/[^\n]*/g,
    '$1$2',
  );

const STATEMENT = /^(?:import|export)\s+(type\s+)?(?:[\w*{][^;'"]*?\s+from\s+)?'([^']+)'/gm;
const DYNAMIC = /\b(?:import|require(?:\.resolve)?)\(\s*'([^']+)'\s*\)/g;

function importsOf(name: string, text: string): Import[] {
  const target = (specifier: string) =>
    specifier.startsWith('.') ? normalize(join(dirname(name), specifier)).replace(/\.js$/, '') : specifier;
  return [
    ...[...text.matchAll(STATEMENT)].map(([, type, specifier]): Import => ({
      kind: type ? 'type' : 'static',
      target: target(specifier!),
    })),
    ...[...text.matchAll(DYNAMIC)].map(([, specifier]): Import => ({kind: 'dynamic', target: target(specifier!)})),
  ];
}

const sources: Source[] = readdirSync(SRC, {recursive: true, encoding: 'utf8'})
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
  .map((path) => {
    const raw = readFileSync(join(SRC, path), 'utf8');
    const name = path.replaceAll('\\', '/').replace(/\.ts$/, '');
    const text = withoutComments(raw);
    return {name, text, lines: raw.split('\n').length - 1, imports: importsOf(name, text)};
  });

/** What each room may import besides itself; what may be static may also be imported otherwise. */
interface Rule {
  readonly static?: readonly string[];
  readonly dynamic?: readonly string[];
  readonly type?: readonly string[];
}

const PURE_CONFIG = [
  'config/keys/keys',
  'config/keys/key-store',
  'config/profiles',
  'config/resolve',
  'config/settings',
];

const RULES: Readonly<Record<string, Rule>> = {
  api: {static: ['zod']},
  errors: {},
  deadlines: {},
  'escape-markup': {},
  pesos: {},
  'random-token': {},
  environment: {},
  'system-errors': {static: ['errors']},
  json: {},
  http: {
    static: ['deadlines', 'errors', 'system-errors', 'node:dns', 'node:events', 'node:http', 'node:net'],
    dynamic: ['undici'],
    type: ['undici', 'node:stream'],
  },
  input: {static: ['errors', 'json', 'system-errors'], dynamic: ['csv-parse/sync']},
  storage: {
    static: ['errors', 'input', 'system-errors', 'node:fs', 'node:module', 'node:path'],
    dynamic: ['libsql', 'node:sqlite'],
  },
  programs: {
    static: ['environment', 'system-errors', 'node:child_process', 'node:fs', 'node:path'],
    type: ['node:stream'],
  },
  client: {
    static: ['api', 'deadlines', 'errors', 'json', 'system-errors', 'node:diagnostics_channel'],
    dynamic: ['undici', 'node:timers/promises'],
    type: ['undici', 'node:net'],
  },
  sandbox: {
    static: [
      'api',
      'deadlines',
      'escape-markup',
      'storage',
      'errors',
      'http',
      'pesos',
      'json',
      'system-errors',
      'random-token',
      'webhooks/signature',
      'node:',
      'uqr',
    ],
  },
  webhooks: {
    static: [
      'deadlines',
      'escape-markup',
      'http',
      'input',
      'programs',
      'storage',
      'errors',
      'json',
      'environment',
      'system-errors',
      'node:',
    ],
    dynamic: ['undici'],
    type: ['undici'],
  },
  billing: {static: ['api', 'client', 'errors']},
  config: {
    static: [
      'input',
      'programs',
      'storage/private-file',
      'errors',
      'json',
      'environment',
      'system-errors',
      'node:crypto',
      'node:fs',
      'node:os',
      'node:path',
      'node:url',
      'node:worker_threads',
    ],
    dynamic: ['storage', '@napi-rs/keyring'],
    type: ['@napi-rs/keyring'],
  },
  audit: {static: ['errors', 'storage/line-file', 'system-errors']},
  output: {
    static: [
      'deadlines',
      'escape-markup',
      'errors',
      'json',
      'pesos',
      'environment',
      'system-errors',
      'node:readline',
      'node:timers/promises',
    ],
    dynamic: [
      'cli-table3',
      'inquirer',
      'string-width',
      'wrap-ansi',
      'csv-stringify/sync',
      '@michaelhomer/jqjs',
      'node:v8',
    ],
    type: ['webhooks', 'node:tty'],
  },
  context: {
    static: ['config', 'output', 'errors', 'random-token', 'node:crypto', 'node:fs', 'node:path'],
    dynamic: ['client', 'sandbox', 'webhooks', 'billing', 'storage', 'audit'],
    type: ['client', 'programs', 'sandbox', 'webhooks', 'billing', 'storage', 'audit', 'environment'],
  },
  // Of config only what is pure; connections, keys and the file come from the context.
  guard: {
    static: ['api', 'input', 'output/format', 'errors', 'json', 'pesos', 'config/resolve', 'config/settings'],
    type: ['audit', 'client', 'config'],
  },
  cli: {
    static: [
      'api',
      'deadlines',
      'guard',
      'input',
      'output',
      'errors',
      'pesos',
      'json',
      'environment',
      'system-errors',
      '@oclif/core',
      'fastest-levenshtein',
      ...PURE_CONFIG,
    ],
    type: ['context', 'client', 'config', 'audit', 'billing', 'webhooks'],
  },
  commands: {
    static: [
      'api',
      'cli',
      'deadlines',
      'guard',
      'input',
      'output',
      'errors',
      'pesos',
      'json',
      'environment',
      'system-errors',
      '@oclif/core',
      ...PURE_CONFIG,
    ],
    type: ['context', 'client', 'config', 'programs', 'sandbox', 'webhooks', 'billing', 'audit'],
  },
  main: {
    static: ['cli', 'context', 'errors', 'environment', 'node:crypto', 'node:fs', 'node:path', 'node:timers/promises'],
  },
  index: {static: ['api', 'client', 'sandbox', 'webhooks', 'errors'], type: ['api', 'client', 'sandbox', 'webhooks']},
};

const roomOf = (name: string): string => name.split('/')[0]!;
const within = (target: string, places: readonly string[] = []): boolean =>
  places.some((place) => target === place || target.startsWith(place.endsWith(':') ? place : `${place}/`));

function allowed(from: Source, {kind, target}: Import): boolean {
  const rule = RULES[roomOf(from.name)];
  if (rule === undefined) return false;
  if (target.startsWith(`${roomOf(from.name)}/`)) return true;
  return within(target, [...(rule.static ?? []), ...(kind === 'static' ? [] : (rule[kind] ?? []))]);
}

const describeImport = ({name}: Source, {kind, target}: Import): string => `${name} → ${target} (${kind})`;

test('the parser of imports tells static, type-only and dynamic ones apart', () => {
  const text = withoutComments(`import {a} from './a.js'; // import {x} from 'x';
import type {B} from '../b/b.js';
import {
  c,
  type D,
} from 'c';
import 'e';
export {f} from './f.js';
export const url = 'https://host'; const g = await import('g');
/* import('h') */ const i = (require('i') as {});`);
  expect(importsOf('room/file', text)).toEqual([
    {kind: 'static', target: 'room/a'},
    {kind: 'type', target: 'b/b'},
    {kind: 'static', target: 'c'},
    {kind: 'static', target: 'e'},
    {kind: 'static', target: 'room/f'},
    {kind: 'dynamic', target: 'g'},
    {kind: 'dynamic', target: 'i'},
  ]);
});

test('every import is of a file or a package that the room may use', () => {
  const violations = sources.flatMap((source) =>
    source.imports.filter((found) => !allowed(source, found)).map((found) => describeImport(source, found)),
  );
  expect(violations).toEqual([]);
});

test('every import of ours leads to a file', () => {
  const names = new Set(sources.map(({name}) => name));
  const missing = sources.flatMap((source) =>
    source.imports
      .filter(({target}) => RULES[roomOf(target)] && !names.has(target))
      .map((found) => describeImport(source, found)),
  );
  expect(missing).toEqual([]);
});

describe('never', () => {
  const between = (from: (name: string) => boolean, to: (target: string) => boolean): string[] =>
    sources
      .filter(({name}) => from(name))
      .flatMap((source) =>
        source.imports.filter(({target}) => to(target)).map((found) => describeImport(source, found)),
      );
  const room = (wanted: string) => (name: string) => roomOf(name) === wanted;

  test('anything imports commands', () => {
    expect(between((name) => !room('commands')(name), room('commands'))).toEqual([]);
  });

  test('client and sandbox know of each other', () => {
    expect([...between(room('client'), room('sandbox')), ...between(room('sandbox'), room('client'))]).toEqual([]);
  });

  test('the terminal’s packages are used outside cli, commands and output', () => {
    const elsewhere = (name: string) => !['cli', 'commands', 'output'].includes(roomOf(name));
    expect(between(elsewhere, (target) => /^(@oclif\/|@?inquirer|cli-table3)/.test(target))).toEqual([]);
    expect(between(room('output'), (target) => target.startsWith('@oclif/'))).toEqual([]);
  });

  test('files import each other in a circle', () => {
    const needs = new Map(
      sources.map(({name, imports}) => [name, imports.filter(({kind}) => kind === 'static').map(({target}) => target)]),
    );
    const circles: string[] = [];
    const done = new Set<string>();
    const visit = (name: string, path: readonly string[]): void => {
      if (path.includes(name)) circles.push([...path.slice(path.indexOf(name)), name].join(' → '));
      else if (!done.has(name)) for (const next of needs.get(name) ?? []) visit(next, [...path, name]);
      done.add(name);
    };
    for (const name of needs.keys()) visit(name, []);
    expect(circles).toEqual([]);
  });
});

test('the process, the clock, chance and the console are used only where they come in', () => {
  // The last one is a process of its own.
  const PLACES = ['main', 'context', 'storage/sqlite', 'config/keys/keychain-child'];
  /** Defaults of functions that a library's user calls without a context. */
  const DEFAULTS = [
    'client/call: random: Math.random,',
    'client/call: now: Date.now,',
    'sandbox/sandbox: const realNow = options.now ?? (() => Math.floor(Date.now() / 1000));',
  ];
  const IMPURE = /\bprocess\.|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bconsole\./;
  const used = sources
    .filter(({name}) => !PLACES.includes(name))
    .flatMap(({name, text}) =>
      text
        .split('\n')
        .filter((line) => IMPURE.test(line))
        .map((line) => `${name}: ${line.trim()}`),
    );
  expect(used.sort()).toEqual(DEFAULTS.sort());
});

test('no limit of time may be collected before it comes', () => {
  const weak = /\bAbortSignal\.(any|timeout)\b/;
  expect(sources.filter(({text}) => weak.test(text)).map(({name}) => name)).toEqual([]);
});

test('no file is over 300 lines, and the median is under 100', () => {
  const lengths = sources.map(({lines}) => lines).sort((a, b) => a - b);
  expect(sources.filter(({lines}) => lines > 300).map(({name}) => name)).toEqual([]);
  expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThan(100);
});

test('every file says what it is for on its first line', () => {
  expect(sources.filter(({name}) => !/^\/\/ \S/.test(readFileSync(join(SRC, `${name}.ts`), 'utf8')))).toEqual([]);
});

describe('a start loads only what it needs', () => {
  /** Packages of ours that some commands need; oclif's own copies are below it. */
  const HEAVY = new RegExp(
    `^${pathToFileURL(ROOT).pathname}/node_modules/(undici|@?inquirer|cli-table3|libsql|csv-parse|csv-stringify|zod|string-width|wrap-ansi)/`,
  );
  const LISTED = 'CENTAVO_TEST_LOADED:';
  // Names each module as it is resolved (in a thread of its own) or required.
  const hooks = `import {writeSync} from 'node:fs';
    export async function resolve(specifier, context, next) {
      const found = await next(specifier, context);
      writeSync(2, '\\n${LISTED}' + found.url + '\\n');
      return found;
    }`;
  const watch = `import {createRequire, register} from 'node:module'; import {writeSync} from 'node:fs';
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}));
    process.on('exit', () => {
      for (const path of Object.keys(createRequire(${JSON.stringify(pathToFileURL(ROOT).href)} + '/x.js').cache)) writeSync(2, '\\n${LISTED}' + path + '\\n');
    });`;

  function loadedBy(args: readonly string[]): string[] {
    const {status, stderr} = spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(watch)}`, ...args],
      {cwd: ROOT, encoding: 'utf8', env: {PATH: process.env.PATH}},
    );
    expect(status, stderr).toBe(0);
    const loaded = stderr.split('\n').flatMap((line) => (line.startsWith(LISTED) ? line.slice(LISTED.length) : []));
    expect(loaded.length).toBeGreaterThan(0);
    return [...new Set(loaded.map((path) => path.replace(/^file:\/\//, '')))];
  }

  test('the commands load none of what only some of them need', () => {
    const index = pathToFileURL(join(ROOT, 'dist/commands/index.js')).href;
    const loaded = loadedBy(['--input-type=module', '--eval', `await import(${JSON.stringify(index)})`]);
    expect(loaded.filter((path) => HEAVY.test(path))).toEqual([]);
    expect(loaded.filter((path) => /\/dist\/(client|sandbox|storage|webhooks|billing)\//.test(path))).toEqual([]);
  });

  test('help loads no client, no sandbox, and nothing that either needs', () => {
    const loaded = loadedBy(['bin/run.js', 'customers', 'list', '--help']).filter((path) => path.startsWith(ROOT));
    expect(loaded.filter((path) => /\/(dist|node_modules)\//.test(path))).toEqual([]);
    const contents = JSON.parse(readFileSync(join(ROOT, 'bundle', 'contents.json'), 'utf8')) as Record<
      string,
      string[]
    >;
    const parts = loaded.flatMap((path) =>
      (contents[relative(join(ROOT, 'bundle'), path)] ?? []).map((from) => join(ROOT, from)),
    );
    expect(parts.filter((path) => /\/dist\/(cli|commands)\//.test(path)).length).toBeGreaterThan(0);
    expect(
      parts.filter((path) => HEAVY.test(path) || /\/dist\/(client\/|sandbox\/|storage\/sqlite)/.test(path)),
    ).toEqual([]);
  });

  test('the version loads nothing of ours at all', () => {
    expect(loadedBy(['bin/run.js', '--version']).filter((path) => /\/(bundle|dist)\/|node_modules/.test(path))).toEqual(
      [],
    );
  });
});
