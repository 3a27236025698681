// The process: from argv to an exit status. The only place that reads `process`, ends it, or turns an error into words.

import {randomBytes} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Config, run} from '@oclif/core';
import {createContext, type Context} from './context.js';
import {refuseSecrets} from './commands/argument-secrets.js';
import {optionsWithContext} from './commands/base.js';
import {explainParseError} from './commands/parse-errors.js';
import {CentavoError, EXIT_CODES, toCentavoError} from './errors.js';
import {tellError} from './output/tell-error.js';
import {holdsSecret} from './secrets.js';

/** How long an interrupted command may take to stop cleanly, in milliseconds. */
const STOP_LIMIT = 6000;

/** Runs one command line. @param root the package's folder */
export async function main(argv: readonly string[], root: string): Promise<void> {
  // oclif lets a full disk crash the program with a stack; io.ts tells of it instead.
  process.stdout.removeAllListeners('error');
  const {signal, received} = watchSignals();
  const context = createContext({
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    env: takeEnvironment(),
    platform: process.platform,
    version: (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {version: string}).version,
    readInputBytes,
    now: Date.now,
    random: Math.random,
    signal,
    identity: {pid: process.pid, startedAt: Math.round(Date.now() - process.uptime() * 1000)},
    kill: (pid, name) => process.kill(pid, name),
    interrupt: () => void process.emit('SIGINT', 'SIGINT'),
    self: [process.execPath, join(root, 'bin', 'run.js')],
    atExit,
    randomBytes,
    user: process.getuid?.(),
  });
  endOnCrash((thrown) => report(thrown, context, argv));
  try {
    refuseSecrets(argv);
    const config = await Config.load(optionsWithContext(root, context));
    await run([...argv], config).catch((thrown: unknown) => {
      throw explainParseError(thrown, config);
    });
    // A lost write is told of after the fact; an empty one waits for what was written before it.
    await context.io.out('');
    context.io.assertWritten();
    process.exitCode ??= received() ?? EXIT_CODES.ok.exit;
    context.finish({result: nameOf(Number(process.exitCode)), exitCode: Number(process.exitCode), applied: 'yes'});
    context.io.tellHidden();
  } catch (thrown) {
    process.exitCode = report(bySignal(thrown, received()), context, argv);
  } finally {
    await context.close();
  }
}

/** A copy of the environment; what is secret in it is then in no other place: not in that of a child, nor in a report of Node's. */
function takeEnvironment(): NodeJS.ProcessEnv {
  const environment = {...process.env};
  for (const name of Object.keys(environment).filter(holdsSecret)) delete process.env[name];
  return environment;
}

/** What was thrown where nothing waits for it ends the program as any other bug does, and not with Node's own words. */
function endOnCrash(tell: (thrown: unknown) => number | undefined): void {
  let told = false;
  const end = (thrown: unknown): void => {
    let status: number | undefined;
    try {
      if (!told) status = tell(thrown);
    } catch {
      // Node would now print what it has.
    }
    told = true;
    process.exit(status ?? EXIT_CODES.internal.exit);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

/** `ok` of 0, `interrupted` of 130. */
const nameOf = (status: number): string =>
  Object.entries(EXIT_CODES).find(([, {exit}]) => exit === status)?.[0] ?? String(status);

/** What a signal interrupted is named after that signal. */
function bySignal(thrown: unknown, status: number | undefined): unknown {
  const terminated =
    status === EXIT_CODES.terminated.exit && thrown instanceof CentavoError && thrown.kind === 'interrupted';
  return terminated ? new CentavoError('terminated', thrown.message, thrown.details) : thrown;
}

/** Says what went wrong, once. @returns the exit status */
function report(thrown: unknown, context: Context, argv: readonly string[]): number | undefined {
  // oclif ends help and version by throwing an exit.
  const exit =
    (thrown as {oclif?: {exit?: number}; code?: string} | undefined)?.code === 'EEXIT'
      ? (thrown as {oclif: {exit: number}}).oclif.exit
      : undefined;
  if (exit !== undefined) return exit;
  const error = toCentavoError(thrown);
  context.finish({result: error.code, exitCode: error.exitCode, applied: error.details.applied ?? 'unknown'});
  const {io} = context;
  io.tellHidden();
  io.settings.quiet = false;
  tellError(error, io, {json: wantsJson(argv), verbose: argv.includes('--verbose') || argv.includes('-v')});
  return error.exitCode;
}

/** Whether the command line asks for JSON: known even when it cannot be parsed. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.some((word, index) => {
    if (word === '--json' || /^(--output=|-o=?)jsonl?$/.test(word)) return true;
    return (word === '-o' || word === '--output') && /^jsonl?$/.test(words[index + 1] ?? '');
  });
}

/** The first signal asks for a clean stop; the second ends at once. */
function watchSignals(): {signal: AbortSignal; received: () => number | undefined} {
  const controller = new AbortController();
  let status: number | undefined;
  const stop = (code: number) => () => {
    if (status !== undefined) process.exit(status);
    status = code;
    controller.abort();
    setTimeout(() => process.exit(code), STOP_LIMIT).unref();
  };
  process.on('SIGINT', stop(EXIT_CODES.interrupted.exit));
  process.on('SIGTERM', stop(EXIT_CODES.terminated.exit));
  process.on('SIGHUP', stop(EXIT_CODES.terminated.exit));
  return {signal: controller.signal, received: () => status};
}

/** Has something done, synchronously, if the process ends before that is taken back. */
function atExit(cleanUp: () => void): () => void {
  process.on('exit', cleanUp);
  return () => process.off('exit', cleanUp);
}

async function readInputBytes(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
