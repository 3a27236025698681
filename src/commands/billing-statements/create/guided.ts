// Creates a statement interactively. Asks again for values that the API rejects, and never creates or sends twice.

import {commandText, nextText} from '../../../common/next-text.js';
import {describeStanding} from '../../../accounting/words.js';
import type {RegisteredOperation} from '../../../api/registry.js';
import {statementNumberOf} from '../../../api/statement.js';
import type {RunOutcome, RunProgress, RunStop} from '../../../billing/statement/workflow/outcome.js';
import type {CreatedObjects, UnfinishedStore} from '../../../billing/statement/unfinished-store.js';
import {readStanding, refusalOf} from '../../../cli/presentation/standings.js';
import type {Context} from '../../../context/context.js';
import {localName} from '../../../config/resolve.js';
import {capitalized, CentavoError, messageAndReason} from '../../../common/errors.js';
import {formatPesos} from '../../../common/pesos.js';
import {guardChange, type GuardFlags} from '../../../guard/guard.js';
import {composeChange} from '../../../billing/statement/cli/compose-change.js';
import {explainRun} from '../../../billing/statement/cli/explain-stop.js';
import {guardEqualBills} from '../../../billing/statement/cli/equal-bills.js';
import {composeStatement, type WantedStatement} from '../../../billing/statement/cli/compose-statement.js';
import {
  askForDecision,
  leavingDetails,
  noCreatedObjects,
  openGuide,
  returnTo,
  untilLeft,
  wantedOf,
  type TypedPayer,
} from '../../../billing/statement/guided/flow.js';
import type {Goal, Guide, GuidedRefusal} from '../../../billing/statement/guided/guide.js';
import {askToConfirm} from '../../../billing/statement/guided/steps/review.js';

export interface GuidedResult {
  readonly outcome: Extract<RunOutcome, {end: 'done'}>;
  readonly goal: Goal;
  readonly guide: Guide;
}

/** A failed attempt: the question to ask again, and the error to exit with if the user quits there. */
interface GuidedStop {
  readonly problem: GuidedRefusal;
  readonly error?: CentavoError;
}

/** @returns undefined if the user quits @throws the last attempt's error if the user quits after it; kind `interrupted` after Ctrl-C */
export async function createGuided(
  context: Context,
  flags: GuardFlags,
  registered: RegisteredOperation,
  named?: TypedPayer,
): Promise<GuidedResult | undefined> {
  const guide = await openGuide(context, {named, store: await storeOf(context)});
  let failed: CentavoError | undefined;
  let done = false;
  try {
    for (;;) {
      const decision = await untilLeft(guide, () => askForDecision(guide));
      if (decision === 'quit') {
        if (failed) throw failed;
        const {changed = '', next = []} = leavingDetails(guide);
        for (const line of [changed, ...next.map(commandText)]) context.io.note(line);
        return undefined;
      }
      if (decision === 'check') {
        const text = await guide.asker.wait('Reading the statement…', check(context, guide));
        returnTo(guide, {step: 'review', made: guide.made, text});
        continue;
      }
      const result = await attempt({context, flags, registered, guide}, decision);
      if ('outcome' in result) {
        done = true;
        return {outcome: result.outcome, goal: decision, guide};
      }
      failed = result.error?.code === 'not_confirmed' ? undefined : result.error;
      if (failed?.kind === 'interrupted') throw failed;
      returnTo(guide, result.problem);
    }
  } finally {
    guide.close({forget: done});
  }
}

async function storeOf(context: Context): Promise<UnfinishedStore> {
  const {unfinishedStore} = await context.billing();
  return unfinishedStore({
    directory: context.dataDirectory(),
    profile: localName(await context.connection()),
    account: await context.accountId(),
    owner: context.host.identity,
    isAlive: context.isAlive,
    token: () => context.token(12),
  });
}

interface CreateRun {
  readonly context: Context;
  readonly flags: GuardFlags;
  readonly registered: RegisteredOperation;
  readonly guide: Guide;
}

