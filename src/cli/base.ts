// What every command shares: global flags, the context, and the way to print a result. Errors are thrown; cli/line/line.ts prints them.

import {Args, Command, Flags, type Config, type Interfaces} from './oclif.js';
import type {Risk} from '../api/operation.js';
import type {Context} from '../context.js';
import {LONGEST_TIMER} from '../deadlines.js';
import {type Applied, CentavoError, type EXIT_CODES, usageError} from '../errors.js';
import {parseDuration} from '../input/durations.js';
import type {JqProgram} from '../output/jq.js';
import {isMachine, render} from '../output/render.js';
import type {Format, Rendering, Result, Row} from '../output/result.js';
import type {RequestForm} from './dry-run.js';
import {globalFlags, type GlobalFlags} from './global-flags.js';
import type {Schema} from './help/json-schema.js';

/** The flags of a command, as oclif reads them, with those that every command has. */
export type FlagsOf<C extends typeof Command> = Interfaces.InferredFlags<C['flags']> & GlobalFlags;
export type ArgsOf<C extends typeof Command> = Interfaces.InferredArgs<C['args']>;

/** The configuration of oclif as the program makes it. */
interface ConfigInContext extends Config {
  readonly context: Context;
}

export abstract class BaseCommand extends Command {
  static override baseFlags = globalFlags;

  protected globals: GlobalFlags = {};
  #jq?: JqProgram;

  protected get context(): Context {
    return (this.config as ConfigInContext).context;
  }

  /** Runs the command; `run` of the class would make a configuration of its own. */
  execute(): Promise<unknown> {
    return this._run();
  }

  /** Parses the command line and settles what the global flags decide. @throws CentavoError kind `usage` */
  protected async read<C extends typeof Command>(command: C): Promise<{flags: FlagsOf<C>; args: ArgsOf<C>}> {
    // oclif's own type has neither.
    const {flags, args} = (await this.parse(command as never)) as unknown as {flags: FlagsOf<C>; args: ArgsOf<C>};
    this.globals = flags;
    const {io, flags: shared} = this.context;
    if (flags.output === 'curl' && !flags['dry-run'])
      throw usageError('-o curl works only with --dry-run.', {code: 'invalid_flag'});
    if (flags.fields !== undefined && this.rendering.fields?.length === 0)
      throw usageError('--fields names no field.', {code: 'invalid_flag', hint: 'For example: --fields id,status'});
    const timeout = flags.timeout === undefined ? undefined : timeoutOf(flags.timeout);
    // An invalid program is reported before anything is sent, not after.
    if (flags.jq !== undefined) {
      const {startJq} = await import('../output/jq.js');
      const jq = await startJq({signal: this.context.signal, timeout});
      this.#jq = await jq.read(flags.jq);
    }
    if (flags['no-color']) io.settings.color = false;
    if (flags.reveal) io.settings.reveal = true;
    // Under --json stderr carries an error as one line of JSON, or warnings, or nothing.
    io.settings.silent = flags.quiet;
    if (flags.quiet || isMachine(this.rendering)) io.settings.quiet = !flags.verbose;
    // A program cannot answer a question.
    const isDocument = flags.output === 'csv' || flags.output === 'markdown';
    if (flags['no-input'] || isMachine(this.rendering) || isDocument) io.settings.asks = false;
    Object.assign(shared, {
      profile: flags.profile,
      live: flags.live,
      verbose: flags.verbose,
      timeout,
    });
    return {flags, args};
  }

  protected get rendering(): Rendering {
    const {json, output, fields} = this.globals;
    const {context} = this;
    return {
      format: json ? 'json' : output === 'curl' ? undefined : (output as Format | undefined),
      fields: fields
        ?.split(',')
        .map((field) => field.trim())
        .filter(Boolean),
      jq: this.#jq,
      // Read only where it is shown: the sandbox keeps its clock in its file.
      get now() {
        return context.shownAt();
      },
    };
  }

