// `centavo billing-statements reissue <statement>`: voids an open statement and bills a corrected replacement.

import {isPayable} from '../../accounting/standing.js';
import {shapes} from '../../api/registry.js';
import {
  statementCustomerOf,
  dueTimeOf,
  statementNumberOf,
  statementName,
  statementSubjectOf,
  statusText,
} from '../../api/statement.js';
import type {ReissueStep, ReissueTarget, ReissuePlan} from '../../billing/statement/reissue.js';
import {BaseCommand, CHANGE_EXITS, type FlagsOf} from '../../cli/base.js';
import {printRequests} from '../../cli/dry-run.js';
import {accountArgs} from '../../cli/next-steps.js';
import {idempotencyKeyFlag} from '../../cli/operations/flags.js';
import {keepAnswer} from '../../cli/operations/perform.js';
import * as schema from '../../cli/schema.js';
import {nameFor} from '../../cli/next-command.js';
import {printUnderstoodDate} from '../../cli/understood-date.js';
import {apiResultOf} from '../../cli/presentation/results.js';
import {moneyHistory, readStanding, refusalIn} from '../../cli/presentation/standings.js';
import {noteServing} from '../../cli/presentation/statement-notes.js';
import {Flags} from '../../cli/oclif.js';
import {readStatement, statementArgument, statementReference} from '../../cli/references/read-statement.js';
import {type CentavoError, nextCommand, usageError} from '../../common/errors.js';
import {relativeDay, longDay} from '../../common/manila.js';
import {formatPesos} from '../../common/pesos.js';
import {objectAmountOf} from '../../guard/change-amounts.js';
import type {PlannedChange, PlannedChangeDetails} from '../../guard/change.js';
import {safeDisplayName, UNKNOWN_AMOUNT} from '../../guard/describe-change.js';
import {guardChange, guardConnection, guardIntent} from '../../guard/guard.js';
import {dateText, readDate} from '../../input/dates.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {commandText} from '../../common/next-text.js';
import {explainReissue, type ReissueStopped} from '../../billing/statement/cli/explain-reissue.js';
import {itemText, printDoneNotes, suggestAfterCompose} from '../../billing/statement/cli/explain-stop.js';
import {checkPlan, progressPrinter} from '../../billing/statement/cli/compose-statement.js';
import {itemFlag, readItemFlags} from './shared/item-flags.js';

export class ReissueCommand extends BaseCommand {
  static override summary = 'Replace an open statement with a corrected one.';
  static override description =
    'Creates the new statement as a draft, voids the old statement, and then finalizes the draft. No customer can pay both statements. If the old statement was paid in the meantime, it is not voided, and the draft is deleted.\n\n' +
    'Without --item the new statement keeps the old items, and without --due the old due date. If the command stops half-way, run it again to continue.';
  static override examples = [
    '<%= config.bin %> billing-statements reissue JEEPNEY-0002 --due +14d --send',
    '<%= config.bin %> billing-statements reissue JEEPNEY-0002 --item "Web design x2 @ 15,000" --item "Hosting @ 1,250"',
  ];
  static override args = {statement: statementArgument};
  static override flags = {
    due: Flags.string({summary: 'Due date: 2026-12-15, +14d.', helpValue: '<date>'}),
    item: itemFlag('; replaces all items of the old statement'),
    edit: Flags.boolean({summary: 'Edit the new statement at the terminal before centavo creates it.'}),
    send: Flags.boolean({summary: 'Email the new statement to the customer.'}),
    ...idempotencyKeyFlag,
  };
  static risk = 'bills' as const;
  static agents = 'hands_over' as const;
  static exits = [...CHANGE_EXITS, 'partial'] as const;
  static output = () => schema.either(schema.objectNamed('billing_statement'), schema.dryRun);

