// A tunnel that is a program: it is open for as long as the program runs, and what the program prints tells when it is ready.

import type {Readable} from 'node:stream';
import type {CentavoError} from '../../errors.js';
import {startGroup, type ProgramEnd} from './group.js';
import {readLines} from './lines.js';
import {startError} from './locate.js';
import {tellingLine} from './quote.js';
import {tunnelError, tunnelInterrupted, type Tunnel, type TunnelHost} from './tunnel.js';

/** Milliseconds that a program has to become ready. */
export const DEFAULT_READY_WITHIN = 30_000;
/** Lines that are kept to explain an end. */
const KEPT_LINES = 40;

export interface TunnelProgram {
  readonly program: string;
  readonly args: readonly string[];
  /** Where to get it, in words. */
  readonly where: string;
  /** Keep its input open, for programs that end with it. */
  readonly holdInput?: boolean;
  /** Given each line, and once no line when it has been started: the public URL as soon as the tunnel is ready. */
  readonly read: (line: string | undefined) => string | undefined;
  /** Whether a line says nothing of failures. */
  readonly isNoise?: (line: string) => boolean;
  /** A failure that is known by what was printed. */
  readonly explain?: (lines: readonly string[]) => CentavoError | undefined;
}

export interface RunOptions {
  readonly host: TunnelHost;
  readonly signal: AbortSignal;
  /** Milliseconds until it must be ready. */
  readonly readyWithin?: number;
}

const endWords = ({status, signal}: ProgramEnd): string =>
  signal === undefined ? `ended with status ${status}` : `was ended by ${signal}`;

const lastWords = (lines: readonly string[]): string => {
  const line = tellingLine(lines);
  return line === undefined ? 'It said nothing.' : `It said: ${line}`;
};

/** Starts the program. @throws CentavoError kind `unavailable` or `interrupted`, when nothing of it runs any more */
export async function runTunnelProgram(spec: TunnelProgram, options: RunOptions): Promise<Tunnel> {
  const {host, signal, readyWithin = DEFAULT_READY_WITHIN} = options;
  if (signal.aborted) throw tunnelInterrupted();
  const group = startGroup(spec.program, spec.args, {host, holdInput: spec.holdInput});
  const lines: string[] = [];
  let closing = false;
  const close = (): Promise<void> => {
    closing = true;
    return group.stop();
  };
  const abort = (): void => void close();
  signal.addEventListener('abort', abort, {once: true});
  void group.ended.then(() => signal.removeEventListener('abort', abort));

  const ready = new Promise<string>((resolve) => {
    const look = (line?: string): void => {
      const url = spec.read(line);
      if (url !== undefined) resolve(url);
    };
    group.child.once('spawn', () => look());
    // Read to the end, ready or not: a program whose pipe is full stands still.
    for (const stream of [group.child.stdout, group.child.stderr] as Readable[]) {
      readLines(stream, (line) => {
        if (!spec.isNoise?.(line)) lines.push(line);
        if (lines.length > KEPT_LINES) lines.shift();
        look(line);
      });
    }
  });

  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, readyWithin, 'late')));
  const first = await Promise.race([ready, group.ended, late]);
  clearTimeout(timer);

  if (typeof first === 'string' && first !== 'late' && !closing) {
    const closed = group.ended.then((end) =>
      closing
        ? ({reason: 'closed', why: `${spec.program} was stopped`} as const)
        : ({
            reason: 'lost',
            why: spec.explain?.(lines)?.message ?? `${spec.program} ${endWords(end)}. ${lastWords(lines)}`,
          } as const),
    );
    return {url: first, closed, close};
  }
  const interrupted = closing;
  await close();
  if (interrupted) throw tunnelInterrupted();
  if (typeof first === 'object' && first.error) throw startError(spec.program, spec.where, first.error);
  const known = spec.explain?.(lines);
  if (known) throw known;
  if (typeof first === 'object')
    throw tunnelError('tunnel_failed', `${spec.program} ${endWords(first)} before its tunnel was ready.`, {
      why: lastWords(lines),
    });
  throw tunnelError('tunnel_not_ready', `the tunnel of ${spec.program} was not ready after ${readyWithin / 1000} s.`, {
    why: lastWords(lines),
  });
}