  /** How a dry run shows requests. */
  protected get requestForm(): RequestForm {
    return {rendering: this.rendering, curl: this.globals.output === 'curl'};
  }

  protected async print(result: Result): Promise<void> {
    const {context} = this;
    return render(await forPeople(context, result), this.rendering, context.io);
  }

  /**
   * Prints what came of a change. A failure here does not undo the change, and the error says so.
   * @param applied whether anything was changed
   */
  protected async printDone(result: Result, applied: Applied = 'yes'): Promise<void> {
    try {
      await this.print(result);
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      if (error.kind === 'interrupted') throw error.with({applied});
      const {id} = (result.rows[0] ?? {}) as {id?: unknown};
      const known = typeof id === 'string' && result.rows.length === 1 ? id : undefined;
      throw new CentavoError('local_io', error.message, {
        ...error.details,
        applied,
        ...(known !== undefined &&
          applied === 'yes' && {
            changed: `The change was made: ${known}.`,
            results: [{id: known, code: error.code, applied, apiErrors: []}],
          }),
      });
    }
  }

  /** By default oclif sets an exit status and prints the error itself. */
  protected override async catch(error: Error): Promise<never> {
    throw error;
  }
}

/** At a terminal, what the history of this machine knows of statements that the service calls void is said. */
async function forPeople(context: Context, result: Result): Promise<Result> {
  const isStatement = ({resource}: Row): boolean => resource === 'billing_statement';
  if (!context.io.stdoutIsTerminal || !result.rows.some(isStatement)) return result;
  return (await import('./billing-statements/settled.js')).withSettled(context, result);
}

/** Seconds; none at all would let nothing succeed. @throws CentavoError kind `usage` */
function timeoutOf(text: string): number {
  const seconds = parseDuration(text, '--timeout');
  if (seconds === 0) throw usageError('--timeout cannot be 0.', {code: 'invalid_duration'});
  if (seconds * 1000 <= LONGEST_TIMER) return seconds;
  throw usageError(`--timeout ${text} is too long.`, {code: 'invalid_duration', hint: 'The longest is 24d.'});
}

/** How a command can end. */
type Exits = readonly (keyof typeof EXIT_CODES)[];

/** How every command can end. */
export const ANY_EXITS: Exits = ['ok', 'internal', 'usage', 'local_io', 'interrupted', 'terminated'];
/** How commands that read the configuration can end besides. */
export const ACCOUNT_EXITS: Exits = ['refused', 'config'];
/** How commands that call the API, or its sandbox, can end besides. */
export const CALL_EXITS: Exits = [
  ...ACCOUNT_EXITS,
  'not_found',
  'auth',
  'rejected',
  'rate_limited',
  'unavailable',
  'keychain',
];
/** How commands that change something by a call can end besides. */
export const CHANGE_EXITS: Exits = [...CALL_EXITS, 'outcome_unknown'];

/** The class of a command. */
export interface CommandClass extends Omit<Command.Class, 'prototype' | 'run'> {
  /** The worst that it does. */
  readonly risk: Risk;
  /** How it can end, besides {@link ANY_EXITS}. */
  readonly exits: Exits;
  /** What it prints with --json; undefined if that is no JSON. */
  readonly output: (() => Schema) | undefined;
  new (argv: string[], config: Config): BaseCommand;
}

/** For a command that writes a file which its user names. */
export const forceFlag = Flags.boolean({summary: 'Replace a file that centavo did not write.'});

/** Any number of words. */
export const severalWords = Args.custom<string[]>({multiple: true});

/**
 * An argument that must be given.
 * @param name for the error: `the id`
 * @throws CentavoError kind `usage`
 */
export function requiredArgument(text: string | undefined, name: string, example: string): string {
  if (text) return text;
  throw usageError(`${name} is missing.`, {code: 'missing_argument', hint: `For example: ${example}`});
}
