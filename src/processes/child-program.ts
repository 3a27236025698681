// Starts other programs without a shell and without our secrets, and ends their process trees.

import {type ChildProcess, spawn, spawnSync, type StdioOptions} from 'node:child_process';
import {constants} from 'node:fs';
import {access, stat} from 'node:fs/promises';
import {delimiter, join} from 'node:path';
import type {Readable} from 'node:stream';
import {type Environment, childEnvironment} from '../common/environment.js';

type EndSignal = 'SIGKILL' | 'SIGTERM';

export interface ProcessHost {
  /** The environment for the program; secrets of centavo are removed. */
  readonly env: Environment;
  /** `process.kill`; a negative pid means a process group. */
  readonly kill: (pid: number, signal: EndSignal) => unknown;
  /** Runs a synchronous clean-up if this process ends first. @returns a function that removes the clean-up */
  readonly atExit?: (cleanUp: () => void) => () => void;
}

export interface ProgramOptions {
  readonly host: ProcessHost;
  readonly stdio?: StdioOptions;
  readonly cwd?: string;
  /**
   * Keeps the program in the terminal's process group, so that it can read from the terminal and receives Ctrl-C.
   * Otherwise the program leads its own group: only this process receives Ctrl-C, and then ends the program.
   */
  readonly sharesTerminal?: boolean;
  /** Keeps processes that the program leaves running, such as an agent. */
  readonly leavesDescendants?: boolean;
  /** Milliseconds from SIGTERM to SIGKILL. Default: 2000. */
  readonly grace?: number;
}

export interface ProgramExit {
  readonly status?: number;
  readonly signal?: string;
  readonly notStarted?: unknown;
}

export interface ChildProgram {
  /** False if the system could not start the program. */
  readonly started: boolean;
  readonly stdin: ChildProcess['stdin'];
  readonly stdout: ChildProcess['stdout'];
  readonly stderr: ChildProcess['stderr'];
  readonly ended: Promise<ProgramExit>;
  /** Sends SIGTERM, then SIGKILL; resolves when the program has ended. Can be called again. */
  readonly end: () => Promise<void>;
  /** Lets this process end before the program. */
  readonly release: () => void;
}

const DEFAULT_GRACE = 2000;

/** Milliseconds to wait for output after the exit: a remaining descendant may hold the pipe open. */
const OUTPUT_GRACE = 250;

/** Never throws: `ended` has the error of a failed start. @param words the program and its arguments */
export function startProgram([program = '', ...args]: readonly string[], options: ProgramOptions): ChildProgram {
  const {
    host,
    stdio = 'ignore',
    cwd,
    sharesTerminal = false,
    leavesDescendants = false,
    grace = DEFAULT_GRACE,
  } = options;
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      env: childEnvironment(host.env),
      stdio,
      cwd,
      detached: !sharesTerminal,
      windowsHide: true,
    });
  } catch (notStarted) {
    // Most failed starts emit an event. Some throw, such as a NUL in an argument.
    return {
      started: false,
      stdin: null,
      stdout: null,
      stderr: null,
      ended: Promise.resolve({notStarted}),
      end: async () => {},
      release: () => {},
    };
  }
  // A program that does not read its input causes an EPIPE error.
  child.stdin?.on('error', () => {});
  const tree = (): Tree => (sharesTerminal ? familyOf : groupOf)(child, host);
  const removeExitHandler = host.atExit?.(() => tree()('SIGKILL'));
  const ended = endOf(child, () => {
    if (!sharesTerminal && !leavesDescendants) tree()('SIGKILL');
  });
  void ended.then(() => removeExitHandler?.());
  const end = async (): Promise<void> => {
    // Find the tree before any process ends: a process without its parent cannot be found.
    const send = tree();
    send('SIGTERM');
    await resolvesWithin(ended, grace);
    send('SIGKILL');
    await ended;
  };
  let ending: Promise<void> | undefined;
  const {pid, stdin, stdout, stderr} = child;
  const started = pid !== undefined;
  return {started, stdin, stdout, stderr, ended, end: () => (ending ??= end()), release: () => child.unref()};
}

type Tree = (signal: EndSignal) => void;

