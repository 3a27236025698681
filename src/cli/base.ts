// The base class of commands: global flags, the context, and printing a result. cli/dispatch/dispatch.ts prints errors.

import type {Risk} from '../api/operation.js';
import type {Context} from '../context/context.js';
import {type Applied, CentavoError, type EXIT_CODES, usageError} from '../common/errors.js';
import {valueOrThrow} from '../input/invalid-input.js';
import {readTimeLimit} from '../input/quantities.js';
import type {JqProgram} from '../output/jq.js';
import {isMachineFormat, render} from '../output/render.js';
import type {Format, Rendering, CommandResult} from '../output/result.js';
import type {RequestForm} from './dry-run.js';
import {globalFlags, type GlobalFlags} from './global-flags.js';
import type {Schema} from './schema.js';
import {Args, Command, Flags, withValues, type Config, type Interfaces} from './oclif.js';

export type FlagsOf<C extends typeof Command> = Interfaces.InferredFlags<C['flags']> & GlobalFlags;
export type ArgsOf<C extends typeof Command> = Interfaces.InferredArgs<C['args']>;

interface ConfigInContext extends Config {
  readonly context: Context;
}

/** A command whose line was read. `print` prints its result, as of a change. */
export interface KeyedCommand {
  /** Id of the command: `refunds:create`. */
  readonly id: string;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly args: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly takesKey: boolean;
  readonly run: () => Promise<unknown>;
  readonly print: (result: CommandResult, applied: Applied) => Promise<void>;
}

export type RunWithKey = (context: Context, command: KeyedCommand) => Promise<unknown>;

export abstract class BaseCommand extends Command {
  static override baseFlags = globalFlags;

  protected globals: GlobalFlags = {};
  #jq?: JqProgram;
  #typed?: Promise<unknown>;

  protected get context(): Context {
    return (this.config as ConfigInContext).context;
  }

  /**
   * oclif's static `run` would create another configuration. @param runWithKey runs the command under its idempotency
   * key, after the command line was read: what was typed decides whether the command runs
   */
  async execute(runWithKey?: RunWithKey): Promise<unknown> {
    const done: unknown = await (runWithKey ? this.#runWithKey(runWithKey) : this._run());
    const {io} = this.context;
    if (!io.kept) return done;
    const written = (await io.kept.end()) as CommandResult;
    io.kept = undefined;
    const rendering = {...this.rendering, fields: undefined};
    if (isMachineFormat(rendering)) await render(written, rendering, io);
    return done;
  }

  async #runWithKey(runWithKey: RunWithKey): Promise<unknown> {
    const {flags, args} = await this.read(this.constructor as typeof Command);
    return runWithKey(this.context, {
      id: this.id!,
      flags,
      args,
      takesKey: 'idempotency-key' in ((this.constructor as typeof Command).flags ?? {}),
      run: () => this._run(),
      print: (result, applied) => this.printDone(result, applied),
    });
  }

  /** Reads the command line, once. */
  protected read<C extends typeof Command>(command: C): Promise<{flags: FlagsOf<C>; args: ArgsOf<C>}> {
    return (this.#typed ??= this.#parse(command)) as Promise<{flags: FlagsOf<C>; args: ArgsOf<C>}>;
  }

  async #parse<C extends typeof Command>(command: C): Promise<{flags: FlagsOf<C>; args: ArgsOf<C>}> {
    // oclif would read a missing argument from stdin, such as the rest of a list in a shell loop.
    for (const argument of Object.values(command.args)) argument.ignoreStdin = true;
    const {flags, args} = (await this.parse(
      command as never,
      withValues(this.argv, command.flags as never),
    )) as unknown as {flags: FlagsOf<C>; args: ArgsOf<C>};
    this.globals = flags;
    const {io, flags: shared} = this.context;
    if (flags.output === 'curl' && !flags['dry-run'])
      throw usageError('invalid_flag', '-o curl works only with --dry-run.');
    if (flags.fields !== undefined && this.rendering.fields?.length === 0)
      throw usageError('invalid_flag', '--fields names no field.', {hint: 'For example: --fields id,status'});
    const timeout = flags.timeout === undefined ? undefined : valueOrThrow(readTimeLimit(flags.timeout), '--timeout');
    // Report an invalid program before anything is sent.
    if (flags.jq !== undefined) {
      const {startJq} = await import('../output/jq.js');
      const jq = await startJq({signal: this.context.signal, timeout});
      this.#jq = await jq.read(flags.jq);
    }
    if (flags['no-color']) io.settings.color = false;
    if (flags.reveal) io.settings.reveal = true;
    io.settings.silent = flags.quiet;
    // With JSON output, stderr has only warnings and errors, unless -v is given.
    if (flags.quiet || isMachineFormat(this.rendering)) io.settings.quiet = !flags.verbose;
    // Scripts read these formats and cannot answer questions.
    if (flags['no-input'] || isMachineFormat(this.rendering) || flags.output === 'csv') io.settings.asks = false;
    Object.assign(shared, {
      profile: flags.profile,
      project: flags.project,
      live: flags.live,
      verbose: flags.verbose,
      timeout,
    });
    return {flags, args};
  }

