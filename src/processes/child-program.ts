// Other programs, run without a shell and without our secrets.
// This file starts one and ends its whole tree.

import {type ChildProcess, spawn, spawnSync, type StdioOptions} from 'node:child_process';
import {constants} from 'node:fs';
import {access, stat} from 'node:fs/promises';
import {delimiter, join} from 'node:path';
import type {Readable} from 'node:stream';
import {type Environment, childEnvironment} from '../common/environment.js';

type EndSignal = 'SIGKILL' | 'SIGTERM';

export interface ProcessHost {
  /** Passed on without the secrets of centavo. */
  readonly env: Environment;
  /** `process.kill`; a negative number means a process group. */
  readonly kill: (pid: number, signal: EndSignal) => unknown;
  /** Runs the clean-up, synchronously, if this process ends first. @returns removes it */
  readonly atExit?: (cleanUp: () => void) => () => void;
}

export interface ProgramOptions {
  readonly host: ProcessHost;
  readonly stdio?: StdioOptions;
  readonly cwd?: string;
  /**
   * Stays in the terminal's process group, which it needs to read from the terminal; Ctrl-C then reaches it. Otherwise
   * it leads its own group, and Ctrl-C reaches only this process, which ends it in order.
   */
  readonly sharesTerminal?: boolean;
  /** Does not end processes that the program leaves running, such as an agent. */
  readonly leavesDescendants?: boolean;
  /** Milliseconds between asking it to end and forcing it; 2 s when not given. */
  readonly grace?: number;
}

export interface ProgramExit {
  readonly status?: number;
  readonly signal?: string;
  readonly notStarted?: unknown;
}

export interface ChildProgram {
  /** False if the system could not start it. */
  readonly started: boolean;
  readonly stdin: ChildProcess['stdin'];
  readonly stdout: ChildProcess['stdout'];
  readonly stderr: ChildProcess['stderr'];
  readonly ended: Promise<ProgramExit>;
  /** Asks it to end, then forces it; resolves when it has ended. May be called again. */
  readonly end: () => Promise<void>;
  /** Lets this process end before the program. */
  readonly release: () => void;
}

const DEFAULT_GRACE = 2000;

/** Milliseconds to wait for output after the end: a process that it left running may hold the pipe open. */
const OUTPUT_GRACE = 250;

/** If it cannot be started, `ended` has the error. @param words the program and its arguments */
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
    // Most failures to start are reported by an event; this is the rest, such as a NUL in an argument.
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
  // A program need not read its input.
  child.stdin?.on('error', () => {});
  const tree = (): Tree => (sharesTerminal ? familyOf : groupOf)(child, host);
  const removeExitHandler = host.atExit?.(() => tree()('SIGKILL'));
  const ended = endOf(child, () => {
    if (!sharesTerminal && !leavesDescendants) tree()('SIGKILL');
  });
  void ended.then(() => removeExitHandler?.());
  const end = async (): Promise<void> => {
    // Found once, before anything ends: a process without its parent cannot be found.
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

/** The group keeps its number while any of its processes runs, so no other process is signalled. */
const groupOf =
  (child: ChildProcess, {kill}: ProcessHost): Tree =>
  (signal) => {
    if (child.pid === undefined) return;
    try {
      kill(-child.pid, signal);
    } catch {
      // It is empty, or there are no groups, as on Windows, where the program itself may still run.
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
        // It has ended.
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
      const timer = setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream?.destroy()), OUTPUT_GRACE);
      child.once('close', (status, signal) => {
        clearTimeout(timer);
        resolve({status: status ?? undefined, signal: signal ?? undefined});
      });
    });
  });
}

export const describeExit = ({status, signal}: ProgramExit): string =>
  signal === undefined ? `ended with status ${status}` : `was ended by ${signal}`;

/** Characters kept of a line, to limit the memory of an endless line. */
const MAX_LINE_LENGTH = 8192;

/** Also calls back with the last partial line when the stream ends. */
export function eachLine(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    // A final carriage return may be half of a line break.
    const lines = (rest + chunk).split(/\r?\n|\r(?=[^\n])/).map((line) => line.slice(0, MAX_LINE_LENGTH));
    rest = lines.pop()!;
    lines.forEach(onLine);
  });
  stream.once('close', () => {
    if (rest !== '') onLine(rest);
  });
  // A broken pipe ends with its program, whose end is reported.
  stream.on('error', () => {});
}

export async function locateProgram(program: string, env: Environment): Promise<string | undefined> {
  const folders = /[/\\]/.test(program) ? [''] : (env.PATH ?? '').split(delimiter).filter(Boolean);
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
