// Runs the built program as a real process, with a data directory of its own and nothing of the caller's environment.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {buffer} from 'node:stream/consumers';
import {fileURLToPath} from 'node:url';
import {onTestFinished} from 'vitest';

export const RUN = fileURLToPath(new URL('../../bin/run.js', import.meta.url));

const NO_AGENTS_PATH = fileURLToPath(new URL('no-agents.cjs', import.meta.url));

/**
 * An environment in which processes first load these: paths, or `data:` URLs of modules. They also do not find the agent that
 * may run the tests. Nothing else sets NODE_OPTIONS; a test of agents unsets it.
 */
export const preload = (...modules: readonly string[]): {readonly NODE_OPTIONS: string} => ({
  NODE_OPTIONS: [NO_AGENTS_PATH, ...modules]
    // Node splits the variable at spaces outside of quotes.
    .map((module) => (module.startsWith('data:') ? `--import=${module}` : `--require=${JSON.stringify(module)}`))
    .join(' '),
});

/** @returns a module with this text, for {@link preload} */
export const moduleOf = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;

export const NO_LIMITS_PATH = fileURLToPath(new URL('no-limits.cjs', import.meta.url));
/** An environment in which no timeout and no wait of a second or more ever ends. */
export const NO_LIMITS = preload(NO_LIMITS_PATH);

export interface CliResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout as JSON. */
  json<T = any>(): T;
  /** The `data` of a list on stdout. */
  rows<T = any>(): T[];
  /** The error object of `--json` on stderr. */
  error<T = any>(): T;
}

/** JSON of a list without rows. @param mode the mode of its account; undefined for a list of this machine */
export const emptyList = (mode?: string): string =>
  `${JSON.stringify({resource: 'list', has_more: false, mode, data: []}, null, 2)}
`;

export interface CliOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: Buffer | string;
}

/** Copies a database that another connection has open, with its log. */
export function copyDatabase(from: string, to: string): void {
  for (const end of ['', '-wal']) if (existsSync(from + end)) copyFileSync(from + end, to + end);
}

/** A new empty folder, removed after the test or by the given hook. */
export function temporaryDirectory(done: (clean: () => void) => void = onTestFinished, parent = tmpdir()): string {
  const directory = mkdtempSync(join(parent, 'centavo-test-'));
  done(() => rmSync(directory, {recursive: true, force: true}));
  return directory;
}

/** The parent of the folders of {@link shownDirectory}. */
export const SHOWN = '/tmp';

/** A folder with a path of fixed length, for compared screens whose line breaks depend on it. */
export const shownDirectory = (): string => temporaryDirectory(onTestFinished, SHOWN);

/** Variables that say which account a command uses. */
const ACCOUNT_VARIABLES = ['CENTAVO_BASE_URL', 'CENTAVO_PROFILE', 'CENTAVO_REQUIRE_KEY', 'CENTAVO_SECRET_KEY'];

/** True if the configuration file of this home says which account a command uses, or cannot be read. */
function configuresAccount(home: string): boolean {
  const path = join(home, '.config/centavo/config.json');
  if (!existsSync(path)) return false;
  try {
    const {profile, profiles} = JSON.parse(readFileSync(path, 'utf8'));
    return profile !== undefined || profiles?.env !== undefined;
  } catch {
    return true;
  }
}

/**
 * Chooses the sandbox if nothing else is said, because commands without a terminal note a sandbox that is only the default.
 * A test of that default clears CENTAVO_PROFILE. @param argv the command line, if it is known
 */
export function cliEnvironment(
  dataDirectory: string,
  extra: CliOptions['env'] = {},
  argv: readonly string[] = [],
): Record<string, string> {
  // Compiled code is cached for all tests together, and not in their homes.
  const cache = join(process.env.CENTAVO_TEST_RUN_FOLDER ?? tmpdir(), 'cache');
  const shared = {PATH: process.env.PATH, XDG_CACHE_HOME: cache, ...preload()};
  // To login, the variable is the name of a new profile.
  const isSaid = argv[0] === 'login' || ACCOUNT_VARIABLES.some((name) => name in extra);
  const chosen = !isSaid && !configuresAccount(dataDirectory) && {CENTAVO_PROFILE: 'sandbox'};
  const env = {...shared, HOME: dataDirectory, CENTAVO_DATA_DIR: dataDirectory, ...chosen, ...extra};
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** A function that runs `centavo` with these words, always on the same data. */
export function cli(dataDirectory: string, defaults: CliOptions = {}) {
  return async (args: readonly string[], options: CliOptions = {}): Promise<CliResult> => {
    const child = spawn(process.execPath, [RUN, ...args], {
      env: cliEnvironment(dataDirectory, {...defaults.env, ...options.env}, args),
    });
    child.stdin.on('error', () => {}).end(options.input ?? '');
    const [out, err, [status]] = await Promise.all([buffer(child.stdout), buffer(child.stderr), once(child, 'close')]);
    return resultOf(status as number | null, out.toString(), err.toString());
  };
}

export const resultOf = (status: number | null, stdout: string, stderr: string): CliResult => ({
  ...{status, stdout, stderr},
  json: () => JSON.parse(stdout),
  rows: () => (JSON.parse(stdout) as {data: never[]}).data,
  error: () => (JSON.parse(stderr) as {error: never}).error,
});
