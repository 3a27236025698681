// `centavo billing-statements reissue <statement>`: bills again what is open, corrected.

import {shapes} from '../../../api/registry.js';
import {dueOf, numberOf, statementName, subjectOf} from '../../../api/statement.js';
import type {Next, Reissued, ReissuePlan} from '../../../billing/reissue.js';
import {BaseCommand, CHANGE_EXITS, type FlagsOf} from '../../../cli/base.js';
import {printRequests} from '../../../cli/dry-run.js';
import {dryRun, either, objectNamed} from '../../../cli/schema.js';
import {nameFor, sameAccount} from '../../../cli/next-command.js';
import {noteDate} from '../../../cli/note-date.js';
import {resultOf} from '../../../cli/objects/results.js';
import {noteServing} from '../../../cli/objects/statement-notes.js';
import {Flags, repeatable} from '../../../cli/oclif.js';
import {readStatement, statementArgument, statementReference} from '../../../cli/references/read-statement.js';
import {usageError} from '../../../ground/errors.js';
import {fromNow} from '../../../ground/manila.js';
import {guardChange, guardConnection, guardIntent} from '../../../guard/guard.js';
import {dateText, readDate} from '../../../input/dates.js';
import {valid} from '../../../input/fault.js';
import {readItem} from '../../../input/items.js';
import {shellQuote} from '../../../input/shell-words.js';
import {checkPlan} from '../shared/compose/checks.js';
import {noteDone} from '../shared/compose/composed.js';
import {itemText} from '../shared/compose/end.js';
import {teller} from '../shared/compose/run.js';
import {changeOfReissue, totalOf} from './change.js';
import {explainReissue} from './errors.js';

export class ReissueCommand extends BaseCommand {
  static override summary = 'Void an open billing statement and bill a corrected one in its place.';
  static override description =
    'Creates the new statement as a draft, voids the old one, and then finalizes the new one, so that the customer can never pay both. If the old one was paid in the meantime, it is not voided, and the draft is deleted.\n\n' +
    'Without --item the new statement has the items of the old one, and without --due its due date. If the command stops half-way, run it again: it goes on from there.';
  static override examples = [
    '<%= config.bin %> billing-statements reissue JEEPNEY-0002 --due +14d --send',
    '<%= config.bin %> billing-statements reissue JEEPNEY-0002 --item "Web design x2 @ 15,000" --item "Hosting @ 1,250"',
  ];
  static override args = {statement: statementArgument};
  static override flags = {
    due: Flags.string({summary: 'Due date: 2026-12-15, +14d.', helpValue: '<date>'}),
    item: Flags.string({
      summary: 'A line item in place of those of the old statement: "Web design x2 @ 15,000". Repeatable.',
      helpValue: '<text x2 @ pesos>',
      ...repeatable,
    }),
    edit: Flags.boolean({summary: 'Change it at the terminal before it is created.'}),
    send: Flags.boolean({summary: 'Email the new statement to the customer.'}),
  };
  static risk = 'bills' as const;
  static exits = [...CHANGE_EXITS, 'partial'] as const;
  static output = () => either(objectNamed('billing_statement'), dryRun);