/** A group keeps its number while any of its processes runs, so the signal reaches no other process. */
const groupOf =
  (child: ChildProcess, {kill}: ProcessHost): Tree =>
  (signal) => {
    if (child.pid === undefined) return;
    try {
      kill(-child.pid, signal);
    } catch {
      // The group is empty, or the system has no groups: on Windows the program may still run.
      child.kill(signal);
    }
  };

function familyOf(child: ChildProcess, {kill}: ProcessHost): Tree {
  const descendants = child.pid === undefined ? [] : descendantsOf(child.pid);
  return (signal) => {
    for (const pid of descendants) {
      try {
        kill(pid, signal);
      } catch {
        // The process has ended.
      }
    }
    child.kill(signal);
  };
}

function descendantsOf(pid: number): number[] {
  const {status, stdout} = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], {encoding: 'utf8'});
  if (status !== 0) return [];
  const pairs = stdout.split('\n').map((row) => row.trim().split(/\s+/).map(Number) as [number, number]);
  const family = [pid];
  for (const member of family) family.push(...pairs.filter(([, parent]) => parent === member).map(([child]) => child));
  return family.slice(1).reverse();
}

function endOf(child: ChildProcess, onExit: () => void): Promise<ProgramExit> {
  return new Promise((resolve) => {
    child.once('error', (notStarted) => {
      if (child.pid === undefined) resolve({notStarted});
    });
    child.once('exit', () => {
      onExit();
      const destroy = (): void => [child.stdout, child.stderr].forEach((stream) => stream?.destroy());
      // On a busy machine, output that came before the exit may be unread: it is read before the immediate.
      const timer = setTimeout(setImmediate, OUTPUT_GRACE, destroy);
      child.once('close', (status, signal) => {
        clearTimeout(timer);
        resolve({status: status ?? undefined, signal: signal ?? undefined});
      });
    });
  });
}

export const describeExit = ({status, signal}: ProgramExit): string =>
  signal === undefined ? `ended with status ${status}` : `was ended by ${signal}`;

/** Characters kept of a line, because a line may be endless. */
const MAX_LINE_LENGTH = 8192;

/** Calls back with each line, and at the end of the stream with a partial last line. */
export function eachLine(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    // A CR at the end of a chunk may be half of a CRLF.
    const lines = (rest + chunk).split(/\r?\n|\r(?=[^\n])/).map((line) => line.slice(0, MAX_LINE_LENGTH));
    rest = lines.pop()!;
    lines.forEach(onLine);
  });
  stream.once('close', () => {
    if (rest !== '') onLine(rest);
  });
  // The exit of the program is reported instead.
  stream.on('error', () => {});
}

export interface TextStream {
  write(text: string): unknown;
}

// oxlint-disable-next-line eslint/no-control-regex
const CLEARS = /\u001B(?:c|\[[23]J|\[(?:[01]?(?:;[01]?)?)[Hf])/g;
/** The start of a sequence at the end of a chunk. */
// oxlint-disable-next-line eslint/no-control-regex
const PARTIAL = /\u001B(?:\[[\d;]{0,4})?$/;

/** Copies a program's output without the sequences that clear a terminal, as watchers send at a restart. */
export function copyKeepingScreen(from: Readable | null, to: TextStream): void {
  let rest = '';
  from?.setEncoding('utf8').on('data', (chunk: string) => {
    const text = (rest + chunk).replace(CLEARS, '');
    rest = PARTIAL.exec(text)?.[0] ?? '';
    to.write(text.slice(0, text.length - rest.length));
  });
  // The exit of the program is reported instead.
  from?.on('error', () => {});
}

export async function locateProgram(program: string, env: Environment): Promise<string | undefined> {
  // Windows calls it Path. Only `process.env` itself knows both.
  const folders = /[/\\]/.test(program) ? [''] : (env.PATH ?? env.Path ?? '').split(delimiter).filter(Boolean);
  const endings = ['', ...(env.PATHEXT ?? '').split(';').filter(Boolean)];
  const paths = folders.flatMap((folder) => endings.map((ending) => join(folder, program + ending)));
  for (const path of paths) if (await isExecutable(path)) return path;
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

export async function resolvesWithin<T>(value: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, milliseconds, undefined)));
  const first = await Promise.race([value, late]);
  clearTimeout(timer);
  return first;
}
