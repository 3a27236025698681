// Runs a program for what it prints: for a limited time, for a limited output, and with nothing of it left running.

import {eachLine} from './lines.js';
import {startProgram, type Program, type ProgramEnd, type ProgramOptions} from './program.js';

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
  const chunks: Buffer[] = [];
  program.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = program.ended.then((end): Answer => ({how: 'ended', ...end, output: Buffer.concat(chunks)}));
  const {limits, forget} = limitsOf(program, {signal, timeout, longest});
  const answer = await Promise.race([ended, limits]);
  forget();
  if (answer.how !== 'ended') await program.end();
  return answer;
}

/** Resolves with the first reason to end the program. */
function limitsOf(
  {stdout}: Program,
  {signal, timeout, longest}: Pick<AskOptions, 'longest' | 'signal' | 'timeout'>,
): {limits: Promise<Answer>; forget: () => void} {
  let forget = (): void => {};
  const limits = new Promise<Answer>((resolve) => {
    const timer = setTimeout(resolve, timeout, {how: 'late'});
    const abort = (): void => resolve({how: 'interrupted'});
    signal?.addEventListener('abort', abort, {once: true});
    let size = 0;
    stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= longest) return;
      stdout.destroy();
      resolve({how: 'too_much'});
    });
    forget = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
  });
  return {limits, forget};
}
