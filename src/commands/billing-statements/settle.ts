// `centavo billing-statements settle`: closes a statement that was paid outside the service, and records the reason.

import {operationWithId, type RegisteredOperation} from '../../api/registry.js';
import {statementCustomerOf, statementNumberOf, statementSubjectOf, type StatementLike} from '../../api/statement.js';
import {BaseCommand, CHANGE_EXITS} from '../../cli/base.js';
import {printCalls} from '../../cli/dry-run.js';
import {dryRun, eitherSchema, objectNamed} from '../../cli/schema.js';
import {suggestNext, withSuggestion, accountFlagsOf} from '../../cli/next-command.js';
import {AFTER, suggest} from '../../cli/next-steps.js';
import {apiResultOf} from '../../cli/presentation/results.js';
import {Flags} from '../../cli/oclif.js';
import {askUntilValid} from '../../cli/references/ask-reference.js';
import {statementArgument, statementReference} from '../../cli/references/read-statement.js';
import {resolveReferences} from '../../cli/references/resolve-reference.js';
import {CentavoError, usageError} from '../../common/errors.js';
import {formatPesos} from '../../common/pesos.js';
import {objectAmountOf} from '../../guard/change-amounts.js';
import {withConfirmation, changeOf, type PlannedChange, type PlannedChangeDetails} from '../../guard/change.js';
import {safeDisplayName, UNKNOWN_AMOUNT} from '../../guard/describe-change.js';
import {guardChange, guardConnection, guardIntent} from '../../guard/guard.js';
import {InvalidInput, valueOrThrow} from '../../input/invalid-input.js';
import {oneLineText} from '../../output/format.js';
import {chooseOpen} from './shared/choose-open.js';

const operationOf = (verb: string) => operationWithId(`billing-statements:${verb}`);
const [GET, VOID, MARK] = [operationOf('get'), operationOf('void'), operationOf('mark-uncollectible')];

export class SettleCommand extends BaseCommand {
  static override summary = 'Settle an open billing statement that was paid outside the service.';
  static override description =
    'At a terminal it asks for missing values. The API cannot mark a billing statement as paid. centavo therefore voids it, and the customer can no longer pay it online. With --uncollectible it is marked uncollectible instead.\n\n' +
    'The reason is kept only in the history of this machine. centavo history, centavo owed --settled and centavo customers ledger show it.';
  static override examples = [
    '<%= config.bin %> billing-statements settle JEEPNEY-0012 --paid-outside "cash, 12 Nov"',
    '<%= config.bin %> billing-statements settle JEEPNEY-0012 --paid-outside "half in cash, the rest given up" --uncollectible',
  ];
  static override args = {statement: statementArgument};
  static override flags = {
    'paid-outside': Flags.string({
      summary: 'How it was paid, at most 200 characters. Required.',
      helpValue: '<text>',
    }),
    uncollectible: Flags.boolean({summary: 'Mark it uncollectible rather than void.'}),
  };
  static risk = 'destroys' as const;
  static exits = CHANGE_EXITS;
  static output = () => eitherSchema(objectNamed('billing_statement'), dryRun);

