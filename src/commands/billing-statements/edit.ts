// `centavo billing-statements edit <draft>`: changes the items and the due date of a draft; without flags, at a terminal, it asks.

import {Flags} from '../../cli/oclif.js';
import {shapes} from '../../api/registry.js';
import {dueOf} from '../../api/statement.js';
import type {Statement, StatementItem} from '../../billing/compose/plan.js';
import {accountNow, noteDate} from '../../cli/account-time.js';
import {BaseCommand, CHANGE_EXITS, type FlagsOf} from '../../cli/base.js';
import {composeOrThrow} from '../../cli/billing-statements/compose/composed.js';
import {checkPlan} from '../../cli/billing-statements/compose/plan-checks.js';
import {dryRunStatement} from '../../cli/billing-statements/compose/run.js';
import {changeOfEdit} from '../../cli/billing-statements/edit/edit-change.js';
import {editLines, type EditWords} from '../../cli/billing-statements/edit/edit-words.js';
import {nameOf, readStatement, statementArgument} from '../../cli/billing-statements/read.js';
import {resultOf} from '../../cli/columns.js';
import {printRequests} from '../../cli/dry-run.js';
import {dryRun, either, objectNamed} from '../../cli/help/json-schema.js';
import {insteadOf, sameAccount} from '../../cli/next-command.js';
import {referenceArgument} from '../../cli/references/ask-reference.js';
import {CentavoError, usageError} from '../../errors.js';
import {guardChange, guardConnection, guardIntent} from '../../guard/guard.js';
import {parseDate} from '../../input/dates.js';
import {parseItem, totalOf} from '../../input/items.js';
import {shellQuote} from '../../input/shell-words.js';

/** What a draft is to have. */
interface Wanted {
  readonly items: readonly StatementItem[];
  /** Unix seconds; undefined where the due date stays. */
  readonly dueAt?: number;
}

export class BillingStatementsEditCommand extends BaseCommand {
  static override summary = 'Edit the items and the due date of a draft billing statement.';
  static override description =
    'Without flags, at a terminal, it shows the items of the draft, to add, change and remove, and what will be different before anything is saved. With --item the draft gets exactly the items that you give. Only what differs is changed. If somebody else changed the draft in the meantime, nothing is.\n\n' +
    'To change a single item in a script, name it by its place: centavo billing-statement-line-items update JEEPNEY-0002#2 --unit-price 1,300';
  static override examples = [
    '<%= config.bin %> billing-statements edit JEEPNEY-0002',
    '<%= config.bin %> billing-statements edit JEEPNEY-0002 --item "Web design x2 @ 15,000" --item "Hosting @ 1,250" --due +14d',
  ];
  static override usage = 'billing-statements edit <statement> [flags]';
  static override args = {statement: statementArgument};
  static override flags = {
    item: Flags.string({
      summary: 'A line item in place of those of the draft: "Web design x2 @ 15,000". Repeatable.',
      helpValue: '<text x2 @ pesos>',
      multiple: true,
      multipleNonGreedy: true,
    }),
    due: Flags.string({summary: 'Due date: 2026-12-15, +14d.', helpValue: '<date>'}),
  };
  static risk = 'writes' as const;
  static exits = [...CHANGE_EXITS, 'partial'] as const;
  static output = () => either(objectNamed('billing_statement'), dryRun);

