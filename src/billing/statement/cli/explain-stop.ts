// Explains the end of a run. Errors name the created objects, the unknown outcome and the next command; results get notes.

import {isPayable} from '../../../accounting/standing.js';
import {dueTimeOf, statementName, statusText} from '../../../api/statement.js';
import type {RunOutcome, RunProgress, RunStop} from '../workflow/outcome.js';
import type {ExistingItem, BillingStatementData, StatementPlan} from '../plan.js';
import {askBeforeRepeating, nameFor, suggestNext, unknownSend} from '../../../cli/next-command.js';
import {accountArgs, AFTER, lacksDate, nextStep, type StepId} from '../../../cli/next-steps.js';
import {readStanding, refusalIn} from '../../../cli/presentation/standings.js';
import type {Context} from '../../../context/context.js';
import {CentavoError, nextCommand, type Applied, type ErrorDetails, type ErrorKind} from '../../../common/errors.js';
import {decimalPesos, formatPesos} from '../../../common/pesos.js';
import {safeDisplayName} from '../../../guard/describe-change.js';
import {dateText} from '../../../input/dates.js';
import type {StatementItem} from '../../../input/items.js';
import {commandText} from '../../../common/next-text.js';
import {oneLineText} from '../../../output/format.js';
import {composeStatement, formatDoneStep, formatStep, type WantedStatement} from './compose-statement.js';

/** Errors that would recur if the same command ran again. */
export const NOT_REPEATED: readonly ErrorKind[] = ['rejected', 'not_found', 'refused', 'usage'];
/** Errors whose exit codes promise that nothing was applied. */
export const NOTHING_APPLIED: readonly ErrorKind[] = ['rate_limited', 'unavailable'];
/** Further items are counted, not named. */
const MAX_LISTED_ITEMS = 2;

/** Characters; a longer command is not printed. */
const MAX_COMMAND_LENGTH = 1000;

type Account = readonly string[];

interface StopText extends Omit<ErrorDetails, 'next'> {
  readonly kind: ErrorKind;
  readonly message: string;
  /** The command to suggest, for `named` or else for the run's statement. */
  readonly next?: StepId;
  readonly named?: string | readonly string[];
  readonly flags?: readonly string[];
}

type Why = Exclude<RunStop['why'], 'failed'>;

const STOPS: {
  readonly [W in Why]: (stop: Extract<RunStop, {why: W}>, state: RunProgress, plan: StatementPlan) => StopText;
} = {
  changed: ({statement}) => {
    const isDraft = statement.status === 'draft';
    return {
      kind: 'refused',
      code: 'changed_meanwhile',
      message: `${statementName(statement)} ${isDraft ? 'was changed' : `became ${statusText(statement)}`} in the meantime.`,
      why: 'You confirmed an earlier version of this draft.',
      next: isDraft ? 'edit' : 'see',
    };
  },
  foreign: ({items}, {statementId: id, uncertainCall, applied}, plan) => ({
    kind: 'refused',
    code: 'unexpected_items',
    message: `${id} has items that you did not ask for: ${listedItemNames(items)}.`,
    why: 'They may belong to someone else, so centavo kept them.',
    changed:
      uncertainCall === 'finalize'
        ? `centavo could not confirm whether ${id} was finalized.`
        : (notDone(plan) ?? (applied === 'no' ? undefined : 'This run changed the draft.')),
    next: 'delete_items',
    named: items.map((item) => item.id),
  }),
  mismatch: ({statement}, _, plan) => ({
    kind: 'outcome_unknown',
    code: 'statement_differs',
    message: formatMismatch(statement, plan),
    changed: 'This run did not send it.',
    next: 'void',
  }),
  replaces: ({old}, {statementId: id}, {send}) => ({
    kind: 'refused',
    code: 'is_replacement',
    message: `${id} replaces ${old}.`,
    why: 'The customer could pay both if this draft were finalized without a check of the old statement.',
    next: 'continue_reissue',
    named: old,
    flags: send ? ['--send'] : [],
  }),
  not_shown: (_, {statementId: id}, {send}) => ({
    kind: 'outcome_unknown',
    code: 'not_shown',
    message: `${id} does not show the changes that the API confirmed.`,
    why: 'The API returns old data, or another person changed it.',
    changed: send ? 'This run did not send it.' : 'This run changed it.',
    next: 'check_first',
  }),
  taken: (_, {statementId: id}, {send}) => ({
    kind: 'refused',
    code: 'taken_over',
    message: `another run of centavo has claimed ${id}.`,
    why: 'Another computer or window continued it.',
    changed: send ? 'This run did not send it.' : 'This run no longer changes it.',
    next: 'see',
  }),
  ended: (_, state, plan) => noDraft(state, plan, state.status === 'open'),
  opened_by_other: ({statement}, state, plan) => ({
    ...noDraft(state, plan, true),
    next: statement.status === 'open' ? 'send_unsent' : 'see',
  }),
  send_in_doubt: (_, {statementId: id}) => ({
    kind: 'outcome_unknown',
    code: 'send_in_doubt',
    message: `centavo could not confirm whether ${id} was sent.`,
    why: 'An earlier run may have sent it.',
    changed: 'This run did not send it.',
    hint: askBeforeRepeating('sent'),
    applied: 'unknown',
  }),
};

