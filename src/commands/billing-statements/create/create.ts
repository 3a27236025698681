// `centavo billing-statements create`: creates, fills, finalizes and sends a statement with one command.
// Replaces the derived command and keeps its flags. Without flags, asks for the values at a terminal.

import {operationWithId} from '../../../api/registry.js';
import type {RunOutcome} from '../../../billing/statement/workflow/outcome.js';
import {BaseCommand, CHANGE_EXITS, type FlagsOf} from '../../../cli/base.js';
import {printRequests} from '../../../cli/dry-run.js';
import * as schema from '../../../cli/schema.js';
import {accountArgs} from '../../../cli/next-steps.js';
import {printUnderstoodDate} from '../../../cli/understood-date.js';
import {apiResultOf} from '../../../cli/presentation/results.js';
import {noteServing} from '../../../cli/presentation/statement-notes.js';
import {Args, Flags} from '../../../cli/oclif.js';
import {
  allowDuplicateFlag,
  dataFlag,
  flagSpecs,
  idempotencyKeyFlag,
  oclifFlags,
  readFlags,
} from '../../../cli/operations/flags.js';
import {readDataFlag} from '../../../cli/operations/params.js';
import {needsLookup, readReference, type Reference} from '../../../cli/references/references.js';
import {resolveReferences} from '../../../cli/references/resolve-reference.js';
import type {Client} from '../../../client/client.js';
import {CentavoError, nextCommand, usageError} from '../../../common/errors.js';
import {guardChange, guardConnection, guardIntent, guardBeforeReading} from '../../../guard/guard.js';
import {readDate} from '../../../input/dates.js';
import {valueOrThrow} from '../../../input/invalid-input.js';
import {totalAsNumber, type StatementItem} from '../../../input/items.js';
import {quote} from '../../../input/money.js';
import {readEmail} from '../../../input/email-address.js';
import {composeChange, dryRunPlanLines} from '../../../billing/statement/cli/compose-change.js';
import {explainRun, suggestAfterCompose, printDoneNotes} from '../../../billing/statement/cli/explain-stop.js';
import {checkPlan, composeStatement, type WantedStatement} from '../../../billing/statement/cli/compose-statement.js';
import {guardEqualBills} from '../../../billing/statement/cli/equal-bills.js';
import type {TypedPayer} from '../../../billing/statement/guided/flow.js';
import {itemFlag, readItemFlags, readItemsFile, tableFlags, tableOptionsOf} from '../shared/item-flags.js';

const REGISTERED = operationWithId('billing-statements:create');
const ITEMS_HINT = 'Add --item "Web design x2 @ 15,000" or --items file.csv';
const SPECS = flagSpecs(REGISTERED.operation.params);

type CreateFlags = FlagsOf<typeof CreateCommand>;

const withCustomer = (flags: CreateFlags, customer: string | undefined): CreateFlags => {
  if (customer === undefined) return flags;
  const other = (['customer', 'customer-email', 'continue'] as const).find((name) => flags[name] !== undefined);
  if (other !== undefined)
    throw usageError('invalid_flag', `${quote(customer)} and --${other} cannot be given together.`);
  return {...flags, customer};
};

export class CreateCommand extends BaseCommand {
  static override summary = 'Create a statement, and finalize or send it.';
  static override description =
    'Makes the API calls in the required order. When the outcome of a call is unknown, it waits, reads the statement again and corrects the differences. The statement is finalized and sent only with exactly the items that you gave. When a call fails, nothing is undone, and centavo prints the next command. The customer may have been billed for the same items and due date within the last 20 hours. centavo then asks at a terminal, and elsewhere needs --allow-duplicate. It warns of an open billing statement of the last 20 days with the same items.\n\n' +
    'Without flags, at a terminal, it asks for the values and shows a preview before anything is sent. You can give the customer as an argument. If you stop, your entries are kept, and the next run offers to continue.';
  static override examples = [
    '<%= config.bin %> billing-statements create juan',
    '<%= config.bin %> billing-statements create --customer cus_2mQ8 --item "Web design x2 @ 15,000" --due +30d --finalize --send',
    '<%= config.bin %> billing-statements create --customer-email juan@example.com --items june.csv --due 2026-12-15 --metadata order=1042',
    '<%= config.bin %> billing-statements create',
  ];
  static override usage = 'billing-statements create [customer] [flags]';
  static override args = {
    customer: Args.string({description: 'Customer to bill, as with --customer.', helpValue: '<cus_…>'}),
  };
  static override flags = {
    ...oclifFlags(SPECS),
    customer: Flags.string({summary: 'Customer to bill: email address, name or id.', helpValue: '<cus_…>'}),
    'customer-email': Flags.string({
      summary: 'Customer to bill, by email address.',
      helpValue: '<address>',
      exclusive: ['customer'],
    }),
    item: itemFlag(),
    items: Flags.string({
      summary: 'Line items from a CSV or .xlsx file with the columns description, quantity, unit price (pesos).',
      helpValue: '<file>',
    }),
    ...tableFlags(['items']),
    due: Flags.string({
      summary: 'Due date: 2026-12-15, +30d, "Dec 15", "next friday" (the end of that day in Manila).',
      helpValue: '<date>',
    }),
    finalize: Flags.boolean({summary: 'Finalize it, so that it can be paid.'}),
    send: Flags.boolean({summary: 'Finalize it and email it to the customer.'}),
    continue: Flags.string({
      summary:
        'Continue an earlier run, by number or id. Repeat its --item, --due and --send; without --item, the draft keeps its items.',
      helpValue: '<bstm_…>',
      exclusive: ['customer', 'customer-email'],
    }),
    'allow-duplicate': allowDuplicateFlag,
    ...idempotencyKeyFlag,
    ...dataFlag,
  };
  static risk = 'bills' as const;
  static agents = 'hands_over' as const;
  static exits = [...CHANGE_EXITS, 'partial'] as const;
  static output = () => schema.either(schema.objectNamed('billing_statement'), schema.dryRun);

