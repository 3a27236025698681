// Runs a program for what it prints: for a limited time, for a limited output, and with nothing of it left running.

import {eachLine, type ProgramEnd, type ProgramOptions, startProgram} from './program.js';

/** Milliseconds between asking and forcing; whoever waits for an answer waits for this as well. */
const GRACE = 500;

export interface AskOptions extends Omit<ProgramOptions, 'grace' | 'stdio'> {
  /** Ends it. */
  readonly signal?: AbortSignal;
  /** Milliseconds. */
  readonly timeout: number;
  /** Bytes that it may print on stdout. */
  readonly longest: number;
  /** What it gets on stdin, which is then kept open. At a terminal that it shares, its input is the terminal. */
  readonly input?: string;
  /** Takes each line that it prints on stderr, as it comes; without, they are dropped. At a terminal it writes there itself. */
  readonly onStderr?: (line: string) => void;
}

export type Answer =
  | (ProgramEnd & {readonly how: 'ended'; readonly output: Buffer})
  /** It was ended by us: by the signal, by the limit of time, or by that of its output. */
  | {readonly how: 'interrupted' | 'late' | 'too_much'};

/** Runs a program to its end. Never rejects. @param words the program and its arguments */
export async function askProgram(words: readonly string[], options: AskOptions): Promise<Answer> {
  const {signal, timeout, longest, input, onStderr, ...rest} = options;
  if (signal?.aborted) return {how: 'interrupted'};
  const [stdin, stderr] = rest.sharesTerminal
    ? (['inherit', 'inherit'] as const)
    : ([input === undefined ? 'ignore' : 'pipe', onStderr ? 'pipe' : 'ignore'] as const);
  const program = startProgram(words, {...rest, stdio: [stdin, 'pipe', stderr], grace: GRACE});
  program.stdin?.write(input);
  if (onStderr && program.stderr) eachLine(program.stderr, onStderr);
  let stopped: 'interrupted' | 'late' | 'too_much' | undefined;
  const stop = (how: typeof stopped): void => {
    stopped ??= how;
    void program.end();
  };
  const timer = setTimeout(stop, timeout, 'late');
  const abort = (): void => stop('interrupted');
  signal?.addEventListener('abort', abort, {once: true});
  const chunks: Buffer[] = [];
  let size = 0;
  program.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= longest) return;
    program.stdout?.destroy();
    stop('too_much');
  });
  const end = await program.ended;
  clearTimeout(timer);
  signal?.removeEventListener('abort', abort);
  if (stopped === undefined) return {how: 'ended', ...end, output: Buffer.concat(chunks)};
  // What it started may still be there.
  await program.end();
  return {how: stopped};
}
