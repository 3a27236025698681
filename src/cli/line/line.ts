// Runs one command line, from its words to an exit status.

import {findHelp, findHelpForPrograms} from '../help/help.js';
import {behindWords, Program, type ProgramParts} from './program.js';
import {wantsJson} from './wants-json.js';
import type {Context} from '../../context.js';
import {CentavoError, EXIT_CODES, usageError, type ErrorKind} from '../../errors.js';
import {errorLines, errorObject} from './error-words.js';
import {clean, toJson} from '../../output/format.js';
import type {Io} from '../../output/io.js';
import {coresOf} from '../../output/redaction/encodings.js';
import {framesOf, toCentavoError} from '../../system-errors.js';

export interface LineOptions {
  readonly context: Context;
  readonly parts: ProgramParts;
  /** The exit status of the signal that was received in the meantime, if any. */
  readonly received: () => number | undefined;
}

/** Runs one command line, and reports its error. Never rejects. @returns the exit status */
export async function runLine(typed: readonly string[], {context, parts, received}: LineOptions): Promise<number> {
  let done = false;
  const argv = behindWords(typed, parts.index.globalFlags);
  try {
    refuseSecrets(argv);
    const {io, env} = context;
    const columns = io.stdoutIsTerminal ? io.width : undefined;
    const program = new Program(parts, context);
    const subject = findHelpForPrograms(argv, parts.root);
    const page = findHelp(argv, {root: parts.root, columns, env, isTerminal: io.stdoutIsTerminal});
    if (subject !== undefined) {
      const {describePage} = await import('../help/help-json.js');
      await io.out(`${toJson(describePage(subject, program), 2)}\n`);
    } else if (page !== undefined) await io.out(page);
    else await program.runWords(argv);
    done = true;
    // A failed write is reported later; an empty write waits for those before it.
    await context.io.out('');
    context.io.assertWritten();
    const exitCode = received() ?? EXIT_CODES.ok.exit;
    context.finish({result: nameOf(exitCode), exitCode, applied: 'yes'});
    context.io.tellHidden();
    return exitCode;
  } catch (thrown) {
    return tellFailure(await named(bySignal(thrown, received()), context, argv), context, argv, done);
  } finally {
    await context.close();
  }
}

/** `ok` of 0, `interrupted` of 130. */
const nameOf = (status: number): string =>
  Object.entries(EXIT_CODES).find(([, {exit}]) => exit === status)?.[0] ?? String(status);

/** An interruption by SIGTERM gets the kind of that signal. */
function bySignal(thrown: unknown, status: number | undefined): unknown {
  const terminated =
    status === EXIT_CODES.terminated.exit && thrown instanceof CentavoError && thrown.kind === 'interrupted';
  return terminated ? new CentavoError('terminated', thrown.message, thrown.details) : thrown;
}

/** For a person, the error has what people call the objects in place of their ids. */
async function named(thrown: unknown, context: Context, argv: readonly string[]): Promise<unknown> {
  const {names} = context;
  if (!(thrown instanceof CentavoError) || names.size === 0 || wantsJson(argv)) return thrown;
  const {rememberNames, withNames} = await import('./with-names.js');
  await rememberNames(context);
  return withNames(thrown, names);
}

/**
 * Reports an error, and records it as the end of a write that was begun.
 * @param done whether the command itself had succeeded
 * @returns the exit status
 */
export function tellFailure(thrown: unknown, context: Context, argv: readonly string[], done = false): number {
  const error = withApplied(toCentavoError(thrown), context, done);
  context.finish({result: error.code, exitCode: error.exitCode, applied: error.details.applied ?? 'unknown'});
  const {io} = context;
  io.tellHidden();
  const verbose = argv.includes('--verbose') || argv.includes('-v');
  tellError(error, io, {json: wantsJson(argv), verbose});
  return error.exitCode;
}

/** Prints an error, even with `--quiet`. @param verbose also prints where in the program a bug occurred */
export function tellError(error: CentavoError, io: Io, {json, verbose}: {json: boolean; verbose: boolean}): void {
  const {quiet} = io.settings;
  io.settings.quiet = false;
  if (json) io.note(toJson(errorObject(error)));
  else for (const line of errorLines(error, io.tableWidth)) io.note(clean(line));
  const {cause} = error;
  if (verbose && error.kind === 'internal') for (const line of framesOf(cause)) io.note(clean(line));
  io.settings.quiet = quiet;
}

/** Of these, nothing outside this machine is in doubt as long as nothing was sent. */
const OWN_FAULTS: readonly ErrorKind[] = ['internal', 'local_io'];

/** An error after a change was begun always says whether the change was made. */
function withApplied(error: CentavoError, context: Context, done: boolean): CentavoError {
  const change = context.change();
  const {applied} = error.details;
  const isUnsent = applied === 'unknown' && OWN_FAULTS.includes(error.kind) && !context.hasSent();
  if (applied !== undefined && !isUnsent) return error;
  if (change === 'none') return isUnsent ? error.with({applied: undefined}) : error;
  if (done) return error.with({applied: change === 'unchanged' ? 'no' : 'yes'});
  return error.with({applied: context.hasSent() ? 'unknown' : 'no'});
}

/** Not public keys and client secrets: those may be passed as arguments. */
const SECRETS: readonly [RegExp, string][] = [
  [/sk_live_[A-Za-z0-9]{8,}/, 'a live secret key'],
  [/sk_test_[A-Za-z0-9]{8,}/, 'a test secret key'],
  [new RegExp(['sk_test_', 'sk_live_'].flatMap(coresOf).join('|')), 'a secret key in base64'],
  [/whsk_[A-Za-z0-9_-]{8,}/, 'a webhook secret'],
];

/** Refuses a secret in the arguments, where other processes can read it. @throws CentavoError kind `usage`, which does not show it */
export function refuseSecrets(argv: readonly string[]): void {
  const found = SECRETS.find(([pattern]) => argv.some((word) => pattern.test(word)));
  if (!found) return;
  throw usageError(`an argument contains ${found[1]}.`, {
    code: 'secret_in_argument',
    why: 'Other processes and your shell history can read it, so replace it with a new one.',
    hint: 'Pass keys to centavo login or in CENTAVO_SECRET_KEY, and webhook secrets in CENTAVO_WEBHOOK_SECRET or on stdin.',
  });
}
