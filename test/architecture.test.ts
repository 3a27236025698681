// The structure of the source: allowed imports, restricted modules, and what a start must not load.

import {spawnSync} from 'node:child_process';
import {readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join, normalize, relative} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from './support/cli.js';
import {statusComparisons} from './support/status-comparisons.js';

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
  /** Without comments. */
  readonly text: string;
  readonly firstLine: string;
  readonly imports: readonly Import[];
}

/** Blanks comments only: quotes and regular expressions with slashes stay. */
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
    return {name, text, firstLine: raw.split('\n', 1)[0]!, imports: importsOf(name, text)};
  });

/** The allowed imports of each module. A static import may also be dynamic. */
interface Rule {
  readonly static?: readonly string[];
  readonly dynamic?: readonly string[];
  readonly type?: readonly string[];
}

const PURE_CONFIG = [
  'config/keys/keys',
  'config/keys/key-store',
  'config/profiles',
  'config/projects',
  'config/resolve',
  'config/settings',
];

const RULES: Readonly<Record<string, Rule>> = {
  api: {static: ['zod', 'common']},
  // What happened to the money. Pure, so that every module above may read it.
  accounting: {static: ['api', 'common']},
  common: {},
  http: {
    static: ['common', 'undici', 'node:dns', 'node:events', 'node:http', 'node:net', 'node:process', 'node:zlib'],
    dynamic: ['node:v8'],
    type: ['node:stream'],
  },
  input: {
    static: ['fastest-levenshtein', 'common', 'node:zlib'],
    dynamic: ['csv-parse', '@e965/xlsx'],
    type: ['csv-parse', '@e965/xlsx'],
  },
  storage: {
    static: ['common', 'node:crypto', 'node:fs', 'node:module', 'node:path'],
    dynamic: ['libsql', 'node:sqlite'],
  },
  processes: {
    static: ['common', 'node:child_process', 'node:fs', 'node:os', 'node:path'],
    type: ['node:stream'],
  },
  client: {
    static: ['api', 'common', 'http/send-request', 'http/retry'],
    dynamic: ['undici', 'node:timers/promises', 'http/body-text', 'http/network-reason'],
    type: ['undici', 'node:net'],
  },
  sandbox: {
    static: ['accounting', 'api', 'common', 'storage', 'http', 'webhooks/signature', 'node:', 'uqr'],
    // The context hands over what listeners recorded.
    type: ['webhooks/store/listener-record'],
  },
  webhooks: {
    static: ['common', 'http', 'input', 'processes', 'storage', 'node:'],
  },
  // The engines. Only cli and guided below know a terminal, and they are modules of their own.
  billing: {
    static: [
      'accounting',
      'api',
      'client',
      'common',
      'http/retry',
      'input',
      'storage',
      'node:crypto',
      'node:fs',
      'node:path',
    ],
    type: ['history', 'processes/process-identity'],
  },
  // The text of an engine. The engine itself comes through the context.
  'billing/statement/cli': {
    static: ['accounting', 'api', 'cli', 'common', 'guard', 'input', 'output'],
    type: ['billing', 'context'],
  },
  'billing/statement/guided': {
    static: ['api', 'billing/statement/cli', 'cli', 'common', 'config/profiles', 'input', 'output'],
    type: ['billing', 'config', 'context'],
  },
  'billing/import/cli': {
    static: [
      'accounting',
      'api',
      'billing/statement/cli',
      'cli',
      'common',
      'config/profiles',
      'config/resolve',
      'guard',
      'input',
      'output',
      'node:events',
      'node:fs',
      'node:path',
    ],
    type: ['billing', 'context', 'history'],
  },
  config: {
    static: [
      'input',
      'processes',
      'storage/private-file',
      'storage/replace-file',
      'common',
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
  history: {
    static: ['common', 'storage/sqlite', 'node:fs'],
    type: ['accounting', 'processes/process-identity'],
  },
  output: {
    static: [
      'input/names',
      'input/nearest',
      'common',
      'node:events',
      'node:readline',
      'node:timers/promises',
      'node:worker_threads',
      'jq-wasm',
      '@inquirer/core',
    ],
    type: ['processes/agents'],
    dynamic: [
      'cli-table3',
      '@inquirer/confirm',
      '@inquirer/password',
      '@inquirer/select',
      'string-width',
      'csv-stringify/sync',
      'uqr',
      'node:v8',
    ],
  },
  context: {
    static: ['config', 'output', 'common', 'processes/process-identity', 'node:crypto', 'node:fs', 'node:path'],
    dynamic: ['client', 'sandbox', 'webhooks', 'billing', 'storage', 'history', 'repeats', 'node:net', 'node:tty'],
    type: [
      'client',
      'sandbox',
      'webhooks',
      'billing',
      'storage',
      'history',
      'repeats',
      'common',
      'guard/change',
      'processes/agents',
    ],
  },
  // Only pure parts of config; connections, keys and the file come from the context.
  guard: {
    static: ['api', 'output/format', 'common', 'config/resolve'],
    type: ['history', 'client', 'config', 'repeats', 'output/prompt', 'processes/agents'],
  },
  // Idempotency keys: what was asked for, and how it ended.
  repeats: {
    static: ['common', 'storage/sqlite', 'node:crypto'],
    type: ['processes/process-identity'],
  },
  cli: {
    static: [
      'accounting',
      'api',
      'common',
      'config/profiles',
      'config/projects',
      'config/resolve',
      'guard',
      'input',
      'output',
      '@oclif/core',
      'node:fs',
      'node:path',
    ],
    type: ['context', 'client', 'history', 'billing', 'repeats'],
  },
  commands: {
    static: [
      'accounting',
      'api',
      'billing/statement/cli',
      'billing/statement/guided',
      'billing/import/cli',
      'cli',
      'common',
      'guard',
      'input',
      'output',
      'node:fs',
      'node:path',
      ...PURE_CONFIG,
    ],
    dynamic: ['processes', '@modelcontextprotocol/server'],
    type: ['context', 'client', 'config', 'sandbox', 'webhooks', 'billing', 'history', 'node:stream'],
  },
  // The one command with a screen of its own.
  'commands/webhooks/listen': {
    static: ['api', 'cli', 'commands/webhooks/shared', 'common', 'guard', 'input', 'output', 'node:readline'],
    type: ['config/resolve', 'context', 'webhooks', 'node:tty'],
  },
  'command-table': {dynamic: ['api/registry', 'cli/operations', 'commands'], type: ['cli']},
  entry: {
    static: ['cli/help/help', 'cli/command-line', 'common', 'node:fs', 'node:path'],
    dynamic: ['main', 'node:module'],
    type: ['cli/catalog/command-catalog'],
  },
  main: {
    static: [
      ...['cli', 'command-table', 'context', 'common', 'processes'],
      ...['node:crypto', 'node:fs', 'node:path', 'node:timers/promises', 'node:tty'],
    ],
  },
  // What a program imports. The only module that knows both the client and the sandbox.
  library: {
    static: [
      'api',
      'client',
      'common',
      'input/nearest',
      'sandbox',
      'webhooks/signature',
      'node:async_hooks',
      'node:crypto',
    ],
  },
  index: {static: ['api', 'client', 'library', 'sandbox', 'webhooks', 'common'], type: ['api', 'client']},
};

/** The deepest folder with rules of its own. */
function roomOf(name: string): string {
  const parts = name.split('/');
  const folders = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
  return folders.findLast((folder) => Object.hasOwn(RULES, folder)) ?? parts[0]!;
}
const within = (target: string, places: readonly string[] = []): boolean =>
  places.some((place) => target === place || target.startsWith(place.endsWith(':') ? place : `${place}/`));

function allowed(from: Source, {kind, target}: Import): boolean {
  const rule = RULES[roomOf(from.name)];
  if (rule === undefined) return false;
  if (roomOf(target) === roomOf(from.name)) return true;
  return within(target, [...(rule.static ?? []), ...(kind === 'static' ? [] : (rule[kind] ?? []))]);
}

const describeImport = ({name}: Source, {kind, target}: Import): string => `${name} → ${target} (${kind})`;

test('the import parser distinguishes static, type-only and dynamic imports', () => {
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

test('every module imports only permitted files and packages', () => {
  const violations = sources.flatMap((source) =>
    source.imports.filter((found) => !allowed(source, found)).map((found) => describeImport(source, found)),
  );
  expect(violations).toEqual([]);
});

test('every permission is used', () => {
  const unused = Object.entries(RULES).flatMap(([room, rule]) => {
    const found = sources.filter(({name}) => roomOf(name) === room).flatMap(({imports}) => imports);
    return Object.entries(rule).flatMap(([kind, places]: [string, readonly string[]]) =>
      places
        .filter(
          (place) => !found.some((each) => (kind === 'static' || each.kind === kind) && within(each.target, [place])),
        )
        .map((place) => `${room} → ${place} (${kind})`),
    );
  });
  expect(unused).toEqual([]);
});

test('every relative import leads to a file', () => {
  const names = new Set(sources.map(({name}) => name));
  const missing = sources.flatMap((source) =>
    source.imports
      .filter(({target}) => RULES[roomOf(target)] && !names.has(target))
      .map((found) => describeImport(source, found)),
  );
  expect(missing).toEqual([]);
});

const between = (from: (name: string) => boolean, to: (target: string) => boolean): string[] =>
  sources
    .filter(({name}) => from(name))
    .flatMap((source) => source.imports.filter(({target}) => to(target)).map((found) => describeImport(source, found)));
const room = (wanted: string) => (name: string) => roomOf(name) === wanted;

test('only main imports the command table, and only the table imports a verb', () => {
  const isVerb = (name: string) => name.startsWith('commands/');
  expect(
    between(
      (name) => name !== 'main',
      (target) => target === 'command-table',
    ),
  ).toEqual([]);
  expect(between((name) => name !== 'command-table' && !isVerb(name), isVerb)).toEqual([]);
});

test('only cli, commands and output import terminal packages', () => {
  const elsewhere = (name: string) => !['cli', 'commands', 'output'].includes(roomOf(name));
  expect(between(elsewhere, (target) => /^(@oclif\/|@?inquirer|cli-table3)/.test(target))).toEqual([]);
  expect(between(room('output'), (target) => target.startsWith('@oclif/'))).toEqual([]);
});

test('no files import each other in a circle', () => {
  const needs = new Map(
    // Includes types: two files that need each other should be one file, or three.
    sources.map(({name, imports}) => [name, imports.map(({target}) => target)]),
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

describe('a verb', () => {
  const names = new Set(sources.map(({name}) => name));

  /** `commands/login` of `commands/login/words`; `commands/jobs/shared` for shared files; the file itself for a verb of one file. */
  function verbOf(name: string): string {
    const parts = name.split('/');
    const shared = parts.indexOf('shared');
    if (shared > 0) return parts.slice(0, shared + 1).join('/');
    const folder = parts.slice(0, -1).join('/');
    return folder !== 'commands' && names.has(`${folder}/${parts.at(-2)}`) ? folder : name;
  }
  const verbs = sources.filter(({name}) => name.startsWith('commands/'));
  const others = verbs.flatMap((source) =>
    source.imports
      .filter(({target}) => target.startsWith('commands/') && verbOf(target) !== verbOf(source.name))
      .map(({target}) => ({from: source.name, to: target})),
  );
  const isShared = (name: string): boolean => verbOf(name).endsWith('/shared');

  test('imports no other verb, and shared files import none', () => {
    expect(others.filter(({to}) => !isShared(to)).map(({from, to}) => `${from} → ${to}`)).toEqual([]);
  });

  test('uses only the shared files of its topic; exceptions are listed', () => {
    const topicOf = (name: string): string => name.split('/')[1]!;
    const foreign = others.filter(({from, to}) => topicOf(from) !== topicOf(to));
    expect([...new Set(foreign.map(({from, to}) => `${topicOf(from)} → ${topicOf(to)}`))].sort()).toEqual([
      'dev → sandbox',
      'dev → webhooks',
      'doctor → config',
      'logout → profiles',
      'profiles → config',
      'sandbox → webhooks',
      'why → sandbox',
      'why → webhooks',
    ]);
  });
});

test('the first line of a file says what the file is for', () => {
  const says = /^\/\/ (?!This file|The folder).{20}/;
  expect(sources.filter(({firstLine}) => !says.test(firstLine)).map(({name}) => name)).toEqual([]);
});

test('the folders of cli import one way', () => {
  /** Each folder imports only from the ones below. */
  const ORDER = [
    'dispatch',
    'help',
    'catalog',
    'operations',
    'lists',
    'references',
    'read-book',
    'account-reads',
    'report-file',
    'understood-date',
    'next-command',
    'base',
    'dry-run',
    'records',
    'schema',
    'global-flags',
    'presentation',
    'refusals',
    'next-steps',
    'overrides',
    'oclif',
    'command-line',
  ];
  const levelOf = (name: string): number => ORDER.indexOf(name.split('/')[1]!);
  const inCli = sources.filter(({name}) => name.startsWith('cli/'));
  expect(inCli.filter(({name}) => levelOf(name) < 0).map(({name}) => name)).toEqual([]);
  const upward = inCli.flatMap((source) =>
    source.imports
      .filter(({target}) => target.startsWith('cli/') && levelOf(target) < levelOf(source.name))
      .map((found) => describeImport(source, found)),
  );
  expect(upward).toEqual([]);
});

test('the process, the clock, randomness and the console are used only at the entry', () => {
  // The last one is a separate process.
  const PLACES = ['entry', 'main', 'context/context', 'storage/sqlite', 'config/keys/keychain-child'];
  /** Defaults of functions that a library's user calls without a context. */
  const DEFAULTS = [
    'client/call: random: Math.random,',
    'client/call: now: Date.now,',
    'library/test-sandbox: const realSeconds = (): number => Math.floor(Date.now() / 1000);',
    'library/signatures: const {tolerance, mode, now = new Date()} = options ?? {};',
    'sandbox/sandbox: const realNow = options.now ?? (() => Math.floor(Date.now() / 1000));',
  ];
  /** A line for the user's own program. */
  const PRINTED =
    "commands/dev: 'for (const {httpClient} of Object.values(payrex)) if (httpClient) httpClient.baseUrl = process.env.PAYREX_BASE_URL ?? httpClient.baseUrl;';";
  const IMPURE = /\bprocess\.|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bconsole\./;
  const used = sources
    .filter(({name}) => !PLACES.includes(name))
    .flatMap(({name, text}) =>
      text
        .split('\n')
        .filter((line) => IMPURE.test(line))
        .map((line) => `${name}: ${line.trim()}`),
    );
  expect(used.sort()).toEqual([...DEFAULTS, PRINTED].sort());
});

/** What decides on the money: the account of the money, the contract, and the sandbox's own life cycle. */
const DECIDES = /^(?:accounting|api|sandbox\/actions|sandbox\/payments)\/|^sandbox\/lifecycle$/;

test('no other file compares a status of the service with a word; exceptions are listed with their number', () => {
  const path = join(ROOT, 'test', 'status-places.txt');
  const listed = new Map(
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, count, name, reason] = /^\s*(\d+) (\S+): (.+)$/.exec(line) ?? [];
        return name === undefined ? [] : [[name, {count: Number(count), reason: reason!}] as const];
      }),
  );
  const found = sources
    .map(({name, text}) => ({name, places: DECIDES.test(name) ? [] : statusComparisons(text)}))
    .filter(({places}) => places.length > 0)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  if (process.env.CENTAVO_STATUS_PLACES === 'write') {
    const line = ({name, places}: (typeof found)[number]): string =>
      `${places.length} ${name}: ${listed.get(name)?.reason ?? 'to move'}\n`;
    writeFileSync(path, found.map(line).join(''));
    return;
  }
  const more = found.filter(({name, places}) => places.length !== (listed.get(name)?.count ?? 0));
  const unused = [...listed.keys()].filter((name) => !found.some((each) => each.name === name));
  expect(
    [...more.map(({name, places}) => `${name}: ${places.join(' | ')}`), ...unused.map((name) => `${name}: unused`)],
    'Read the standing of accounting/standing.ts instead. After a removal, or to list a place of the life cycle: ' +
      "CENTAVO_STATUS_PLACES=write npx vitest run test/architecture.test.ts -t 'compares a status'",
  ).toEqual([]);
});

test.each([
  [`if (old.status === 'paid') a(); else if ('void' !== String(old?.status)) b();`, 2],
  [`['open', 'paid'].includes(stop.statement.status)`, 1],
  [`const LIVE = ['open', 'draft'] as const; LIVE.includes(String(each.status)); LIVE.includes(word);`, 1],
  [`const WORDS: Texts = {open: 'x', awaiting_capture: 'y'}; WORDS[statement.status] ?? WORDS[word]`, 1],
  [`switch (statement.status) { case 'paid': a(); break; case 'void': b(); } switch (word) { case 'paid': }`, 2],
  [`const {status: now} = await read(); return now === 'open';`, 1],
  [`const was = String(old.status); return was === 'open';`, 1],
  ["`SELECT 1 FROM row WHERE status = ${\"'open'\"} OR ${STATUS_INDEX} = 'open'`", 1],
  [`standing.state === 'paid'; status === 404; type StatusTarget = 'open' | 'paid'; ({status: 'open'})`, 0],
])('the scanner of statuses counts %s', (text, count) => {
  expect(statusComparisons(text)).toHaveLength(count);
});

test('no timeout can be garbage-collected early', () => {
  const weak = /\bAbortSignal\.(any|timeout)\b/;
  expect(sources.filter(({text}) => weak.test(text)).map(({name}) => name)).toEqual([]);
});

describe('a start loads only what it needs', () => {
  const LISTED = 'CENTAVO_TEST_LOADED:';
  const directory = temporaryDirectory(afterAll);
  const hook = join(directory, 'hook.cjs');
  writeFileSync(
    hook,
    `process.on('exit', () => {
      const files = Object.keys(require.cache).filter((path) => path !== __filename);
      const builtins = process.moduleLoadList.flatMap((name) => /^NativeModule (?!internal)(.*)$/.exec(name)?.[1] ?? []);
      require('node:fs').writeSync(2, '\\n${LISTED}' + JSON.stringify({files, builtins}) + '\\n');
    });`,
  );
  const contents = JSON.parse(readFileSync(join(ROOT, 'bundle', 'contents.json'), 'utf8')) as Record<string, string[]>;
  /** A kind of source, by the start of its path. */
  const PARTS: Readonly<Record<string, RegExp>> = {
    oclif: /^node_modules\/@oclif\//,
    zod: /^node_modules\/zod\//,
    undici: /^node_modules\/undici\//,
    prompts: /^node_modules\/@?inquirer/,
    tables: /^node_modules\/cli-table3\//,
    csv: /^node_modules\/csv-/,
    jq: /^node_modules\/jq-wasm\/|^dist\/output\/jq-thread/,
    contract: /^dist\/api\//,
    client: /^dist\/client\/(?!endpoints)/,
    sandbox: /^dist\/sandbox\//,
    pages: /^dist\/sandbox\/pages\/(?!links)/,
    sqlite: /^dist\/storage\/sqlite/,
    keychain: /^dist\/config\/keys\/keychain/,
    commands: /^dist\/commands\/(?!index)/,
    webhooks: /^dist\/webhooks\/(?!signature)/,
  };
  /** Modules of Node that take milliseconds to load. Stream modules come with stdout. */
  const SLOW = [
    'crypto',
    'http',
    'http2',
    'https',
    'tls',
    'dns',
    'sqlite',
    'child_process',
    'worker_threads',
    'readline',
  ];

  /** The bundled files that a command line loads, their size and content, and the slow modules of Node. */
  function loadedBy(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const {status, stderr} = spawnSync(process.execPath, ['-r', hook, join(ROOT, 'bin/run.js'), ...words], {
      encoding: 'utf8',
      env: {PATH: process.env.PATH, HOME: directory, ...env},
    });
    expect(status, stderr).toBe(0);
    const line = stderr.split('\n').find((text) => text.startsWith(LISTED))!;
    const {files, builtins} = JSON.parse(line.slice(LISTED.length)) as {files: string[]; builtins: string[]};
    const own = files.filter((path) => path.startsWith(join(ROOT, 'bundle')));
    // Node reads a source of ASCII alone faster.
    expect(own.filter((path) => readFileSync(path).some((byte) => byte > 0x7f))).toEqual([]);
    const sources = own.flatMap((path) => contents[relative(join(ROOT, 'bundle'), path)] ?? []);
    return {
      files: own.length,
      kilobytes: Math.ceil(own.reduce((sum, path) => sum + statSync(path).size, 0) / 1024),
      parts: Object.keys(PARTS).filter((part) => sources.some((path) => PARTS[part]!.test(path))),
      slow: SLOW.filter((name) => builtins.includes(name)),
    };
  }

  const sandboxDatabase = Number(process.versions.node.split('.')[0]) < 22 ? [] : ['sqlite'];

  test.each([
    ['the version', ['--version'], 1, 7, [], []],
    ['help', ['customers', 'list', '--help'], 1, 7, [], []],
    ['a command that reads no account', ['help', 'exit-codes', '--json'], 4, 171, ['oclif', 'commands'], []],
    ['the tree of commands', ['commands', '--json'], 4, 175, ['oclif', 'commands'], []],
    ['completion', ['__complete', 'words', 'customers', 'list', ''], 4, 175, ['oclif', 'commands'], []],
    ['completion of statements', ['__complete', 'words', 'send', ''], 7, 180, ['oclif', 'commands'], []],
    ['the profiles', ['profiles', 'list', '--json'], 5, 171, ['oclif', 'commands'], []],
    [
      'the status of the sandbox',
      ['status', '--json'],
      6,
      237,
      ['oclif', 'sandbox', 'sqlite', 'commands'],
      ['crypto', ...sandboxDatabase],
    ],
    [
      'a list in the sandbox',
      ['customers', 'list', '--json'],
      8,
      326,
      ['oclif', 'contract', 'client', 'sandbox', 'sqlite'],
      sandboxDatabase,
    ],
    [
      'a table of the sandbox',
      ['customers', 'list', '-o', 'table'],
      8,
      326,
      ['oclif', 'contract', 'client', 'sandbox', 'sqlite'],
      sandboxDatabase,
    ],
  ])('%s', (_, words, files, kilobytes, parts, slow) => {
    const loaded = loadedBy(words);
    expect(loaded.parts.sort()).toEqual([...parts].sort());
    expect(loaded.slow.sort()).toEqual([...slow].sort());
    expect(loaded.files).toBeLessThanOrEqual(files);
    expect(loaded.kilobytes).toBeLessThanOrEqual(kilobytes);
  });
});
