// `centavo billing-statements settle`: closes a statement that was paid outside the service, and records the reason.

import {isPayable, isReceived, type Standing} from '../../accounting/standing.js';
import {describeStanding} from '../../accounting/words.js';
import {operationWithId} from '../../api/registry.js';
import {statementCustomerOf, statementSubjectOf, statusText, type StatementLike} from '../../api/statement.js';
import {BaseCommand, CHANGE_EXITS} from '../../cli/base.js';
import {printCalls} from '../../cli/dry-run.js';
import * as schema from '../../cli/schema.js';
import {suggestNext, withSuggestion} from '../../cli/next-command.js';
import {AFTER} from '../../cli/next-steps.js';
import {apiResultOf} from '../../cli/presentation/results.js';
import {readStanding, refusalIn} from '../../cli/presentation/standings.js';
import {Flags} from '../../cli/oclif.js';
import {askUntilValid} from '../../cli/references/ask-reference.js';
import {statementArgument, statementReference} from '../../cli/references/read-statement.js';
import {resolveReferences} from '../../cli/references/resolve-reference.js';
import {capitalized, CentavoError, usageError} from '../../common/errors.js';
import {endOfManilaDay, longDay, MONTHS, monthOf, monthText, relativeDay, startOfMonth} from '../../common/manila.js';
import {changeDetailsOf, changeOf, withConfirmation, type PlannedChange} from '../../guard/change.js';
import type {DescribedCall} from '../../guard/describe-change.js';
import {guardChange, guardConnection, guardIntent} from '../../guard/guard.js';
import {readDate} from '../../input/dates.js';
import {InvalidInput, valueOrThrow} from '../../input/invalid-input.js';
import {oneLineText} from '../../output/format.js';
import {chooseOpen} from './shared/choose-open.js';

const operationOf = (verb: string) => operationWithId(`billing-statements:${verb}`);
const [GET, VOID, MARK] = [operationOf('get'), operationOf('void'), operationOf('mark-uncollectible')];

export class SettleCommand extends BaseCommand {
  static override summary = 'Record a payment made outside the service.';
  static override description =
    'At a terminal it asks for missing values. The API cannot mark a billing statement as paid. centavo therefore voids it, and the customer can no longer pay it online. With --uncollectible it is marked uncollectible instead.\n\n' +
    '--on says when it was paid, such as "12 Nov"; the default is now. The day and the reason cannot be changed later. A void statement can be settled too, which changes only the history of this machine. If only a part was paid, bill the rest in its place: centavo reissue <statement> --edit. No report shows that part.\n\n' +
    'The reason is kept only in the history of this machine. centavo history, centavo paid and centavo customers ledger show it.';
  static override examples = [
    '<%= config.bin %> billing-statements settle JEEPNEY-0012 --paid-outside cash',
    '<%= config.bin %> billing-statements settle JEEPNEY-0012 --paid-outside cash --on "12 Nov"',
    '<%= config.bin %> billing-statements settle JEEPNEY-0012 --paid-outside "half in cash, the rest given up" --uncollectible',
  ];
  static override args = {statement: statementArgument};
  static override flags = {
    'paid-outside': Flags.string({
      summary: 'How it was paid, at most 200 characters. Required.',
      helpValue: '<text>',
    }),
    on: Flags.string({summary: 'Day of the payment: 2026-11-12, "12 Nov", yesterday.', helpValue: '<date>'}),
    uncollectible: Flags.boolean({summary: 'Mark it uncollectible rather than void.'}),
  };
  static risk = 'destroys' as const;
  static agents = 'hands_over' as const;
  static exits = CHANGE_EXITS;
  static output = () => schema.either(schema.objectNamed('billing_statement'), schema.dryRun);

