// Runs a command line and turns the result into an exit status.

import type {Context} from '../../context/context.js';
import {EXIT_CODES, type CentavoError, type ErrorKind} from '../../common/errors.js';
import {toCentavoError} from '../../common/system-errors.js';
import {base64CoresOf} from '../../output/redaction/encodings.js';
import {findHelp, findHelpForPrograms, requestsHelp} from '../help/help.js';
import {CommandCatalog, type CommandCatalogParts} from '../catalog/command-catalog.js';
import {longId} from '../catalog/short-names.js';
import {COMPLETE, schemaFlag, wantsJson} from '../command-line.js';
import {printError} from './print-error.js';
import {moveGlobalFlags, findCommand} from './argv.js';

export interface CommandLineOptions {
  readonly context: Context;
  readonly parts: CommandCatalogParts;
  /** Returns the exit status for a signal received during the command; undefined without a signal. */
  readonly received: () => number | undefined;
}

/** Runs a command line, prints its error, and returns the exit status. Never rejects. */
export async function runCommandLine(
  typed: readonly string[],
  {context, parts, received}: CommandLineOptions,
): Promise<number> {
  let done = false;
  const completes = typed[0] === COMPLETE;
  const argv = completes ? typed : moveGlobalFlags(typed, parts.index.globalFlags);
  try {
    await refuseSecrets(argv);
    const {io, env} = context;
    const columns = io.stdoutIsTerminal ? io.width : undefined;
    const program = new CommandCatalog(parts, context);
    if (completes) {
      const {complete} = await import('./complete.js');
      await complete(argv.slice(1), program);
      return EXIT_CODES.ok.exit;
    }
    const mayBeHelp = requestsHelp(argv) || findCommand(argv, parts.index.commands).typed === undefined;
    const subject = mayBeHelp ? findHelpForPrograms(argv, parts.root) : undefined;
    const page = mayBeHelp
      ? findHelp(argv, {root: parts.root, columns, env, isTerminal: io.stdoutIsTerminal})
      : undefined;
    if (subject !== undefined) await program.runCommand('commands', [...subject, '--json']);
    else if (page !== undefined) await io.out(page);
    else await runWords(program, argv);
    done = true;
    // An empty write waits for earlier writes, which may fail.
    await context.io.out('');
    context.io.assertWritten();
    const exitCode = received() ?? EXIT_CODES.ok.exit;
    context.finish({result: exitName(exitCode), exitCode, applied: 'yes'});
    context.io.noteHiddenSecrets();
    if (io.stdoutIsTerminal && context.numbers.size > 0)
      await (await import('./ids-to-names.js')).rememberNames(context);
    return exitCode;
  } catch (thrown) {
    const {forReader, withSignalKind} = await import('./for-reader.js');
    const failure = withSignalKind(thrown, received());
    const {error, json} = await forReader(failure, context, argv, parts.index.commands);
    return reportFailure(error, context, argv, {done, json});
  } finally {
    await context.close();
  }
}

async function runWords(program: CommandCatalog, argv: readonly string[]): Promise<void> {
  const {words, typed, rest} = findCommand(argv, program.index.commands);
  if (typed === undefined) {
    if (words.length === 0) {
      const {noCommandError} = await import('./parse-errors.js');
      throw noCommandError(argv[0]!, program.index.globalFlags);
    }
    const {unknownCommandError} = await import('./unknown-command.js');
    throw unknownCommandError(words, program);
  }
  const id = longId(typed);
  if (schemaFlag(rest) !== undefined) {
    const {schemaText} = await import('../help/schemas.js');
    return program.context.io.out(schemaText(id, await program.loadCommand(id), schemaFlag(rest)!));
  }
  await program.runCommand(id, rest).catch(async (thrown: unknown) => {
    const {explainParseError} = await import('./parse-errors.js');
    const {suggestForMisplaced} = await import('./misplaced.js');
    throw suggestForMisplaced(explainParseError(thrown, typed.replaceAll(':', ' '), rest), typed, rest, program);
  });
}

const exitName = (status: number): string =>
  Object.entries(EXIT_CODES).find(([, {exit}]) => exit === status)?.[0] ?? String(status);

/** Prints an error, records it in the history, and returns the exit status. `done` is true if the command succeeded. */
export function reportFailure(
  thrown: unknown,
  context: Context,
  argv: readonly string[],
  {done = false, json = wantsJson(argv)} = {},
): number {
  const error = withApplied(toCentavoError(thrown), context, done);
  context.finish({result: error.code, exitCode: error.exitCode, applied: error.details.applied ?? 'unknown'});
  const {io} = context;
  io.noteHiddenSecrets();
  const verbose = argv.includes('--verbose') || argv.includes('-v');
  printError(error, io, {json, verbose});
  return error.exitCode;
}

const LOCAL_FAULTS: readonly ErrorKind[] = ['internal', 'local_io'];

/** Adds `applied` to an error after a change was started, or corrects `applied` if nothing was sent. */
export function withApplied(error: CentavoError, context: Context, done: boolean): CentavoError {
  const change = context.change();
  const {applied} = error.details;
  const isUnsent = applied === 'unknown' && LOCAL_FAULTS.includes(error.kind) && !context.hasSent();
  if (applied !== undefined && !isUnsent) return error;
  if (change === 'none') return isUnsent ? error.with({applied: undefined}) : error;
  const seen = done ? (change === 'unchanged' ? 'no' : 'yes') : context.hasSent() ? 'unknown' : 'no';
  return error.with({applied: seen, retryable: seen === 'no' && error.details.retryable});
}

/** Secrets that arguments must not contain. Public keys and client secrets are allowed. `secretError` names each. */
const SECRETS: readonly RegExp[] = [
  /sk_live_[A-Za-z0-9]{8,}/,
  /sk_test_[A-Za-z0-9]{8,}/,
  new RegExp(['sk_test_', 'sk_live_'].flatMap(base64CoresOf).join('|')),
  /whsk_[A-Za-z0-9_-]{8,}/,
];

/** Throws if an argument contains a secret, because other processes can read arguments. */
export async function refuseSecrets(argv: readonly string[]): Promise<void> {
  const kind = SECRETS.findIndex((pattern) => argv.some((word) => pattern.test(word)));
  if (kind >= 0) throw (await import('./parse-errors.js')).secretError(kind);
}