function noDraft({statementId: id, status, applied}: RunProgress, {send}: StatementPlan, isByOther: boolean): StopText {
  const changed = `This run changed it${send ? ' and did not send it' : ''}.`;
  const neither = `This run ${applied === 'no' ? '' : 'changed it, but '}did not finalize or send it.`;
  return {
    kind: 'rejected',
    code: 'not_a_draft',
    message: `billing statement ${id} is ${statusText({status})}.`,
    why: isByOther
      ? 'It was finalized elsewhere and may have been sent.'
      : 'You can continue only a draft, and send only an open statement.',
    ...(isByOther ? {changed: neither} : applied !== 'no' && {changed}),
    next: 'see',
  };
}

export function explainStop(stop: RunStop, state: RunProgress, plan: StatementPlan, account: Account): CentavoError {
  if (stop.why === 'failed') return failed(stop, state, plan, account);
  const textOf = STOPS[stop.why] as (stop: RunStop, state: RunProgress, plan: StatementPlan) => StopText;
  const {kind, message, next, named = state.statementId!, flags = [], ...details} = textOf(stop, state, plan);
  const step = next && {next: [nextStep(next, named, [...flags, ...account])]};
  return new CentavoError(kind, message, {applied: state.applied, ids: idsOf(state), ...step, ...details});
}

/** Like `explainStop`, but says what happened to the money of a statement that can no longer change. */
export async function explainRun(context: Context, stop: RunStop, state: RunProgress, plan: StatementPlan) {
  const error = explainStop(stop, state, plan, accountArgs(context));
  if (stop.why !== 'ended') return error;
  const standing = await readStanding(context, stop.statement);
  return isPayable(standing) ? error : refusalIn(context, 'finalize', standing, {...error.details, code: error.code});
}

type Failed = Extract<RunStop, {why: 'failed'}>;

function failed({error, at, itemNumber}: Failed, state: RunProgress, plan: StatementPlan, account: Account) {
  const {applied, uncertainCall, of} = state;
  const {details} = error;
  // The given draft could not be read, so the run changed nothing.
  if (at === 'read' && plan.id !== undefined && applied === 'no') return error.with({applied});
  const interrupted = error.kind === 'interrupted';
  if (uncertainCall === 'send' && !interrupted) return unknownSend(error, state.statementId!);
  if (uncertainCall === 'send') return error.with({hint: askBeforeRepeating('sent')});
  if (state.status === 'deleted' && error.kind === 'not_found') return notFound(error, state, plan, account);
  const kind = uncertainCall && !interrupted ? 'outcome_unknown' : error.kind;
  const item = itemNumber === undefined ? undefined : {number: itemNumber, of};
  const isNamed = error.kind === 'outcome_unknown' && at === uncertainCall;
  const more: ErrorDetails = {
    ...details,
    applied,
    // The same command again would begin another statement.
    retryable: applied === 'no' && details.retryable,
    changed: formatState(state, plan, {isNamed}),
    ids: idsOf(state),
    ...(details.hint === undefined && details.next === undefined && stepAfter(error, state, plan, account)),
  };
  if (isNamed) {
    const done = at === 'finalize' ? `${state.statementId} was finalized` : formatDoneStep(at, item);
    return new CentavoError(kind, `centavo could not confirm whether ${done}.`, more);
  }
  // The reason for the wait was printed when the wait began.
  if (interrupted && at === 'read') return error.with(more);
  return new CentavoError(
    applied === 'yes' && NOTHING_APPLIED.includes(kind) ? 'partial' : kind,
    `${error.message.replace(/\.$/, '')}, while ${plan.edits && at === 'remove' ? 'removing an item' : formatStep(at, item)}.`,
    kind === error.kind ? more : {...more, code: kind},
  );
}

