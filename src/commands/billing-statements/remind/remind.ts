// `centavo billing-statements remind`: emails open statements again, after a preview.

import {operationWithId} from '../../../api/registry.js';
import type {StatementLike} from '../../../api/statement.js';
import type {ReminderCandidate, ReminderResult, RemindOptions} from '../../../billing/statement/reminders.js';
import {BaseCommand, CHANGE_EXITS, severalWords, type ArgsOf} from '../../../cli/base.js';
import {printCalls} from '../../../cli/dry-run.js';
import {accountArgs} from '../../../cli/next-steps.js';
import {refusalFor} from '../../../cli/refusals.js';
import {readStanding} from '../../../cli/presentation/standings.js';
import * as schema from '../../../cli/schema.js';
import {Flags, OPTIONAL_TIME} from '../../../cli/oclif.js';
import {withReadingProgress} from '../../../cli/account-reads.js';
import {BatchTally, shieldFromOutput} from '../../../cli/operations/batch-tally.js';
import {idsOfInput, readReference} from '../../../cli/references/references.js';
import {resolveReferences} from '../../../cli/references/resolve-reference.js';
import {CentavoError, nextCommand, usageError} from '../../../common/errors.js';
import type {Context} from '../../../context/context.js';
import {guardChange, guardConnection, guardIntent} from '../../../guard/guard.js';
import {valueOrThrow} from '../../../input/invalid-input.js';
import {readWholeDays} from '../../../input/quantities.js';
import {renderList} from '../../../output/render-list.js';
import {chooseOpen, readOpen} from '../shared/choose-open.js';
import {changeOfReminders, skippedLines, previewLines, remindersSchema, resultOfReminders} from './preview.js';

const SEND = operationWithId('billing-statements:send');

export class RemindCommand extends BaseCommand {
  static override summary = 'Email open statements again.';
  static override description =
    'Name the billing statements, or use --overdue for all overdue statements. Without either, at a terminal, choose from the open statements. centavo shows who gets an email, and the time of the last send from this machine. At a terminal it asks for confirmation in live mode, with --overdue, or for more than one; --yes skips that. centavo reads each billing statement again right before sending it, and skips a statement that was just paid.\n\n' +
    'Billing statements sent from this machine within the last 7 days are skipped, unless you add --again. An email with unknown outcome counts as sent and is not repeated. centavo does not know about emails sent from the dashboard or another machine.';
  static override examples = [
    '<%= config.bin %> billing-statements remind --overdue',
    '<%= config.bin %> billing-statements remind JEEPNEY-0012 NINO-0004',
    '<%= config.bin %> billing-statements remind --overdue 30d --dry-run',
  ];
  static override usage = 'billing-statements remind [id...] [flags]';
  static override args = {
    id: severalWords({
      description: 'Numbers or ids of billing statements, or names of their customers; - for ids on stdin.',
      helpValue: '<bstm_…>',
    }),
  };
  static override flags = {
    overdue: Flags.string({
      summary: 'Every overdue billing statement; with a duration, overdue at least that long: 7d.',
      helpValue: OPTIONAL_TIME,
    }),
    again: Flags.boolean({summary: 'Include statements sent within the last 7 days.'}),
  };
  static risk = 'bills' as const;
  static agents = 'hands_over' as const;
  static exits = [...CHANGE_EXITS, 'partial'] as const;
  static output = () => schema.either(remindersSchema, schema.dryRun);