  async run(): Promise<void> {
    const {flags, args} = await this.read(SettleCommand);
    const {context} = this;
    const {io, signal} = context;
    const connection = guardConnection(await context.connection());
    if (!flags['dry-run']) guardIntent(connection, flags, 'settle a billing statement', io);
    const typed = flags['paid-outside'];
    let named = args.statement;
    if (named === undefined && io.canAsk) {
      const [chosen] = await chooseOpen(context, 'Which billing statement was paid?');
      if (!chosen) return;
      named = chosen.id;
    }
    const reference = await statementReference(context, named, 'settle JEEPNEY-0012 --paid-outside cash');
    if (typed === undefined && !io.canAsk)
      throw usageError('missing_flag', '--paid-outside is missing.', {hint: REASON_HINT});
    const given = typed === undefined ? undefined : valueOrThrow(readReason(typed), '--paid-outside');
    const reasonOf = async () =>
      given ?? askUntilValid(context, 'How was it paid, such as "cash" or "check 1042"?', readReason);
    const paidAt = await this.readPaidAt(flags.on);
    const registered = flags.uncollectible ? MARK : VOID;
    const options = {changes: true, status: 'open'};
    const [id = ''] = await resolveReferences(context, 'bstm_', [reference], options);
    const called = {registered, ids: [id], params: {}};
    const voiding = changeOf(context, registered, [[id]], {});
    const asSettlement = (change: PlannedChange, reason: string): PlannedChange => ({
      ...withConfirmation(change, ` as paid outside: "${reason}"`),
      destroys: false,
      ...{command: 'billing-statements settle', reason, paidAt},
    });
    if (flags['dry-run']) {
      const change = asSettlement(voiding, await reasonOf());
      return printCalls(context, this.requestForm, [{...registered, ids: [id], params: {}}], change);
    }
    const {billingStatements} = await context.client();
    const read = (): Promise<StatementLike> => billingStatements.get(id, {signal});
    const before = await read().catch(withSuggestion(context, {...called, registered: GET}));
    const standing = await readStanding(context, before);
    const {shape} = registered.resource;
    if (standing.settlement) {
      io.note(`${describeStanding(standing, await context.accountNow())}. It is settled already; nothing was changed.`);
      return this.print(apiResultOf(shape, [before], before, 'one'));
    }
    const isKept = standing.state === 'void' && !flags.uncollectible;
    if (!isPayable(standing) && !isKept) throw await this.refusal(standing);
    const known = changeDetailsOf([called], [{shape, object: before, customer: statementCustomerOf(before).name}]);
    const {action} = known;
    const recording = {...voiding, lookUp: undefined, known: {...known, action: action.replace('void', 'record')}};
    const {bookedAt: billedAt = 0} = standing.movements.find(({type}) => type === 'billing') ?? {};
    if (endOfManilaDay(paidAt) < billedAt)
      io.note(`The payment counts on ${longDay(billedAt)}, the day of the bill.`, {warns: true});
    if (given === undefined) io.note(capitalized(action));
    const reason = await reasonOf();
    await guardChange(context, flags, asSettlement(isKept ? recording : {...voiding, known}, reason));
    if (flags.uncollectible) (await context.history()).step(registered.verb, [id]);
    const after = isKept ? before : await this.end(called, read);
    (await context.history()).setSubject(statementSubjectOf(after));
    await this.printDone(apiResultOf(shape, [after], after, 'one'));
    io.note(
      isKept
        ? `Settled: ${standing.name} is void already; the payment is recorded on this machine.`
        : `Settled: ${standing.name} is ${statusText(after)} now.`,
    );
    io.note('The reason is kept on this machine: centavo history');
    await this.noteChangedMonths(standing, await readStanding(context, after));
    suggestNext(context, AFTER.settle);
  }

  /** @param read returns the statement, which may have been paid while the user was asked */
  private async end(called: DescribedCall, read: () => Promise<StatementLike>): Promise<StatementLike> {
    const {context} = this;
    const client = await context.client();
    const ended = client.perform({...called.registered, ...called}, {signal: context.signal});
    return Promise.resolve(ended).catch(async (error: unknown) => {
      if (!(error instanceof CentavoError) || error.kind !== 'rejected') return withSuggestion(context, called)(error);
      const now = await read().catch(() => undefined);
      const standing = now && (await readStanding(context, now));
      throw standing && !isPayable(standing) ? await this.refusal(standing, error) : error;
    }) as Promise<StatementLike>;
  }

  /** Returns unix seconds: the end of the given day in Manila, but never after the account's now. */
  private async readPaidAt(on: string | undefined): Promise<number> {
    const now = await this.context.accountNow();
    const asked = await this.context.plannedAt();
    const {io} = this.context;
    if (on === undefined) {
      if (io.canAsk) io.note(`  on: ${longDay(asked)} in Manila; for another day, add --on`, {style: 'dim'});
      return asked;
    }
    const at = valueOrThrow(readDate(on, asked, 'past'), '--on');
    if (at > endOfManilaDay(now))
      throw usageError('invalid_date', '--on is in the future.', {
        hint: 'Settle it after it was paid. For example: --on yesterday',
      });
    io.note(`  on: ${longDay(at)} in Manila, ${relativeDay(at, now)}`, {style: 'dim'});
    return Math.min(endOfManilaDay(at), now);
  }

  /** @param refusal from the API, if the statement was open before */
  private async refusal(standing: Standing, refusal?: CentavoError): Promise<CentavoError> {
    const isPaid = isReceived(standing);
    const why = isPaid
      ? `${refusal ? 'It was paid in the meantime. ' : ''}A billing statement that was paid online cannot be settled another way.`
      : standing.state === 'draft'
        ? 'A draft is not owed yet. Delete it, or finalize it first.'
        : standing.state === 'void'
          ? 'It can be settled without --uncollectible.'
          : undefined;
    const code = isPaid ? 'already_paid' : 'not_open';
    return refusalIn(this.context, 'settle', standing, {...refusal?.details, code, why, applied: 'no'});
  }

  /** A closed month may have been reported already. */
  private async noteChangedMonths(before: Standing, after: Standing): Promise<void> {
    const {context} = this;
    const current = startOfMonth(monthOf(await context.accountNow()));
    const moved = [...before.movements, ...after.movements].filter(({type}) => type !== 'billing');
    const past = moved.flatMap(({bookedAt: at}) => (at > 0 && at < current ? monthText(monthOf(at)) : []));
    for (const text of [...new Set(past)].toSorted())
      context.io.note(`${MONTHS[Number(text.slice(5)) - 1]} ${text.slice(0, 4)} changes: see centavo month ${text}`, {
        warns: true,
      });
  }
}

/** Characters. */
const MAX_REASON_LENGTH = 200;

const REASON_HINT = 'Say how it was paid: --paid-outside cash';

function readReason(text: string): InvalidInput | string {
  const reason = oneLineText(text.replace(/\s+/gu, ' ').trim());
  const {length} = [...reason];
  if (length === 0)
    return new InvalidInput('is empty.', {code: 'empty', why: 'Say how it was paid.', hint: REASON_HINT});
  return length > MAX_REASON_LENGTH
    ? new InvalidInput(`is ${length} characters; the limit is ${MAX_REASON_LENGTH}.`, {code: 'too_long'})
    : reason;
}
