// A tunnel opened by another program, whose output may show the URL. The tunnel closes when the program ends.

import {stripVTControlCharacters} from 'node:util';
import {onAbort} from '../../common/deadlines.js';
import type {CentavoError} from '../../common/errors.js';
import {codeOf, errorName} from '../../common/system-errors.js';
import {
  eachLine,
  describeExit,
  locateProgram,
  type ProgramExit,
  type ProcessHost,
  startProgram,
  resolvesWithin,
} from '../../processes/child-program.js';
import {tunnelError, tunnelInterrupted, type OpenOptions, type Tunnel, type TunnelProvider} from './tunnel.js';

const DEFAULT_READY_TIMEOUT = 30_000;
/** Lines of output that are kept for error messages. */
const KEPT_LINES = 40;

export interface KnownFailure {
  readonly pattern: RegExp;
  readonly code: `tunnel_${string}`;
  readonly message: string;
  readonly why: string;
  readonly hint: string;
  /** False if another attempt would fail too. */
  readonly retryable?: false;
}

export interface TunnelProgram {
  readonly program: string;
  readonly installHint: string;
  /** Returns the part of a line that explains a failure, if any. Default: the whole line. */
  readonly errorTextOf?: (line: string) => string | undefined;
  readonly failures?: readonly KnownFailure[];
  readonly args: (localPort: number) => readonly string[];
  /** The reader gets undefined once the program has started, then each line, and returns the URL of a ready tunnel. */
  readonly createReader: () => (line: string | undefined) => string | undefined;
}

export interface ProgramTunnelOptions {
  readonly host: ProcessHost;
  /** Milliseconds within which the tunnel must be ready; 30 000 by default. */
  readonly readyTimeout?: number;
}

export const programProvider = (spec: TunnelProgram, options: ProgramTunnelOptions): TunnelProvider => ({
  name: spec.program,
  missing: async () =>
    (await locateProgram(spec.program, options.host.env)) === undefined
      ? `${spec.program} is not installed. ${spec.installHint}`
      : undefined,
  open: (opening) => openTunnel(spec, {...options, ...opening}),
});

/** Resolves when the tunnel is ready. Ends the program before rejecting. */
async function openTunnel(
  spec: TunnelProgram,
  {host, readyTimeout = DEFAULT_READY_TIMEOUT, localPort, signal}: OpenOptions & ProgramTunnelOptions,
): Promise<Tunnel> {
  if (signal.aborted) throw tunnelInterrupted();
  const {started, stdout, stderr, ended, end} = startProgram([spec.program, ...spec.args(localPort)], {
    host,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  let closing = false;
  const close = (): Promise<void> => {
    closing = true;
    return end();
  };
  void ended.then(onAbort(signal, () => void close()));

  const read = spec.createReader();
  const ready = new Promise<string>((resolve) => {
    const readLine = (line?: string): void => {
      const url = read(line);
      if (url !== undefined) resolve(url);
    };
    if (started) readLine();
    // Read to the end: a full pipe would block the program.
    for (const stream of [stdout, stderr])
      if (stream)
        eachLine(stream, (raw) => {
          const line = plainOutput(raw);
          if (line === '') return;
          const text = spec.errorTextOf ? spec.errorTextOf(line) : line;
          if (text !== undefined) lines.push(text);
          if (lines.length > KEPT_LINES) lines.shift();
          readLine(line);
        });
  });

  const first = await resolvesWithin(Promise.race([ready, ended]), readyTimeout);
  if (typeof first === 'string' && !closing) {
    const closed = ended.then((end) =>
      closing
        ? `${spec.program} was stopped`
        : (knownFailure(spec, lines)?.message ?? `${spec.program} ${describeExit(end)}. ${quoteLastError(lines)}`),
    );
    return {url: first, closed, close};
  }
  const interrupted = closing;
  await close();
  if (interrupted) throw tunnelInterrupted();
  throw notReadyError(spec, lines, await ended, first === undefined ? readyTimeout : undefined);
}

function knownFailure({failures = []}: TunnelProgram, lines: readonly string[]): CentavoError | undefined {
  for (const {pattern, code, message, ...details} of failures)
    if (lines.some((line) => pattern.test(line))) return tunnelError(code, message, details);
  return undefined;
}

function notReadyError(spec: TunnelProgram, lines: readonly string[], end: ProgramExit, limit: number | undefined) {
  const {program, installHint} = spec;
  if (end.notStarted !== undefined) {
    const details = {cause: end.notStarted, retryable: false};
    const code = codeOf(end.notStarted) ?? errorName(end.notStarted);
    return code === 'ENOENT'
      ? tunnelError('tunnel_not_installed', `${program} is not installed.`, {
          why: 'It was not found on the PATH.',
          hint: installHint,
          ...details,
        })
      : tunnelError('tunnel_not_started', `${program} could not be started.`, {
          why: `The system reported ${code}.`,
          hint: 'Check that the file is executable.',
          ...details,
        });
  }
  const known = knownFailure(spec, lines);
  if (known) return known;
  const why = quoteLastError(lines);
  return limit === undefined
    ? tunnelError('tunnel_failed', `${program} ${describeExit(end)} before its tunnel was ready.`, {why})
    : tunnelError('tunnel_not_ready', `the ${program} tunnel was not ready after ${limit / 1000} s.`, {why});
}

const plainOutput = (line: string): string =>
  stripVTControlCharacters(line)
    .replace(/\p{Cc}/gu, ' ')
    .trim();

const MAX_LINE_LENGTH = 200;
/** Characters. Longer than {@link MAX_LINE_LENGTH}, because hiding secrets shortens a line. */
const MAX_SCANNED_LENGTH = 1000;

/** A key, token or digest, if it has both letters and digits. */
const OPAQUE = /[A-Za-z0-9_+=-]{20,}/g;

/** Shortens another program's line for a message, and hides possible secrets. */
export function quoteLine(line: string): string {
  const safe = line
    .slice(0, MAX_SCANNED_LENGTH)
    .replace(/\/\/[^/\s@]+@/g, '//…@')
    .replace(/\b(bearer|basic)\s+\S+/gi, '$1 …')
    .replace(
      /([\w-]*(?:token|secret|passw(?:or)?d|authorization|credentials?|key)["']?\s*[=:]\s*["']?)[^\s"',]+/gi,
      '$1…',
    )
    .replace(OPAQUE, (run) => (/\d/.test(run) && /[A-Za-z]/.test(run) ? `${run.slice(0, 4)}…` : run))
    .trim();
  return safe.length > MAX_LINE_LENGTH ? `${safe.slice(0, MAX_LINE_LENGTH)}…` : safe;
}

/** Quotes the last line that mentions a failure, or else the last line. */
export function quoteLastError(lines: readonly string[]): string {
  const line =
    lines.findLast((line) => /\b(err|eror|error|fatal|failed|denied|refused|invalid)\b/i.test(line)) ?? lines.at(-1);
  return line === undefined ? 'It printed nothing.' : `It printed: ${quoteLine(line)}`;
}
