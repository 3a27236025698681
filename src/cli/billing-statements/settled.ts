// Statements that were settled in another way than through the service, as people read them: the service says only that they are void.

import type {Settlement} from '../../billing/books/settlements.js';
import type {Context} from '../../context.js';
import {CentavoError} from '../../errors.js';
import {shortDay} from '../../manila.js';
import type {Result, Row, WordsByPath} from '../../output/result.js';

/** The states in which a statement that was settled ends. */
const ENDED: readonly unknown[] = ['void', 'uncollectible'];

/** Whether it may have been settled. */
export const hasEnded = ({resource, status}: Row): boolean =>
  resource === 'billing_statement' && ENDED.includes(status);

/** What the history of this machine says of these statements, by their ids. It is read only where one of them may have been settled. */
export async function settlementsOf(
  context: Context,
  statements: readonly Row[],
): Promise<ReadonlyMap<string, Settlement>> {
  if (!statements.some(hasEnded)) return new Map();
  const {settlementsIn} = await context.billing();
  const {profile, mode} = await context.connection();
  try {
    return settlementsIn((await context.audit()).records(), {profile: profile.value, mode});
  } catch (error) {
    // What the service says can be shown without it.
    if (error instanceof CentavoError && error.kind === 'local_io') return new Map();
    throw error;
  }
}

/** The result with what is known of settlements in the words for people. */
export function withSettled(context: Context, result: Result): Result {
  const {rows, words, view} = result;
  if (!rows.some(hasEnded)) return result;
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

/** `settled 23 Nov`; beside the due date, `settled`. */
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
