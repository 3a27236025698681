// Marks statements that were settled outside the service, for which they are only void.

import {hasEnded} from '../../api/statement.js';
import type {Settlement} from '../../audit/queries.js';
import type {Context} from '../../context.js';
import {CentavoError} from '../../ground/errors.js';
import {shortDay} from '../../ground/manila.js';
import type {Result, Row, WordsByPath} from '../../output/result.js';

const mayBeSettled = (row: Row): boolean => row.resource === 'billing_statement' && hasEnded(row);

/** Everything that was settled outside from this machine, by the id of the statement. */
export async function allSettlements(context: Context): Promise<ReadonlyMap<string, Settlement>> {
  const {profile, mode} = await context.connection();
  return (await context.audit()).settlements({profile: profile.value, mode});
}

/** By id, from the local history, which is read only if a statement may be settled. */
export async function settlementsOf(
  context: Context,
  statements: readonly Row[],
): Promise<ReadonlyMap<string, Settlement>> {
  if (!statements.some(mayBeSettled)) return new Map();
  try {
    return await allSettlements(context);
  } catch (error) {
    // A statement can be shown without its settlement.
    if (error instanceof CentavoError && error.kind === 'local_io') return new Map();
    throw error;
  }
}

/** Adds settlements to the words for people. */
export function withSettled(context: Context, result: Result): Result {
  const {rows, words, view} = result;
  if (!rows.some(mayBeSettled)) return result;
  let known: Promise<ReadonlyMap<string, Settlement>> | undefined;
  const settlements = () => (known ??= settlementsOf(context, rows));
  return {
    ...result,
    words: async () => wordsWith(await settlements(), (await words?.()) ?? new Map()),
    ...(view && {
      view: async (row, options) => {
        const {statementView} = await import('./statement-view.js');
        return statementView(row, {...options, settlement: (await settlements()).get(String(row.id))});
      },
    }),
  };
}

/** `settled 23 Nov`; next to the due date, `settled`. */
const wordsWith = (settlements: ReadonlyMap<string, Settlement>, words: WordsByPath): WordsByPath =>
  new Map([
    ...words,
    [
      'status',
      (row, look) => {
        const settlement = row.status === 'void' ? settlements.get(String(row.id)) : undefined;
        if (!settlement) return words.get('status')?.(row, look);
        const day = look.beside.has('due_at') ? '' : ` ${shortDay(settlement.at, look.now)}`;
        return {text: `settled${day}`, style: 'dim'};
      },
    ],
  ]);