const notFound = (
  error: CentavoError,
  {applied, statementId: id}: RunProgress,
  plan: StatementPlan,
  account: Account,
) =>
  new CentavoError('not_found', `${id} was not found.`, {
    ...error.details,
    why: 'It may have been deleted.',
    changed: notDone(plan) ?? 'This run made no further changes to it.',
    hint: undefined,
    next: [nextCommand('To list recent statements', 'billing-statements list --limit 5', account)],
    applied,
  });

/** The objects that a run has made or continued. */
const idsOf = ({statementId, customerId}: RunProgress) => [statementId, customerId].filter((id) => id !== undefined);

function stepAfter(error: CentavoError, state: RunProgress, plan: StatementPlan, account: Account) {
  const {applied, customerId, uncertainCall, statementId: id} = state;
  const one = (words: string, command: string, ...args: readonly string[]): Pick<ErrorDetails, 'next'> => ({
    next: [nextCommand(words, command, args, account)],
  });
  if (uncertainCall === 'customer') return one('Check', 'customers list --email', plan.newCustomer!.email);
  if (uncertainCall === 'draft') return one('Check', 'billing-statements list --limit 5');
  if (id !== undefined && lacksDate(error)) return {next: [nextStep('date_draft', id, account)]};
  if (NOT_REPEATED.includes(error.kind)) {
    if (id !== undefined) return one('To see the created objects', 'billing-statements get', id);
    return customerId && one('To see the created objects', 'customers get', customerId);
  }
  if (applied === 'no' && id === undefined) return undefined;
  const again = nextCommand('Continue with', continueCommand(plan, state), account);
  const line = commandText(again);
  if (line.length <= MAX_COMMAND_LENGTH && line === oneLineText(line)) return {next: [again]};
  return {hint: continueWords(id, state, plan)};
}

/** Says how to continue where the command is too long to print. */
function continueWords(id: string | undefined, {customerId}: RunProgress, plan: StatementPlan): string {
  if (plan.id !== undefined) return 'Continue with the same command.';
  if (id === undefined) return `Continue with the same command, and --customer ${customerId} in place of the customer.`;
  // The draft already has these parameters, and --continue accepts none of them.
  const {currency: _, customer_id: __, ...others} = plan.create!;
  const given = ['the customer', ...Object.keys(others).map((name) => name.replaceAll('_', ' '))];
  return `Continue with the same command, and --continue ${id} in place of ${given.join(', ')}.`;
}

/** Returns one or two sentences about the known objects. Other runs may have changed more. */
function formatState(
  {customerId, uncertainCall, items, of, statementId: id, status}: RunProgress,
  plan: StatementPlan,
  /** True if the message already names the call of unknown outcome. */
  {isNamed}: {readonly isNamed: boolean},
) {
  const created = customerId && `The customer ${customerId} was created`;
  if (id === undefined) {
    if (!uncertainCall) return created && `${created}; no statement was created.`;
    const doubt = isNamed ? undefined : `centavo could not confirm whether ${formatDoneStep(uncertainCall)}.`;
    return [created && `${created}.`, doubt].filter(Boolean).join(' ');
  }
  if (status !== undefined && status !== 'draft')
    return `Statement ${id} is ${statusText({status})}${plan.send ? '; this run did not send it' : ''}.`;
  if (uncertainCall === 'finalize')
    return isNamed
      ? plan.send
        ? 'This run did not send it.'
        : ''
      : `centavo could not confirm whether ${id} was finalized${plan.send ? '; this run did not send it' : ''}.`;
  const unknown: Partial<Record<NonNullable<typeof uncertainCall>, string>> = {
    item: '; centavo could not confirm whether another item was added',
    change: '; centavo could not confirm whether an item was changed',
    remove: '; centavo could not confirm whether an item was removed',
    due: '; centavo could not confirm whether the due date was set',
  };
  const count = of === 0 ? 'exists' : `has ${items} of ${of} ${of === 1 ? 'item' : 'items'}`;
  const also = uncertainCall && !isNamed && unknown[uncertainCall];
  return [`The draft ${id} ${count}${also || ''}.`, notDone(plan)].filter(Boolean).join(' ');
}