  async run(): Promise<unknown> {
    const {flags: typed, args} = await this.read(CreateCommand);
    const {context} = this;
    const flags = withCustomer(typed, args.customer);
    const connection = guardConnection(await context.connection());
    const given: Readonly<Record<string, unknown>> = typed;
    const hasOwnFlags = Object.keys(CreateCommand.flags).some(
      (name) => name !== 'allow-duplicate' && given[name] !== undefined,
    );
    const guided = !hasOwnFlags && context.io.canAsk;
    if (guided && !flags['dry-run']) guardIntent(connection, flags, 'create a billing statement', context.io);
    if (flags['dry-run']) return this.dryRunStatement(flags, guided);
    if (guided) return this.runGuided(flags);
    const wanted = await this.readPlan(flags, await context.client());
    const change = composeChange(context, REGISTERED, wanted, {asksIfOverdue: true});
    await guardChange(context, flags, await guardEqualBills(context, flags, change, wanted));
    const outcome = await composeStatement(context, wanted);
    if (outcome.end === 'stopped') throw await explainRun(context, outcome.stop, outcome.state, wanted);
    return this.printStatement(outcome, wanted.send);
  }

  /** Asks for the values. A terminal then shows a summary instead of the statement's fields. */
  private async runGuided(flags: CreateFlags): Promise<unknown> {
    const {context} = this;
    const {createGuided} = await import('./guided.js');
    const {doneLines} = await import('./done.js');
    const created = await createGuided(context, flags, REGISTERED, await this.named(flags));
    if (!created) return undefined;
    const lines = doneLines(context, created);
    if (!context.io.stdoutIsTerminal || flags.fields !== undefined || flags.output !== undefined) {
      for (const line of lines) context.io.note(line);
      return this.printStatement(created.outcome, created.goal === 'send');
    }
    if (!created.outcome.changed) (await context.history()).markUnchanged();
    await noteServing(context, created.outcome.statement);
    await context.io.out(`${lines.join('\n')}\n`);
    suggestAfterCompose(context, created.outcome.statement, created.goal === 'send');
    return created.outcome.statement;
  }

  private async printStatement(outcome: Extract<RunOutcome, {end: 'done'}>, isSent: boolean): Promise<unknown> {
    const {statement, changed} = outcome;
    await printDoneNotes(this.context, outcome);
    await this.printDone(apiResultOf(REGISTERED.resource.shape, [statement], statement, 'one'), changed ? 'yes' : 'no');
    await noteServing(this.context, statement);
    suggestAfterCompose(this.context, statement, isSent);
    return statement;
  }

  /** Prints the requests of a run, recorded by a client that sends nothing. */
  private async dryRunStatement(flags: CreateFlags, guided: boolean): Promise<void> {
    const {context} = this;
    const {recordingClient} = await context.billing();
    const {client, requests} = recordingClient(await context.requestBuilder());
    const wanted = guided
      ? await (
          await import('../../../billing/statement/guided/flow.js')
        ).askForStatement(context, {named: await this.named(flags)})
      : await this.readPlan(flags, client);
    if (!wanted) return context.io.note('Nothing was changed.');
    await (await context.runs()).dryRun(wanted, client);
    // A dry run does not look up the customer of an address, so the address stands for the name.
    const named = {...wanted, customerName: flags['customer-email'] ?? wanted.customerName};
    const change = composeChange(context, REGISTERED, named, {asksIfOverdue: true});
    await printRequests(context, this.requestForm, requests, change, dryRunPlanLines(wanted));
    if (wanted.id !== undefined)
      context.io.note('The draft was not read. Items already in it would not be added again.');
  }

