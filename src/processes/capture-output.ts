// Captures the output of a program, within limits of time and size, and ends all of its processes.

import {onAbort} from '../common/deadlines.js';
import {eachLine, type ProgramExit, type ProgramOptions, startProgram} from './child-program.js';

/** Milliseconds from SIGTERM to SIGKILL. The caller waits for this too. */
const STOP_GRACE = 500;

export interface CaptureOptions extends Omit<ProgramOptions, 'grace' | 'stdio'> {
  readonly signal?: AbortSignal;
  readonly timeout: number;
  readonly maxBytes: number;
  /** Text for stdin, which then stays open. Ignored for a program that shares the terminal. */
  readonly input?: string;
  readonly onStderr?: (line: string) => void;
}

export type CapturedOutput =
  | (ProgramExit & {readonly how: 'ended'; readonly output: Buffer})
  /** Stopped by the signal, the time limit or the output limit. */
  | {readonly how: 'interrupted' | 'late' | 'too_much'};

/** Never rejects. @param words the program and its arguments */
export async function captureOutput(words: readonly string[], options: CaptureOptions): Promise<CapturedOutput> {
  const {signal, timeout, maxBytes, input, onStderr, ...rest} = options;
  if (signal?.aborted) return {how: 'interrupted'};
  const [stdin, stderr] = rest.sharesTerminal
    ? (['inherit', 'inherit'] as const)
    : ([input === undefined ? 'ignore' : 'pipe', onStderr ? 'pipe' : 'ignore'] as const);
  const program = startProgram(words, {...rest, stdio: [stdin, 'pipe', stderr], grace: STOP_GRACE});
  program.stdin?.write(input);
  if (onStderr && program.stderr) eachLine(program.stderr, onStderr);
  let stopped: 'interrupted' | 'late' | 'too_much' | undefined;
  const stop = (how: typeof stopped): void => {
    stopped ??= how;
    void program.end();
  };
  const timer = setTimeout(stop, timeout, 'late');
  const release = onAbort(signal, () => stop('interrupted'));
  const chunks: Buffer[] = [];
  let size = 0;
  program.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= maxBytes) return;
    program.stdout?.destroy();
    stop('too_much');
  });
  const end = await program.ended;
  clearTimeout(timer);
  release();
  if (stopped === undefined) return {how: 'ended', ...end, output: Buffer.concat(chunks)};
  await program.end();
  return {how: stopped};
}
