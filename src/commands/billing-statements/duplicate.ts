// `centavo billing-statements duplicate <statement>`: creates a new statement with the same items.

import {isPayable} from '../../accounting/standing.js';
import {describeStanding} from '../../accounting/words.js';
import {operationWithId} from '../../api/registry.js';
import {statementCustomerOf} from '../../api/statement.js';
import type {BillingStatementData} from '../../billing/statement/plan.js';
import {BaseCommand, CHANGE_EXITS, type FlagsOf} from '../../cli/base.js';
import {printRequests} from '../../cli/dry-run.js';
import * as schema from '../../cli/schema.js';
import {allowDuplicateFlag, idempotencyKeyFlag} from '../../cli/operations/flags.js';
import {printUnderstoodDate} from '../../cli/understood-date.js';
import {apiResultOf} from '../../cli/presentation/results.js';
import {readStanding} from '../../cli/presentation/standings.js';
import {noteServing} from '../../cli/presentation/statement-notes.js';
import {Flags} from '../../cli/oclif.js';
import {readStatement, statementArgument, statementReference} from '../../cli/references/read-statement.js';
import {resolveReference} from '../../cli/references/resolve-reference.js';
import {objectAmountOf} from '../../guard/change-amounts.js';
import {withWords} from '../../guard/change.js';
import {guardChange, guardConnection, guardIntent} from '../../guard/guard.js';
import {readDate} from '../../input/dates.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {composeChange, dryRunPlanLines} from '../../billing/statement/cli/compose-change.js';
import {composeOrThrow, suggestAfterCompose} from '../../billing/statement/cli/explain-stop.js';
import {checkPlan, type WantedStatement} from '../../billing/statement/cli/compose-statement.js';
import {guardEqualBills} from '../../billing/statement/cli/equal-bills.js';

const REGISTERED = operationWithId('billing-statements:create');

export class DuplicateCommand extends BaseCommand {
  static override summary = 'Bill the items of another statement again.';
  static override description =
    'Copies the customer, items, description, metadata and payment methods. The due date is not copied. Without --finalize or --send the new statement is a draft.';
  static override examples = [
    '<%= config.bin %> billing-statements duplicate JEEPNEY-0002 --due +30d --send',
    '<%= config.bin %> billing-statements duplicate bstm_7Hq2 --customer juan@example.com',
  ];
  static override args = {statement: statementArgument};
  static override flags = {
    due: Flags.string({summary: 'Due date: 2026-12-15, +30d.', helpValue: '<date>'}),
    customer: Flags.string({summary: 'Bill another customer.', helpValue: '<cus_…>'}),
    edit: Flags.boolean({summary: 'Edit the new statement at the terminal before centavo creates it.'}),
    finalize: Flags.boolean({summary: 'Finalize it, so that it can be paid.'}),
    send: Flags.boolean({summary: 'Finalize it and email it to the customer.'}),
    'allow-duplicate': allowDuplicateFlag,
    ...idempotencyKeyFlag,
  };
  static risk = 'bills' as const;
  static agents = 'hands_over' as const;
  static exits = [...CHANGE_EXITS, 'partial'] as const;
  static output = () => schema.either(schema.objectNamed('billing_statement'), schema.dryRun);

  async run(): Promise<void> {
    const {flags, args} = await this.read(DuplicateCommand);
    const {context} = this;
    const connection = guardConnection(await context.connection());
    const reference = await statementReference(context, args.statement, 'duplicate JEEPNEY-0002 --due +30d');
    if (flags.edit && !flags['dry-run']) guardIntent(connection, flags, 'duplicate a billing statement', context.io);
    const source = await readStatement(context, reference, {changes: true});
    const plan = await this.planOf(source, flags);
    const wanted = flags.edit ? await this.askForEdits(source, plan) : plan;
    if (!wanted) return;
    const composed = composeChange(context, REGISTERED, wanted, {asksIfOverdue: true});
    const old = await readStanding(context, source);
    const became = describeStanding(old, await context.accountNow(), `${old.name}, which`);
    const change = {
      ...(old.state === 'draft' || isPayable(old) ? composed : withWords(composed, `, a copy of ${became}`)),
      command: 'billing-statements duplicate',
    };
    if (flags['dry-run']) {
      const {recordingClient} = await context.billing();
      const {client, requests} = recordingClient(await context.requestBuilder());
      await (await context.runs()).dryRun(wanted, client);
      return printRequests(context, this.requestForm, requests, change, dryRunPlanLines(wanted));
    }
    await guardChange(context, flags, await guardEqualBills(context, flags, change, wanted));
    const {statement, applied} = await composeOrThrow(context, wanted);
    await this.printDone(apiResultOf(REGISTERED.resource.shape, [statement], statement, 'one'), applied);
    await noteServing(context, statement);
    suggestAfterCompose(context, statement, flags.send);
  }

  private async planOf(
    source: BillingStatementData,
    flags: FlagsOf<typeof DuplicateCommand>,
  ): Promise<WantedStatement> {
    const {context} = this;
    const {due, customer, finalize, send} = flags;
    const {createParamsOf, plannedItems} = await context.billing();
    const items = plannedItems(source);
    const dueAt = due === undefined ? undefined : valueOrThrow(readDate(due, await context.plannedAt()), '--due');
    const total = items.length > 0 ? Number(objectAmountOf({line_items: items})) : undefined;
    const plan = {items, dueAt, finalize: finalize || send, send, total};
    if (!flags.edit) checkPlan(plan, {items: 'Duplicate it as a draft, or add items with --edit'});
    if (dueAt !== undefined) await printUnderstoodDate(context, 'due', dueAt);
    const create = createParamsOf(source);
    if (customer === undefined) return {...plan, create, customerName: statementCustomerOf(source).name};
    const other = await resolveReference(context, 'cus_', customer, {changes: true});
    return {...plan, create: {...create, customer_id: other}, customerName: undefined};
  }

  /** Asks for items and due date; everything else is copied. */
  private async askForEdits(
    source: BillingStatementData,
    {create, dueAt, items}: WantedStatement,
  ): Promise<WantedStatement | undefined> {
    const other = create!.customer_id === source.customer_id ? undefined : create!.customer_id;
    const {editStatement} = await import('../../billing/statement/guided/edit-statement.js');
    const wanted = await editStatement(this.context, source, {items, dueAt, customerId: other});
    return wanted && {...wanted, create: {...create!, ...wanted.create}};
  }
}
