// `centavo billing-statements reissue <statement>`: bills again what is open, corrected.

import {shapes} from '../../../api/registry.js';
import {dueOf, numberOf, statementName} from '../../../api/statement.js';
import type {ReissuePlan} from '../../../billing/reissue/reissue-outcome.js';
import type {Next} from '../../../billing/reissue/reissue.js';
import type {Reissued} from '../../../billing/reissue/replacements.js';
import {BaseCommand, CHANGE_EXITS, type FlagsOf} from '../../../cli/base.js';
import {printRequests} from '../../../cli/dry-run.js';
import {dryRun, either, objectNamed} from '../../../cli/json-schema.js';
import {nameFor, sameAccount} from '../../../cli/next-command.js';
import {noteDate} from '../../../cli/note-date.js';
import {resultOf} from '../../../cli/objects/results.js';
import {noteServing} from '../../../cli/objects/statement-notes.js';
import {Flags} from '../../../cli/oclif.js';
import {referenceArgument} from '../../../cli/references/ask.js';
import {readStatement, statementArgument} from '../../../cli/references/read-statement.js';
import {usageError} from '../../../ground/errors.js';
import {fromNow} from '../../../ground/manila.js';
import {guardChange, guardConnection, guardIntent} from '../../../guard/guard.js';
import {dateText, parseDate} from '../../../input/dates.js';
import {parseItem} from '../../../input/items.js';
import {shellQuote} from '../../../input/shell-words.js';
import {checkPlan} from '../shared/compose/checks.js';
import {noteDone} from '../shared/compose/composed.js';
import {itemText} from '../shared/compose/end.js';
import {rehearsal, runOptions} from '../shared/compose/run.js';
import {changeOfReissue, totalOf} from './change.js';
import {explainReissue} from './errors.js';

export class BillingStatementsReissueCommand extends BaseCommand {
  static override summary = 'Void an open billing statement and bill a corrected one in its place.';
  static override description =
    'Creates the new statement as a draft, checks that the old one is still open, voids it, and then finalizes the new one, so that the customer can never pay both. If the old one was paid in the meantime, the draft is deleted.\n\n' +
    'Without --item the new statement has the items of the old one, and without --due its due date. If the command stops half-way, run it again: it goes on from there.';
  static override examples = [
    '<%= config.bin %> billing-statements reissue JEEPNEY-0002 --due +14d --send',
    '<%= config.bin %> billing-statements reissue JEEPNEY-0002 --item "Web design x2 @ 15,000" --item "Hosting @ 1,250"',
  ];
  static override usage = 'billing-statements reissue <statement> [flags]';
  static override args = {statement: statementArgument};
  static override flags = {
    due: Flags.string({summary: 'Due date: 2026-12-15, +14d.', helpValue: '<date>'}),
    item: Flags.string({
      summary: 'A line item in place of those of the old statement: "Web design x2 @ 15,000". Repeatable.',
      helpValue: '<text x2 @ pesos>',
      multiple: true,
      multipleNonGreedy: true,
    }),
    edit: Flags.boolean({summary: 'Change it at the terminal before it is created.'}),
    send: Flags.boolean({summary: 'Email the new statement to the customer.'}),
  };
  static risk = 'bills' as const;
  static exits = [...CHANGE_EXITS, 'partial'] as const;
  static output = () => either(objectNamed('billing_statement'), dryRun);

  async run(): Promise<unknown> {
    const {flags, args} = await this.read(BillingStatementsReissueCommand);
    const {context} = this;
    const connection = await context.connection();
    guardConnection(connection, flags);
    const reference = await referenceArgument(
      context,
      'bstm_',
      args.statement,
      'centavo billing-statements reissue JEEPNEY-0002 --due +14d',
    );
    if (flags.edit && !flags['dry-run']) guardIntent(connection, flags, 'reissue a billing statement', context.io);
    const {id} = await readStatement(context, reference, {changes: true, status: 'open'});
    const {nextStep, readReissued, recordingClient, reissueStatement} = await context.billing();
    const look = async (): Promise<Reissued> =>
      readReissued(await context.client(), id, new Set(), {signal: context.signal});
    const found = await look();
    const given = await this.planOf(found, flags);
    const edits = flags.edit && isUndone(nextStep(found, given));
    const plan = edits ? await this.edited(found, given) : given;
    const commands = {again: this.commandOf(plan, edits), account: sameAccount(context)};
    const next = nextStep(found, plan);
    if (next.do === 'stop')
      throw explainReissue(next.stop, {old: found.old, draft: undefined, applied: 'no'}, commands);
    const [first] = found.replacements;
    if (next.do === 'open' && first!.status !== 'draft' && !(flags.send && first!.status === 'open')) {
      context.io.note(
        `${statementName(found.old)} was reissued as ${statementName(first!)} before; nothing was changed.`,
      );
      await this.print(resultOf(shapes.get('bstm_')!, [first!], first!, 'one'));
      return first;
    }
    if (next.do === 'compose' || next.do === 'void') await this.checkPlan(found, plan);
    if (flags['dry-run']) {
      const known = [...found.replacements.toReversed(), found.old];
      const {client, requests} = recordingClient(await context.requestBuilder(), known as never);
      await reissueStatement(plan, rehearsal(context, client));
      return printRequests(
        context,
        connection,
        this.requestForm,
        requests.filter(({method}) => method !== 'GET'),
      );
    }
    await guardChange(context, flags, changeOfReissue(found, plan, look));
    const count = plan.items?.length ?? (Array.isArray(found.old.line_items) ? found.old.line_items.length : 0);
    const outcome = await reissueStatement(plan, await runOptions(context, {count, total: totalOf(found, plan)}));
    if (outcome.end === 'stopped') throw explainReissue(outcome.stop, outcome.state, commands);
    const {statement, old, changed, surplus} = outcome;
    await noteDone(context, outcome);
    context.io.note(`${statementName(old)} is ${old.status}. ${statementName(statement)} replaces it.`);
    if (surplus.length > 0)
      context.io.note(
        `Another draft was made for it. Delete it: centavo billing-statements delete ${surplus.map((id) => nameFor(context, id)).join(' ')}${commands.account}`,
      );
    await this.printDone(resultOf(shapes.get('bstm_')!, [statement], statement, 'one'), changed ? 'yes' : 'no');
    await noteServing(context, statement);
    return statement;
  }

  private async planOf(
    {old}: Reissued,
    {item, due, send}: FlagsOf<typeof BillingStatementsReissueCommand>,
  ): Promise<ReissuePlan> {
    const {context} = this;
    const dueAt = due === undefined ? undefined : parseDate(due, '--due', await context.accountNow());
    if (dueAt !== undefined) await noteDate(context, 'due', dueAt);
    const items = item?.map((text) => {
      const {text: description, quantity, unitPrice} = parseItem(text, '--item');
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
      throw usageError(`${statementName(old)} was due ${fromNow(due, now)}.`, {
        code: 'missing_flag',
        changed: 'Nothing was changed.',
        hint: `Give a new due date: ${['centavo', 'billing-statements', 'reissue', ...this.argv].map(shellQuote).join(' ')} --due +14d`,
      });
    const wanted = {total: totalOf(found, plan), dueAt: plan.dueAt ?? due, finalize: true};
    checkPlan(wanted, {items: 'Add --item "Web design x2 @ 15,000"'});
  }
}

/** Whether the new statement is not open yet. */
const isUndone = (next: Next): boolean =>
  next.do === 'compose' || ((next.do === 'open' || next.do === 'void') && next.replacement.status === 'draft');
