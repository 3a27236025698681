// Real processes of the built program, one per core at a time; and processes observed while they run.

import {spawn, type ChildProcess, type StdioOptions} from 'node:child_process';
import type {Readable, Writable} from 'node:stream';
import {cli, cliEnvironment, RUN, type CliOptions, type CliResult} from './cli.js';
import {readFileSync} from 'node:fs';

const AT_A_TIME = 2;

/** A function that runs the work given to it, so much of it at a time and the rest in turn. */
export function inTurn(atATime = AT_A_TIME): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= atATime) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/** Like `cli`, a few processes at a time. */
export function cliInTurn(dataDirectory: string, defaults: CliOptions = {}): ReturnType<typeof cli> {
  const run = cli(dataDirectory, defaults);
  const turn = inTurn();
  return (args, options) => turn(() => run(args, options));
}

/** A program while it runs: a process, or a command inside the test's own. */
export interface Watched {
  readonly child: Pick<ChildProcess, 'kill' | 'pid'> & {
    readonly stdin: Writable | null;
    readonly stdout?: Readable | null;
  };
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Calls the listener after each piece of output. */
  readonly onOutput: (listener: () => void) => void;
  /** Resolves with the match when stdout has it; rejects when the process ends without. */
  readonly until: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Resolves when the process has ended and its streams are read. */
  readonly ended: Promise<Ended>;
}

export interface WatchOptions {
  readonly env?: CliOptions['env'];
  readonly stdio?: StdioOptions;
  readonly cwd?: string;
}

/** Starts `centavo`, or with `command` any other program, and gives it to the test while it runs. */
export function watch(
  dataDirectory: string,
  args: readonly string[],
  options: WatchOptions = {},
): ReturnType<typeof watchCommand> {
  return watchCommand(process.execPath, [RUN, ...args], {...options, env: cliEnvironment(dataDirectory, options.env)});
}

const watched = new Set<ChildProcess>();
// A test that fails early does not end its processes.
process.once('exit', () => {
  for (const child of watched) child.kill('SIGKILL');
});

export function watchCommand(
  command: string,
  args: readonly string[],
  {env, cwd, stdio = 'pipe'}: WatchOptions,
): Watched & {readonly child: ChildProcess} {
  const child = spawn(command, args, {cwd, env: env as NodeJS.ProcessEnv, stdio});
  watched.add(child.once('close', () => watched.delete(child)));
  const output = new Output();
  child.stdout?.setEncoding('utf8').on('data', (text: string) => output.add('stdout', text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => output.add('stderr', text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => resolve({status, signal}));
  });
  return {child, ended, ...output.watchedUntil(ended)};
}

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What a program has printed so far. */
export class Output {
  stdout = '';
  stderr = '';
  readonly #listeners = new Set<() => void>();

  add(stream: 'stderr' | 'stdout', text: string): void {
    this[stream] += text;
    for (const listener of this.#listeners) listener();
  }

  /** @param ended resolves when the program has ended and its streams are read */
  watchedUntil(ended: Promise<Ended>): Pick<Watched, 'onOutput' | 'stderr' | 'stdout' | 'until'> {
    const [stdout, stderr] = [() => this.stdout, () => this.stderr];
    const onOutput = (listener: () => void): void => void this.#listeners.add(listener);
    const until = (pattern: RegExp): Promise<RegExpExecArray> =>
      whenever({ended, onOutput, stdout, stderr}, `stdout has no ${String(pattern)}.`, () => pattern.exec(stdout()));
    return {stdout, stderr, onOutput, until};
  }
}

/** Resolves with the first value that is found after a piece of output; rejects when the program ends without one. */
export function whenever<T>(
  {ended, onOutput, stdout, stderr}: Omit<Watched, 'child' | 'until'>,
  failure: string,
  find: () => T | null | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const found = find();
      if (found !== undefined && found !== null) resolve(found);
    };
    onOutput(look);
    look();
    ended.then(() => {
      look();
      reject(new Error(`${failure} stdout: ${stdout()} stderr: ${stderr()}`));
    }, reject);
  });
}

/** Milliseconds of CPU time of a process; undefined if it is gone, or the system does not report it. */
function processorTime(pid: number): number | undefined {
  try {
    const [, , , , , , , , , , , user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(user) + Number(system)) * 10;
  } catch {
    return undefined;
  }
}

/** Follows the CPU time of a process from now on. @returns it, as a share of the time used before */
export function followProcessor({pid}: ChildProcess): () => number {
  const before = processorTime(pid!);
  let now = before;
  const timer = setInterval(() => (now = processorTime(pid!) ?? now), 5);
  return () => {
    clearInterval(timer);
    return before === undefined ? 0 : now! / before - 1;
  };
}

/** Text that no run may print: stack traces and signs of a bug. */
export const looksBroken = ({stdout, stderr}: Pick<CliResult, 'stderr' | 'stdout'>): boolean =>
  /a bug in centavo|\n\s+at .*(node:|\.js:)|Unhandled|TypeError|ReferenceError/.test(`${stdout}\n${stderr}`);
