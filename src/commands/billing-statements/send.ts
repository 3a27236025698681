// `centavo billing-statements send`: sends a statement, and finalizes a draft after confirmation or with --finalize.

import {operationWithId} from '../../api/registry.js';
import {dueTimeOf} from '../../api/statement.js';
import {allowDuplicateFlag} from '../../cli/operations/flags.js';
import {printRequests} from '../../cli/dry-run.js';
import {nameFor, suggestNext} from '../../cli/next-command.js';
import {AFTER} from '../../cli/next-steps.js';
import {Flags} from '../../cli/oclif.js';
import {commandOf, OperationCommand, type OperationFlags} from '../../cli/operations/operation-command.js';
import {sentResult} from '../../cli/operations/perform.js';
import {CentavoError, usageError} from '../../common/errors.js';
import {changeOf, type PlannedChangeDetails} from '../../guard/change.js';
import {guardChange, guardIntent} from '../../guard/guard.js';
import {totalAsNumber} from '../../input/items.js';
import {composeOrThrow} from '../../billing/statement/cli/explain-stop.js';

const SEND = operationWithId('billing-statements:send');
const FINALIZE = operationWithId('billing-statements:finalize');
const Derived = commandOf(SEND);

export class SendCommand extends OperationCommand {
  static override summary = 'Email a statement; finalize a draft first.';
  static override description =
    'At a terminal it shows a draft, then finalizes and sends it if you confirm. Elsewhere a draft needs --finalize. To email it again within 20 hours, confirm at a terminal, or add --allow-duplicate.';
  static override examples = [
    ...Derived.examples!,
    '<%= config.bin %> billing-statements send JEEPNEY-0003 --finalize',
  ];
  static override flags = {
    ...Derived.flags,
    finalize: Flags.boolean({summary: 'Finalize a draft first. For one billing statement only.'}),
    'allow-duplicate': allowDuplicateFlag,
  };
  static override args = Derived.args;
  static risk = Derived.risk;
  static agents = 'hands_over' as const;
  static exits = Derived.exits;
  static output = Derived.output;
  protected readonly registered = SEND;
  protected readonly specs = [];

  protected override async runInstead(ids: readonly string[] | undefined, flags: OperationFlags): Promise<boolean> {
    const {context} = this;
    const {io} = context;
    const finalize = flags.finalize === true;
    if (finalize && !ids) throw usageError('invalid_flag', '--finalize works with one billing statement only.');
    const asks = io.canConfirm && !flags.yes && !flags['dry-run'];
    if (!ids || !(finalize || asks)) return false;
    const [id = ''] = ids;
    if (!flags['dry-run']) guardIntent(await context.connection(), flags, 'send a billing statement', io);
    const {billingStatements} = await context.client();
    const statement = await billingStatements.get(id, {signal: context.signal}).catch((error: unknown) => {
      // A key without read permission can still send open statements.
      if (finalize || !(error instanceof CentavoError) || error.kind === 'interrupted') throw error;
      return undefined;
    });
    if (statement?.status !== 'draft') return false;
    const {plannedItems, recordingClient} = await context.billing();
    const items = plannedItems(statement);
    // The plan contains the items as read, so a draft that changes later is not sent.
    const draft = {id, items, dueAt: dueTimeOf(statement), total: totalAsNumber(items), customerName: undefined};
    const wanted = {...draft, finalize: true, send: true};
    const finalizing = changeOf(context, FINALIZE, [ids], {});
    const lookUp = async (): Promise<PlannedChangeDetails> => {
      const details = await finalizing.lookUp!();
      return {...details, action: details.action.replace('finalize', 'finalize and send')};
    };
    const command = 'billing-statements send';
    const change = {...finalizing, command, needsConfirmation: !finalize, known: await lookUp(), lookUp};
    if (flags['dry-run']) {
      const {client, requests} = recordingClient(await context.requestBuilder(), [statement]);
      await (await context.runs()).dryRun(wanted, client);
      await printRequests(context, this.requestForm, requests, change);
      return true;
    }
    if (!finalize) {
      const {statementView} = await import('../../cli/presentation/statement-view.js');
      // No colours: notes strip escape codes, because a customer's name could contain some.
      const plain = Object.create(io, {paint: {value: (_: string, text: string) => text}}) as typeof io;
      const view = await statementView(statement, {io: plain, now: await context.accountNow()});
      for (const line of view.trimEnd().split('\n')) io.note(line);
    }
    await guardChange(context, flags, change);
    const {statement: sent, applied} = await composeOrThrow(context, wanted);
    const {readSent} = await import('../../cli/presentation/statement-notes.js');
    await this.printDone(sentResult(context, await readSent(context, sent)), applied);
    suggestNext(context, AFTER.send, nameFor(context, id));
    return true;
  }
}
