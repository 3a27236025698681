// PROGRAMS: other programs, run without a shell and without the secrets of centavo. This file: starts one, reads its lines, and ends it with all that it started.

import {type ChildProcess, spawn, spawnSync, type StdioOptions} from 'node:child_process';
import type {Readable} from 'node:stream';
import {type Environment, withoutSecrets} from '../environment.js';

type EndSignal = 'SIGKILL' | 'SIGTERM';

/** What running a program needs of this process. */
export interface ProgramHost {
  /** What programs are started with; the secrets of centavo are taken out. */
  readonly env: Environment;
  /** `process.kill`; a negative number stands for a whole group of processes. */
  readonly kill: (pid: number, signal: EndSignal) => unknown;
  /** Has this done, synchronously, if this process ends first. @returns takes that back */
  readonly atExit?: (cleanUp: () => void) => () => void;
}

export interface ProgramOptions {
  readonly host: ProgramHost;
  /** As `spawn` takes it. Without it there is no input, and no output is kept. */
  readonly stdio?: StdioOptions;
  /** The folder in which it runs; that of this process when not given. */
  readonly cwd?: string;
  /**
   * Whether it stays in the group of the terminal, where Ctrl-C reaches it: only there may a program read from the
   * terminal. If not, it leads a group of its own, and Ctrl-C reaches this process alone, which ends it in order.
   */
  readonly sharesTerminal?: boolean;
  /** Whether what a program that ended by itself has left running goes on, as agents do. If not, its group is ended. */
  readonly leavesRest?: boolean;
  /** Milliseconds between asking it to end and forcing it; 2 s when not given. */
  readonly grace?: number;
}

/** How a program ended: with a status, by a signal, or without having been started. */
export interface ProgramEnd {
  readonly status?: number;
  readonly signal?: string;
  /** What kept it from being started. */
  readonly notStarted?: unknown;
}

export interface Program {
  readonly stdin: ChildProcess['stdin'];
  readonly stdout: ChildProcess['stdout'];
  readonly stderr: ChildProcess['stderr'];
  /** Resolves when the program is gone and its output has been read. Never rejects. */
  readonly ended: Promise<ProgramEnd>;
  /** Asks it to end, and forces what is left of it; resolves when it has ended. May be called again. */
  readonly end: () => Promise<void>;
  /** Lets this process end while the program still runs. */
  readonly release: () => void;
}

const DEFAULT_GRACE = 2000;
/** Milliseconds that output may take after the end of a program: what it left running may hold the pipe open. */
const LAST_WORDS = 250;

/** Starts a program. That it could not be started is told by its end. @param words the program and its arguments */
export function startProgram([program = '', ...args]: readonly string[], options: ProgramOptions): Program {
  const {host, stdio = 'ignore', cwd, sharesTerminal = false, leavesRest = false, grace = DEFAULT_GRACE} = options;
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      env: withoutSecrets(host.env),
      stdio,
      cwd,
      detached: !sharesTerminal,
      windowsHide: true,
    });
  } catch (notStarted) {
    // Most of what keeps a program from starting is told by an event; this is the rest, such as a NUL in an argument.
    return {
      stdin: null,
      stdout: null,
      stderr: null,
      ended: Promise.resolve({notStarted}),
      end: async () => {},
      release: () => {},
    };
  }
  // A program that does not read its input has still done what it does.
  child.stdin?.on('error', () => {});
  const tree = (): Tree => (sharesTerminal ? familyOf : groupOf)(child, host);
  const forget = host.atExit?.(() => tree()('SIGKILL'));
  const ended = endOf(child, () => {
    if (!sharesTerminal && !leavesRest) tree()('SIGKILL');
  });
  void ended.then(() => forget?.());
  const end = async (): Promise<void> => {
    // Looked for once, before anything ends: what has lost its parent cannot be found any more.
    const send = tree();
    send('SIGTERM');
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([ended, new Promise((resolve) => (timer = setTimeout(resolve, grace)))]);
    clearTimeout(timer);
    send('SIGKILL');
    await ended;
  };
  let ending: Promise<void> | undefined;
  const {stdin, stdout, stderr} = child;
  return {stdin, stdout, stderr, ended, end: () => (ending ??= end()), release: () => child.unref()};
}

/** Signals all processes of a tree; those that are gone are no error. */
type Tree = (signal: EndSignal) => void;

/** The group that the program leads. It keeps its number while anything of it is left, so nobody else is hit. */
const groupOf =
  (child: ChildProcess, {kill}: ProgramHost): Tree =>
  (signal) => {
    if (child.pid === undefined) return;
    try {
      kill(-child.pid, signal);
    } catch {
      // It is empty; or there are no groups, as on Windows, and the program itself may still be there.
      child.kill(signal);
    }
  };

/** The program, and what it started as far as that can be found. */
function familyOf(child: ChildProcess, {kill}: ProgramHost): Tree {
  const descendants = child.pid === undefined ? [] : descendantsOf(child.pid);
  return (signal) => {
    for (const pid of descendants) {
      try {
        kill(pid, signal);
      } catch {
        // It is gone already.
      }
    }
    child.kill(signal);
  };
}

/** What a process started, and what that started, the youngest first. */
function descendantsOf(pid: number): number[] {
  const {status, stdout} = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], {encoding: 'utf8'});
  if (status !== 0) return [];
  const pairs = stdout.split('\n').map((row) => row.trim().split(/\s+/).map(Number) as [number, number]);
  const family = [pid];
  for (const member of family) family.push(...pairs.filter(([, parent]) => parent === member).map(([child]) => child));
  return family.slice(1).reverse();
}

function endOf(child: ChildProcess, onExit: () => void): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    child.once('error', (notStarted) => {
      if (child.pid === undefined) resolve({notStarted});
    });
    child.once('exit', () => {
      onExit();
      const cut = setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream?.destroy()), LAST_WORDS);
      child.once('close', (status, signal) => {
        clearTimeout(cut);
        resolve({status: status ?? undefined, signal: signal ?? undefined});
      });
    });
  });
}

/** `ended with status 3`, or `was ended by SIGKILL`. */
export const endWords = ({status, signal}: ProgramEnd): string =>
  signal === undefined ? `ended with status ${status}` : `was ended by ${signal}`;

/** Characters of a line that are kept: what a program writes without ever ending its line must not pile up here. */
const LONGEST_LINE = 8192;

/** Calls back with each line that has ended, and with what is left when the stream ends. */
export function eachLine(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    // A carriage return that comes last may be half of a line's end.
    const lines = (rest + chunk).split(/\r?\n|\r(?=[^\n])/).map((line) => line.slice(0, LONGEST_LINE));
    rest = lines.pop()!;
    lines.forEach(onLine);
  });
  stream.once('close', () => {
    if (rest !== '') onLine(rest);
  });
  // A pipe that breaks ends with its program, which is what is reported.
  stream.on('error', () => {});
}
