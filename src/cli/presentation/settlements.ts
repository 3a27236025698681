// Marks statements that were settled outside the API, which reports them only as void.

import {hasEnded, settlementOf} from '../../api/statement.js';
import type {LocalSettlement} from '../../accounting/standing.js';
import type {Context} from '../../context/context.js';
import {CentavoError} from '../../common/errors.js';
import {shortDay} from '../../common/manila.js';
import type {CommandResult, ResultRow, ValueFormatters} from '../../output/result.js';

const mayBeSettled = (row: ResultRow): boolean => row.resource === 'billing_statement' && hasEnded(row);

/**
 * Reads the settlements made from this machine, by statement id, from the local history.
 * @param warn called if the history cannot be read; the result is then empty
 */
export async function localSettlements(
  context: Context,
  warn: (words: string) => void = context.io.note,
): Promise<ReadonlyMap<string, LocalSettlement>> {
  const {profile, mode} = await context.connection();
  try {
    return (await context.history()).settlements({profile: profile.value, mode});
  } catch (error) {
    if (!(error instanceof CentavoError) || error.kind !== 'local_io') throw error;
    warn(`Warning: ${error.message} Statements settled outside the service are not marked.`);
    return new Map();
  }
}

/** Reads the history only if a statement may be settled. Returns an empty map if the history cannot be read. */
export const settlementsOf = async (
  context: Context,
  statements: readonly ResultRow[],
): Promise<ReadonlyMap<string, LocalSettlement>> => {
  if (!statements.some(mayBeSettled)) return new Map();
  const all = await localSettlements(context, () => {});
  const found = statements.map((row) => [String(row.id), settlementOf(all, row)] as const);
  return new Map(found.filter((entry): entry is [string, LocalSettlement] => entry[1] !== undefined));
};

export function withSettlements(context: Context, result: CommandResult): CommandResult {
  const {rows, formatters: words, view} = result;
  if (!rows.some(mayBeSettled)) return result;
  let known: Promise<ReadonlyMap<string, LocalSettlement>> | undefined;
  const settlements = () => (known ??= settlementsOf(context, rows));
  return {
    ...result,
    formatters: async () => formattersWith(await settlements(), (await words?.()) ?? new Map()),
    ...(view && {
      view: async (row, options) => {
        const {statementView} = await import('./statement-view.js');
        return statementView(row, {...options, settlement: (await settlements()).get(String(row.id))});
      },
    }),
  };
}

/** Formats the status of a settled statement: `settled 23 Nov`, or `settled` next to a due date. */
const formattersWith = (settlements: ReadonlyMap<string, LocalSettlement>, words: ValueFormatters): ValueFormatters =>
  new Map([
    ...words,
    [
      'status',
      (row, format) => {
        const settlement = row.status === 'void' ? settlements.get(String(row.id)) : undefined;
        if (!settlement) return words.get('status')?.(row, format);
        const day = format.shownPaths.has('due_at') ? '' : ` ${shortDay(settlement.at, format.now)}`;
        return {text: `settled${day}`, style: 'dim'};
      },
    ],
  ]);
