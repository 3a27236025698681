// A tunnel that is a program: it is open for as long as the program runs, and what the program prints tells when it is ready.

import {stripVTControlCharacters} from 'node:util';
import type {CentavoError} from '../../errors.js';
import {eachLine, endWords, type ProgramEnd, type ProgramHost, startProgram} from '../../programs/program.js';
import {locateProgram} from '../../programs/locate.js';
import {codeOf, nameOf} from '../../thrown.js';
import {tellingLine} from './quote.js';
import {tunnelError, tunnelInterrupted, type OpenOptions, type Tunnel, type TunnelProvider} from './tunnel.js';

/** Milliseconds that a program has to become ready. */
const DEFAULT_READY_WITHIN = 30_000;
/** Lines that are kept to explain an end. */
const KEPT_LINES = 40;

/** What there is to know of a program that makes tunnels. */
export interface TunnelProgram {
  /** The name of the provider. */
  readonly name: string;
  readonly program: string;
  /** Where to get it, in words. */
  readonly where: string;
  /** Keep its input open, for programs that end with it. */
  readonly holdInput?: boolean;
  /** Whether a line says nothing of failures. */
  readonly isNoise?: (line: string) => boolean;
  /** A failure that is known by what was printed. */
  readonly explain?: (lines: readonly string[]) => CentavoError | undefined;
  /** @param localPort where requests shall arrive on this machine */
  readonly args: (localPort: number) => readonly string[];
  /**
   * Made anew for each start. Given each line, and once no line when the program has been started, it returns the public
   * URL as soon as the tunnel is ready.
   */
  readonly reader: () => (line: string | undefined) => string | undefined;
}

export interface ProgramTunnelOptions {
  readonly host: ProgramHost;
  /** Milliseconds until it must be ready; 30 s when not given. */
  readonly readyWithin?: number;
}

/** The tunnels that this program makes. */
export const programProvider = (spec: TunnelProgram, options: ProgramTunnelOptions): TunnelProvider => ({
  name: spec.name,
  check: async () =>
    (await locateProgram(spec.program, options.host.env)) === undefined
      ? {ok: false, hint: `${spec.program} is not installed. ${spec.where}`}
      : {ok: true},
  open: (opening) => openTunnel(spec, {...options, ...opening}),
});

/** @throws CentavoError kind `unavailable` or `interrupted`, when nothing of the program runs any more */
async function openTunnel(
  spec: TunnelProgram,
  {host, readyWithin = DEFAULT_READY_WITHIN, localPort, signal}: OpenOptions & ProgramTunnelOptions,
): Promise<Tunnel> {
  if (signal.aborted) throw tunnelInterrupted();
  const {stdout, stderr, ended, end} = startProgram([spec.program, ...spec.args(localPort)], {
    host,
    stdio: [spec.holdInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  let closing = false;
  const close = (): Promise<void> => {
    closing = true;
    return end();
  };
  const abort = (): void => void close();
  signal.addEventListener('abort', abort, {once: true});
  void ended.then(() => signal.removeEventListener('abort', abort));

  const read = spec.reader();
  const ready = new Promise<string>((resolve) => {
    const look = (line?: string): void => {
      const url = read(line);
      if (url !== undefined) resolve(url);
    };
    // What could not be started has no streams. Read to the end, ready or not: a program whose pipe is full stands still.
    if (stdout) look();
    for (const stream of [stdout, stderr])
      if (stream)
        eachLine(stream, (raw) => {
          const line = plain(raw);
          if (line === '') return;
          if (!spec.isNoise?.(line)) lines.push(line);
          if (lines.length > KEPT_LINES) lines.shift();
          look(line);
        });
  });

  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, readyWithin, 'late')));
  const first = await Promise.race([ready.then((url) => ({url})), ended, late]);
  clearTimeout(timer);

  if (typeof first === 'object' && 'url' in first && !closing) {
    const closed = ended.then((programEnd) =>
      closing
        ? ({reason: 'closed', why: `${spec.program} was stopped`} as const)
        : ({
            reason: 'lost',
            why: spec.explain?.(lines)?.message ?? `${spec.program} ${endWords(programEnd)}. ${lastWords(lines)}`,
          } as const),
    );
    return {url: first.url, closed, close};
  }
  const interrupted = closing;
  await close();
  if (interrupted) throw tunnelInterrupted();
  throw whyNotReady(spec, lines, await ended, first === 'late' ? readyWithin : undefined);
}

/** @param limit milliseconds, when they were up before it ended */
function whyNotReady(
  {program, where, explain}: TunnelProgram,
  lines: readonly string[],
  end: ProgramEnd,
  limit: number | undefined,
): CentavoError {
  if (end.notStarted !== undefined) return startError(program, where, end.notStarted);
  const known = explain?.(lines);
  if (known) return known;
  const why = lastWords(lines);
  return limit === undefined
    ? tunnelError('tunnel_failed', `${program} ${endWords(end)} before its tunnel was ready.`, {why})
    : tunnelError('tunnel_not_ready', `the tunnel of ${program} was not ready after ${limit / 1000} s.`, {why});
}

/** @param cause what the attempt to start it threw */
function startError(program: string, where: string, cause: unknown): CentavoError {
  const code = codeOf(cause);
  if (code === 'ENOENT') {
    return tunnelError('tunnel_not_installed', `${program} is not installed.`, {
      why: 'No program of that name was found on the PATH.',
      hint: where,
      retryable: false,
      cause,
    });
  }
  return tunnelError('tunnel_not_started', `${program} could not be started.`, {
    why: `The system says ${code ?? nameOf(cause)}.`,
    hint: 'Check that the file may be executed.',
    retryable: false,
    cause,
  });
}

/** A line without escape sequences. */
const plain = (line: string): string =>
  stripVTControlCharacters(line)
    .replace(/\p{Cc}/gu, ' ')
    .trim();

const lastWords = (lines: readonly string[]): string => {
  const line = tellingLine(lines);
  return line === undefined ? 'It said nothing.' : `It said: ${line}`;
};