  async run(): Promise<unknown> {
    const {flags, args} = await this.read(ReissueCommand);
    const {context} = this;
    const connection = await context.connection();
    guardConnection(connection, flags);
    const reference = await statementReference(context, args.statement, 'reissue JEEPNEY-0002 --due +14d');
    if (flags.edit && !flags['dry-run']) guardIntent(connection, flags, 'reissue a billing statement', context.io);
    const {id} = await readStatement(context, reference, {changes: true, status: 'open'});
    const {nextStep, plannedItems, readReissued, recordingClient} = await context.billing();
    const look = async (): Promise<Reissued> => readReissued(await context.client(), id, {signal: context.signal});
    const found = await look();
    const given = await this.planOf(found, flags);
    const edits = flags.edit && isUndone(nextStep(found, given));
    const plan = edits ? await this.edited(found, given) : given;
    const commands = {again: this.commandOf(plan, edits), account: sameAccount(context)};
    const next = nextStep(found, plan);
    if (next.do === 'stop') throw explainReissue({stop: next.stop, old: found.old, applied: 'no'}, commands);
    if (next.do === 'done') {
      const {replacement} = next;
      context.io.note(
        `${statementName(found.old)} was reissued as ${statementName(replacement)} before; nothing was changed.`,
      );
      await this.print(resultOf(shapes.get('bstm_')!, [replacement], replacement, 'one'));
      return replacement;
    }
    if (next.do === 'run' && next.next === 'void') await this.checkPlan(found, plan);
    const runs = await context.runs();
    if (flags['dry-run']) {
      const known = [...found.replacements.toReversed(), found.old];
      const {client, requests} = recordingClient(await context.requestBuilder(), known as never);
      await runs.reissue(plan, {client});
      const changes = requests.filter(({method}) => method !== 'GET');
      return printRequests(context, this.requestForm, changes);
    }
    await guardChange(context, flags, changeOfReissue(found, plan, look));
    const wanted = {items: plan.items ?? plannedItems(found.old), total: totalOf(found, plan)};
    const outcome = await runs.reissue(plan, {tell: teller(context, wanted)});
    if (outcome.end === 'stopped') throw explainReissue(outcome, commands);
    const {statement, old, applied, surplus} = outcome;
    (await context.audit()).about(subjectOf(statement));
    await noteDone(context, {...outcome, changed: applied !== 'no'});
    if (outcome.byOther && flags.send && statement.status === 'open')
      context.io.note(
        `This run did not open ${statementName(statement)}, so it did not send it. If nobody else did: centavo billing-statements send ${nameFor(context, statement.id)}${commands.account}`,
      );
    context.io.note(`${statementName(old)} is ${old.status}. ${statementName(statement)} replaces it.`);
    if (surplus.length > 0)
      context.io.note(
        `Another draft was made for it. Delete it: centavo billing-statements delete ${surplus.map((id) => nameFor(context, id)).join(' ')}${commands.account}`,
      );
    await this.printDone(resultOf(shapes.get('bstm_')!, [statement], statement, 'one'), applied);
    await noteServing(context, statement);
    return statement;
  }

  private async planOf({old}: Reissued, {item, due, send}: FlagsOf<typeof ReissueCommand>): Promise<ReissuePlan> {
    const {context} = this;
    const dueAt = due === undefined ? undefined : valid(readDate(due, await context.accountNow()), '--due');
    if (dueAt !== undefined) await noteDate(context, 'due', dueAt);
    const items = item?.map((text) => {
      const {text: description, quantity, unitPrice} = valid(readItem(text), '--item');
      return {description, quantity, unit_price: unitPrice};
    });
    return {id: old.id, ...(items && {items}), ...(dueAt !== undefined && {dueAt}), send};
  }

  /** The same command, with what was edited. */
  private commandOf({id, items, dueAt, send}: ReissuePlan, edited: boolean): string {
    const start = 'centavo billing-statements reissue';
    if (!edited) return [start, ...this.argv.map(shellQuote)].join(' ');
    const words = [
      ...(items ?? []).flatMap((item) => ['--item', itemText(item).replace(/^-/, ' -')]),
      ...(dueAt === undefined ? [] : ['--due', dateText(dueAt)]),
      ...(send ? ['--send'] : []),
    ];
    return `${[start, id, ...words.map(shellQuote)].join(' ')}${sameAccount(this.context)}`;
  }

  private async edited({old, replacements: [first]}: Reissued, plan: ReissuePlan): Promise<ReissuePlan> {
    const {editStatement} = await import('../shared/guided/edit.js');
    const replaces = numberOf(old) ?? old.id;
    const {items, dueAt, send} = await editStatement(this.context, first ?? old, {...plan, replaces});
    return {...plan, items, ...(dueAt !== undefined && {dueAt}), send};
  }

  /** Refuses what could not be finalized, before the old statement is voided. */
  private async checkPlan(found: Reissued, plan: ReissuePlan): Promise<void> {
    const {old} = found;
    const now = await this.context.accountNow();
    const due = dueOf(old);
    if (plan.dueAt === undefined && due !== undefined && due < now)
      throw usageError('missing_flag', `${statementName(old)} was due ${fromNow(due, now)}.`, {
        changed: 'Nothing was changed.',
        hint: `Give a new due date: ${['centavo', 'billing-statements', 'reissue', ...this.argv].map(shellQuote).join(' ')} --due +14d`,
      });
    const wanted = {total: totalOf(found, plan), dueAt: plan.dueAt ?? due, finalize: true};
    checkPlan(wanted, {items: 'Add --item "Web design x2 @ 15,000"'});
  }
}

/** Whether the new statement is not open yet. */
const isUndone = (next: Next): boolean =>
  next.do === 'run' && (next.replacement === undefined || next.replacement.status === 'draft');
