// What happens besides showing: the secret is written, the app is started, a program runs for each event, and the end is watched for.

import type {ListenFlags} from './listen.js';
import type {Context} from '../../context.js';
import {splitWords} from '../../input/shell-words.js';
import {CentavoError, usageError} from '../../errors.js';
import {quote} from '../../input/money.js';
import type {Delivery} from '../../webhooks/receive/delivery.js';
import type {ProgramEnd, RunningApp} from '../../webhooks/listen/programs.js';
import type {ListenRecord} from '../../webhooks/listen/records.js';
import {reasonOf} from '../../thrown.js';

interface WatcherOptions {
  readonly context: Context;
  readonly flags: ListenFlags;
  readonly library: Awaited<ReturnType<Context['webhooks']>>;
  /** The words behind `--`. */
  readonly app: readonly string[];
  readonly machine: boolean;
  readonly stop: () => void;
  /** Says what is worth a line. */
  readonly say: (message: string) => void;
}

/** How long programs that run for events may take when it ends, in milliseconds. */
const GRACE = 2000;

export class Watcher {
  readonly #options: WatcherOptions;
  readonly #wanted: number | undefined;
  readonly #until: ((type: string | undefined) => boolean) | undefined;
  readonly #environmentFile: {file: string; variable: string} | undefined;
  readonly #program: readonly string[] | undefined;
  #seen = 0;
  #met = false;
  #expired = false;
  #stopped = false;
  #left = 0;
  readonly #over = new AbortController();
  #failure: CentavoError | undefined;
  #secret: string | undefined;
  #app: RunningApp | undefined;
  #restarting: Promise<unknown> | undefined;
  /** Events are handled one after the other, in the order in which they came. */
  #queue: Promise<void> = Promise.resolve();

  /** @throws CentavoError kind `usage` for flags that cannot be read */
  constructor(options: WatcherOptions) {
    this.#options = options;
    const {flags, library} = options;
    this.#wanted = flags.count === undefined ? undefined : countOf(flags.count);
    this.#until = flags.until === undefined ? undefined : library.parseEventFilter(flags.until);
    this.#environmentFile = flags['write-env'] === undefined ? undefined : library.parseEnvTarget(flags['write-env']);
    this.#program = flags.exec === undefined ? undefined : programOf(splitWords(flags.exec));
  }

  see(record: ListenRecord): void {
    if (record.type === 'ready') this.#ready(record.secret);
    if (record.type === 'reconnected' && record.secret)
      this.#restarting = Promise.all([this.#restarting, this.#signedAnew(record.secret)]);
    if (record.type === 'delivery' && record.delivery.verdict.genuine && !record.delivery.duplicateOf)
      this.#event(record.delivery);
  }

  /** The time for what is waited for is up. */
  expire(): void {
    this.#expired = !this.#met;
    this.#stop();
  }

  async end(): Promise<void> {
    this.#stopped = true;
    const limit = setTimeout(() => this.#over.abort(), GRACE);
    await this.#queue;
    clearTimeout(limit);
    if (this.#left > 0) this.#options.say(`${this.#program![0]} was not run for ${this.#left} events that came last.`);
    this.#left = 0;
    await this.#restarting;
    await this.#app?.stop();
  }

  /** @throws CentavoError when what was waited for did not come, or the app failed */
  verdict(): void {
    if (this.#failure) throw this.#failure;
    if (this.#expired)
      throw new CentavoError('timed_out', 'what was waited for did not come in time.', {
        why: `Genuine events that came: ${this.#seen}.`,
      });
  }

  #ready(secret: string | undefined): void {
    this.#secret = secret;
    this.#writeSecret(secret);
    if (this.#failure === undefined && this.#options.app.length > 0) this.#startApp(secret);
  }

  /** The webhook is another one: whoever knows the old secret would refuse what it signs. */
  async #signedAnew(secret: string): Promise<void> {
    this.#secret = secret;
    this.#writeSecret(secret);
    const old = this.#app;
    if (!old) return;
    this.#options.say(`restarting ${this.#options.app[0]} with the new secret`);
    this.#app = undefined;
    await old.stop();
    if (!this.#stopped) this.#startApp(this.#secret);
  }

  #writeSecret(secret: string | undefined): void {
    const {library, say} = this.#options;
    if (secret && this.#environmentFile) {
      const {file, variable} = this.#environmentFile;
      try {
        library.writeEnvFile(file, variable, secret);
        say(`the secret is in ${file} as ${variable}`);
      } catch (error) {
        this.fail(error as CentavoError);
      }
    }
  }

  #startApp(secret: string | undefined): void {
    const {library, context, app, machine} = this.#options;
    const {kill, atExit, stdin} = context.host;
    const started = library.startApp(app, this.#environment(secret), {
      quiet: machine,
      ownGroup: stdin.isTTY !== true,
      kill,
      atExit,
    });
    this.#app = started;
    void started.ended.then((end) => {
      // It was ended so that another could take its place.
      if (this.#app !== started) return;
      // One that is told to end, by us or at the terminal, does so as it likes.
      if (end.status !== 0 && !this.#stopped && !context.signal.aborted) this.fail(appFailure(app[0]!, end));
      this.#stop();
    });
  }

  /** The environment, and the secret of this webhook where it is given; centavo's own secrets are taken out where a program is started. */
  #environment(secret?: string): Record<string, string | undefined> {
    return {...this.#options.context.env, ...(secret && {PAYREX_WEBHOOK_SECRET: secret})};
  }

  #event(delivery: Delivery): void {
    this.#seen++;
    if (this.#program) {
      const program = this.#program;
      this.#queue = this.#queue.then(async () => {
        const {signal} = this.#over;
        if (signal.aborted) return void this.#left++;
        const end = await this.#options.library.runForEvent(program, delivery, this.#environment(), signal);
        if (end.notStarted !== undefined)
          this.#options.say(`${program[0]} was not run for ${delivery.event.id}: ${reasonOf(end.notStarted)}`);
        else if (end.status !== 0) this.#options.say(`${program[0]} ${endWords(end)} for ${delivery.event.id}`);
      });
    }
    if (this.#until?.(delivery.event.type) || this.#seen === this.#wanted) {
      this.#met = true;
      this.#stop();
    }
  }

  /** Ends it, and is what is said in the end. */
  fail(error: CentavoError): void {
    this.#failure ??= error;
    this.#stop();
  }

  #stop(): void {
    this.#stopped = true;
    this.#options.stop();
  }
}

const endWords = ({status, error}: ProgramEnd): string => `ended with status ${status}${error ? ` (${error})` : ''}`;

/** One that cannot be started was named wrongly; what else it says by its status is about itself. */
function appFailure(program: string, end: ProgramEnd): CentavoError {
  if (end.notStarted === undefined)
    return new CentavoError('condition_unmet', `the program ${endWords(end)}.`, {code: 'program_failed'});
  return usageError(`the program ${quote(program)} cannot be started.`, {
    code: 'program_not_started',
    why: reasonOf(end.notStarted),
    // That is known when the webhook was removed.
    applied: undefined,
    hint: 'The words after -- are run without a shell: centavo webhooks listen -- npm run dev',
  });
}

function countOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usageError(`--count ${quote(text)} is not a whole number from 1 on.`, {code: 'invalid_number'});
}

function programOf(words: readonly string[]): readonly string[] {
  if (words.length > 0) return words;
  throw usageError('--exec names no program.', {code: 'invalid_program'});
}