  async run(): Promise<void> {
    const {flags, args} = await this.read(SettleCommand);
    const {context} = this;
    const {io, signal} = context;
    const connection = guardConnection(await context.connection(), flags);
    if (!flags['dry-run']) guardIntent(connection, flags, 'settle a billing statement', io);
    const typed = flags['paid-outside'];
    let named = args.statement;
    if (named === undefined && io.canAsk) {
      const [chosen] = await chooseOpen(context, 'Which billing statement was paid?');
      if (!chosen) return;
      named = chosen.id;
    }
    const reference = await statementReference(context, named, 'settle JEEPNEY-0012 --paid-outside "cash, 12 Nov"');
    if (typed === undefined && !io.canAsk)
      throw usageError('missing_flag', '--paid-outside is missing.', {hint: REASON_HINT});
    const given = typed === undefined ? undefined : valueOrThrow(readReason(typed), '--paid-outside');
    const reasonOf = async () =>
      given ?? askUntilValid(context, 'How was it paid, such as "cash, 12 Nov"?', readReason);
    const registered = flags.uncollectible ? MARK : VOID;
    const ending = registered.operation.reaches!;
    const options = {changes: true, status: 'open'};
    const [id = ''] = await resolveReferences(context, 'bstm_', [reference], options);
    const called = {registered, ids: [id], params: {}};
    if (flags['dry-run']) {
      const reason = await reasonOf();
      const change = withConfirmation(changeOf(context, registered, [[id]], {}), ` as paid outside: "${reason}"`);
      return printCalls(context, this.requestForm, [{...registered, ids: [id], params: {}}], change);
    }
    const {billingStatements} = await context.client();
    const read = (): Promise<StatementLike> => billingStatements.get(id, {signal});
    const before = await read().catch(withSuggestion(context, {...called, registered: GET}));
    const name = statementNumberOf(before) ?? id;
    const {shape} = registered.resource;
    if (before.status === ending) {
      io.note(`${name} is ${ending} already; nothing was changed, and the reason was not kept.`);
      return this.print(apiResultOf(shape, [before], before, 'one'));
    }
    if (before.status !== 'open') throw notSettled(before, accountFlagsOf(context));
    if (given === undefined) io.note(describeStatement(before));
    const reason = await reasonOf();
    await guardChange(context, flags, changeOfSettlement(registered, before, {reason, read}));
    if (flags.uncollectible) (await context.history()).step(registered.verb, [id]);
    const end = flags.uncollectible ? billingStatements.markUncollectible : billingStatements.void;
    const after = await end(id, {signal}).catch(async (error: unknown) => {
      if (!(error instanceof CentavoError) || error.kind !== 'rejected') return withSuggestion(context, called)(error);
      // The statement may have been paid while the user was asked.
      const now = await read().catch(() => undefined);
      throw now && now.status !== 'open' ? notSettled(now, accountFlagsOf(context), error) : error;
    });
    (await context.history()).setSubject(statementSubjectOf(after));
    await this.printDone(apiResultOf(shape, [after], after, 'one'));
    io.note(`Settled: ${name} is ${ending} now.`);
    io.note('The reason is kept on this machine: centavo history');
    suggestNext(context, AFTER.settle);
  }
}

/** Characters. */
const MAX_REASON_LENGTH = 200;

const REASON_HINT = 'Say how it was paid: --paid-outside "cash, 12 Nov"';

function readReason(text: string): InvalidInput | string {
  const reason = oneLineText(text.replace(/\s+/gu, ' ').trim());
  const {length} = [...reason];
  if (length === 0)
    return new InvalidInput('is empty.', {code: 'empty', why: 'Say how it was paid.', hint: REASON_HINT});
  return length > MAX_REASON_LENGTH
    ? new InvalidInput(`is ${length} characters; the limit is ${MAX_REASON_LENGTH}.`, {code: 'too_long'})
    : reason;
}

/** `JEEPNEY-0012 of ₱1,500.00 for Juan Dela Cruz`. */
function describeStatement(statement: StatementLike): string {
  const amount = objectAmountOf(statement);
  const {name, email, id} = statementCustomerOf(statement);
  const payer = name ?? email ?? id;
  const of = amount === undefined ? UNKNOWN_AMOUNT : formatPesos(amount);
  return `${statementNumberOf(statement) ?? String(statement.id)} of ${of}${payer === undefined ? '' : ` for ${safeDisplayName(payer)}`}`;
}

function changeOfSettlement(
  {verb}: RegisteredOperation,
  statement: StatementLike,
  {reason, read}: {readonly reason: string; readonly read: () => Promise<StatementLike>},
): PlannedChange {
  const detailsOf = (now: StatementLike): PlannedChangeDetails => ({
    action: `${verb.replaceAll('-', ' ')} billing statement ${describeStatement(now)} as paid outside: "${reason}"`,
    statements: 1,
    amount: objectAmountOf(now),
    subject: {number: statementNumberOf(now), customer: statementCustomerOf(now).name},
    // No amount: the customer no longer pays the statement.
    amounts: [],
  });
  return {
    command: 'billing-statements settle',
    needsConfirmation: true,
    ids: [String(statement.id)],
    reason,
    known: detailsOf(statement),
    lookUp: async () => detailsOf(await read()),
  };
}

/** Returns the error for a statement that is not open. @param refusal from the API, if it was open before */
function notSettled(statement: StatementLike, account: string, refusal?: CentavoError): CentavoError {
  const {status} = statement;
  const isPaid = status === 'paid';
  const name = statementNumberOf(statement) ?? String(statement.id);
  const message =
    isPaid && refusal
      ? `${describeStatement(statement)} was paid online in the meantime.`
      : `${name} is ${String(status)}${isPaid ? ' already' : ''}.`;
  return new CentavoError('rejected', message, {
    ...refusal?.details,
    code: isPaid ? 'already_paid' : 'not_open',
    why: isPaid
      ? 'A billing statement that was paid online cannot be settled another way.'
      : status === 'draft'
        ? 'A draft is not owed yet. Delete it, or finalize it first.'
        : 'Only an open billing statement can be settled.',
    hint: suggest('see', String(statement.id), account),
    applied: 'no',
  });
}
