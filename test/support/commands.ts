// Runs the built commands inside the test's process, with streams: faster than a process for each of many command lines.

import {randomBytes} from 'node:crypto';
import {existsSync, readFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {PassThrough} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import {setTimeout as delay} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import type {CommandIndex} from '../../src/cli/catalog/command-index.js';
import {findCommand, moveGlobalFlags} from '../../src/cli/dispatch/argv.js';
import {longId} from '../../src/cli/catalog/short-names.js';
import {isOverride} from '../../src/cli/overrides.js';
import {cliEnvironment, preload, resultOf, RUN, SHOWN, type CliOptions, type CliResult} from './cli.js';
import {FAR} from './far-limits.js';
import {load} from './load.js';
import {Output, type Watched, type WatchOptions} from './processes.js';
import {skippedOn, sleepOn} from './skipped-time.js';

const root = new URL('../../', import.meta.url);

const {createContext} = await load<typeof import('../../src/context/context.js')>('context/context.js');
const {runCommandLine} = await load<typeof import('../../src/cli/dispatch/dispatch.js')>('cli/dispatch/dispatch.js');
const {processIdentityOf} = await load<typeof import('../../src/processes/process-identity.js')>(
  'processes/process-identity.js',
);
const {loadCommand} = await load<typeof import('../../src/command-table.js')>('command-table.js');

/** Checks on every run that the command declares the exit code. */
function assertDeclared(argv: readonly string[], status: number): void {
  const index: CommandIndex = parts.index;
  const {typed} = findCommand(moveGlobalFlags(argv, index.globalFlags), index.commands);
  if (typed === undefined) return;
  const id = longId(typed);
  if ([...index.globalExitCodes, ...index.commands[id]!.exitCodes].includes(status)) return;
  throw new Error(`${id} ended with ${status}, which its \`exits\` does not name: ${argv.join(' ')}`);
}

/** Checks on every error in JSON that a program is not told to lift a guard, unless it typed that flag itself. */
export function assertNoOverride(argv: readonly string[], stderr: string): void {
  const line = stderr.trimEnd().split('\n').at(-1)!;
  if (!line.startsWith('{"error":')) return;
  const {hint, message, next = []} = JSON.parse(line).error;
  const isNew = (word: string): boolean => isOverride(word) && !argv.join(' ').includes(word.split('=')[0]!);
  const words = `${hint ?? ''} ${message}`.split(/[\s"'.,;:)]+/);
  const named = words.filter((word, index) => isNew(word) && (word !== '--live' || words[index - 1] === 'add'));
  const flags = next.flat().filter((arg: string) => arg !== '--live' && isOverride(arg));
  if (named.length + flags.length > 0) throw new Error(`An error tells a program to lift a guard: ${line}`);
}

/** A stream that records its output. @param columns its width as a terminal; undefined for a pipe */
const recorder = (output: Output, stream: 'stderr' | 'stdout', columns?: number): any => ({
  write: (text: string, done?: () => void) => {
    output.add(stream, text);
    done?.();
    return true;
  },
  on: () => {},
  ...(columns !== undefined && {isTTY: true, columns}),
});

const read = (name: string): never => JSON.parse(readFileSync(new URL(name, root), 'utf8')) as never;
const parts = {
  root: fileURLToPath(root),
  pjson: read('package.json'),
  index: read('bundle/commands.json'),
  loadCommand,
};

export interface CommandOptions extends CliOptions {
  /** Scales waits: 0.01 makes 15 s of waiting 150 ms. */
  readonly pace?: number;
  /** Milliseconds since the epoch; the real time if left out. */
  readonly now?: () => number;
  /** Ends the command, as Ctrl-C does. */
  readonly signal?: AbortSignal;
  /** The width of stdout and stderr as a terminal; undefined for pipes. The keyboard is silent. */
  readonly columns?: number;
  /** Other surroundings, such as the process that it takes itself for. */
  readonly host?: Partial<Host>;
}

/** Like `cli`, without a process; except the version. */
export async function command(
  dataDirectory: string,
  argv: readonly string[],
  {env, input = '', pace = 1, now, signal = new AbortController().signal, columns, host}: CommandOptions = {},
): Promise<CliResult> {
  const output = new Output();
  const status = await runIn(dataDirectory, argv, {
    env: cliEnvironment(dataDirectory, env, argv),
    stdout: recorder(output, 'stdout', columns),
    stderr: recorder(output, 'stderr', columns),
    readInputBytes: async () => Buffer.from(input),
    // A wait that is shortened has passed nevertheless.
    now: now ?? (() => Date.now() + skippedOn(dataDirectory)),
    sleep: sleepOn(dataDirectory, pace),
    signal,
    ...host,
  });
  assertNoOverride(argv, output.stderr);
  return resultOf(status, output.stdout, output.stderr);
}

/** The return value of `cli`, without processes. */
export const commandsIn =
  (dataDirectory: string, defaults: CommandOptions = {}) =>
  (argv: readonly string[], options: CommandOptions = {}): Promise<CliResult> =>
    command(dataDirectory, argv, {...defaults, ...options, env: {...defaults.env, ...options.env}});

/** The exit status after a signal. */
const SIGNAL_STATUS: Readonly<Record<string, number>> = {SIGHUP: 143, SIGINT: 130, SIGTERM: 143};

/** The one signal that a command in process can receive: it asks the command to stop. */
export class Interruption {
  readonly #controller = new AbortController();
  readonly signal: AbortSignal = this.#controller.signal;
  #status: number | undefined;

  /** The exit status of the signal that was sent, if any. */
  readonly received = (): number | undefined => this.#status;

  readonly send = (name: NodeJS.Signals): void => {
    const status = SIGNAL_STATUS[name];
    if (status === undefined) throw new Error(`There is no process that ${name} could end.`);
    this.#status ??= status;
    this.#controller.abort();
  };
}

/** Like `watch`, without a process. */
export function watchInProcess(
  dataDirectory: string,
  argv: readonly string[],
  {env, stdio, cwd}: WatchOptions = {},
): Watched {
  if (stdio !== undefined || cwd !== undefined) throw new Error('Only a process has its own streams and folder.');
  const output = new Output();
  const stdin = new PassThrough();
  const {signal, received, send} = new Interruption();
  const surroundings = {
    env: cliEnvironment(dataDirectory, env, argv),
    stdin: stdin as {isTTY?: boolean},
    stdout: recorder(output, 'stdout'),
    stderr: recorder(output, 'stderr'),
    readInputBytes: () => {
      signal.addEventListener('abort', () => stdin.destroy());
      return buffer(stdin);
    },
    signal,
    interrupt: () => send('SIGINT'),
  };
  const ended = runIn(dataDirectory, argv, surroundings, received).then((status) => ({status, signal: null}));
  const kill = (name: NodeJS.Signals | number = 'SIGTERM'): boolean => {
    send(name as NodeJS.Signals);
    return true;
  };
  return {child: {pid: process.pid, stdin, kill}, ended, ...output.watchedUntil(ended)};
}

type Host = Parameters<typeof createContext>[0];
export type Context = ReturnType<typeof createContext>;

/** The folder of temporary files in memory, where there is one. */
export const IN_MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/**
 * Runs a command line in surroundings of its own. @param received the exit status of the signal that it was sent, if any
 * @param adapt changes the context of the command
 */
export async function runIn(
  dataDirectory: string,
  argv: readonly string[],
  surroundings: Partial<Host> & Pick<Host, 'env' | 'stderr' | 'stdout'>,
  received: () => number | undefined = () => undefined,
  adapt: (context: Context) => Context = (context) => context,
): Promise<number> {
  if (![tmpdir(), SHOWN, IN_MEMORY].some((parent) => dataDirectory.startsWith(parent)))
    throw new Error(`${dataDirectory} is somebody's own.`);
  const {NODE_OPTIONS} = preload();
  const needsProcess = Object.entries(surroundings.env).find(
    ([name, value]) => name === 'TZ' || (name === 'NODE_OPTIONS' && value !== NODE_OPTIONS),
  )?.[0];
  if (needsProcess) throw new Error(`${needsProcess} has no effect in this process: the test needs one of its own.`);
  const context = createContext({
    stdin: {},
    platform: process.platform,
    version: '0.0.0',
    readInputBytes: async () => Buffer.alloc(0),
    now: Date.now,
    steadyNow: surroundings.now ?? Date.now,
    random: Math.random,
    sleep: (milliseconds, signal) => delay(milliseconds, undefined, {signal}),
    signal: new AbortController().signal,
    identity: processIdentityOf(process.pid, 0),
    kill: (pid, signal) => process.kill(pid, signal),
    interrupt: () => {},
    execArgv: [],
    self: [process.execPath, RUN],
    atExit: () => () => {},
    randomBytes,
    user: process.getuid?.(),
    // A busy machine takes long to start the process that asks.
    keychainTimeout: FAR,
    ...surroundings,
  });
  const status = await runCommandLine(argv, {context: adapt(context), parts, received});
  assertDeclared(argv, status);
  return status;
}
