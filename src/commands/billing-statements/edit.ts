// `centavo billing-statements edit <draft>`: changes a draft's items and due date. Without flags, asks at a terminal.

import {shapes} from '../../api/registry.js';
import {statementCustomerOf, dueTimeOf, statementNumberOf, statementName} from '../../api/statement.js';
import type {ItemEdits, BillingStatementData} from '../../billing/statement/plan.js';
import {BaseCommand, CHANGE_EXITS, type FlagsOf} from '../../cli/base.js';
import {printRequests} from '../../cli/dry-run.js';
import * as schema from '../../cli/schema.js';
import {refusalOf} from '../../cli/presentation/standings.js';
import {printUnderstoodDate} from '../../cli/understood-date.js';
import {apiResultOf} from '../../cli/presentation/results.js';
import {Flags} from '../../cli/oclif.js';
import {readStatement, statementArgument, statementReference} from '../../cli/references/read-statement.js';
import {usageError} from '../../common/errors.js';
import {relativeDay, longDay} from '../../common/manila.js';
import {shellQuote} from '../../common/next-text.js';
import {formatPesos} from '../../common/pesos.js';
import {objectAmountOf} from '../../guard/change-amounts.js';
import type {PlannedChange, PlannedChangeDetails} from '../../guard/change.js';
import {safeDisplayName, UNKNOWN_AMOUNT} from '../../guard/describe-change.js';
import {guardChange, guardConnection, guardIntent} from '../../guard/guard.js';
import {readDate} from '../../input/dates.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {totalAsNumber, type StatementItem} from '../../input/items.js';
import {oneLineText} from '../../output/format.js';
import {composeOrThrow, suggestAfterCompose} from '../../billing/statement/cli/explain-stop.js';
import {checkPlan} from '../../billing/statement/cli/compose-statement.js';
import {itemFlag, readItemFlags} from './shared/item-flags.js';

interface WantedEdit {
  readonly items: readonly StatementItem[];
  /** Unix seconds; undefined to keep the due date. */
  readonly dueAt?: number;
}

export class EditCommand extends BaseCommand {
  static override summary = 'Edit the items and due date of a draft.';
  static override description =
    'Without flags, at a terminal, you add, change and remove items and see the changes before you save. With --item the draft gets exactly the items that you give. Only differences are saved. If someone else changed the draft in the meantime, nothing is saved.\n\n' +
    'To change a single item in a script, give its position: centavo billing-statement-line-items update JEEPNEY-0002#2 --unit-price 1,300';
  static override examples = [
    '<%= config.bin %> billing-statements edit JEEPNEY-0002',
    '<%= config.bin %> billing-statements edit JEEPNEY-0002 --item "Web design x2 @ 15,000" --item "Hosting @ 1,250" --due +14d',
  ];
  static override args = {statement: statementArgument};
  static override flags = {
    item: itemFlag('; replaces all items of the draft'),
    due: Flags.string({summary: 'Due date: 2026-12-15, +14d.', helpValue: '<date>'}),
  };
  static risk = 'writes' as const;
  static agents = 'hands_over' as const;
  static exits = [...CHANGE_EXITS, 'partial'] as const;
  static output = () => schema.either(schema.objectNamed('billing_statement'), schema.dryRun);

  async run(): Promise<void> {
    const {flags, args} = await this.read(EditCommand);
    const {context} = this;
    const connection = guardConnection(await context.connection());
    const reference = await statementReference(context, args.statement, 'edit JEEPNEY-0002 --due +14d');
    const given = await this.readFlags(flags, reference.text);
    if (!flags['dry-run']) guardIntent(connection, flags, 'edit a draft', context.io);
    const draft = await readStatement(context, reference, {changes: true, status: 'draft'});
    if (draft.status !== 'draft') throw await refusalOf(context, 'edit', draft, {code: 'not_a_draft'});
    const {editsOf, itemsOf, plannedItems, recordingClient} = await context.billing();
    const current = itemsOf(draft);
    const changesOf = ({items, dueAt}: WantedEdit): EditSummary => ({
      edits: editsOf(items, current),
      totals: [totalAsNumber(current), totalAsNumber(items)],
      dueAt: dueAt === dueTimeOf(draft) ? undefined : dueAt,
      now: context.displayNow(),
    });
    const wanted = given
      ? {items: given.items ?? plannedItems(draft), dueAt: given.dueAt}
      : await this.askForEdit(draft, (what) => editLines(changesOf(what)));
    if (!wanted) return;
    const changes = changesOf(wanted);
    const {edits, dueAt, totals} = changes;
    const [, total] = totals;
    checkPlan({total, dueAt, finalize: false}, {items: ''});
    const lines = editLines(changes);
    const shape = shapes.get('bstm_')!;
    if (lines.length === 0) {
      context.io.note(`${statementName(draft)} already has these values; nothing was changed.`);
      return this.print(apiResultOf(shape, [draft], draft, 'one'));
    }
    for (const line of given ? editLines({...changes, dueAt: undefined}) : lines) context.io.note(`  ${line}`);
    const plan = {
      id: draft.id,
      edits: draft,
      items: wanted.items,
      dueAt,
      finalize: false,
      send: false,
      total,
      customerName: undefined,
    };
    const read = () => readStatement(context, {kind: 'id', text: draft.id}, {changes: true});
    const change = changeOfEdit({draft, edits, total, dueAt, isReviewed: !given, read});
    if (flags['dry-run']) {
      const {client, requests} = recordingClient(await context.requestBuilder(), [draft] as never);
      await (await context.runs()).dryRun(plan, client);
      const changes = requests.filter(({method}) => method !== 'GET');
      return printRequests(context, this.requestForm, changes, change);
    }
    await guardChange(context, flags, change);
    const {statement, applied} = await composeOrThrow(context, plan);
    await this.printDone(apiResultOf(shape, [statement], statement, 'one'), applied);
    suggestAfterCompose(context, statement, false);
  }

