// The output streams: data on stdout and messages for the user on stderr, both without secrets.

import type {Agent} from '../processes/agents.js';
import {isSet, KEY_VARIABLE, WEBHOOK_SECRET_VARIABLE} from '../common/environment.js';
import {CentavoError} from '../common/errors.js';
import {systemReason} from '../common/system-errors.js';
import {wantsColor} from './color.js';
import {boundedLine, oneLineText, multiLineText, foldSentence} from './format.js';
import {redactObject} from './redaction/objects.js';
import {HIDDEN, type AllowedSecrets} from './redaction/patterns.js';
import {Redactor, type SecretKind} from './redaction/redactor.js';

export interface OutputStream {
  write(text: string, done?: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Failure) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

type Failure = Error & {code?: string};

export interface StreamsOptions {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: {readonly isTTY?: boolean};
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by SIGINT, SIGTERM and SIGHUP. */
  readonly signal?: AbortSignal;
}

export interface SecretDisplay {
  readonly showing?: readonly string[];
}

export interface OutputPart {
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

/** The public members of {@link Streams}. */
export type OutputStreams = Pick<Streams, keyof Streams>;

export const createStreams = (host: StreamsOptions): OutputStreams => new Streams(host);

class Streams {
  /** Set once the command line is parsed. `silent` is --quiet alone; a machine format sets `quiet` too. */
  readonly settings: {
    asks?: boolean;
    confirmsOnly?: boolean;
    handsOver?: boolean;
    agent?: Agent;
    color?: boolean;
    quiet?: boolean;
    reveal?: boolean;
    silent?: boolean;
  } = {};
  /** Collects the output for a file, which `end` writes. It returns a result that names the file. */
  kept?: {readonly pieces: string[]; readonly end: () => Promise<unknown>};
  readonly stdoutIsTerminal: boolean;
  /** True for a screen reader (ACCESSIBLE=1): words replace marks, and each value follows its name. */
  readonly spoken: boolean;
  /** True if nothing may be redrawn: TERM=dumb, or a screen reader, which would read everything again. */
  readonly plain: boolean;
  /** True if the locale (LC_ALL, LC_CTYPE, LANG) is UTF-8 or not set. */
  readonly utf8: boolean;
  /** True once the reader of stdout has closed the pipe, or the user the terminal. */
  closed = false;
  private readonly redactor = new Redactor();
  /** Ends each wait for the reader of stdout. One listener serves them all: any number of writes may wait at once. */
  private readonly waiting = new Set<() => void>();
  private hidSecrets = false;
  private failure?: Failure;
  private usedStderr?: OutputStream;
  private inProgress = false;
  private printedTenth?: number;

  constructor(private readonly host: StreamsOptions) {
    const {stdout, env} = host;
    this.redactor.addSecret(env[KEY_VARIABLE]);
    this.redactor.addSecret(env[WEBHOOK_SECRET_VARIABLE], 'webhook secret');
    this.stdoutIsTerminal = stdout.isTTY === true;
    this.spoken = isSet(env.ACCESSIBLE);
    this.plain = this.spoken || env.TERM === 'dumb';
    this.utf8 = /^$|utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || '');
    stdout.on('error', this.recordFailure);
    host.signal?.addEventListener('abort', () => this.waiting.forEach((stop) => stop()));
  }

  /** True if centavo can ask the user: stdin and stderr are terminals, and no flag or variable forbids questions. */
  get canAsk(): boolean {
    return this.canConfirm && !this.settings.confirmsOnly;
  }

  /** Like {@link canAsk}, for questions that confirm what was typed. */
  get canConfirm(): boolean {
    return this.isAttended && !this.settings.agent;
  }

  /** True if a question would be seen: by a person, or by an agent in a terminal. */
  get isAttended(): boolean {
    const {env} = this.host;
    const forbidden = this.settings.asks === false || isSet(env.CI) || isSet(env.CENTAVO_NO_INPUT);
    // stdin last: Node loads file streams for one that is no terminal.
    return !forbidden && this.stderr().isTTY === true && this.host.stdin.isTTY === true;
  }

