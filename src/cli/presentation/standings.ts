// What happened to the money of statements, from the API's objects and the history of this machine.

import {replacementLookup} from '../../accounting/replacements.js';
import {
  isSettledBy,
  knownFrom,
  NO_HISTORY,
  standingOf,
  type KnownFacts,
  type MoneyHistory,
  type Replacement,
  type Standing,
} from '../../accounting/standing.js';
import {statementName, type StatementLike} from '../../api/statement.js';
import type {Context} from '../../context/context.js';
import {CentavoError, type ErrorDetails} from '../../common/errors.js';
import {accountFlagsOf} from '../next-command.js';
import {refusalFor} from '../next-steps.js';

/**
 * Returns what the history of this machine knows of the account's money.
 * @param warn called if the history cannot be read; the result then knows nothing and says so
 */
export async function moneyHistory(
  context: Context,
  warn: (words: string) => void = context.io.note,
): Promise<MoneyHistory> {
  const {profile, mode} = await context.connection();
  try {
    return (await context.history()).money({profile: profile.value, mode});
  } catch (error) {
    if (!(error instanceof CentavoError) || error.kind !== 'local_io') throw error;
    warn(`Warning: ${error.message} Statements settled outside the service are not marked.`);
    return {...NO_HISTORY, isUnread: true};
  }
}

/** Returns the standings of listed statements, without further requests. Replacements are those listed or known here. */
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
    return [id, standingOf(statement, {...knownFrom(known, statement), replacement: replacementOf(id)}, now)] as const;
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
  return standingOf(statement, {...knownFrom(history, statement, known.receipt?.id), ...known, replacement}, now);
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
export async function refusalOf(
  context: Context,
  verb: string,
  statement: StatementLike,
  details: ErrorDetails & {readonly named?: string} = {},
): Promise<CentavoError> {
  const standing = await readStanding(context, statement);
  return refusalFor(verb, standing, {...details, account: accountFlagsOf(context), now: await context.accountNow()});
}
