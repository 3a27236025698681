// The guided flow: who pays, the items, the due date, and a review. Sends nothing itself.

import type {CreatedObjects, UnfinishedPayer, UnfinishedStore} from '../unfinished-store.js';
import {accountArgs} from '../../../cli/next-steps.js';
import {ENVIRONMENT_PROFILE} from '../../../config/profiles.js';
import type {Connection} from '../../../config/resolve.js';
import type {Context} from '../../../context/context.js';
import {CentavoError, type ErrorDetails, nextCommand} from '../../../common/errors.js';
import {totalAsNumber, type StatementItem} from '../../../input/items.js';
import {PromptEnded, type Asker, type Terminal} from '../../../output/prompt/asker.js';
import type {WantedStatement} from '../cli/compose-statement.js';
import {errorNote, Guide, type Goal, type GuidedRefusal, type GuidedStep} from './guide.js';
import {askCustomer} from './steps/customers.js';
import {askDue} from './steps/due.js';
import {askItems} from './steps/items.js';
import {askDescription, askReview} from './steps/review.js';
import {askUnfinished} from './steps/unfinished.js';

export interface GuideStart {
  readonly customer: {readonly id: string; readonly name: string; readonly email: string};
  readonly items: readonly StatementItem[];
  /** Unix seconds. */
  readonly dueAt?: number;
  /** Number of the replaced open statement. */
  readonly replaces?: string;
  /** Name of the edited draft. `linesOf` describes the changes that saving would make. */
  readonly edits?: {readonly name: string; readonly linesOf: NonNullable<Guide['changes']>};
}

const KEY_LENGTH = 24;

interface FlowOptions {
  readonly start?: GuideStart;
  readonly store?: UnfinishedStore;
  readonly named?: TypedPayer;
}

/** The customer, or the typed text if no customer matches. */
export type TypedPayer = UnfinishedPayer | string;

/** Opens the terminal, and starts to load the customers unless a draft is edited. Close the guide at the end. */
export async function openGuide(context: Context, {start, store, named}: FlowOptions): Promise<Guide> {
  const connection = await context.connection();
  const now = await context.accountNow();
  const account = accountText(connection);
  const guide = new Guide({
    ...{context, store, account, now},
    asker: await openAsker(context, titleOf(start), account, connection.mode === 'live'),
    isDescribed: start === undefined,
    isReplacing: start?.replaces !== undefined,
    changes: start?.edits?.linesOf,
    made: noCreatedObjects(context),
  });
  if (!start?.edits) guide.loadCustomers();
  if (typeof named === 'string') guide.halfTyped.customer = named;
  else if (named) Object.assign(guide, {payer: named, step: 'items'});
  else if (start) startFrom(guide, start);
  else guide.step = 'unfinished';
  return guide;
}

function startFrom(guide: Guide, {customer, items, dueAt, edits}: GuideStart): void {
  // A due date that has passed is asked for again.
  const isDue = edits !== undefined || (dueAt !== undefined && dueAt >= guide.now);
  const step = edits || items.length === 0 ? 'items' : isDue ? 'review' : 'due';
  Object.assign(guide, {payer: customer, items, step, dueAt: isDue ? dueAt : undefined, returns: edits !== undefined});
}

async function openAsker({host, io, signal}: Context, title: string, account: string, isLive: boolean): Promise<Asker> {
  const terminal = {input: host.stdin, output: host.stderr, signal} as unknown as Terminal;
  if (io.plain) {
    const {openPlainAsker} = await import('../../../output/prompt/plain-asker.js');
    return openPlainAsker(terminal, {io, title: `${title}, ${account}`});
  }
  const {openDrawnAsker} = await import('../../../output/prompt/drawn-asker.js');
  return openDrawnAsker(terminal, {io, host, title: [title, account], isLive});
}

function titleOf({edits, replaces}: Partial<GuideStart> = {}): string {
  if (edits) return `Edit ${edits.name}`;
  return replaces === undefined ? 'New billing statement' : `Replace ${replaces}`;
}

/**
 * Asks each question from `guide.step` on, then shows the review, until the user decides. An answer that was edited from the
 * review leads back to it.
 * @throws PromptEnded if the user leaves
 */
