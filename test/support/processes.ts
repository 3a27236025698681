// Real processes of the built program, one per core at a time; and processes observed while they run.

import {spawn, type ChildProcess, type StdioOptions} from 'node:child_process';
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

export interface Watched {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with the match when stdout has it; rejects when the process ends without. */
  readonly until: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Resolves when the process has ended and its streams are read. */
  readonly ended: Promise<{readonly status: number | null; readonly signal: NodeJS.Signals | null}>;
}

export interface WatchOptions {
  readonly env?: CliOptions['env'];
  readonly stdio?: StdioOptions;
  readonly cwd?: string;
}

/** Starts `centavo`, or with `command` any other program, and gives it to the test while it runs. */
export function watch(dataDirectory: string, args: readonly string[], options: WatchOptions = {}): Watched {
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
): Watched {
  const child = spawn(command, args, {cwd, env: env as NodeJS.ProcessEnv, stdio});
  watched.add(child.once('close', () => watched.delete(child)));
  let [stdout, stderr] = ['', ''];
  const listeners = new Set<() => void>();
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const listener of listeners) listener();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<{status: number | null; signal: NodeJS.Signals | null}>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => resolve({status, signal}));
  });
  const until = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(stdout);
        if (!match) return;
        listeners.delete(look);
        resolve(match);
      };
      listeners.add(look);
      look();
      ended.then(
        () => reject(new Error(`It ended without ${String(pattern)}. stdout: ${stdout} stderr: ${stderr}`)),
        reject,
      );
    });
  return {child, stdout: () => stdout, stderr: () => stderr, until, ended};
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
