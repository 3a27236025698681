// Runs a program for what it prints: without a shell, for so long and no longer, and with nothing of it left running.

import {spawn, type ChildProcess} from 'node:child_process';
import type {Environment} from '../secrets.js';
import {endTree, killTree} from './process-tree.js';
import {nameOf} from '../thrown.js';

/** Milliseconds that output may take after the program’s end: something it left running may hold the pipe open. */
const LAST_WORDS = 250;
/** Characters of a complaint that are shown: what a program writes without ever ending its line must not pile up here. */
const LONGEST_LINE = 1000;

export interface ProgramOptions {
  readonly environment: Environment;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly timeout: number;
  /** Bytes that it may print. */
  readonly longest: number;
  /**
   * Whether it may ask a person: it then shares stdin and stderr, and stays in the terminal’s group, since a program
   * outside of that may not read. Otherwise its input is empty, and it leads a group of its own.
   */
  readonly terminal: boolean;
  /** Takes each line that it prints on stderr, as it comes; without, they are dropped. At a terminal it writes there itself. */
  readonly say?: (line: string) => void;
  /** `process.kill`. */
  readonly kill: (pid: number, signal: 'SIGKILL' | 'SIGTERM') => unknown;
  /** Has this done if the process ends first. */
  readonly atExit?: (cleanUp: () => void) => () => void;
}

export type ProgramEnd =
  | {readonly how: 'ended'; readonly status: number | null; readonly signal: string | null; readonly output: Buffer}
  | {readonly how: 'not_started'; readonly error: string}
  /** It was ended, by the signal, by the limit of time, or by that of its output. */
  | {readonly how: 'interrupted'}
  | {readonly how: 'late'}
  | {readonly how: 'too_much'};

/** Never rejects. What a program that ended by itself has left running, as agents do, goes on. */
export async function outputOf(
  [program = '', ...args]: readonly string[],
  options: ProgramOptions,
): Promise<ProgramEnd> {
  const {environment, signal, timeout, longest, terminal, say, kill, atExit} = options;
  if (signal.aborted) return {how: 'interrupted'};
  const tree = {ownGroup: !terminal, kill};
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      env: environment as NodeJS.ProcessEnv,
      stdio: [terminal ? 'inherit' : 'ignore', 'pipe', terminal ? 'inherit' : say ? 'pipe' : 'ignore'],
      detached: tree.ownGroup,
      windowsHide: true,
    });
  } catch (error) {
    // The message quotes what Node does not accept.
    return {how: 'not_started', error: (error as {code?: string}).code ?? 'that it cannot be'};
  }
  const forget = atExit?.(() => killTree(child, tree));
  if (say && child.stderr) eachLine(child.stderr, say);
  const ended = endOf(child);
  const {stopped, forgetStop} = watch(child, {signal, timeout, longest});
  const first = await Promise.race([ended, stopped]);
  forgetStop();
  if (first.how !== 'ended' && first.how !== 'not_started') await endTree(child, ended, tree);
  forget?.();
  return first;
}

/** Gives each line as it comes, and the last one without its end. */
function eachLine(stream: NonNullable<ChildProcess['stderr']>, take: (line: string) => void): void {
  let rest = '';
  const give = (line: string): void => take(line.slice(0, LONGEST_LINE));
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop()!.slice(0, LONGEST_LINE);
    lines.forEach(give);
  });
  stream.once('close', () => rest !== '' && give(rest));
}

/** Resolves with the first reason to end the program. */
function watch(
  child: ChildProcess,
  {signal, timeout, longest}: Pick<ProgramOptions, 'longest' | 'signal' | 'timeout'>,
): {stopped: Promise<ProgramEnd>; forgetStop: () => void} {
  let forgetStop = (): void => {};
  const stopped = new Promise<ProgramEnd>((resolve) => {
    const timer = setTimeout(resolve, timeout, {how: 'late'});
    const abort = (): void => resolve({how: 'interrupted'});
    signal.addEventListener('abort', abort, {once: true});
    let size = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= longest) return;
      child.stdout?.destroy();
      resolve({how: 'too_much'});
    });
    forgetStop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
  });
  return {stopped, forgetStop};
}

function endOf(child: ChildProcess): Promise<ProgramEnd> {
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined) resolve({how: 'not_started', error: error.code ?? nameOf(error)});
    });
    child.once('exit', () => {
      const cut = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, LAST_WORDS);
      child.once('close', (status, signal) => {
        clearTimeout(cut);
        resolve({how: 'ended', status, signal, output: Buffer.concat(chunks)});
      });
    });
  });
}
