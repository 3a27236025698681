// Local actions of a listener: writes an env file, runs the app, and decides when to end.

import {APP_SECRET_VARIABLE} from '../../common/environment.js';
import {CentavoError, usageError} from '../../common/errors.js';
import {systemReason} from '../../common/system-errors.js';
import {quote} from '../../input/money.js';
import {
  copyKeepingScreen,
  describeExit,
  startProgram,
  type ChildProgram,
  type ProgramExit,
  type ProcessHost,
  type TextStream,
} from '../../processes/child-program.js';
import type {UserFile} from '../../storage/user-file.js';
import {envLineOf, writeEnvFile} from './env-file.js';
import type {ListenRecord} from './listen-record.js';

export interface AutomationOptions {
  readonly verb: string;
  readonly app: readonly string[];
  /** Variables for the app and the env file, in addition to the secret. */
  readonly environment?: Readonly<Record<string, string>>;
  /** True if stdout carries the records: the app's output then goes to stderr. */
  readonly quiet: boolean;
  readonly envFile?: {readonly file: UserFile; readonly variable: string};
  readonly count?: number;
  readonly host: ProcessHost;
  /** True if a user is at a terminal, which the programs then share. */
  readonly sharesTerminal: boolean;
  /** Aborts when the user or the system stops centavo. The app may then exit with any status. */
  readonly signal: AbortSignal;
  /** The terminal's streams, if lines are printed there: the app must not clear them. */
  readonly screen?: {readonly stdout: TextStream; readonly stderr: TextStream};
  readonly stop: () => void;
  readonly onNotice: (message: string) => void;
  readonly onRestart: () => void;
  readonly token: (length: number) => string;
}

export const startApp = (
  words: readonly string[],
  {quiet, screen, ...options}: Pick<AutomationOptions, 'host' | 'quiet' | 'screen' | 'sharesTerminal'>,
): ChildProgram => {
  const output = screen ? 'pipe' : 'inherit';
  const app = startProgram(words, {...options, stdio: ['inherit', quiet ? 2 : output, output]});
  for (const name of ['stdout', 'stderr'] as const) if (screen) copyKeepingScreen(app[name], screen[name]);
  return app;
};

export class Automation {
  #eventCount = 0;
  #hasReachedCount = false;
  #stopped = false;
  readonly #writeAbort = new AbortController();
  #error: CentavoError | undefined;
  #app: ChildProgram | undefined;
  /** Resolves after the last write to the FIFO, so that writes run one after another. */
  #written: Promise<void> = Promise.resolve();
  #pendingRestart: Promise<unknown> | undefined;

  constructor(private readonly options: AutomationOptions) {}

  handle(record: ListenRecord): void {
    if (record.type === 'ready') {
      this.#writeSecret(record.secret);
      if (this.#error === undefined) this.#startApp(record.secret);
    }
    if (record.type === 'reconnected' && record.secret)
      this.#pendingRestart = Promise.all([this.#pendingRestart, this.#restart(record.secret)]);
    if (record.type === 'delivery' && record.delivery.verdict.genuine && !record.delivery.duplicateOf)
      this.#countEvent();
  }

  expire(): void {
    if (this.#hasReachedCount) return this.#stop();
    const why = `Genuine events received: ${this.#eventCount}.`;
    this.fail(new CentavoError('timed_out', 'the expected events did not arrive in time.', {why, retryable: true}));
  }

  /** Stops the listener. {@link assertSuccess} throws the first error passed here. */
  fail(error: CentavoError): void {
    this.#error ??= error;
    this.#stop();
  }

  async end(): Promise<void> {
    this.#stopped = true;
    await this.#pendingRestart;
    this.#writeAbort.abort();
    await this.#written;
    await this.#app?.end();
  }

  /** @throws CentavoError when the expected events did not arrive, or the app failed */
  assertSuccess(): void {
    if (this.#error) throw this.#error;
  }

  /** Writes the new secret and restarts the app. With the old secret, the app would refuse every event. */
  async #restart(secret: string): Promise<void> {
    this.#writeSecret(secret);
    const previous = this.#app;
    if (!previous) return;
    this.options.onNotice(`restarting ${this.options.app[0]} with the new secret`);
    this.#app = undefined;
    await previous.end();
    if (this.#stopped) return;
    this.#startApp(secret);
    this.options.onRestart();
  }

  #writeSecret(secret: string | undefined): void {
    const {envFile, environment, onNotice, token, verb} = this.options;
    if (!secret || !envFile) return;
    const {file, variable} = envFile;
    const values = {...environment, [variable]: secret};
    const others = environment ? `, with ${Object.keys(environment).join(', ')}` : '';
    const where = `${file.path} as ${variable}${others}`;
    if (file.isStream) {
      const lines = Object.entries(values).map(([name, value]) => `${envLineOf(name, value)}\n`);
      this.#written = this.#written.then(() => this.#writeToFifo(file, lines, `the secret was written to ${where}`));
      return;
    }
    try {
      writeEnvFile(file, values, token(16), verb);
      onNotice(`the secret is in ${where}`);
    } catch (error) {
      this.fail(error as CentavoError);
    }
  }

  /** Does not delay the start of the app, which may be the reader of the FIFO. */
  async #writeToFifo(file: UserFile, lines: readonly string[], written: string): Promise<void> {
    const {onNotice} = this.options;
    const {signal} = this.#writeAbort;
    try {
      await file.write(lines, {signal, notify: onNotice});
      onNotice(written);
    } catch (error) {
      if (signal.aborted) onNotice(`no program read the secret from ${file.path}`);
      else this.fail(error as CentavoError);
    }
  }

  #startApp(secret: string | undefined): void {
    const {app, environment, host, signal, verb, onNotice} = this.options;
    if (app.length === 0) return;
    // `startProgram` removes centavo's own secrets.
    const env = {...host.env, ...environment, ...(secret && {[APP_SECRET_VARIABLE]: secret})};
    const started = startApp(app, {...this.options, host: {...host, env}});
    this.#app = started;
    void started.ended.then((end) => {
      if (this.#app !== started) return;
      // Ctrl-C reaches the app and centavo at the same time, and the app may end first.
      const isInterrupted = end.signal === 'SIGINT' || end.status === 130;
      if (!isInterrupted && !this.#stopped && !signal.aborted) {
        if (!end.notStarted) onNotice(`${app[0]} ${describeExit(end)}: stopping`);
        if (end.status !== 0) this.fail(appFailure(app[0]!, end, verb));
      }
      this.#stop();
    });
  }

  #countEvent(): void {
    this.#eventCount++;
    if (this.#eventCount === this.options.count) {
      this.#hasReachedCount = true;
      this.#stop();
    }
  }

  #stop(): void {
    this.#stopped = true;
    this.options.stop();
  }
}

/** Returns a usage error if the program could not be started, or else an error of kind `condition_unmet`. */
function appFailure(program: string, end: ProgramExit, verb: string): CentavoError {
  if (end.notStarted === undefined)
    return new CentavoError('condition_unmet', `the program ${describeExit(end)}.`, {code: 'program_failed'});
  return usageError('program_not_started', `the program ${quote(program)} cannot be started.`, {
    why: systemReason(end.notStarted),
    applied: undefined,
    hint: `The program after -- runs without a shell. For example: centavo ${verb} -- npm run dev`,
  });
}