  /** True if stderr is a terminal that is not {@link plain}. */
  get canDraw(): boolean {
    return !this.plain && this.stderr().isTTY === true;
  }

  /** COLUMNS, or the columns of the terminal; 80 if unknown. */
  get width(): number {
    return forcedWidth(this.host.env) ?? (this.host.stdout.columns || 80);
  }

  /** Columns for a sentence: {@link width} at a terminal; in a pipe COLUMNS, or no limit. */
  get sentenceWidth(): number {
    return this.stdoutIsTerminal ? this.width : (forcedWidth(this.host.env) ?? Infinity);
  }

  /** Resolves when stdout has taken the text. @throws CentavoError kind `local_io`, or `interrupted` during the wait */
  readonly out = async (text: string, showing?: SecretDisplay): Promise<void> => {
    this.progress(undefined);
    if (text.length > LONG_TEXT) await this.checkSignal();
    if (this.kept) return void this.kept.pieces.push(this.redact(text, showing));
    const {stdout} = this.host;
    await new Promise<void>((resolve, reject) => {
      if (this.closed) return resolve();
      const hidden = this.redact(text, showing);
      // Control characters are escaped for a terminal only: a program gets every byte.
      const safe = this.stdoutIsTerminal ? multiLineText(hidden) : hidden;
      let timer: NodeJS.Timeout | undefined;
      const stop = (): void => void (timer = setTimeout(() => reject(interrupted()), READER_GRACE));
      this.waiting.add(stop);
      const done = (error?: Failure | null): void => {
        this.waiting.delete(stop);
        clearTimeout(timer);
        // The `error` event comes only after this callback.
        if (error) this.recordFailure(error);
        if (this.failure) reject(cannotWrite(this.failure));
        else resolve();
      };
      // A write to a file is synchronous, and throws.
      try {
        stdout.write(safe, done);
      } catch (error) {
        done(error as Failure);
      }
    });
  };

  /** @throws CentavoError kind `local_io` if any write to stdout failed */
  readonly assertWritten = (): void => {
    if (this.failure) throw cannotWrite(this.failure);
  };

  /** Writes an escaped line to stderr. `warns` prints in machine formats too; `whole` does not fold, for programs. */
  readonly note = (
    line: string | readonly OutputPart[],
    {showing, style, warns, whole}: SecretDisplay & {style?: Style; warns?: boolean; whole?: boolean} = {},
  ): void => {
    this.progress(undefined);
    if (warns ? this.settings.silent : this.settings.quiet) return;
    const parts = typeof line === 'string' ? [{text: line, style}] : line;
    const {isTTY, columns} = this.stderr();
    const width = isTTY === true && !whole ? (forcedWidth(this.host.env) ?? (columns || 80)) : Infinity;
    // Colours are added after escaping, which would escape them too.
    const shown = parts.map((part) => {
      const text = boundedLine(oneLineText(this.redactor.text(part.text, 'nothing', showing)), whole);
      const lines = parts.length > 1 ? [text] : foldSentence(text, width);
      return lines.map((row) => (part.style ? this.paint(part.style, row, 'stderr') : row)).join('\n');
    });
    this.writeStderr(`${shown.join('')}\n`);
  };

  /**
   * Replaces the progress line; undefined erases it. A terminal that cannot redraw gets a new line for each tenth.
   * @param share of the work that is done, from 0 to 1
   */
  readonly progress = (line: string | undefined, share?: number): void => {
    if (this.plain && line !== undefined && share !== undefined && this.stderr().isTTY === true) {
      const tenth = Math.floor(share * 10);
      if (tenth !== this.printedTenth) this.note(line);
      this.printedTenth = tenth;
      return;
    }
    if (line === undefined ? !this.inProgress : this.settings.quiet || !this.canDraw) return;
    this.inProgress = line !== undefined;
    const shown =
      line === undefined ? '' : this.paint('dim', oneLineText(this.redactor.text(line, 'nothing')), 'stderr');
    this.writeStderr(`\r\u001B[2K${shown}`);
  };

