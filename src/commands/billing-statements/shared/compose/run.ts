// Composes a statement, or rehearses that, and prints the progress.

import {subjectOf} from '../../../../api/statement.js';
import type {Journal, Step} from '../../../../billing/compose/journal.js';
import type {RunEvent, Outcome, RunOptions} from '../../../../billing/compose/outcome.js';
import type {StatementPlan} from '../../../../billing/compose/plan.js';
import {nameFor} from '../../../../cli/next-command.js';
import type {Client} from '../../../../client/client.js';
import type {Context} from '../../../../context.js';
import {formatPesos} from '../../../../ground/pesos.js';
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
    change: item ? `changing item ${item.number} of ${item.of}` : 'changing an item',
    remove: 'removing a duplicate',
    due: 'setting the due date',
    void: 'voiding the old statement',
    finalize: 'finalizing the statement',
    send: 'sending the statement',
    read: 'reading the statement again',
  };
  return words[step];
}

export interface ComposeOptions {
  /** The key by which the draft is found again, for a run that may have been begun before; a new one if left out. */
  readonly key?: string;
  /** Gets the ids of what was made, as soon as they are known. */
  readonly onMade?: (id: string) => void;
}

export async function compose(
  context: Context,
  wanted: WantedStatement,
  {key, onMade}: ComposeOptions = {},
): Promise<Outcome> {
  const {composeStatement} = await context.billing();
  const around = await runOptions(context, {count: wanted.items.length, total: wanted.total}, onMade);
  const outcome = await composeStatement(wanted, key === undefined ? around : {...around, token: () => key});
  if (outcome.end === 'done') (await context.audit()).about(subjectOf(outcome.statement));
  return outcome;
}

/** What a run needs: its changes are recorded in the history before they are made, and told on stderr as they come. */
export async function runOptions(
  context: Context,
  /** How many the statement gets, and what they come to in centavos. */
  items: {readonly count: number; readonly total: number | undefined},
  onMade?: (id: string) => void,
): Promise<RunOptions> {
  const {SETTLE_SECONDS} = await context.billing();
  const {io} = context;
  const say = (line: string) => io.note(`  ${line}`, {style: 'dim'});
  const named = (id: string): string => nameFor(context, id);
  let added = 0;
  const recorded = await journalOf(context);
  const journal: Journal = {
    ...recorded,
    made: (id) => {
      onMade?.(id);
      recorded.made(id);
    },
  };
  const tell = (news: RunEvent): void => {
    switch (news.what) {
      case 'customer':
      case 'draft':
        return say(`${news.what} ${named(news.id)}`);
      case 'added':
        if (++added !== items.count) return;
        return say(`${added} ${added === 1 ? 'item' : 'items'}, ${formatPesos(items.total!)}`);
      case 'voided':
        return say(`voided ${named(news.id)}`);
      case 'doubt':
        say(`${stepWords(news.step)}: ${news.error.details.why ?? news.error.message}`);
        return say(`waiting ${SETTLE_SECONDS} s before checking whether it was applied`);
      case 'stale':
        return say(`the API does not show all changes yet: waiting ${SETTLE_SECONDS} s before checking again`);
      case 'removed':
        return say(`removed the duplicate ${named(news.id)}`);
      default:
        return say(news.what);
    }
  };
  return surroundings(context, await context.client(), journal, tell);
}

/** Runs the plan with a client that only records; nothing is sent, and nothing is written down. */
export async function dryRunStatement(context: Context, wanted: WantedStatement, client: Client): Promise<void> {
  const {composeStatement} = await context.billing();
  await composeStatement(wanted, rehearsal(context, client));
}

/** What a run with a recording client needs. */
export function rehearsal(context: Context, client: Client): RunOptions {
  const journal: Journal = {intend: () => {}, made: () => {}, sendEnded: () => {}, earlier: () => ({unsettled: false})};
  return surroundings(context, client, journal, () => {});
}

const surroundings = (
  {signal, sleep, now, token}: Context,
  client: Client,
  journal: Journal,
  tell: (news: RunEvent) => void,
): RunOptions => ({client, journal, signal, sleep, now, token: () => token(24), tell});