async function attempt(
  {context, flags, registered, guide}: CreateRun,
  goal: Goal,
): Promise<GuidedStop | {readonly outcome: Extract<RunOutcome, {end: 'done'}>}> {
  let wanted: WantedStatement;
  let before: EarlierAttempt;
  try {
    before = await findEarlier(context, guide);
    if (before.problem) return {problem: before.problem};
    wanted = wantedOf(Object.assign(guide, {made: before.made}), goal);
    const change = await guardEqualBills(context, flags, composeChange(context, registered, wanted), wanted);
    await guardChange(guardPortOf(context, guide), flags, change);
  } catch (error) {
    if (!(error instanceof CentavoError) || error.kind === 'interrupted' || error.kind === 'local_io') throw error;
    const text =
      error.code === 'not_confirmed'
        ? 'Not confirmed. Nothing was sent.'
        : sentences(capitalized(messageAndReason(error)), 'Nothing was sent');
    return {problem: {step: 'review', made: guide.made, text}, error};
  }
  if (before.obsolete !== undefined) {
    const failed = await removeDraft(context, guide, before.obsolete);
    if (failed) return failed;
  }
  const {payer} = guide;
  guide.record({...before.made, attempted: true, customerId: payer!.id, contents: contentsOf(guide)});
  const {key} = before.made;
  const outcome = await composeStatement(context, wanted, {key, onCreated: (id) => recordCreated(guide, id)});
  if (outcome.end === 'done') return {outcome};
  const error = await explainRun(context, outcome.stop, outcome.state, wanted);
  recordFailure(context, error);
  const {attempted} = before.made;
  const made = createdAfter({...guide.made, attempted}, outcome.state);
  const gone = outcome.stop.why === 'failed' && outcome.stop.at === 'read' && outcome.stop.error.kind === 'not_found';
  const after = gone || outcome.state.status === 'deleted' ? {...noCreatedObjects(context), attempted: true} : made;
  guide.record(after);
  return {problem: problemOfStop(outcome.stop, error, wanted, after), error};
}

/** Records a new id, so that a retry neither creates the customer again nor treats it as another payer. */
function recordCreated(guide: Guide, id: string): void {
  const {made, payer, items, description} = guide;
  if (!id.startsWith('cus_')) return guide.record({...made, statementId: id});
  const known = {...payer!, id};
  guide.record({...made, customerId: id, contents: contentsOf({payer: known, items, description})}, known);
}

/** Ends the history entry of an attempt; the next attempt is a new entry. */
const recordFailure = (context: Context, error: CentavoError): void =>
  context.finish({result: error.code, exitCode: error.exitCode, applied: error.details.applied ?? 'unknown'});

/** Returns a key for the contents of a draft. Other contents need a new draft. */
const contentsOf = ({payer, items, description}: Pick<Guide, 'description' | 'items' | 'payer'>): string =>
  JSON.stringify([
    payer?.id ?? payer?.email,
    payer?.name,
    ...items.map(({description: text, quantity, unit_price: price}) => [text, quantity, price]),
    ...(description === undefined ? [] : [{description}]),
  ]);

interface EarlierAttempt {
  readonly made: CreatedObjects;
  /** Id of a draft whose contents no longer match. */
  readonly obsolete?: string;
  readonly problem?: GuidedRefusal;
}

/** Finds objects of an attempt whose response was lost, by draft key and email address. */
async function findEarlier(context: Context, guide: Guide): Promise<EarlierAttempt> {
  const {made: known} = guide;
  // A later search compares this time with the service's.
  if (!known.attempted) return {made: {...known, since: await context.serviceNow()}};
  const client = await context.client();
  const {findCustomers, findStatementById, statementsWithKey} = await context.billing();
  const {signal} = context;
  const same = guide.made.contents === contentsOf(guide);
  const {payer} = guide;
  if (payer!.id === undefined) {
    const found = (await findCustomers(client, {signal}, {email: payer!.email})).find(({name}) => name === payer!.name);
    if (found && same) recordCreated(guide, found.id);
    else if (found) guide.record(guide.made, {...payer!, id: found.id});
  }
  const {made} = guide;
  let {statementId} = made;
  if (statementId === undefined && made.customerId !== undefined) {
    const wanted = {key: made.key, customer: made.customerId, since: made.since};
    [statementId] = await statementsWithKey(client, wanted, {signal});
  }
  if (statementId === undefined) return {made};
  const statement = await findStatementById(client, statementId, {signal});
  if (!statement) return {made: noCreatedObjects(context)};
  if (same) return {made: {...made, statementId}};
  if (statement.status === 'draft') return {made: noCreatedObjects(context), obsolete: statementId};
  const name = statementNumberOf(statement) ?? statementId;
  const refusal = await refusalOf(context, 'update', statement, {named: name, reissue: ['--edit']});
  const text = `${messageAndReason(refusal)} ${nextText(refusal.details)}`;
  const problem: GuidedRefusal = {step: 'review', made: {...made, statementId, opened: true}, text};
  return {made, problem};
}

