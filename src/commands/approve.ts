// `centavo approve`: runs, once, a live change that an agent asked for, as this person's own command.

import {BaseCommand, CHANGE_EXITS} from '../cli/base.js';
import {CommandCatalog, type CommandCatalogParts} from '../cli/catalog/command-catalog.js';
import {withApplied} from '../cli/dispatch/dispatch.js';
import {
  flagWords,
  agentText,
  HAND_OVER,
  handOverRecord,
  keyOf,
  NOTHING_SENT,
  type HandOver,
} from '../cli/operations/hand-over-record.js';
import {Args, Flags} from '../cli/oclif.js';
import {resultOfRecord, resultOfRecords} from '../cli/records.js';
import * as schema from '../cli/schema.js';
import {CentavoError, EXIT_CODES, nextCommand, refusedError, usageError, type Applied} from '../common/errors.js';
import {commandLine} from '../common/next-text.js';
import {toCentavoError} from '../common/system-errors.js';
import type {Context} from '../context/context.js';
import {momentText} from '../guard/repeats.js';

const STATES: Readonly<Record<string, string>> = {
  claimed: 'is being run by another process',
  done: 'is done',
  expired: 'has expired',
  failed: 'failed',
  rejected: 'was rejected',
};

/** Kinds and a code of errors that end a change that was not made. After others, such as no network, it waits on. */
const ENDING: readonly string[] = ['not_found', 'rejected', 'usage', 'idempotency_mismatch'];

/** Global flags of `approve` that also apply to the stored command. */
const OWN_FLAGS = ['dry-run', 'fields', 'no-color', 'quiet', 'reveal', 'timeout', 'verbose'] as const;

export class ApproveCommand extends BaseCommand {
  static override summary = 'Run a live change that an agent asked for.';
  static override description =
    'An agent that asks for a live change sends nothing: centavo stores the command. Here a person sees what it would do, and runs it once, with the same checks and questions as if typed. Without an id, choose one.\n\nThis protects against haste and accidents of an agent. It does not protect against a program of the same user that means harm.';
  static override examples = [
    '<%= config.bin %> approve',
    '<%= config.bin %> approve --list',
    '<%= config.bin %> approve --reject ho_4Tq7Zs1xV0aB',
  ];
  static override usage = 'approve [id] [flags]';
  static override args = {id: Args.string({description: 'Id of the change.', helpValue: '<ho_…>'})};
  static override flags = {
    list: Flags.boolean({summary: 'List the changes that agents asked for.', exclusive: ['reject']}),
    reject: Flags.string({summary: 'End a change without running it.', helpValue: '<ho_…>'}),
  };
  static risk = 'moves_money' as const;
  static exits = [...CHANGE_EXITS, 'condition_unmet', 'partial', 'timed_out'] as const;
  static output = () => schema.either(schema.page(HAND_OVER), HAND_OVER);

  async run(): Promise<void> {
    const {args, flags} = await this.read(ApproveCommand);
    const {context} = this;
    await this.chooseLiveKey();
    const store = await context.handOvers();
    const now = await context.serviceNow();
    const all = store.list(await context.accountId(), now);
    if (flags.list) return this.print(this.listOf(all));
    const agent = context.agent();
    if (agent || !context.io.canAsk)
      throw refusedError('needs_person', 'only a person at a terminal can approve or reject a change.', {
        why: agent ? `${agentText(agent)}.` : 'No terminal is available.',
        needsPerson: true,
      });
    if (flags.reject !== undefined) return this.reject(await this.named(flags.reject, all), now);
    const chosen = args.id === undefined ? await this.chosen(all, now) : await this.named(args.id, all);
    return this.approve(chosen, now);
  }

  /** A change that waits is live, so of a profile with two keys the live one is meant. */
  private async chooseLiveKey(): Promise<void> {
    const {flags} = this.context;
    flags.live = true;
    const found = await this.context.account().catch(() => undefined);
    flags.live = found?.mode === 'live';
  }

  private listOf(all: readonly HandOver[]) {
    const records = all.map((each) => handOverRecord(this.context, each));
    return resultOfRecords(HAND_OVER, records, {
      atTerminal: {id: 1, state: 2, what: 1, asked_at: 3},
      empty: 'No agent has asked for a live change.',
    });
  }

  /** @throws not found, or refused for a hand-over of another account */
  private async named(id: string, all: readonly HandOver[]): Promise<HandOver> {
    const found = all.find((each) => each.id === id);
    if (found) return found;
    const other = (await this.context.handOvers()).get(id);
    if (!other)
      throw new CentavoError('not_found', `${id.slice(0, 60)} was not found in ${this.context.dataDirectory()}.`, {
        why: 'A change is stored in the data folder of the agent that asked for it.',
        next: [nextCommand('To list the changes stored here', 'approve --list')],
        applied: 'no',
      });
    throw refusedError('other_account', `${id} is a change of another account.`, {
      why: `It was asked for with the profile ${other.profile}, and the key from ${other.key_source}.`,
      next: [nextCommand('To use that profile', 'approve', id, '--profile', other.profile)],
    });
  }

  private async chosen(all: readonly HandOver[], now: number): Promise<HandOver> {
    const open = all.filter(({state}) => state === 'open' || state === 'unknown');
    const [first] = open;
    if (!first) throw usageError('nothing_open', 'no change waits for a person.', {applied: 'no'});
    if (open.length === 1) return first;
    return this.context.prompt.select(
      'Which change?',
      open.map((each) => ({name: `${each.what} (${momentText(each.asked_at, now)})`, value: each})),
    );
  }

