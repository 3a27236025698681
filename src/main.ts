// Runs a command line in this process, and passes it the streams, environment and signals.

import {randomBytes} from 'node:crypto';
import {closeSync, fstatSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {isatty} from 'node:tty';
import {runCommandLine, reportFailure} from './cli/dispatch/dispatch.js';
import {readIndex, type CommandCatalogParts} from './cli/catalog/command-catalog.js';
import {loadCommand} from './command-table.js';
import {createContext} from './context/context.js';
import {holdsSecret} from './common/environment.js';
import {EXIT_CODES} from './common/errors.js';
import {processIdentityOf} from './processes/process-identity.js';
import {steadyClock} from './processes/steady-clock.js';

/** Milliseconds that an interrupted command may take to stop. */
const STOP_TIMEOUT = 6000;
/** Milliseconds that the last output of an interrupted command may take. */
const FINAL_WRITE_TIMEOUT = 300;

/** Runs a command line and sets the exit code. @param root the package's folder */
export async function main(argv: readonly string[], root: string, pjson: CommandCatalogParts['pjson']): Promise<void> {
  // oclif prints a stack on a full disk; streams.ts reports the error instead.
  process.stdout.removeAllListeners('error');
  process.on('exit', leaveClosedTerminal);
  const {signal, received} = watchSignals();
  const index = readIndex(readFileSync(join(root, 'bundle/commands.json'), 'utf8'));
  const parts = {root, pjson, index, loadCommand};
  let stdin: NodeJS.ReadStream | undefined;
  const context = createContext({
    // Getters, because Node creates a stream on first use, which takes time.
    get stdout() {
      return process.stdout;
    },
    get stderr() {
      return process.stderr;
    },
    get stdin() {
      return (stdin ??= withoutClosedTerminal(process.stdin));
    },
    env: takeEnvironment(),
    platform: process.platform,
    version: pjson.version,
    readInputBytes: async () => (await import('./context/read-input.js')).readStdin(() => process.stdin, signal),
    now: Date.now,
    findAgent: async () => (await import('./processes/agents.js')).findAgent(process.env, process.pid),
    // `performance` would load perf_hooks.
    steadyNow: steadyClock(Date.now(), () => process.uptime() * 1000),
    random: Math.random,
    sleep: (milliseconds, wake) => delay(milliseconds, undefined, {signal: wake}),
    signal,
    identity: processIdentityOf(process.pid, Math.round(Date.now() - process.uptime() * 1000)),
    kill: (pid, name) => process.kill(pid, name),
    interrupt: () => void process.emit('SIGINT', 'SIGINT'),
    execArgv: process.execArgv,
    self: [process.execPath, join(root, 'bin', 'run.js')],
    atExit,
    randomBytes: (size) => randomBytes(size),
    user: process.getuid?.(),
  });
  endOnCrash((thrown) => reportFailure(thrown, context, argv));
  process.exitCode = await runCommandLine(argv, {context, parts, received});
  // Do not wait longer for a reader of the remaining output.
  if (received() !== undefined) setTimeout(() => process.exit(), FINAL_WRITE_TIMEOUT).unref();
}

/** Copies the environment, and deletes secrets from `process.env`: child processes and Node's reports would show them. */
function takeEnvironment(): NodeJS.ProcessEnv {
  const environment = {...process.env};
  for (const name of Object.keys(environment).filter(holdsSecret)) delete process.env[name];
  return environment;
}

/** Reports an uncaught error like any other bug, without Node's own message, and exits. */
function endOnCrash(report: (thrown: unknown) => number): void {
  let reported = false;
  const end = (thrown: unknown): void => {
    let status: number | undefined;
    try {
      if (!reported) status = report(thrown);
    } catch {
      // The report failed.
    }
    reported = true;
    process.exit(status ?? EXIT_CODES.internal.exit);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

/** The first signal asks for a clean stop. The second exits at once, unless it is SIGHUP. */
function watchSignals(): {signal: AbortSignal; received: () => number | undefined} {
  const controller = new AbortController();
  let status: number | undefined;
  const stop =
    (code: number, onSecond: 'ends' | 'is ignored' = 'ends') =>
    () => {
      if (status !== undefined) {
        if (onSecond === 'ends') process.exit(status);
        return;
      }
      status = code;
      controller.abort();
      setTimeout(() => process.exit(code), STOP_TIMEOUT).unref();
    };
  process.on('SIGINT', stop(EXIT_CODES.interrupted.exit));
  process.on('SIGTERM', stop(EXIT_CODES.terminated.exit));
  // A closed terminal may send two: the kernel and the shell both send SIGHUP.
  process.on('SIGHUP', stop(EXIT_CODES.terminated.exit, 'is ignored'));
  return {signal: controller.signal, received: () => status};
}

/** A terminal that is gone leaves raw mode without an error: the end of the input says that it is gone. */
function withoutClosedTerminal(stdin: NodeJS.ReadStream): NodeJS.ReadStream {
  const {isTTY, setRawMode} = stdin;
  return isTTY
    ? Object.assign(stdin, {setRawMode: (raw: boolean) => (isatty(0) ? setRawMode.call(stdin, raw) : stdin)})
    : stdin;
}

/** Closes the streams of a terminal that is gone: Node would restore its mode, fail and abort (SIGABRT). */
function leaveClosedTerminal(): void {
  // The null device is no terminal, and node:tty need not be loaded to say so.
  const nothing = statSync('/dev/null', {throwIfNoEntry: false})?.rdev;
  for (const stream of [0, 1, 2]) {
    try {
      const device = fstatSync(stream);
      if (device.isCharacterDevice() && device.rdev !== nothing && !isatty(stream)) closeSync(stream);
    } catch {
      // The stream was closed before the start.
    }
  }
}

function atExit(cleanUp: () => void): () => void {
  process.on('exit', cleanUp);
  return () => process.off('exit', cleanUp);
}
