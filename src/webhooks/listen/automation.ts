// What a listener sets off on this machine: an env file with the secret, the app, a program for each event; and when it ends.

import {CentavoError, usageError} from '../../errors.js';
import type {EventFilter} from '../../input/event-filter.js';
import {quote} from '../../input/money.js';
import {endWords, type Program, type ProgramEnd, type ProgramHost} from '../../programs/program.js';
import {reasonOf} from '../../thrown.js';
import type {Delivery} from '../receive/delivery.js';
import {writeEnvFile} from './env-file.js';
import type {ListenRecord} from './listen-record.js';
import {runForEvent, startApp} from './programs.js';

export interface AutomationOptions {
  /** The app's program and arguments; empty for none. */
  readonly app: readonly string[];
  /** Keeps the app's output off stdout, which has the records. */
  readonly quiet: boolean;
  /** The program that runs for each event. */
  readonly exec?: readonly string[];
  /** Where the secret is written. */
  readonly envFile?: {readonly file: string; readonly variable: string};
  /** Ends after so many genuine events. */
  readonly count?: number;
  /** Ends after a genuine event of this kind. */
  readonly until?: EventFilter;
  readonly host: ProgramHost;
  /** Whether a person sits at a terminal, which programs then share. */
  readonly sharesTerminal: boolean;
  /** Aborted when a person or the system ends centavo: the app may then end as it likes. */
  readonly signal: AbortSignal;
  /** Ends the listener. */
  readonly stop: () => void;
  readonly notice: (message: string) => void;
  /** Letters and digits that cannot be guessed. */
  readonly token: (length: number) => string;
}

/** How long programs that run for events may take at the end, in milliseconds. */
const GRACE = 2000;

export class Automation {
  readonly #options: AutomationOptions;
  #seen = 0;
  /** True when what was waited for has come. */
  #met = false;
  #expired = false;
  #stopped = false;
  /** Events for which the program was not run any more. */
  #skipped = 0;
  readonly #over = new AbortController();
  #failure: CentavoError | undefined;
  #app: Program | undefined;
  #restarting: Promise<unknown> | undefined;
  /** Events are handled one after another, in the order in which they came. */
  #queue: Promise<void> = Promise.resolve();

  constructor(options: AutomationOptions) {
    this.#options = options;
  }

  handle(record: ListenRecord): void {
    if (record.type === 'ready') {
      this.#writeSecret(record.secret);
      if (this.#failure === undefined) this.#startApp(record.secret);
    }
    if (record.type === 'reconnected' && record.secret)
      this.#restarting = Promise.all([this.#restarting, this.#restart(record.secret)]);
    if (record.type === 'delivery' && record.delivery.verdict.genuine && !record.delivery.duplicateOf)
      this.#event(record.delivery);
  }

  /** Ends the listener because its time is up. */
  expire(): void {
    this.#expired = !this.#met;
    this.#stop();
  }

  /** Ends the listener; the first error given is the one that {@link assertSuccess} throws. */
  fail(error: CentavoError): void {
    this.#failure ??= error;
    this.#stop();
  }

  /** Waits for programs that run for events, and stops the app. */
  async end(): Promise<void> {
    const {exec, notice} = this.#options;
    this.#stopped = true;
    const limit = setTimeout(() => this.#over.abort(), GRACE);
    await this.#queue;
    clearTimeout(limit);
    if (this.#skipped > 0) notice(`${exec![0]} was not run for ${this.#skipped} events that came last.`);
    this.#skipped = 0;
    await this.#restarting;
    await this.#app?.end();
  }

  /** @throws CentavoError when what was waited for did not come, or the app failed */
  assertSuccess(): void {
    if (this.#failure) throw this.#failure;
    if (this.#expired)
      throw new CentavoError('timed_out', 'what was waited for did not come in time.', {
        why: `Genuine events that came: ${this.#seen}.`,
      });
  }

  /** With another webhook comes another secret, and the app would refuse what it signs. */
  async #restart(secret: string): Promise<void> {
    this.#writeSecret(secret);
    const old = this.#app;
    if (!old) return;
    this.#options.notice(`restarting ${this.#options.app[0]} with the new secret`);
    this.#app = undefined;
    await old.end();
    if (!this.#stopped) this.#startApp(secret);
  }

  #writeSecret(secret: string | undefined): void {
    const {envFile, notice, token} = this.#options;
    if (!secret || !envFile) return;
    try {
      writeEnvFile(envFile.file, envFile.variable, secret, token(16));
      notice(`the secret is in ${envFile.file} as ${envFile.variable}`);
    } catch (error) {
      this.fail(error as CentavoError);
    }
  }

  #startApp(secret: string | undefined): void {
    const {app, host, sharesTerminal, quiet, signal} = this.#options;
    if (app.length === 0) return;
    // Secrets of centavo itself are removed where a program is started.
    const env = {...host.env, ...(secret && {PAYREX_WEBHOOK_SECRET: secret})};
    const started = startApp(app, {host: {...host, env}, sharesTerminal, quiet});
    this.#app = started;
    void started.ended.then((end) => {
      // It was stopped to be started again.
      if (this.#app !== started) return;
      // An app that is told to end may end with any status.
      if (end.status !== 0 && !this.#stopped && !signal.aborted) this.fail(appFailure(app[0]!, end));
      this.#stop();
    });
  }

  #event(delivery: Delivery): void {
    const {exec, count, until} = this.#options;
    this.#seen++;
    if (exec) this.#queue = this.#queue.then(() => this.#run(exec, delivery));
    if (until?.(delivery.event.type) || this.#seen === count) {
      this.#met = true;
      this.#stop();
    }
  }

  async #run(program: readonly string[], delivery: Delivery): Promise<void> {
    const {host, sharesTerminal, notice} = this.#options;
    const {signal} = this.#over;
    if (signal.aborted) return void this.#skipped++;
    const end = await runForEvent(program, delivery, {host, sharesTerminal, signal});
    if (end.notStarted !== undefined)
      notice(`${program[0]} was not run for ${delivery.event.id}: ${reasonOf(end.notStarted)}`);
    else if (end.status !== 0) notice(`${program[0]} ${endWords(end)} for ${delivery.event.id}`);
    return undefined;
  }

  #stop(): void {
    this.#stopped = true;
    this.#options.stop();
  }
}

/** A program that cannot be started is a usage error; the status of one that ran is about itself. */
function appFailure(program: string, end: ProgramEnd): CentavoError {
  if (end.notStarted === undefined)
    return new CentavoError('condition_unmet', `the program ${endWords(end)}.`, {code: 'program_failed'});
  return usageError(`the program ${quote(program)} cannot be started.`, {
    code: 'program_not_started',
    why: reasonOf(end.notStarted),
    // Known only after the webhook is removed.
    applied: undefined,
    hint: 'The words after -- are run without a shell: centavo webhooks listen -- npm run dev',
  });
}
