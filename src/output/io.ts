// OUTPUT: stdout is data, stderr is people. This file: the streams, their redaction, and what happens when one breaks.

import {CentavoError} from '../errors.js';
import {isSet, KEY_VARIABLE, WEBHOOK_SECRET_VARIABLE} from '../environment.js';
import {reasonOf} from '../system-errors.js';
import {wantsColor} from './color.js';
import {clean, cleanLines} from './format.js';
import {hide} from './redaction/objects.js';
import {Redactor, type SecretKind} from './redaction/redactor.js';
import {HIDDEN, type Shown} from './redaction/patterns.js';

/** The parts of a stream that are used; a test may bring its own. */
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

/** Secrets that a command prints on purpose. */
export interface Showing {
  readonly showing?: readonly string[];
}

export interface Io {
  /**
   * Writes data, without secrets. Resolves when the stream took it.
   * @throws CentavoError kind `local_io` when it could not be written, or `interrupted` while the stream took nothing
   */
  out(text: string, showing?: Showing): Promise<void>;
  /** @throws CentavoError kind `local_io` when something written past `out`, by the help for one, was lost */
  assertWritten(): void;
  /**
   * Writes one line for people, without secrets. Foreign text in it does nothing to a terminal: it breaks no line, and its colours
   * are shown as codes. With `warns`, also in a machine format: only `--quiet` silences it.
   */
  note(line: string | readonly Part[], options?: Showing & {readonly style?: Style; readonly warns?: boolean}): void;
  /**
   * Shows on the last line of a terminal what is being done, in place of what stood there; undefined erases it. Nothing is
   * shown where stderr is no terminal, or may not be redrawn.
   */
  progress(line: string | undefined): void;
  /** A text as stdout may show it: for code that draws there directly, and for files. */
  redact(text: string, showing?: Showing): string;
  /**
   * A value as stdout, or stderr, may show it, before it is formatted.
   * @param options `known` has what earlier calls made of the objects in it
   */
  hide<T>(value: T, options?: {readonly stream?: 'stderr' | 'stdout'; readonly known?: Map<object, unknown>}): T;
  /** Lets a signal be heard in the midst of long work. @throws CentavoError kind `interrupted` when there was one */
  checkSignal(): Promise<void>;
  /** Takes this secret out of everything written from now on. Texts under six characters are not treated as secrets. */
  learn(secret: string | undefined, kind?: SecretKind): void;
  /** Tells a person at a terminal, once, that secrets were hidden which --reveal shows. */
  tellHidden(): void;
  /** True once the reader of stdout has gone away. */
  readonly closed: boolean;
  readonly stdoutIsTerminal: boolean;
  /** True when a person can be asked: stdin and stderr are both terminals, and neither the command line nor the environment says otherwise. */
  readonly canAsk: boolean;
  /** True if nothing may be redrawn: the terminal cannot do it (TERM=dumb), or a screen reader would read it again (ACCESSIBLE=1). */
  readonly plain: boolean;
  /** True where a line can be drawn over: stderr is a terminal, and {@link plain} is false. */
  readonly canDraw: boolean;
  /** False if the locale (LC_ALL, LC_CTYPE, LANG) names another encoding than UTF-8. */
  readonly utf8: boolean;
  /** Columns of the terminal; 80 when it does not say. */
  readonly width: number;
  /** Columns that a table may take: those of the terminal; in a pipe those of COLUMNS, or as many as it needs. */
  readonly tableWidth: number;
  /** Wraps a text for a terminal that shows colour; gives it back untouched elsewhere. */
  readonly paint: (style: Style, text: string, stream?: 'stderr' | 'stdout') => string;
  /** What is known only once the command line is read: `--no-color`, `--quiet`, `--reveal`, and that nobody is to be asked. */
  readonly settings: {asks?: boolean; color?: boolean; quiet?: boolean; reveal?: boolean; silent?: boolean};
}

/** A part of a line, with the style that is its own. */
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
    // Only the first error counts: a stream that has failed is then destroyed as well.
    if (broken || closed) return;
    if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') closed = true;
    else broken = error;
  };
  stdout.on('error', remark);

  let usedStderr: OutputStream | undefined;
  const stderr = (): OutputStream => {
    if (usedStderr === undefined) {
      usedStderr = host.stderr;
      // Whoever closed stderr does not want to be told about it.
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
    // Coloured last: colours that are in the text already are not ours.
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
        // A program gets every byte. JSON and tables are harmless already; this is for everything else.
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

/** Characters; to take the secrets out of so many takes a while. */
const LONG_TEXT = 1_000_000;
/** Milliseconds that a reader of stdout has, after a signal, to take what is written. */
const PATIENCE = 300;
/** Rows that are worked on before a signal is looked for. */
const SLICE = 1000;

/** The rows, some at a time, so that a signal is heard between them. @throws CentavoError kind `interrupted` */
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