  /** Removes secrets from a text, for code that writes to the terminal or a file itself. */
  readonly redact = (text: string, {showing}: SecretDisplay = {}): string => {
    const safe = this.redactor.text(text, this.shownOnStdout(), showing);
    this.hidSecrets ||= this.redactor.withheld && safe.includes(HIDDEN);
    return safe;
  };

  /** Removes secrets from a value before formatting. `known` caches the objects of earlier calls. */
  readonly hide = <T>(
    value: T,
    {stream, known}: {readonly stream?: 'stderr' | 'stdout'; readonly known?: Map<object, unknown>} = {},
  ): T => redactObject(value, this.redactor, stream === 'stderr' ? 'nothing' : this.shownOnStdout(), known);

  /** Lets signal handlers run during long work. @throws CentavoError kind `interrupted` */
  readonly checkSignal = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.host.signal?.aborted) throw interrupted();
  };

  /** Hides this secret from now on, if it has at least six characters. */
  readonly addSecret = (secret: string | undefined, kind?: SecretKind): void => this.redactor.addSecret(secret, kind);

  /** Prints at a terminal how to show secrets, if any were hidden since the last call. */
  readonly noteHiddenSecrets = (how = ', add --reveal.'): void => {
    if (this.hidSecrets && this.stderr().isTTY === true)
      this.note(`Secrets are hidden. To show them${how}`, {style: 'dim'});
    this.hidSecrets = false;
  };

  /** Colours a text if the stream shows colour. */
  readonly paint = (style: Style, text: string, stream: 'stderr' | 'stdout' = 'stdout'): string => {
    const isTerminal = stream === 'stdout' ? this.stdoutIsTerminal : this.stderr().isTTY === true;
    if (!(this.settings.color ?? wantsColor({env: this.host.env, isTerminal}))) return text;
    const [open, close] = CODES[style];
    return `\u001B[${open}m${text}\u001B[${close}m`;
  };

  private readonly recordFailure = (error: Failure): void => {
    // Only the first error counts: a failed stream is destroyed, which causes further errors.
    if (this.failure || this.closed) return;
    const {code = ''} = error;
    if (/^(EPIPE|ERR_STREAM_DESTROYED)$/.test(code) || (code === 'EIO' && this.stdoutIsTerminal)) this.closed = true;
    else this.failure = error;
  };

  private shownOnStdout(): AllowedSecrets {
    return this.settings.reveal ? 'secrets' : 'links';
  }

  /** Uses stderr only when needed. Ignores errors of a closed stderr. */
  private stderr(): OutputStream {
    if (this.usedStderr === undefined) {
      this.usedStderr = this.host.stderr;
      this.usedStderr.on('error', () => {});
    }
    return this.usedStderr;
  }

  private writeStderr(text: string): void {
    try {
      this.stderr().write(text);
    } catch {}
  }
}

function forcedWidth({COLUMNS}: StreamsOptions['env']): number | undefined {
  const forced = Number(COLUMNS);
  return Number.isInteger(forced) && forced > 0 ? forced : undefined;
}

/** Characters of a text that takes noticeable time to redact. */
const LONG_TEXT = 1_000_000;
/** Milliseconds that the reader of stdout has after a signal, to take the output. */
const READER_GRACE = 300;
const BATCH_SIZE = 1000;

/** Yields rows in batches, and checks for signals between batches. @throws CentavoError kind `interrupted` */
export async function* rowBatches<T>(
  rows: readonly T[],
  io: Pick<OutputStreams, 'checkSignal'>,
): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < rows.length; at += BATCH_SIZE) {
    if (at > 0) await io.checkSignal();
    yield rows.slice(at, at + BATCH_SIZE);
  }
}

const interrupted = (): CentavoError => new CentavoError('interrupted', 'stopped before all output was written.');

const cannotWrite = (cause: Failure): CentavoError =>
  new CentavoError('local_io', 'the output could not be written.', {
    why: systemReason(cause),
    hint: 'If this command makes changes, they were made. Check with get or list.',
    cause,
  });
