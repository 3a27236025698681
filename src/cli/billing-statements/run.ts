// Runs a composite statement, or rehearses it, and prints its progress.

import type {RunEvent, Outcome, RunOptions} from '../../billing/outcome.js';
import type {Journal, Step} from '../../billing/journal.js';
import type {StatementPlan} from '../../billing/plan.js';
import type {Client} from '../../client/client.js';
import type {Context} from '../../context.js';
import {formatPesos} from '../../pesos.js';
import {journalOf} from './journal.js';

/** A statement to compose, with what people are shown of it. */
export interface WantedStatement extends StatementPlan {
  readonly total: number | undefined;
  readonly customerName: string | undefined;
}

/** The step as something that is being done: `adding item 2 of 3`. */
export function stepWords(step: Step | 'read', item?: {readonly number: number; readonly of: number}): string {
  const words: Readonly<Record<Step | 'read', string>> = {
    customer: 'creating the customer',
    draft: 'creating the draft',
    item: item ? `adding item ${item.number} of ${item.of}` : 'adding an item',
    remove: 'removing a duplicate',
    due: 'setting the due date',
    void: 'voiding the old statement',
    finalize: 'finalizing the statement',
    send: 'sending the statement',
    read: 'reading the statement again',
  };
  return words[step];
}

/** Carries the plan out. */
export async function compose(context: Context, wanted: WantedStatement): Promise<Outcome> {
  const {composeStatement, SETTLE_SECONDS} = await context.billing();
  const {io} = context;
  const say = (line: string) => io.note(io.paint('dim', `  ${line}`, 'stderr'));
  let added = 0;
  const journal = await journalOf(context);
  const tell = (news: RunEvent): void => {
    switch (news.what) {
      case 'customer':
      case 'draft':
        return say(`${news.what} ${news.id}`);
      case 'added':
        if (++added !== wanted.items.length) return;
        return say(`${added} ${added === 1 ? 'item' : 'items'}, ${formatPesos(wanted.total!)}`);
      case 'doubt':
        say(`${stepWords(news.step)}: ${news.error.details.why ?? news.error.message}`);
        return say(`waiting ${SETTLE_SECONDS} s before checking whether it was applied`);
      case 'stale':
        return say(`the API does not show all changes yet: waiting ${SETTLE_SECONDS} s before checking again`);
      case 'removed':
        return say(`removed the duplicate ${news.id}`);
      default:
        return say(news.what);
    }
  };
  return composeStatement(wanted, surroundings(context, await context.client(), journal, tell));
}

/** What the run would send, as it records it; nothing is sent, and nothing is written down. @param client records */
export async function dryRunStatement(context: Context, wanted: WantedStatement, client: Client): Promise<void> {
  const {composeStatement} = await context.billing();
  const journal: Journal = {intend: () => {}, made: () => {}, sendEnded: () => {}, earlier: () => ({unsettled: false})};
  await composeStatement(
    wanted,
    surroundings(context, client, journal, () => {}),
  );
}

const surroundings = (
  {signal, sleep, now, token}: Context,
  client: Client,
  journal: Journal,
  tell: (news: RunEvent) => void,
): RunOptions => ({client, journal, signal, sleep, now, token: () => token(24), tell});