  private async readFlags({item, due}: FlagsOf<typeof EditCommand>, named: string) {
    const {context} = this;
    if (item === undefined && due === undefined) {
      if (context.io.canAsk) return undefined;
      throw usageError('nothing_to_change', '--item or --due is missing.', {
        why: 'Without a terminal, use flags to say what to change.',
        hint: `For example: centavo edit ${shellQuote(named)} --item "Web design x2 @ 15,000" --due +14d`,
      });
    }
    const items = item && readItemFlags(context, item);
    const dueAt = due === undefined ? undefined : valueOrThrow(readDate(due, await context.plannedAt()), '--due');
    if (dueAt !== undefined) await printUnderstoodDate(context, 'due', dueAt);
    return {items, dueAt};
  }

  private async askForEdit(
    draft: BillingStatementData,
    linesOf: (wanted: WantedEdit) => readonly string[],
  ): Promise<WantedEdit | undefined> {
    const {editStatement} = await import('../../billing/statement/guided/edit-statement.js');
    return editStatement(this.context, draft, {edits: {name: statementName(draft), linesOf}});
  }
}

interface EditDetails {
  readonly draft: BillingStatementData;
  readonly edits: ItemEdits;
  /** Centavos, after the change. */
  readonly total: number;
  /** Unix seconds; undefined to keep the due date. */
  readonly dueAt: number | undefined;
  /** True if the user has just reviewed and saved the changes. */
  readonly isReviewed: boolean;
  readonly read: () => Promise<BillingStatementData>;
}

function changeOfEdit({draft, edits, total, dueAt, isReviewed, read}: EditDetails): PlannedChange {
  const detailsOf = (now: BillingStatementData): PlannedChangeDetails => {
    const before = objectAmountOf(now);
    const {name} = statementCustomerOf(now);
    const {length} = edits.removed;
    const parts = [
      `change the draft ${statementName(now)}${name === undefined ? '' : ` for ${safeDisplayName(name)}`}`,
      ` from ${before === undefined ? UNKNOWN_AMOUNT : formatPesos(before)} to ${formatPesos(total)}`,
      length > 0 && `, removing ${length} ${length === 1 ? 'item' : 'items'}`,
      dueAt !== undefined && `, due ${longDay(dueAt)}`,
    ];
    return {
      action: parts.filter(Boolean).join(''),
      statements: 1,
      subject: {number: statementNumberOf(now), customer: name},
      amount: BigInt(total),
      amounts: [{label: `billing statement ${draft.id}`, amount: BigInt(total)}],
    };
  };
  return {
    command: 'billing-statements edit',
    needsConfirmation: edits.removed.length > 0 && !isReviewed,
    ids: [draft.id],
    known: detailsOf(draft),
    lookUp: async () => detailsOf(await read()),
  };
}

/** Maximum lines of item changes. Further changes are only counted. */
const MAX_LINES = 6;

interface EditSummary {
  readonly edits: ItemEdits;
  /** Centavos before and after. */
  readonly totals: readonly [before: number, after: number];
  /** Unix seconds; undefined to keep the due date. */
  readonly dueAt: number | undefined;
  /** Unix seconds. */
  readonly now: number;
}

/** `change  Hosting: 1 × ₱1,250.00 to 1 × ₱1,300.00`; empty if nothing differs. */
function editLines({edits, totals: [before, after], dueAt, now}: EditSummary): string[] {
  const {changed, added, removed} = edits;
  const items = [
    ...changed.map(({from, to}) => `change  ${formatItemChange(from, to)}`),
    ...added.map((item) => `add     ${formatItem(item)}`),
    ...removed.map((item) => `remove  ${formatItem(item)}`),
  ];
  const shown = items.length > MAX_LINES ? items.slice(0, MAX_LINES - 1) : items;
  const more = items.length - shown.length;
  return [
    ...shown,
    ...(more > 0 ? [`and ${more} more changes`] : []),
    ...(before === after ? [] : [`total   ${formatPesos(before)} to ${formatPesos(after)}`]),
    ...(dueAt === undefined ? [] : [`due     ${longDay(dueAt)}, ${relativeDay(dueAt, now)}`]),
  ];
}

const formatPrice = ({quantity, unit_price: price}: StatementItem): string =>
  `${quantity.toLocaleString('en')} × ${formatPesos(price)}`;
const formatItem = (item: StatementItem): string => `${oneLineText(item.description)}: ${formatPrice(item)}`;

function formatItemChange(from: StatementItem, to: StatementItem): string {
  if (from.description === to.description) return `${formatItem(from)} to ${formatPrice(to)}`;
  return formatPrice(from) === formatPrice(to)
    ? `${oneLineText(from.description)} to ${formatItem(to)}`
    : `${formatItem(from)} to ${formatItem(to)}`;
}
