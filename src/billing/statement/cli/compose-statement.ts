// Composes a statement and prints the progress. Checks a plan before its first call.

import {MAXIMUM_CENTAVOS, MINIMUM_CENTAVOS} from '../../../api/fields.js';
import {statementSubjectOf} from '../../../api/statement.js';
import type {RunOutcome} from '../workflow/outcome.js';
import type {RunCall} from '../workflow/run-events.js';
import type {RunProgressEvent} from '../workflow/run-plan.js';
import type {StatementPlan} from '../plan.js';
import type {RunOverrides} from '../../../context/statement-runs.js';
import {keepAnswer} from '../../../cli/operations/perform.js';
import type {Context} from '../../../context/context.js';
import {usageError} from '../../../common/errors.js';
import {timeOfDay} from '../../../common/manila.js';
import {formatPesos} from '../../../common/pesos.js';

/** A plan, with its total in centavos and the customer's name for messages. */
export interface WantedStatement extends StatementPlan {
  readonly total: number | undefined;
  readonly customerName: string | undefined;
}

interface ItemOf {
  readonly number: number;
  readonly of: number;
}

const formatItem = (item: ItemOf | undefined): string => (item ? `item ${item.number} of ${item.of}` : 'an item');

/** Returns the step in progress: `adding item 2 of 3`. */
export function formatStep(step: RunCall | 'read', item?: ItemOf): string {
  const words: Readonly<Record<RunCall | 'read', string>> = {
    customer: 'creating the customer',
    draft: 'creating the draft',
    item: `adding ${formatItem(item)}`,
    change: `changing ${formatItem(item)}`,
    remove: 'removing a duplicate',
    due: 'setting the due date',
    void: 'voiding the old statement',
    finalize: 'finalizing the statement',
    take_over: 'claiming the draft',
    send: 'sending the statement',
    read: 'reading the statement again',
  };
  return words[step];
}

/** Returns the step after it was done: `item 2 of 3 was added`. */
export function formatDoneStep(step: RunCall, item?: ItemOf): string {
  const words: Readonly<Record<RunCall, string>> = {
    customer: 'the customer was created',
    draft: 'the draft was created',
    item: `${formatItem(item)} was added`,
    change: `${formatItem(item)} was changed`,
    remove: 'an item was removed',
    due: 'the due date was set',
    void: 'the old statement was voided',
    finalize: 'the statement was finalized',
    take_over: 'the draft was claimed',
    send: 'the statement was sent',
  };
  return words[step];
}

/** Carries out a plan, prints its progress, and notes the statement for the history. */
export async function composeStatement(
  context: Context,
  wanted: WantedStatement,
  how: Pick<RunOverrides, 'key' | 'onCreated'> = {},
): Promise<RunOutcome> {
  const runs = await context.runs();
  const keyed = context.keyed();
  keyed?.send({}, wanted.id);
  const key = how.key ?? keyed?.current?.plan_key;
  const outcome = await runs.carryOut(wanted, {...how, key, onProgress: progressPrinter(context, wanted)});
  if (outcome.end === 'done') {
    (await context.history()).setSubject(statementSubjectOf(outcome.statement));
    await keepAnswer(context, outcome.statement);
  }
  return outcome;
}

/** Returns a handler that prints the progress of a run on stderr. */
export function progressPrinter(
  {io, names}: Context,
  {items, total, edits}: Pick<WantedStatement, 'edits' | 'items' | 'total'>,
): (event: RunProgressEvent) => void {
  const print = (line: string) => io.note(`  ${line}`, {style: 'dim'});
  const nameOf = (id: string): string => names.get(id) ?? id;
  let added = 0;
  const printDone = (call: RunCall, id: string): void => {
    if (call === 'customer' || call === 'draft') print(`${call} ${nameOf(id)}`);
    else if (call === 'finalize') print('finalized');
    else if (call === 'void') print(`voided ${nameOf(id)}`);
    else if (call === 'send') print('sent');
    else if (call === 'remove' && !edits) print(`removed the duplicate ${nameOf(id)}`);
    else if (call === 'item' && ++added === items.length)
      print(`${added} ${added === 1 ? 'item' : 'items'}, ${formatPesos(total!)}`);
  };
  return (event) => {
    if (event.type === 'answered') printDone(event.call, event.id);
    else if (event.type === 'outcome_unknown')
      print(`no clear answer while ${formatStep(event.call)}: the change may have been made`);
    else print(`checking until ${timeOfDay(event.until)} ${WAITS[event.why]}`);
  };
}

export const WAITS: Readonly<Record<Extract<RunProgressEvent, {type: 'wait'}>['why'], string>> = {
  creation: 'whether the call was applied',
  other_runs: 'that no other run has finalized a replacement',
  lag: 'because the API does not show all changes yet',
  opened: 'the finalized statement',
  takeover: 'that no other machine is still working on this draft',
};

interface Planned {
  /** Centavos; undefined without items. */
  readonly total: number | undefined;
  /** Unix seconds. */
  readonly dueAt: number | undefined;
  readonly finalize: boolean;
}

/** Refuses a plan that the API would refuse only after some calls. @param hints how this command takes items */
export function checkPlan({total, dueAt, finalize}: Planned, hints: {readonly items: string}): void {
  const hint = `A statement can collect between ${formatPesos(MINIMUM_CENTAVOS)} and ${formatPesos(MAXIMUM_CENTAVOS)}.`;
  if (total !== undefined && total > MAXIMUM_CENTAVOS)
    throw usageError('invalid_amount', `the items come to ${formatPesos(total)}, which is too much.`, {hint});
  if (!finalize) return;
  if (total === undefined)
    throw usageError('missing_flag', 'a statement without items cannot be finalized.', {hint: hints.items});
  if (total < MINIMUM_CENTAVOS)
    throw usageError('invalid_amount', `the items come to ${formatPesos(total)}, which is too little.`, {hint});
  if (dueAt === undefined)
    throw usageError('missing_flag', 'a statement without a due date cannot be finalized.', {
      hint: 'Add --due 2026-12-15 or --due +30d',
    });
}