async function removeDraft(context: Context, guide: Guide, id: string): Promise<GuidedStop | undefined> {
  const history = await context.history();
  history.step('remove', [id]);
  try {
    await (await context.client()).billingStatements.delete(id, {signal: context.signal});
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    if (error.kind !== 'not_found') {
      recordFailure(context, error);
      const text = sentences(
        capitalized(messageAndReason(error)),
        `The earlier draft ${id} may still exist`,
        'No email was sent',
      );
      return {problem: {step: 'review', made: guide.made, text}, error};
    }
  }
  return undefined;
}

/** Returns the guard's context. The confirmation is asked inside the guided screen. */
const guardPortOf = (context: Context, guide: Guide): Parameters<typeof guardChange>[0] => ({
  ...context,
  prompt: {confirm: (question) => untilLeft(guide, () => askToConfirm(guide, question))},
});

/** Returns the statement's status as text. The API does not say whether an email was sent. */
async function check(context: Context, {made}: Guide): Promise<string> {
  const ask = 'The API does not say whether the email was sent: ask the customer, or check the dashboard.';
  try {
    const client = await context.client();
    const statement = await client.billingStatements.get(made.statementId!, {signal: context.signal});
    const standing = await readStanding(context, statement);
    const words = `${describeStanding(standing, await context.accountNow())}, ${formatPesos(statement.amount)}`;
    return standing.paymentId === undefined ? `${words}. ${ask}` : `${words}: the customer has the link.`;
  } catch (error) {
    if (!(error instanceof CentavoError) || error.kind === 'interrupted') throw error;
    return sentences(capitalized(messageAndReason(error)), ask);
  }
}

function createdAfter(
  made: CreatedObjects,
  {applied, customerId, statementId, status, uncertainCall}: RunProgress,
): CreatedObjects {
  return {
    ...made,
    attempted: made.attempted || applied !== 'no',
    customerId: customerId ?? made.customerId,
    statementId: statementId ?? made.statementId,
    opened: status === undefined ? made.opened : status !== 'draft',
    ...(uncertainCall === 'send' && {sendInDoubt: true}),
  };
}

/** Returns the question to ask again after a run stopped. @param explained the error that the run would exit with */
function problemOfStop(
  stop: RunStop,
  explained: CentavoError,
  wanted: WantedStatement,
  made: CreatedObjects,
): GuidedRefusal {
  const {details} = explained;
  const explanation = sentences(capitalized(explained.message), details.why, details.changed);
  if (stop.why === 'send_in_doubt' || made.sendInDoubt)
    return {
      step: 'review',
      made: {...made, sendInDoubt: true},
      text: sentences('The email may have been sent', details.why ?? capitalized(explained.message), details.changed),
    };
  if (stop.why !== 'failed') return {step: 'review', made, text: explanation};
  const {error, at, itemNumber} = stop;
  if (error.kind !== 'rejected' && !(error.kind === 'not_found' && at === 'draft')) {
    return {step: 'review', made, text: sentences(explanation, wanted.send ? 'No email was sent.' : '')};
  }
  const reason = (error.details.apiErrors ?? []).map(({detail}) => detail).join(' ') || error.message;
  const parameters = (error.details.apiErrors ?? []).map(({parameter}) => parameter ?? '');
  const named = (name: string): boolean => parameters.some((each) => each.includes(name));
  const refused = (value: string | undefined) => sentences(value ? `“${value}” was refused: ${reason}` : reason);
  if (at === 'customer')
    return named('name')
      ? {step: 'name', made, text: refused(wanted.newCustomer?.name)}
      : {step: 'email', made, text: refused(wanted.newCustomer?.email)};
  if (at === 'draft' && (named('customer') || error.kind === 'not_found'))
    return {step: 'customer', made, text: refused(wanted.customerName)};
  if (at === 'item' && itemNumber !== undefined)
    return {step: 'items', made, item: itemNumber - 1, text: refused(wanted.items[itemNumber - 1]?.description)};
  if (at === 'draft' && named('description'))
    return {step: 'description', made, text: refused(wanted.create?.description as string | undefined)};
  if (at === 'due' || named('due_at')) return {step: 'due', made, text: sentences(reason)};
  return {step: 'review', made, text: explanation};
}

const sentences = (...parts: readonly (string | undefined)[]): string =>
  parts
    .filter((part) => part !== undefined && part !== '')
    .map((part) => (/[.!?…]$/.test(part!) ? part : `${part}.`))
    .join(' ');