  async run(): Promise<void> {
    const {flags, args} = await this.read(ReissueCommand);
    const {context} = this;
    const connection = guardConnection(await context.connection());
    const reference = await statementReference(context, args.statement, 'reissue JEEPNEY-0002 --due +14d');
    if (flags.edit && !flags['dry-run']) guardIntent(connection, flags, 'reissue a billing statement', context.io);
    const {id} = await readStatement(context, reference, {changes: true, status: 'open'});
    const {nextReissueStep, plannedItems, readReissued, recordingClient} = await context.billing();
    const read = async (): Promise<ReissueTarget> => readReissued(await context.client(), id, {signal: context.signal});
    const found = await read();
    const given = await this.planOf(found, flags);
    const edits = flags.edit && needsFinalizing(nextReissueStep(found, given));
    const plan = edits ? await this.askForEdits(found, given) : given;
    if (!plan) return;
    const commands = {again: this.commandOf(plan, edits), account: accountArgs(context)};
    const explain = async (stopped: ReissueStopped): Promise<CentavoError> =>
      explainReissue(stopped, {
        ...commands,
        now: await context.accountNow(),
        ...(stopped.old && {standing: await readStanding(context, stopped.old)}),
      });
    const [made] = found.replacements;
    const isSent = made !== undefined && (await moneyHistory(context)).send(made.id)?.state === 'sent';
    const next = nextReissueStep(found, {...plan, send: plan.send && !isSent});
    if (next.type === 'stop') throw await explain({stop: next.stop, old: found.old, applied: 'no'});
    if (next.type === 'done') {
      const {replacement} = next;
      await keepAnswer(context, replacement);
      context.io.note(
        `${statementName(found.old)} was already reissued as ${statementName(replacement)}; nothing was changed.`,
      );
      const answer = {...replacement, already: true};
      return this.print(apiResultOf(shapes.get('bstm_')!, [answer], answer, 'one'));
    }
    if (next.type === 'run' && next.next === 'void') {
      const standing = await readStanding(context, found.old);
      // The customer would be billed again for a payment that is under way.
      if (!isPayable(standing)) throw await refusalIn(context, 'reissue', standing, {code: 'not_open'});
      await this.checkPlan(found, plan);
    }
    const runs = await context.runs();
    const change = changeOfReissue(found, plan, read);
    if (flags['dry-run']) {
      const known = [...found.replacements.toReversed(), found.old];
      const {client, requests} = recordingClient(await context.requestBuilder(), known as never);
      await runs.reissue(plan, {client});
      const changes = requests.filter(({method}) => method !== 'GET');
      return printRequests(context, this.requestForm, changes, change);
    }
    await guardChange(context, flags, change);
    const wanted = {items: plan.items ?? plannedItems(found.old), total: totalOf(found, plan)};
    context.keyed()?.send({}, id);
    const outcome = await runs.reissue(plan, {onProgress: progressPrinter(context, wanted)});
    if (outcome.end === 'stopped') throw await explain(outcome);
    await keepAnswer(context, outcome.statement);
    const {statement, old, applied, surplus} = outcome;
    (await context.history()).setSubject(statementSubjectOf(statement));
    await printDoneNotes(context, {...outcome, changed: applied !== 'no'});
    const noteNext = (words: string, command: string, ids: readonly string[]): void => {
      const named = ids.map((each) => nameFor(context, each));
      context.io.note(commandText(nextCommand(words, command, named, commands.account)));
    };
    const name = statementName(statement);
    const unsent = `${name} was finalized by another run, so this run did not send it. To send it yourself`;
    if (outcome.byOther && plan.send && statement.status === 'open') noteNext(unsent, 'send', [statement.id]);
    context.io.note(`${statementName(old)} is ${statusText(old)}. ${name} replaces it.`);
    if (surplus.length > 0)
      noteNext('Another draft was created for it. To delete it', 'billing-statements delete', surplus);
    await this.printDone(apiResultOf(shapes.get('bstm_')!, [statement], statement, 'one'), applied);
    await noteServing(context, statement);
    suggestAfterCompose(context, statement, plan.send);
  }

  private async planOf({old}: ReissueTarget, {item, due, send}: FlagsOf<typeof ReissueCommand>): Promise<ReissuePlan> {
    const {context} = this;
    const dueAt = due === undefined ? undefined : valueOrThrow(readDate(due, await context.plannedAt()), '--due');
    if (dueAt !== undefined) await printUnderstoodDate(context, 'due', dueAt);
    const items = item && readItemFlags(context, item);
    return {id: old.id, ...(items && {items}), ...(dueAt !== undefined && {dueAt}), send};
  }

  /** Returns the arguments to run again, with edited values as flags. */
  private commandOf({id, items, dueAt, send}: ReissuePlan, isEdited: boolean): readonly string[] {
    if (!isEdited) return ['reissue', ...this.argv];
    return [
      'reissue',
      id,
      ...(items ?? []).flatMap((item) => ['--item', itemText(item).replace(/^-/, ' -')]),
      ...(dueAt === undefined ? [] : ['--due', dateText(dueAt)]),
      ...(send ? ['--send'] : []),
      ...accountArgs(this.context),
    ];
  }