  private async readPlan(flags: CreateFlags, client: Client): Promise<WantedStatement> {
    const {context} = this;
    const items = await this.readItems(flags);
    const dueAt =
      flags.due === undefined ? undefined : valueOrThrow(readDate(flags.due, await context.plannedAt()), '--due');
    const send = flags.send;
    const finalize = send || flags.finalize;
    const draft = flags.continue === undefined ? undefined : valueOrThrow(readReference(flags.continue, 'bstm_'));
    const parameters: Record<string, unknown> = {
      ...readFlags(SPECS, flags, context.displayNow()),
      ...(await readDataFlag(context, flags.data)),
    };
    if (draft !== undefined && Object.keys(parameters).length > 0)
      throw usageError('invalid_flag', `${Object.keys(parameters).join(', ')} cannot be given with --continue.`, {
        next: [nextCommand('To change a draft', 'edit', draft.text, accountArgs(context))],
      });
    const {OWN_KEYS} = await context.billing();
    const reserved = OWN_KEYS.find((name) => Object.hasOwn((parameters.metadata ?? {}) as object, name));
    if (reserved !== undefined)
      throw usageError('invalid_metadata', `the metadata key ${reserved} is reserved.`, {
        why: 'centavo uses this key to find its own drafts.',
        hint: 'Use another key.',
      });
    const total = items.length > 0 ? totalAsNumber(items) : undefined;
    if (draft === undefined) checkPlan({total, dueAt, finalize}, {items: ITEMS_HINT});
    const named = flags.customer === undefined ? [] : [valueOrThrow(readReference(flags.customer, 'cus_'))];
    if (!flags['dry-run'] && needsLookup([...named, ...(draft ? [draft] : [])]))
      await guardBeforeReading(context, flags, {action: 'create a billing statement'});
    const [id] = draft === undefined ? [] : await this.idOf('bstm_', draft);
    if (named[0] !== undefined && parameters.customer_id === named[0].text)
      [parameters.customer_id] = await this.idOf('cus_', named[0]);
    if (dueAt !== undefined) await printUnderstoodDate(context, 'due', dueAt);
    const customer = id === undefined ? await this.readCustomer(flags, parameters, client) : undefined;
    return {
      id,
      create: customer && {currency: 'PHP', ...parameters, customer_id: customer.id},
      customerName: customer?.name,
      items,
      dueAt,
      finalize,
      send,
      total,
    };
  }

  /** Returns the customer to bill, or the typed text if no customer matches. */
  private async named({customer}: CreateFlags): Promise<TypedPayer | undefined> {
    if (customer === undefined) return undefined;
    const {context} = this;
    const reference = valueOrThrow(readReference(customer, 'cus_'));
    try {
      const [id = ''] = await resolveReferences(context, 'cus_', [reference], {changes: false});
      const {name, email} = await (await context.client()).customers.get(id, {signal: context.signal});
      return {id, name, email};
    } catch (error) {
      if (!(error instanceof CentavoError) || error.code !== 'customer_not_found') throw error;
      return reference.text;
    }
  }

  private idOf(prefix: string, reference: Reference): Promise<string[]> {
    return resolveReferences(this.context, prefix, [reference], {changes: true, status: 'draft'});
  }

  private async readItems({item = [], items, ...flags}: CreateFlags): Promise<StatementItem[]> {
    const typed = readItemFlags(this.context, item);
    if (items === undefined) return typed;
    const options = await tableOptionsOf(this.context, flags, 'ITEM_COLUMNS', items);
    return [...typed, ...(await readItemsFile(this.context, items, '--items', options))];
  }

  private async readCustomer(
    flags: CreateFlags,
    {customer_id: id}: Record<string, unknown>,
    client: Client,
  ): Promise<{id: string; name?: string}> {
    const email = flags['customer-email'];
    if (id !== undefined && email !== undefined)
      throw usageError('invalid_flag', '--customer-email and customer_id cannot be given together.');
    if (typeof id === 'string') return {id};
    if (email === undefined) {
      throw usageError('missing_flag', 'the customer is missing.', {
        next: [
          nextCommand(
            'Add --customer <name or id> or --customer-email <address>. To list customers',
            'customers list',
            accountArgs(this.context),
          ),
        ],
      });
    }
    // An empty address, from an unset variable, would match every customer.
    const address = valueOrThrow(readEmail(email), '--customer-email');
    const {findCustomers, distinguishingDetails} = await this.context.billing();
    const found = await findCustomers(client, {signal: this.context.signal}, {email: address});
    if (found.length === 1) return found[0]!;
    if (found.length === 0)
      throw new CentavoError('not_found', `no customer has the email address ${address}.`, {
        code: 'customer_not_found',
        next: [nextCommand('Create one', 'customers create --email', address, accountArgs(this.context))],
        applied: 'no',
      });
    const apart = await distinguishingDetails(client, found, this.context.displayNow(), {signal: this.context.signal});
    const candidates = found.map((each) => `${each.id} (${each.name}; ${apart.get(each.id)})`);
    throw usageError('customer_ambiguous', `${found.length} customers have the email address ${address}.`, {
      candidates: found.map(({id, name}) => ({id, name})),
      hint: `Choose one with --customer: ${candidates.join(', ')}`,
    });
  }
}
