// Reads the standings of statements from the API's objects and the history of this machine, and shows them.

import {commandText} from '../../common/next-text.js';
import {replacementLookup} from '../../accounting/replacements.js';
import {
  isReceived,
  isSettledBy,
  knownFrom,
  NO_HISTORY,
  standingOf,
  type KnownFacts,
  type MoneyHistory,
  type Replacement,
  type Standing,
} from '../../accounting/standing.js';
import {settledAt, stateLabel} from '../../accounting/words.js';
import {statementName, statementText, unixTimeOf, type StatementLike} from '../../api/statement.js';
import type {Context} from '../../context/context.js';
import {CentavoError} from '../../common/errors.js';
import type {CommandResult, ResultRow, ValueFormatters} from '../../output/result.js';
import {accountArgs, nextStep} from '../next-steps.js';
import {captureOf, refusalFor, type RefusalDetails} from '../refusals.js';

/**
 * Returns the facts about the account's money in the history of this machine.
 * @param warn called if the history cannot be read; the result then knows nothing and says so
 */
export async function moneyHistory(
  context: Context,
  warn: (words: string) => void = context.io.note,
): Promise<MoneyHistory> {
  const history = await context.history();
  try {
    return history.money();
  } catch (error) {
    if (!(error instanceof CentavoError) || error.kind !== 'local_io') throw error;
    warn(`Warning: ${error.message} Statements settled outside the service are not marked.`);
    return {...NO_HISTORY, isUnread: true};
  }
}

/**
 * Adds what happened to the money of statements: the state in words at a terminal, and the fields of the standing for
 * `--fields` and pipes.
 */
export async function withStandings(context: Context, result: CommandResult): Promise<CommandResult> {
  const {rows, shown = rows, formatters, view} = result;
  // The result of a send has no status.
  const statements = shown.filter((row) => row.resource === 'billing_statement' && 'status' in row);
  const [only] = statements;
  if (!only) return result;
  const standings =
    result.shape === 'one'
      ? new Map([[String(only.id), await readStanding(context, only, receiptShown(only))]])
      : await standingsOf(context, statements);
  const standingIn = ({id}: ResultRow): Standing | undefined => standings.get(String(id));
  return {
    ...result,
    shown: shown.map((row) => ({...row, ...standingFields(standingIn(row))})),
    formatters: async () => new Map([...((await formatters?.()) ?? []), ['status', stateFormatter(standings)]]),
    ...(view && {
      view: (row, options) => {
        const standing = standingIn(row)!;
        const capture = captureOf(standing, standing.id);
        const next =
          standing.state === 'held' ? commandText(nextStep('capture', capture, accountArgs(context))) : undefined;
        const known = {...options, standing, next};
        return view(row, known);
      },
    }),
  };
}

/** Shows the state in words. A new status of the service keeps its own word. */
export const stateFormatter =
  (standings: ReadonlyMap<string, Standing>): NonNullable<ReturnType<ValueFormatters['get']>> =>
  ({id}, {now, shownPaths}) => {
    const standing = standings.get(String(id));
    if (!standing || standing.state === 'unknown') return undefined;
    return stateLabel(standing, now, shownPaths.has('due_at') || shownPaths.has('paid_at'));
  };

/** Fields of the standing under their printed names. */
const standingFields = (standing: Standing | undefined): object | undefined =>
  standing && {
    state: standing.state,
    owed: standing.balance,
    refunded: standing.refunded,
    settled_reason: standing.settlement?.reason ?? null,
    replaced_by: standing.replacement ?? null,
    unknown: standing.unknown,
    paid_at: standing.paidAt ?? settledAt(standing) ?? null,
    method: standing.method ?? null,
  };

/** True if the service received a payment. */
export const isPaid = (object: StatementLike): boolean => isReceived(standingOf(object, {}, 0));

const receiptShown = ({paid_at: at, method}: StatementLike): KnownFacts => ({
  receipt: {at: unixTimeOf(at), method: statementText(method)},
});

/**
 * Returns the standings of statements, listed or displayed, without further requests. Replacements are those listed or
 * known here.
 */
export async function standingsOf(
  context: Context,
  statements: readonly StatementLike[],
  history?: MoneyHistory,
): Promise<ReadonlyMap<string, Standing>> {
  const known = history ?? (await moneyHistory(context, () => {}));
  const now = await context.accountNow();
  const all = statements as readonly (StatementLike & {readonly id: string})[];
  const replacementOf = replacementLookup(all, known, (id) => context.names.get(id) ?? id);
  const found = all.map((statement) => {
    const {id} = statement;
    const facts = {...knownFrom(known, statement), ...receiptShown(statement), replacement: replacementOf(id)};
    return [id, standingOf(statement, facts, now)] as const;
  });
  return new Map(found);
}

/** Maximum statements of a chain of replacements that are read. */
const MAX_CHAIN = 10;

/** Returns the standing of one statement. Reads the replacement of a void one, which may be void itself. */
export async function readStanding(
  context: Context,
  statement: StatementLike,
  known: KnownFacts = {},
): Promise<Standing> {
  const history = await moneyHistory(context, () => {});
  const now = await context.accountNow();
  const replacement =
    statement.status === 'void' ? await readReplacement(context, history, String(statement.id)) : undefined;
  const {end, ...facts} = knownFrom(history, statement, known.receipt?.id);
  // If a replacement was voided elsewhere, only that machine knows whether it was paid outside.
  const isEndKnown = end && history.replacements(String(statement.id)).every((next) => history.end(next));
  return standingOf(statement, {...facts, ...(isEndKnown && {end}), ...known, replacement}, now);
}

async function readReplacement(
  context: Context,
  history: MoneyHistory,
  id: string,
  left = MAX_CHAIN,
): Promise<Replacement | undefined> {
  if (isSettledBy(history.settlement(id), {status: 'void'}) || left === 0) return undefined;
  const {findStatementById} = await context.billing();
  const client = await context.client();
  for (const next of history.replacements(id).toReversed()) {
    // If the replacement cannot be read, it is assumed to be live: billing twice is worse than looking once more.
    const found = await findStatementById(client, next, context).catch((error: unknown) => {
      if (!(error instanceof CentavoError) || error.kind === 'interrupted') throw error;
      return {id: next, status: 'open'} as StatementLike;
    });
    if (!found || found.status === 'draft') continue;
    if (found.status !== 'void' || isSettledBy(history.settlement(next), found))
      return {id: next, name: statementName({...found, id: next})};
    const later = await readReplacement(context, history, next, left - 1);
    if (later) return later;
  }
  return undefined;
}

/** Returns the error for a verb that the statement's money rules out. @param details `named` replaces the id in the hint */
export const refusalOf = async (
  context: Context,
  verb: string,
  statement: StatementLike,
  details: RefusalDetails = {},
): Promise<CentavoError> => refusalIn(context, verb, await readStanding(context, statement), details);

/** Like `refusalOf`, for a standing that was already read. */
export const refusalIn = async (
  context: Context,
  verb: string,
  standing: Standing,
  details: RefusalDetails = {},
): Promise<CentavoError> =>
  refusalFor(verb, standing, {...details, account: accountArgs(context), now: await context.accountNow()});