  protected get rendering(): Rendering {
    const {json, output, fields} = this.globals;
    const {context} = this;
    const {io} = context;
    return {
      format: io.kept ? 'csv' : json ? 'json' : output === 'curl' ? undefined : (output as Format | undefined),
      fields: fields?.split(',').flatMap((field) => field.trim() || []),
      jq: io.kept ? undefined : this.#jq,
      changes: (this.constructor as CommandClass).risk !== 'reads',
      // A getter, because the account is known only once the command has used it.
      get mode() {
        return context.usedMode();
      },
      // A getter, because the sandbox keeps its clock in a database.
      get now() {
        return context.displayNow();
      },
    };
  }

  protected get requestForm(): RequestForm {
    return {rendering: this.rendering, curl: this.globals.output === 'curl'};
  }

  protected async print(result: CommandResult): Promise<void> {
    const {context, rendering} = this;
    return render(await addStandings(context, result, rendering), rendering, context.io);
  }

  /** Prints the result of a change. If printing fails, the error says whether the change was made. */
  protected async printDone(result: CommandResult, applied: Applied = 'yes'): Promise<void> {
    try {
      await this.print(result);
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      if (error.kind === 'interrupted') throw error.with({applied});
      const {id} = (result.rows[0] ?? {}) as {id?: unknown};
      const changedId = typeof id === 'string' && result.rows.length === 1 ? id : undefined;
      throw new CentavoError('local_io', error.message, {
        ...error.details,
        applied,
        ...(changedId !== undefined &&
          applied === 'yes' && {
            changed: `The change was made: ${changedId}.`,
            retryable: false,
            results: [{id: changedId, code: error.code, applied, apiErrors: []}],
          }),
      });
    }
  }

  /** Rethrows the error, which oclif would print before setting the exit status. */
  protected override async catch(error: Error): Promise<never> {
    throw error;
  }
}

/** Adds what happened to the money of statements, except to JSON that repeats the API's answer. */
export async function addStandings(
  context: Context,
  result: CommandResult,
  rendering: Rendering,
): Promise<CommandResult> {
  const isAnswer = isMachineFormat(rendering) && !rendering.fields;
  if (isAnswer || !result.rows.some(({resource}) => resource === 'billing_statement')) return result;
  return (await import('./presentation/standings.js')).withStandings(context, result);
}

/** `hands_over`: a person approves each live change. `never`: not by `centavo mcp`, and no live change. */
export type AgentUse = 'hands_over' | 'never' | 'runs';

type Exits = readonly (keyof typeof EXIT_CODES)[];

export const ANY_EXITS: Exits = ['ok', 'internal', 'usage', 'local_io', 'interrupted', 'terminated'];
export const ACCOUNT_EXITS: Exits = ['refused', 'config'];
export const CALL_EXITS: Exits = [
  ...ACCOUNT_EXITS,
  'not_found',
  'auth',
  'rejected',
  'rate_limited',
  'unavailable',
  'keychain',
];
export const CHANGE_EXITS: Exits = [...CALL_EXITS, 'outcome_unknown'];

export interface CommandClass extends Omit<Command.Class, 'prototype' | 'run'> {
  readonly risk: Risk;
  /** How a live account treats this command under an agent. Default: `runs` for reads, otherwise `never`. */
  readonly agents?: AgentUse;
  readonly exits: Exits;
  /** Schema of the --json output; undefined for a command without JSON output. */
  readonly output: (() => Schema) | undefined;
  new (argv: string[], config: Config): BaseCommand;
}

export const forceFlag = Flags.boolean({summary: 'Replace a file that centavo did not write.'});

export const severalWords = Args.custom<string[]>({multiple: true});

export function requiredArgument(text: string | undefined, name: string, example: string): string {
  if (text) return text;
  throw usageError('missing_argument', `${name} is missing.`, {hint: `For example: ${example}`});
}