  async run(): Promise<void> {
    const {flags, args} = await this.read(RemindCommand);
    const {context} = this;
    const {io} = context;
    const connection = guardConnection(await context.connection());
    const days = flags.overdue === undefined ? undefined : valueOrThrow(readWholeDays(flags.overdue), '--overdue');
    const named = await this.namedBy(args, days);
    if (!flags['dry-run']) guardIntent(connection, flags, 'remind customers by email', io);
    const {planReminders, sendReminders} = await context.billing();
    const statements = await this.find(named, days);
    const runs = await context.runs();
    const recalled = await runs.recallSends(statements.map(({id}) => id));
    if (statements.length > 0 && context.ahead() === undefined)
      io.note('The service sends no Date. Times of sends are by this machine’s clock.', {warns: true});
    const history = await context.history();
    const options = {
      lastSend: (id: string) => history.lastSend(id),
      now: context.displayNow,
      again: flags.again ?? false,
      readStanding: (statement: StatementLike) => readStanding(context, statement),
    };
    const {wanted, leftOut} = planReminders(statements, options);
    const now = await context.accountNow();
    const skipped = skippedLines(leftOut, now, flags['dry-run'] ?? false);
    for (const line of [...previewLines(wanted, now, io.width), ...skipped]) io.note(line);
    const asks = days !== undefined || statements.length > 1 || wanted.some(({id}) => recalled.has(id));
    const change = wanted.length > 0 ? changeOfReminders(wanted, asks) : undefined;
    if (flags['dry-run'])
      return printCalls(
        context,
        this.requestForm,
        wanted.map(({id}) => ({...SEND, ids: [id], params: {}})),
        change,
      );
    if (change) await guardChange(context, flags, change);
    const recorded = await runs.history();
    const send: RemindOptions['send'] = ({id, amount}, earlier) =>
      runs.carryOut(
        {id, items: [], finalize: false, send: true, named: {shown: {amount}}},
        {history: {...recorded, earlier}},
      );
    const onNext = (statement: ReminderCandidate, index: number): void =>
      io.progress(
        `Reminding ${index + 1} of ${wanted.length}: ${statement.number ?? statement.id}`,
        index / wanted.length,
      );
    const run = sendReminders(wanted, {...options, send, onNext});
    // A statement that the user named counts as failed if it is not open.
    const refused = named.length > 0 ? leftOut.filter(({reason}) => reason === 'not_open') : [];
    const tally = new BatchTally(wanted.length + refused.length, 'reminded');
    await this.printResults(run, leftOut, refused, tally, now).finally(() => io.progress(undefined));
  }

  /** Returns the references given; none with --overdue, or if the user will choose. */
  private async namedBy({id}: ArgsOf<typeof RemindCommand>, days: number | undefined): Promise<readonly string[]> {
    if (id !== undefined && days !== undefined)
      throw usageError('invalid_flag', 'billing statements and --overdue cannot be given together.');
    if (id === undefined && days === undefined && !this.context.io.canAsk)
      throw usageError('missing_argument', 'no billing statement given.', {
        next: [nextCommand('Name one or more. To see who is overdue', 'owed --overdue', accountArgs(this.context))],
      });
    if (id?.length === 1 && id[0] === '-') return idsOfInput(await this.context.readInput());
    return id ?? [];
  }

  private async find(named: readonly string[], days: number | undefined): Promise<ReminderCandidate[]> {
    const {context} = this;
    if (days !== undefined) return readOpen(context, days);
    if (named.length === 0 && this.context.io.canAsk)
      return chooseOpen(context, 'Which billing statement?', 'Remind of');
    const client = await context.client();
    const {readNamedStatements} = await context.billing();
    const references = named.map((text) => valueOrThrow(readReference(text, 'bstm_')));
    const ids = await resolveReferences(context, 'bstm_', references, {changes: true, status: 'open'});
    return withReadingProgress(context, 'Reading billing statements', (paging) =>
      readNamedStatements(client, [...new Set(ids)], (statement) => readStanding(context, statement), paging),
    );
  }

  /** Prints the results, then the skipped statements. @param refused skipped statements that count as failures */
  private async printResults(
    run: AsyncIterable<ReminderResult>,
    leftOut: readonly ReminderResult[],
    refused: readonly ReminderResult[],
    tally: BatchTally,
    now: number,
  ): Promise<void> {
    const {context, rendering} = this;
    const {stopsReminders} = await context.billing();
    let ended: CentavoError | undefined;
    async function* rows(): AsyncGenerator<readonly ReminderResult[]> {
      for await (const each of run) {
        if (each.reminded === 'yes') tally.changed++;
        else if (stopsReminders(each)) ended = each.error;
        else if (each.error) tally.fail(context, each.id, each.error);
        yield [each];
      }
      for (const each of refused) tally.fail(context, each.id, notOpen(context, each, now));
      context.io.progress(undefined);
      yield leftOut;
    }
    const resultOf = (rows: readonly ReminderResult[]) => resultOfReminders(rows, now, rendering.format === 'csv');
    try {
      await renderList(rows(), resultOf, rendering, shieldFromOutput(context));
    } catch (error) {
      if (!(error instanceof CentavoError)) throw error;
      throw tally.printingFailed(error);
    }
    if (ended) throw tally.cutShort(ended);
    if (tally.changed === 0 && tally.failures.length === 0) (await context.history()).markUnchanged();
    if (tally.failures.length > 0) throw tally.failed(context, SEND);
  }
}

const notOpen = (context: Context, {standing}: ReminderResult, now: number): CentavoError =>
  refusalFor('send', standing, {
    code: 'not_open',
    why: 'Only an open billing statement can be sent.',
    account: accountArgs(context),
    named: standing.name,
    now,
  });