  private async reject(made: HandOver, now: number): Promise<void> {
    const {id, what, account, pid, state} = made;
    const store = await this.context.handOvers();
    const isSent = (await this.context.repeats()).sentUnder(account, keyOf(made)) !== undefined;
    if (!store.reject(id, now)) throw ended(store.get(id)!);
    const isUnsent = state === 'open' && pid === null && !isSent;
    this.context.io.note(
      `Rejected: ${what}. ${isUnsent ? 'Nothing was sent.' : 'It may have been made before: see centavo history'}`,
    );
    await this.print(resultOfRecord(HAND_OVER, handOverRecord(this.context, store.get(id)!)));
  }

  private async approve(made: HandOver, now: number): Promise<void> {
    const {context} = this;
    const {id, what, agent, asked_at: asked} = made;
    const store = await context.handOvers();
    const isDry = this.globals['dry-run'] === true;
    if (!isDry && !store.claim(id, now)) throw ended(store.get(id)!);
    context.io.note(`${id}, asked by an agent (${agent}) ${momentText(asked, now)}: ${what}.`);
    const [, ...words] = JSON.parse(made.argv) as string[];
    context.io.note(`  ${commandLine([...made.command.split(' '), ...words])}`, {style: 'dim'});
    const inner = this.stored(made);
    const thrown = await this.runStored(made, inner);
    const applied = thrown === undefined ? 'yes' : (thrown.details.applied ?? (inner.hasSent() ? 'unknown' : 'no'));
    const {code: result = 'ok', exitCode = EXIT_CODES.ok.exit} = thrown ?? {};
    inner.finish({result, exitCode, applied});
    const isOver = ENDING.includes(thrown?.kind ?? '') || ENDING.includes(result);
    if (!isDry) await this.record(made, {applied, result, isOver}, inner);
    for (const [each, name] of inner.names) context.names.set(each, name);
    await inner.close();
    // This command has none of the flags that lift a refusal.
    if (thrown && (thrown.details.override !== undefined || result === 'not_confirmed'))
      throw thrown.with({override: undefined, hint: `To end this change: centavo approve --reject ${id}`});
    if (thrown) throw thrown;
  }

  /** Runs the stored command as this person's own. @returns its error */
  private async runStored(made: HandOver, inner: Context): Promise<CentavoError | undefined> {
    const [command = '', ...words] = JSON.parse(made.argv) as string[];
    const {index} = this.config as CommandCatalog;
    const isKeyed = 'idempotency-key' in (index.commands[command]?.flags ?? {}) && keyOf(made) === made.id;
    // A key is for one object; of several, the state decides.
    const isOne = words.includes('--') ? words.length - words.indexOf('--') === 2 && words.at(-1) !== '-' : true;
    const {profile} = await this.context.connection();
    const own = flagWords(Object.fromEntries(OWN_FLAGS.map((name) => [name, this.globals[name]])));
    const key = isKeyed && isOne ? [`--idempotency-key=${made.id}`] : [];
    try {
      const program = new CommandCatalog(this.config as unknown as CommandCatalogParts, inner);
      await program.runCommand(command, ['--live', `--profile=${profile.value}`, ...key, ...own, ...words]);
      return undefined;
    } catch (thrown) {
      return withApplied(toCentavoError(thrown), inner, false);
    }
  }

  /** Records how a run ended. @param isOver false if a change that was not made may be approved again */
  private async record(
    made: HandOver,
    {applied, result, isOver}: {readonly applied: Applied; readonly result: string; readonly isOver: boolean},
    inner: Context,
  ): Promise<void> {
    const {context} = this;
    const state = applied === 'yes' ? 'done' : applied === 'unknown' ? 'unknown' : isOver ? 'failed' : 'open';
    try {
      const keyed = (await context.repeats()).sentUnder(made.account, keyOf(made));
      const how = result === 'ok' && !keyed && !inner.hasSent() ? NOTHING_SENT : result;
      const ended = {result: how, object: keyed?.object ?? undefined};
      (await context.handOvers()).end(made.id, state, ended, inner.displayNow());
    } catch (error) {
      // The change is made all the same. Approved again, it knows what it did.
      context.io.note(`How ${made.id} ended could not be recorded: ${toCentavoError(error).message}`, {warns: true});
    }
  }

  /** A context in which the stored command reads what the agent gave. */
  private stored({id, resolved, asked_at: asked}: HandOver): Context {
    const {context} = this;
    const inner = context.fresh({}) as Context;
    inner.flags.plannedAt = asked;
    for (const [reference, target] of JSON.parse(resolved) as [string, string][]) inner.resolved.set(reference, target);
    const bytesOf = async (path: string): Promise<Buffer> => {
      const bytes = (await context.handOvers()).copies(id).get(path);
      if (!bytes) throw new CentavoError('not_found', `the stored copy of ${path} is gone.`, {applied: 'no'});
      return Buffer.from(bytes);
    };
    return Object.assign(inner, {
      readFile: bytesOf,
      readInputBytes: () => bytesOf('-'),
      readInput: async () => (await bytesOf('-')).toString('utf8'),
      isReadOnce: async () => false,
      openFile: async function* (path: string) {
        yield await bytesOf(path);
      },
    });
  }
}

const ended = ({id, state}: Pick<HandOver, 'id' | 'state'>): CentavoError =>
  refusedError(`hand_over_${state}`, `${id} ${STATES[state] ?? 'is open'}.`, {
    applied: 'no',
    retryable: state === 'claimed',
  });