/** Returns a sentence about the steps that this run did not take, if the plan goes beyond a draft. */
function notDone({finalize, send}: StatementPlan): string | undefined {
  if (send) return 'This run did not finalize or send it.';
  return finalize ? 'This run did not finalize it.' : undefined;
}

function formatMismatch(statement: BillingStatementData, {items, dueAt}: StatementPlan): string {
  const asked = items.reduce((sum, {quantity, unit_price}) => sum + quantity * unit_price, 0);
  const {id, amount, due_at: due} = statement;
  if (amount !== undefined && amount !== asked && items.length > 0)
    return `statement ${id} is open with ${formatPesos(amount)}, not ${formatPesos(asked)}.`;
  const what = dueAt !== undefined && due !== dueAt ? 'a different due date' : 'different items';
  return `statement ${id} is open, but with ${what}.`;
}

function listedItemNames(items: readonly ExistingItem[]): string {
  const words = items
    .slice(0, MAX_LISTED_ITEMS)
    .map(
      ({description, quantity, unit_price}) =>
        `${safeDisplayName(description)} x${quantity} @ ${formatPesos(unit_price)}`,
    );
  const rest = items.length - words.length;
  return [...words, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

/** Returns the arguments that complete the plan, and continue an existing draft. */
export function continueCommand(
  plan: StatementPlan,
  {customerId, statementId}: Pick<RunProgress, 'customerId' | 'statementId'>,
): readonly string[] {
  const {create, edits, items, dueAt, finalize, send} = plan;
  const given = statementId ? ['--continue', statementId] : ['--customer', customerId ?? create!.customer_id];
  return [
    ...(edits ? ['edit', edits.id] : ['bill', ...given]),
    // A leading space is ignored, and keeps a dash from starting a flag.
    ...items.map(itemText).flatMap((text) => ['--item', text.replace(/^-/, ' -')]),
    ...(dueAt === undefined ? [] : ['--due', dateText(dueAt)]),
    ...(send ? ['--send'] : finalize ? ['--finalize'] : []),
  ];
}

/** Returns a line item in the syntax of `--item`. */
export const itemText = ({description, quantity, unit_price: price}: StatementItem): string =>
  `${description} x${quantity} @ ${decimalPesos(price)}`;

export async function composeOrThrow(
  context: Context,
  wanted: WantedStatement,
): Promise<{readonly statement: BillingStatementData; readonly applied: Applied}> {
  const outcome = await composeStatement(context, wanted);
  if (outcome.end === 'stopped') throw await explainRun(context, outcome.stop, outcome.state, wanted);
  const {statement, changed} = outcome;
  await printDoneNotes(context, outcome);
  return {statement, applied: changed ? 'yes' : 'no'};
}

type ComposeDone = Pick<Extract<RunOutcome, {end: 'done'}>, 'changed' | 'sentBefore' | 'statement' | 'unread'>;

/** Suggests the next command for a draft or an open statement. */
export function suggestAfterCompose(context: Context, statement: BillingStatementData, isSent: boolean): void {
  const {status} = statement;
  const draft = dueTimeOf(statement) === undefined ? 'draft_without_date' : 'draft';
  const done = status === 'draft' ? draft : isSent ? 'send' : 'finalize';
  if (status === 'draft' || status === 'open') suggestNext(context, AFTER[done], statementName(statement));
}

/** Prints notes that the result does not contain, and marks an unchanged run for the history. */
export async function printDoneNotes(
  context: Context,
  {statement, changed, unread, sentBefore}: ComposeDone,
): Promise<void> {
  const {history, io} = context;
  if (!changed) (await history()).markUnchanged();
  if (sentBefore) io.note(`${nameFor(context, statement.id)} was sent by another run. It was not sent again.`);
  if (unread)
    io.note(
      `Warning: the changes were made, but the statement could not be read again: ${unread.message} The output comes from earlier responses.`,
    );
}
