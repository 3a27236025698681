// Starts and ends the guided flow: its first state, its result, and the messages about an unfinished statement.

import type {CreatedObjects, UnfinishedPayer, UnfinishedStore} from '../unfinished-store.js';
import {accountArgs} from '../../../cli/next-steps.js';
import {ENVIRONMENT_PROFILE} from '../../../config/profiles.js';
import type {Connection} from '../../../config/resolve.js';
import type {Context} from '../../../context/context.js';
import {CentavoError, type ErrorDetails, nextCommand} from '../../../common/errors.js';
import {totalAsNumber, type StatementItem} from '../../../input/items.js';
import {EMPTY_FIELD} from '../../../output/prompt/line-field.js';
import type {WantedStatement} from '../cli/compose-statement.js';
import {GuidedSession} from './session.js';
import {goToQuestion, goToReview, type Goal, type GuidedState} from './state.js';
import {toCustomer} from './steps/customers.js';

export interface GuideStart {
  readonly customer: {readonly id: string; readonly name: string; readonly email: string};
  readonly items: readonly StatementItem[];
  /** Unix seconds. */
  readonly dueAt?: number;
  /** Number of the replaced open statement. */
  readonly replaces?: string;
  /** Name of the edited draft. `linesOf` describes the changes that saving would make. */
  readonly edits?: {readonly name: string; readonly linesOf: NonNullable<GuidedState['changes']>};
}

const KEY_LENGTH = 24;

interface FlowOptions {
  readonly start?: GuideStart;
  readonly store?: UnfinishedStore;
  readonly named?: TypedPayer;
}

/** The customer, or the typed text if no customer matches. */
export type TypedPayer = UnfinishedPayer | string;

/** Opens the flow at its first question, and starts to load the customers unless a draft is edited. */
export async function openGuidedSession(context: Context, {start, store, named}: FlowOptions): Promise<GuidedSession> {
  const connection = await context.connection();
  const open = context.io.plain
    ? (await import('./screens/plain-screen.js')).openPlainScreen
    : (await import('./screens/terminal-screen.js')).openTerminalScreen;
  const now = await context.accountNow();
  const state = initialState(context, connection, {start, store, named, now});
  const session = await GuidedSession.open({context, state, store, open});
  if (!start?.edits) void session.loadCustomers();
  return session;
}

function initialState(
  context: Context,
  connection: Connection,
  {start, store, named, now}: FlowOptions & {readonly now: number},
): GuidedState {
  const empty: GuidedState = {
    step: 'customer',
    title: titleOf(start),
    isSaved: store !== undefined,
    isDescribed: start === undefined,
    isReplacing: start?.replaces !== undefined,
    ...(start?.edits && {changes: start.edits.linesOf}),
    account: accountText(connection),
    mode: connection.mode,
    now,
    items: start?.items ?? [],
    ...(start && {payer: start.customer, dueAt: start.dueAt}),
    field: EMPTY_FIELD,
    halfTyped: {},
    returns: false,
    invalidLines: [],
    undo: [],
    scrolled: 0,
    people: [],
    loading: true,
    shown: {query: '', people: []},
    mark: '',
    found: store?.list() ?? [],
    made: noCreatedObjects(context),
    plainLines: [],
  };
  if (typeof named === 'string') return toCustomer(empty, named);
  if (named) return goToQuestion({...empty, payer: named}, 'items');
  if (empty.found.length > 0) return goToQuestion(empty, 'unfinished', '', {mark: '1'});
  if (!start) return toCustomer(empty);
  if (start.edits) return goToQuestion(empty, 'items', '', {returns: true});
  if (start.items.length === 0) return goToQuestion(empty, 'items');
  // A due date that has passed is asked for again.
  if (start.dueAt === undefined || start.dueAt < empty.now) return goToQuestion({...empty, dueAt: undefined}, 'due');
  return goToReview(empty);
}

function titleOf({edits, replaces}: Partial<GuideStart> = {}): string {
  if (edits) return `Edit ${edits.name}`;
  return replaces === undefined ? 'New billing statement' : `Replace ${replaces}`;
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

export function wantedOf(state: GuidedState, goal: Goal): WantedStatement {
  const {items, dueAt, description, made} = state;
  const payer: UnfinishedPayer = state.payer!;
  return {
    id: made.statementId,
    ...(made.statementId === undefined && {
      create: {
        currency: 'PHP',
        ...(description !== undefined && {description}),
        customer_id: payer.id ?? '',
      },
    }),
    ...(payer.id === undefined && {newCustomer: {name: payer.name, email: payer.email}}),
    customerName: payer.name,
    items,
    dueAt,
    finalize: goal !== 'draft',
    send: goal === 'send',
    total: totalAsNumber(items),
  };
}

/** The error after Ctrl-C, or when the terminal was closed. */
export const cancelledError = (context: Context, session: GuidedSession): CentavoError =>
  new CentavoError('interrupted', 'stopped before the statement was done.', leavingDetails(context, session));

/** Returns error details: the existing parts of an unfinished statement, and how to continue. */
export function leavingDetails(context: Context, session: GuidedSession): ErrorDetails {
  const {hasSaved, saveError} = session;
  const {attempted, sendInDoubt, statementId, opened} = session.state.made;
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
    ...(hasSaved && {next: [nextCommand('To continue', 'billing-statements create', accountArgs(context))]}),
  };
}

/** Asks for a statement. Saves and sends nothing. @throws CentavoError kind `interrupted` or `refused` if the user quits */
export async function runGuidedFlow(context: Context, options: Omit<FlowOptions, 'store'>): Promise<WantedStatement> {
  const session = await openGuidedSession(context, options);
  try {
    for (;;) {
      const decision = await session.decide();
      if (decision.type === 'interrupted') throw cancelledError(context, session);
      if (decision.type === 'quit') throw new CentavoError('refused', 'canceled.');
      if (decision.type === 'goal') return wantedOf(session.state, decision.goal);
    }
  } finally {
    session.close();
  }
}
