// Real processes of the built program, one per core at a time; and processes observed while they run.

import {spawn, type ChildProcess, type StdioOptions} from 'node:child_process';
import type {Readable, Writable} from 'node:stream';
import type {ProcessHost} from '../../src/processes/child-program.js';
import {cli, cliEnvironment, RUN, type CliOptions, type CliResult} from './cli.js';
import {readFileSync} from 'node:fs';
import {Watchers} from './watchers.js';

/** This process, for the starter of programs. */
export const hostOf = (env: ProcessHost['env']): ProcessHost => ({
  env,
  kill: (pid, signal) => process.kill(pid, signal),
});

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
  /** Resolves with the first value found after a piece of output; rejects when the process ends without. */
  readonly find: <T>(look: () => T | null | undefined, failure: string) => Promise<T>;
  /** Resolves with the match when stdout has it; rejects when the process ends without. */
  readonly until: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Resolves when the process has ended and its streams are read. */
  readonly ended: Promise<Ended>;
}

export interface WatchOptions {
  readonly env?: CliOptions['env'];
  readonly stdio?: StdioOptions;
  readonly cwd?: string;
  readonly detached?: boolean;
}

/** Starts `centavo`, or with `command` any other program, and gives it to the test while it runs. */
export function watch(
  dataDirectory: string,
  args: readonly string[],
  options: WatchOptions = {},
): ReturnType<typeof watchCommand> {
  return watchCommand(process.execPath, [RUN, ...args], {
    ...options,
    env: cliEnvironment(dataDirectory, options.env, args),
  });
}

const watched = new Set<ChildProcess>();
// A test that fails early does not end its processes.
process.once('exit', () => {
  for (const child of watched) child.kill('SIGKILL');
});

export function watchCommand(
  command: string,
  args: readonly string[],
  {env, stdio = 'pipe', ...options}: WatchOptions,
): Watched & {readonly child: ChildProcess} {
  const child = spawn(command, args, {...options, env: env as NodeJS.ProcessEnv, stdio});
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

/** The text that a program has printed so far. */
export class Output {
  stdout = '';
  stderr = '';
  readonly #watchers = new Watchers();

  add(stream: 'stderr' | 'stdout', text: string): void {
    this[stream] += text;
    this.#watchers.notify();
  }

  /** @param ended resolves when the program has ended and its streams are read */
  watchedUntil(ended: Promise<Ended>): Pick<Watched, 'find' | 'stderr' | 'stdout' | 'until'> {
    let isOver = false;
    const over = (): void => {
      isOver = true;
      this.#watchers.notify();
    };
    ended.then(over, over);
    const find: Watched['find'] = (look, failure) =>
      this.#watchers.until(() => {
        const found = look();
        if (!isOver || (found !== undefined && found !== null)) return found;
        throw new Error(`${failure} stdout: ${this.stdout} stderr: ${this.stderr}`);
      });
    const until = (pattern: RegExp) => find(() => pattern.exec(this.stdout), `stdout has no ${String(pattern)}.`);
    return {stdout: () => this.stdout, stderr: () => this.stderr, find, until};
  }
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
