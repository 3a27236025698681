// Finds the statement that replaces another, by the metadata key that a reissue sets.

import {statementName, type StatementLike} from '../api/statement.js';
import {isJsonObject} from '../common/json.js';
import {isSettledBy, type MoneyHistory, type Replacement} from './standing.js';

/** Metadata key with the id of the replaced statement. */
export const REPLACES_KEY = 'centavo_replaces';

export function replacedBy({metadata}: StatementLike): string | undefined {
  const {[REPLACES_KEY]: old} = isJsonObject(metadata) ? metadata : {};
  return typeof old === 'string' ? old : undefined;
}

type Statement = StatementLike & {readonly id: string};

/**
 * Returns a lookup of the last live replacement of a statement: a listed one, or else the last that this machine recorded
 * and did not void, whose present status takes a request. A draft replaces nothing yet, and neither does a void statement
 * that was not settled: what it replaced is then simply void.
 * @param nameOf the name of a statement that is not listed
 */
export function replacementLookup(
  statements: readonly Statement[],
  history: MoneyHistory,
  nameOf: (id: string) => string = (id) => id,
): (id: string) => Replacement | undefined {
  const successors = new Map<string, Statement[]>();
  for (const statement of statements) {
    const old = replacedBy(statement);
    if (old === undefined || statement.status === 'draft' || statement.deleted === true) continue;
    successors.set(old, [...(successors.get(old) ?? []), statement]);
  }
  const isGone = (id: string, isVoid: boolean) => isVoid && !isSettledBy(history.settlement(id), {status: 'void'});
  const listed = (id: string, seen: ReadonlySet<string> = new Set([id])): Replacement | undefined => {
    for (const next of successors.get(id) ?? []) {
      if (seen.has(next.id)) continue;
      if (!isGone(next.id, next.status === 'void')) return {id: next.id, name: statementName(next)};
      const later = listed(next.id, new Set([...seen, next.id]));
      if (later) return later;
    }
    return undefined;
  };
  const byId = new Map(statements.map((statement) => [statement.id, statement]));
  const recorded = (id: string): Replacement | undefined => {
    const last = history.replacements(id).at(-1);
    if (last === undefined) return undefined;
    const later = recorded(last);
    if (later) return later;
    const known = byId.get(last);
    if (isGone(last, known?.status === 'void' || history.end(last) !== undefined)) return undefined;
    return {id: last, name: known ? statementName(known) : nameOf(last)};
  };
  return (id) => listed(id) ?? recorded(id);
}