  async run(): Promise<unknown> {
    const {flags, args} = await this.read(BillingStatementsEditCommand);
    const {context} = this;
    const connection = await context.connection();
    guardConnection(connection, flags);
    const example = 'centavo billing-statements edit JEEPNEY-0002 --due +14d';
    const reference = await referenceArgument(context, 'bstm_', args.statement, example);
    const given = await this.readFlags(flags);
    if (!flags['dry-run']) guardIntent(connection, flags, 'edit a draft', context.io);
    const draft = await readStatement(context, reference, {changes: true, status: 'draft'});
    if (draft.status !== 'draft') throw notADraft(draft, sameAccount(context));
    const {editsOf, itemsOf, plannedItems, recordingClient} = await context.billing();
    const present = itemsOf(draft);
    const changesOf = ({items, dueAt}: Wanted): EditWords => ({
      edits: editsOf(items, present),
      totals: [sumOf(present), sumOf(items)],
      dueAt: dueAt === dueOf(draft) ? undefined : dueAt,
      now: context.shownAt(),
    });
    const wanted = given
      ? {items: given.items ?? plannedItems(draft), dueAt: given.dueAt}
      : await this.askedFor(draft, (what) => editLines(changesOf(what)));
    const changes = changesOf(wanted);
    const {edits, dueAt, totals} = changes;
    const [, total] = totals;
    checkPlan({total, dueAt, finalize: false}, {items: ''});
    const lines = editLines(changes);
    const shape = shapes.get('bstm_')!;
    if (lines.length === 0) {
      context.io.note(`${nameOf(draft)} is like that already; nothing was changed.`);
      await this.print(resultOf(shape, [draft], draft, 'one'));
      return draft;
    }
    // The due date of a flag was said as it was read.
    for (const line of given ? editLines({...changes, dueAt: undefined}) : lines) context.io.note(`  ${line}`);
    const plan = {
      ...{id: draft.id, edits: draft, items: wanted.items, dueAt, finalize: false, send: false},
      ...{total, customerName: undefined},
    };
    if (flags['dry-run']) {
      const {client, requests} = recordingClient(await context.requestBuilder(), [draft] as never);
      await dryRunStatement(context, plan, client);
      return printRequests(
        context,
        connection,
        this.requestForm,
        requests.filter(({method}) => method !== 'GET'),
      );
    }
    const read = () => readStatement(context, {kind: 'id', text: draft.id}, {changes: true});
    await guardChange(context, flags, changeOfEdit({draft, edits, total, dueAt, isReviewed: !given, read}));
    const {statement, applied} = await composeOrThrow(context, plan);
    await this.printDone(resultOf(shape, [statement], statement, 'one'), applied);
    if (dueOf(statement) === undefined) return statement;
    const next = `centavo billing-statements create --continue ${shellQuote(nameOf(statement))} --send`;
    context.io.note(`To finalize and send it: ${next}${sameAccount(context)}`);
    return statement;
  }

  /** What the flags say; undefined without any. @throws CentavoError kind `usage` */
  private async readFlags({item, due}: FlagsOf<typeof BillingStatementsEditCommand>) {
    const {context} = this;
    if (item === undefined && due === undefined) {
      if (context.io.canAsk) return undefined;
      throw usageError('--item or --due is missing.', {
        code: 'nothing_to_change',
        why: 'Without a terminal there is nobody to ask what to change.',
        hint: 'For example: centavo billing-statements edit JEEPNEY-0002 --item "Web design x2 @ 15,000" --due +14d',
      });
    }
    const items = item?.map((text) => {
      const {text: description, quantity, unitPrice} = parseItem(text, '--item');
      return {description, quantity, unit_price: unitPrice};
    });
    const dueAt = due === undefined ? undefined : parseDate(due, '--due', await accountNow(context));
    if (dueAt !== undefined) await noteDate(context, 'due', dueAt);
    return {items, dueAt};
  }

  /** What a person makes of it. @throws CentavoError kind `refused` when it is called off */
  private async askedFor(draft: Statement, linesOf: (wanted: Wanted) => readonly string[]): Promise<Wanted> {
    const {editStatement} = await import('../../cli/billing-statements/reissue/edit.js');
    const {items, dueAt} = await editStatement(this.context, draft, {edits: {name: nameOf(draft), linesOf}});
    return {items, dueAt};
  }
}

const sumOf = (items: readonly StatementItem[]): number =>
  totalOf(items.map(({description: text, quantity, unit_price: unitPrice}) => ({text, quantity, unitPrice})));

function notADraft(statement: Statement, account: string): CentavoError {
  const state = String(statement.status);
  const name = nameOf(statement);
  return new CentavoError('rejected', `${name} is ${state}.`, {
    code: 'not_a_draft',
    why: 'You can edit only a draft.',
    hint:
      insteadOf('edit', state, name, account, state === 'open' ? ' --edit' : '') ??
      `See it: centavo billing-statements get ${name}${account}`,
    applied: 'no',
  });
}
