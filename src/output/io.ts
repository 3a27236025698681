// The output streams: data on stdout and messages for people on stderr, both without secrets.

import {isSet, KEY_VARIABLE, WEBHOOK_SECRET_VARIABLE} from '../ground/environment.js';
import {CentavoError} from '../ground/errors.js';
import {reasonOf} from '../ground/system-errors.js';
import {wantsColor} from './color.js';
import {clean, cleanLines} from './format.js';
import {hide} from './redaction/objects.js';
import {HIDDEN, type Shown} from './redaction/patterns.js';
import {Redactor, type SecretKind} from './redaction/redactor.js';

export interface OutputStream {
  write(text: string, done?: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Failure) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

type Failure = Error & {code?: string};

export interface IoOptions {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: {readonly isTTY?: boolean};
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by SIGINT, SIGTERM and SIGHUP. */
  readonly signal?: AbortSignal;
}

export interface Showing {
  /** Secrets to print on purpose. */
  readonly showing?: readonly string[];
}

export interface Io {
  /** Resolves when stdout took the text. @throws CentavoError kind `local_io`, or `interrupted` while it waits */
  out(text: string, showing?: Showing): Promise<void>;
  /** @throws CentavoError kind `local_io` if any write to stdout failed */
  assertWritten(): void;
  /** Writes a line on stderr, with foreign text made harmless. With `warns`, in a machine format too. */
  note(line: string | readonly Part[], options?: Showing & {readonly style?: Style; readonly warns?: boolean}): void;
  /** Replaces the progress line of a terminal that can redraw; undefined erases it. */
  progress(line: string | undefined): void;
  /** A text without secrets, for code that writes to the terminal or a file itself. */
  redact(text: string, showing?: Showing): string;
  /** A value without secrets, before it is formatted. `known` caches the objects of earlier calls. */
  hide<T>(value: T, options?: {readonly stream?: 'stderr' | 'stdout'; readonly known?: Map<object, unknown>}): T;
  /** Lets signals in during long work. @throws CentavoError kind `interrupted` */
  checkSignal(): Promise<void>;
  /** Hides this secret from now on, if it has six characters at least. */
  learn(secret: string | undefined, kind?: SecretKind): void;
  /** Says once, at a terminal, that --reveal shows what was hidden. */
  tellHidden(): void;
  /** The reader of stdout has gone away. */
  readonly closed: boolean;
  readonly stdoutIsTerminal: boolean;
  /** A person can be asked: stdin and stderr are terminals, and neither flags nor the environment forbid it. */
  readonly canAsk: boolean;
  /** Nothing may be redrawn: TERM=dumb, or a screen reader that would read it again (ACCESSIBLE=1). */
  readonly plain: boolean;
  /** stderr is a terminal, and not {@link plain}. */
  readonly canDraw: boolean;
  /** The locale (LC_ALL, LC_CTYPE, LANG) is UTF-8 or not set. */
  readonly utf8: boolean;
  /** Columns of the terminal; 80 if unknown. */
  readonly width: number;
  /** Columns for a table: those of the terminal; in a pipe COLUMNS, or without a limit. */
  readonly tableWidth: number;
  /** Colours a text if the stream shows colour. */
  readonly paint: (style: Style, text: string, stream?: 'stderr' | 'stdout') => string;
  /** Set once the command line is parsed. `silent` is --quiet alone; a machine format sets `quiet` too. */
  readonly settings: {asks?: boolean; color?: boolean; quiet?: boolean; reveal?: boolean; silent?: boolean};
}

export interface Part {
  readonly text: string;
  readonly style?: Style;
}

export type Style = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow';

const CODES: Record<Style, [open: number, close: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export function createIo(host: IoOptions): Io {
  const {stdout, env} = host;
  const settings: Io['settings'] = {};
  const redactor = new Redactor();
  redactor.learn(env[KEY_VARIABLE]);
  redactor.learn(env[WEBHOOK_SECRET_VARIABLE], 'webhook secret');
  const onStdout = (): Shown => (settings.reveal ? 'secrets' : 'links');
  let incomplete = false;
  let closed = false;
  let broken: Failure | undefined;
  const remark = (error: Failure): void => {
    // Only the first error counts: a stream that failed is then destroyed.
    if (broken || closed) return;
    if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') closed = true;
    else broken = error;
  };
  stdout.on('error', remark);

  let usedStderr: OutputStream | undefined;
  const stderr = (): OutputStream => {
    if (usedStderr === undefined) {
      usedStderr = host.stderr;
      // A closed stderr is no error.
      usedStderr.on('error', () => {});
    }
    return usedStderr;
  };

  const colored = (stream: OutputStream): boolean =>
    settings.color ?? wantsColor({env, isTerminal: stream.isTTY === true});

  const redact: Io['redact'] = (text, {showing} = {}) => {
    const safe = redactor.text(text, onStdout(), showing);
    incomplete ||= redactor.withheld && safe.includes(HIDDEN);
    return safe;
  };

  const plain = env.TERM === 'dumb' || isSet(env.ACCESSIBLE);
  let inProgress = false;
  const progress: Io['progress'] = (line) => {
    if (line === undefined ? !inProgress : settings.quiet || plain || stderr().isTTY !== true) return;
    inProgress = line !== undefined;
    try {
      stderr().write(
        `\r\u001B[2K${line === undefined ? '' : paint('dim', clean(redactor.text(line, 'nothing')), 'stderr')}`,
      );
    } catch {}
  };

  const note: Io['note'] = (line, {showing, style, warns} = {}) => {
    progress(undefined);
    if (warns ? settings.silent : settings.quiet) return;
    const parts = typeof line === 'string' ? [{text: line, style}] : line;
    // Coloured last: clean() escapes colours, since those in the text are not ours.
    const shown = parts.map((part) => {
      const text = clean(redactor.text(part.text, 'nothing', showing));
      return part.style ? paint(part.style, text, 'stderr') : text;
    });
    try {
      stderr().write(`${shown.join('')}\n`);
    } catch {}
  };

  const paint: Io['paint'] = (style, text, stream = 'stdout') => {
    if (!colored(stream === 'stdout' ? stdout : stderr())) return text;
    const [open, close] = CODES[style];
    return `\u001B[${open}m${text}\u001B[${close}m`;
  };

  const checkSignal = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    if (host.signal?.aborted) throw interrupted();
  };

  return {
    settings,
    redact,
    note,
    progress,
    paint,
    hide: (value, {stream, known} = {}) => hide(value, redactor, stream === 'stderr' ? 'nothing' : onStdout(), known),
    checkSignal,
    learn: (secret, kind) => redactor.learn(secret, kind),
    tellHidden: () => {
      if (incomplete && stderr().isTTY === true)
        note('Secrets are hidden. To show them, add --reveal.', {style: 'dim'});
      incomplete = false;
    },
    out: async (text, showing) => {
      progress(undefined);
      if (text.length > LONG_TEXT) await checkSignal();
      await new Promise<void>((resolve, reject) => {
        if (closed) return resolve();
        const hidden = redact(text, showing);
        // A program gets every byte. JSON and tables are clean already; this is for everything else.
        const safe = stdout.isTTY === true ? cleanLines(hidden) : hidden;
        let patience: NodeJS.Timeout | undefined;
        const stop = (): void => void (patience = setTimeout(() => reject(interrupted()), PATIENCE));
        host.signal?.addEventListener('abort', stop, {once: true});
        const done = (error?: Failure | null): void => {
          host.signal?.removeEventListener('abort', stop);
          clearTimeout(patience);
          // The stream tells its writer first, and its listeners later.
          if (error) remark(error);
          if (broken) reject(cannotWrite(broken));
          else resolve();
        };
        // A file is written synchronously, and its stream throws.
        try {
          stdout.write(safe, done);
        } catch (error) {
          done(error as Failure);
        }
      });
    },
    assertWritten: () => {
      if (broken) throw cannotWrite(broken);
    },
    get closed() {
      return closed;
    },
    stdoutIsTerminal: stdout.isTTY === true,
    get canAsk() {
      const forbidden = settings.asks === false || isSet(env.CI) || isSet(env.CENTAVO_NO_INPUT);
      return !forbidden && host.stdin.isTTY === true && stderr().isTTY === true;
    },
    plain,
    get canDraw() {
      return !plain && stderr().isTTY === true;
    },
    utf8: /^$|utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || ''),
    get width() {
      return forcedWidth(env) ?? (stdout.columns || 80);
    },
    get tableWidth() {
      return forcedWidth(env) ?? (stdout.isTTY === true ? stdout.columns || 80 : Infinity);
    },
  };
}

function forcedWidth({COLUMNS}: IoOptions['env']): number | undefined {
  const forced = Number(COLUMNS);
  return Number.isInteger(forced) && forced > 0 ? forced : undefined;
}

/** Characters that take a while to redact. */
const LONG_TEXT = 1_000_000;
/** Milliseconds that a reader of stdout has after a signal. */
const PATIENCE = 300;
const SLICE = 1000;

/** The rows in batches, with a check for signals between them. @throws CentavoError kind `interrupted` */
export async function* slices<T>(rows: readonly T[], io: Pick<Io, 'checkSignal'>): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < rows.length; at += SLICE) {
    if (at > 0) await io.checkSignal();
    yield rows.slice(at, at + SLICE);
  }
}

const interrupted = (): CentavoError => new CentavoError('interrupted', 'stopped before all output was written.');

const cannotWrite = (cause: Failure): CentavoError =>
  new CentavoError('local_io', 'the output could not be written.', {
    why: reasonOf(cause),
    hint: 'Any change that this command makes was made. Check it with get or list.',
    cause,
  });