export async function askForDecision(guide: Guide): Promise<Goal | 'check' | 'quit'> {
  if (guide.step === 'unfinished') await askUnfinished(guide);
  let step: GuidedStep = guide.step;
  for (;;) {
    guide.now = guide.context.displayNow();
    const hasReturned = guide.returns;
    if (step === 'items') {
      const isDone = await askItems(guide);
      step = hasReturned || (!isDone && guide.isCustomerFixed) ? 'review' : isDone ? 'due' : 'customer';
    } else if (step === 'due') {
      const isDone = await askDue(guide);
      step = hasReturned || isDone ? 'review' : 'items';
    } else if (step === 'description') {
      await askDescription(guide);
      step = 'review';
    } else if (step === 'review') {
      guide.returns = false;
      const choice = await askReview(guide);
      if (/^(check|draft|finalize|quit|send)$/.test(choice)) return choice as Goal | 'check' | 'quit';
      guide.returns = choice !== 'back';
      step = choice === 'back' ? 'due' : (choice as GuidedStep);
      guide.step = step;
    } else {
      await askCustomer(guide);
      step = hasReturned ? 'review' : 'items';
    }
  }
}

/** Leads to the step that was refused, with the reason as a note. */
export function returnTo(guide: Guide, {step, text, item, made}: GuidedRefusal): void {
  guide.record(made);
  guide.asker.dropTypedAhead();
  Object.assign(guide, {step, note: errorNote(text), refusedItem: item, returns: step !== 'review'});
}

export const noCreatedObjects = (context: Pick<Context, 'displayNow' | 'token'>): CreatedObjects => ({
  key: context.token(KEY_LENGTH),
  since: context.displayNow(),
  attempted: false,
});

/** `test account “shop”, no money moves` */
export function accountText({mode, profile}: Pick<Connection, 'mode' | 'profile'>): string {
  if (mode === 'sandbox') return 'sandbox, no money moves';
  const account = profile.value === ENVIRONMENT_PROFILE ? 'account' : `account “${profile.value}”`;
  return mode === 'live' ? `LIVE ${account}, real money` : `test ${account}, no money moves`;
}

export function wantedOf({payer, items, dueAt, description, made}: Guide, goal: Goal): WantedStatement {
  const {id, name, email} = payer!;
  return {
    id: made.statementId,
    ...(made.statementId === undefined && {
      create: {
        currency: 'PHP',
        ...(description !== undefined && {description}),
        customer_id: id ?? '',
      },
    }),
    ...(id === undefined && {newCustomer: {name, email}}),
    customerName: name,
    items,
    dueAt,
    finalize: goal !== 'draft',
    send: goal === 'send',
    total: totalAsNumber(items),
  };
}

/** Runs questions. @throws CentavoError kind `interrupted` after Ctrl-C, or when the terminal was closed */
export async function untilLeft<T>(guide: Guide, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof PromptEnded)) throw error;
    guide.save();
    throw new CentavoError('interrupted', 'stopped before the statement was done.', leavingDetails(guide));
  }
}

/** Returns error details: the existing parts of an unfinished statement, and how to continue. */
export function leavingDetails({context, made, hasSaved, saveError}: Guide): ErrorDetails {
  const {attempted, sendInDoubt, statementId, opened} = made;
  const [applied, there] = sendInDoubt
    ? (['unknown', 'The email may have been sent.'] as const)
    : statementId !== undefined
      ? (['yes', `${opened ? 'The statement' : 'The draft'} ${statementId} exists; no email was sent.`] as const)
      : attempted
        ? (['unknown', 'An earlier attempt may have created part of the statement; no email was sent.'] as const)
        : (['no', 'Nothing was sent.'] as const);
  const kept = hasSaved ? ' Your input is saved.' : saveError === undefined ? '' : ' Your input could not be saved.';
  return {
    applied,
    changed: `${there}${kept}`,
    ...(hasSaved && {next: [nextCommand('To continue', 'bill', accountArgs(context))]}),
  };
}

/** Asks for a statement. Saves and sends nothing. @returns undefined if the user quits @throws CentavoError after Ctrl-C */
export async function askForStatement(
  context: Context,
  options: Omit<FlowOptions, 'store'>,
): Promise<WantedStatement | undefined> {
  const guide = await openGuide(context, options);
  try {
    const decision = await untilLeft(guide, () => askForDecision(guide));
    // Without created objects there is nothing to check.
    return decision === 'quit' || decision === 'check' ? undefined : wantedOf(guide, decision);
  } finally {
    guide.close();
  }
}
