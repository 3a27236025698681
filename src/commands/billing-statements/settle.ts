// `centavo billing-statements settle`: ends a statement that was paid in another way, and keeps the reason.

import {operationWithId, type RegisteredOperation} from '../../api/registry.js';
import {customerOf, numberOf, subjectOf, type StatementLike} from '../../api/statement.js';
import {BaseCommand, CHANGE_EXITS} from '../../cli/base.js';
import {printCalls} from '../../cli/dry-run.js';
import {dryRun, either, objectNamed} from '../../cli/schema.js';
import {noteNext, proposing, sameAccount} from '../../cli/next-command.js';
import {AFTER, suggest} from '../../cli/next-steps.js';
import {resultOf} from '../../cli/objects/results.js';
import {Flags} from '../../cli/oclif.js';
import {askFor} from '../../cli/references/ask.js';
import {statementArgument, statementReference} from '../../cli/references/read-statement.js';
import {resolveReferences} from '../../cli/references/resolve-reference.js';
import {CentavoError, usageError} from '../../ground/errors.js';
import {formatPesos} from '../../ground/pesos.js';
import {amountOf} from '../../guard/change-amounts.js';
import {asking, changeOf, type Change, type ChangeDetails} from '../../guard/change.js';
import {shown, UNKNOWN_AMOUNT} from '../../guard/describe.js';
import {guardChange, guardConnection, guardIntent} from '../../guard/guard.js';
import {Fault, valid} from '../../input/fault.js';
import {clean} from '../../output/format.js';
import {chooseOpen} from './shared/choose-open.js';

const operationOf = (verb: string) => operationWithId(`billing-statements:${verb}`);
const [GET, VOID, MARK] = [operationOf('get'), operationOf('void'), operationOf('mark-uncollectible')];

export class SettleCommand extends BaseCommand {
  static override summary = 'Settle an open billing statement that was paid outside the service.';
  static override description =
    'At a terminal, whatever is missing is asked for. The API cannot mark a billing statement as paid, so it is voided, and the customer can no longer pay it online. With --uncollectible it is marked uncollectible instead.\n\n' +
    'How it was paid is kept in the history of this machine only. centavo history, centavo owed --settled and centavo customers ledger show it.';
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
  static output = () => either(objectNamed('billing_statement'), dryRun);

  async run(): Promise<void> {
    const {flags, args} = await this.read(SettleCommand);
    const {context} = this;
    const {io, signal} = context;
    const connection = guardConnection(await context.connection(), flags);
    // Refused here, before anything is asked.
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
    const given = typed === undefined ? undefined : valid(readReason(typed), '--paid-outside');
    const reasonOf = async () => given ?? askFor(context, 'How was it paid, such as "cash, 12 Nov"?', readReason);
    const registered = flags.uncollectible ? MARK : VOID;
    const ending = registered.operation.reaches!;
    const options = {changes: true, status: 'open'};
    const [id = ''] = await resolveReferences(context, 'bstm_', [reference], options);
    const called = {registered, ids: [id], params: {}};
    if (flags['dry-run']) {
      const reason = await reasonOf();
      const change = asking(changeOf(context, registered, [[id]], {}), ` as paid outside: "${reason}"`);
      return printCalls(context, this.requestForm, [{...registered, ids: [id], params: {}}], change);
    }
    const {billingStatements} = await context.client();
    const read = (): Promise<StatementLike> => billingStatements.get(id, {signal});
    const before = await read().catch(proposing(context, {...called, registered: GET}));
    const name = numberOf(before) ?? id;
    const {shape} = registered.resource;
    if (before.status === ending) {
      io.note(`${name} is ${ending} already; nothing was changed, and the reason was not kept.`);
      return this.print(resultOf(shape, [before], before, 'one'));
    }
    if (before.status !== 'open') throw notSettled(before, sameAccount(context));
    if (given === undefined) io.note(describeStatement(before));
    const reason = await reasonOf();
    await guardChange(context, flags, changeOfSettlement(registered, before, {reason, read}));
    if (flags.uncollectible) (await context.audit()).step(registered.verb, [id]);
    const end = flags.uncollectible ? billingStatements.markUncollectible : billingStatements.void;
    const after = await end(id, {signal}).catch(async (error: unknown) => {
      if (!(error instanceof CentavoError) || error.kind !== 'rejected') return proposing(context, called)(error);
      // It may have been paid while a person was asked.
      const now = await read().catch(() => undefined);
      throw now && now.status !== 'open' ? notSettled(now, sameAccount(context), error) : error;
    });
    (await context.audit()).about(subjectOf(after));
    await this.printDone(resultOf(shape, [after], after, 'one'));
    io.note(`Settled: ${name} is ${ending} now.`);
    io.note('The reason is kept on this machine: centavo history');
    noteNext(context, AFTER.settle);
  }
}

/** Characters. */
const LONGEST_REASON = 200;

const REASON_HINT = 'Say how it was paid: --paid-outside "cash, 12 Nov"';

/** A reason as it is kept: one line. */
function readReason(text: string): Fault | string {
  const reason = clean(text.replace(/\s+/gu, ' ').trim());
  const {length} = [...reason];
  if (length === 0) return new Fault('is empty.', {code: 'empty', why: 'Say how it was paid.', hint: REASON_HINT});
  return length > LONGEST_REASON
    ? new Fault(`is ${length} characters; the limit is ${LONGEST_REASON}.`, {code: 'too_long'})
    : reason;
}

/** `JEEPNEY-0012 of ₱1,500.00 for Juan Dela Cruz`. */
function describeStatement(statement: StatementLike): string {
  const amount = amountOf(statement);
  const {name, email, id} = customerOf(statement);
  const payer = name ?? email ?? id;
  const of = amount === undefined ? UNKNOWN_AMOUNT : formatPesos(amount);
  return `${numberOf(statement) ?? String(statement.id)} of ${of}${payer === undefined ? '' : ` for ${shown(payer)}`}`;
}

function changeOfSettlement(
  {verb}: RegisteredOperation,
  statement: StatementLike,
  {reason, read}: {readonly reason: string; readonly read: () => Promise<StatementLike>},
): Change {
  const detailsOf = (now: StatementLike): ChangeDetails => ({
    what: `${verb.replaceAll('-', ' ')} billing statement ${describeStatement(now)} as paid outside: "${reason}"`,
    statements: 1,
    amount: amountOf(now),
    subject: {number: numberOf(now), customer: customerOf(now).name},
    // Nothing is collected any more.
    amounts: [],
  });
  return {
    command: 'billing-statements settle',
    asks: true,
    ids: [String(statement.id)],
    reason,
    known: detailsOf(statement),
    lookUp: async () => detailsOf(await read()),
  };
}

/** Why a statement that is not open cannot be settled. @param refusal of the API, when it was open before */
function notSettled(statement: StatementLike, account: string, refusal?: CentavoError): CentavoError {
  const {status} = statement;
  const isPaid = status === 'paid';
  const name = numberOf(statement) ?? String(statement.id);
  const message =
    isPaid && refusal
      ? `${describeStatement(statement)} was paid online meanwhile.`
      : `${name} is ${String(status)}${isPaid ? ' already' : ''}.`;
  return new CentavoError('rejected', message, {
    ...refusal?.details,
    code: isPaid ? 'already_paid' : 'not_open',
    why: isPaid
      ? 'A billing statement that was paid online is not settled another way.'
      : status === 'draft'
        ? 'A draft is owed by nobody. Delete it, or finalize it first.'
        : 'Only an open billing statement can be settled.',
    hint: suggest('see', String(statement.id), account),
    applied: 'no',
  });
}