  private async askForEdits({old, replacements: [first]}: ReissueTarget, plan: ReissuePlan) {
    const {editStatement} = await import('../../billing/statement/guided/edit-statement.js');
    const replaces = statementNumberOf(old) ?? old.id;
    const wanted = await editStatement(this.context, first ?? old, {...plan, replaces});
    if (!wanted) return undefined;
    const {items, dueAt, send} = wanted;
    return {...plan, items, ...(dueAt !== undefined && {dueAt}), send};
  }

  /** Refuses a plan that cannot be finalized, before the old statement is voided. */
  private async checkPlan(found: ReissueTarget, plan: ReissuePlan): Promise<void> {
    const {old} = found;
    const now = await this.context.accountNow();
    const due = dueTimeOf(old);
    if (plan.dueAt === undefined && due !== undefined && due < now)
      throw usageError('missing_flag', `${statementName(old)} was due ${relativeDay(due, now)}.`, {
        changed: 'Nothing was changed.',
        next: [nextCommand('To set a new due date', 'reissue', this.argv, '--due', '+14d')],
      });
    const wanted = {total: totalOf(found, plan), dueAt: plan.dueAt ?? due, finalize: true};
    checkPlan(wanted, {items: 'Add --item "Web design x2 @ 15,000"'});
  }
}

const needsFinalizing = (next: ReissueStep): boolean =>
  next.type === 'run' && (next.replacement === undefined || next.replacement.status === 'draft');

/** Describes void and replacement as one change. @param read reads both statements again */
function changeOfReissue(found: ReissueTarget, plan: ReissuePlan, read: () => Promise<ReissueTarget>): PlannedChange {
  return {
    command: 'billing-statements reissue',
    needsConfirmation: true,
    ids: [found.old.id, ...found.replacements.map(({id}) => id)],
    known: detailsOf(found, plan),
    lookUp: async () => detailsOf(await read(), plan),
  };
}

function detailsOf(found: ReissueTarget, plan: ReissuePlan): PlannedChangeDetails {
  const total = totalOf(found, plan);
  const amount = total === undefined ? undefined : BigInt(total);
  return {
    action: describeReissue(found, plan),
    statements: 2,
    subject: statementSubjectOf(found.old),
    names: [[found.old.id, statementSubjectOf(found.old)]],
    amount,
    amounts: [{label: 'billing statement', amount: amount ?? {unknown: 'The API does not give it.'}}],
  };
}

/** Total of the new statement in centavos; undefined if unknown. */
function totalOf({old, replacements: [first]}: ReissueTarget, {items}: ReissuePlan): number | undefined {
  const subject = items ? {line_items: items} : first && old.status !== 'open' ? first : old;
  const amount = objectAmountOf(subject);
  return amount === undefined ? undefined : Number(amount);
}

/** `void JEEPNEY-0002 of ₱12,400.00 for Ana Reyes, and bill ₱13,000.00 in its place, due Tuesday, 15 December 2026` */
function describeReissue(found: ReissueTarget, plan: ReissuePlan): string {
  const {old, replacements} = found;
  const [first] = replacements;
  const name = statementCustomerOf(old).name;
  const to = name === undefined ? '' : ` for ${safeDisplayName(name)}`;
  const pesos = (amount: number | undefined): string => (amount === undefined ? UNKNOWN_AMOUNT : formatPesos(amount));
  if (old.status === 'paid')
    return `delete the draft ${replacements.map(({id}) => id).join(', ')}, because ${statementName(old)} is paid`;
  const total = pesos(totalOf(found, plan));
  if (old.status !== 'open' && first) {
    const verbs = [...(first.status === 'draft' ? ['finalize'] : []), ...(plan.send ? ['send'] : [])];
    return `${verbs.join(' and ') || 'show'} ${statementName(first)} of ${total}${to}, which replaces ${statementName(old)}`;
  }
  const due = plan.dueAt ?? dueTimeOf(old);
  const last = `${due === undefined ? '' : `, due ${longDay(due)}`}${plan.send ? ', and send it' : ''}`;
  return `void ${statementName(old)} of ${pesos(totalOf({...found, replacements: []}, {id: old.id, send: false}))}${to}, and bill ${total} in its place${last}`;
}
