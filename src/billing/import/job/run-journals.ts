// The engine's journals of an import: the events of each new customer and each row, in the job's file. The row's columns
// summarize the events. An intent is on the disk before its call is made; concurrent intents share one write.

import {paymentLinkOf, statementNumberOf} from '../../../api/statement.js';
import type {BillingStatementData} from '../../statement/plan.js';
import {draftOwnersOf} from '../../statement/workflow/decide.js';
import type {RunJournal} from '../../statement/workflow/journal.js';
import {statementIdIn, type RunEvent} from '../../statement/workflow/run-events.js';
import type {JobFile} from './job-file.js';
import type {JobCustomer, StatementRow} from './job-types.js';

export function customerJournal(job: JobFile, {ref}: JobCustomer): RunJournal {
  return {
    key: job.customerKey(ref),
    run: job.id,
    events: job.eventsOf(ref),
    record: (event) => {
      job.addEvents(ref, event);
      if (event.type === 'intended') return job.commitTogether();
      if ((event.type === 'answered' || event.type === 'found') && event.id) job.setCustomer(ref, {id: event.id});
    },
    disown: () => {},
    close: () => {},
  };
}

/** True if the run owns or has owned the statement. Also true without an owner, as for a new customer. */
export function hasOwned(run: string, statement: BillingStatementData): boolean {
  const {owner, previous} = draftOwnersOf(statement);
  return owner === undefined || owner === run || previous.includes(run);
}

/** Values of a row whose statement was read. */
export const valuesOf = (statement: BillingStatementData) => ({
  id: statement.id,
  status: statement.status ?? null,
  number: statementNumberOf(statement) ?? null,
  link: paymentLinkOf(statement) ?? null,
});

/** @param events empty for a run that ignores the row's recorded events */
export function rowJournal(job: JobFile, row: StatementRow, events = eventsOfRow(job, row)): RunJournal {
  const {n, key} = row;
  let call: string | undefined;
  return {
    key,
    run: job.runOf(n),
    events,
    record: (event) => {
      job.addEvents(n, event);
      if (event.type === 'intended') ({call} = event);
      const values = rowValuesAfter(event, call);
      if (values) job.setRow(n, values);
      if (event.type === 'intended' && (call === 'draft' || call === 'take_over')) job.setRivalsChecked(false);
      if (event.type === 'intended') return job.commitTogether();
    },
    disown: () => disown(job, n),
    close: () => {},
  };
}

/** The row's statement is gone or owned by another run; the row starts again with a new draft. */
export function disown(job: JobFile, n: number): void {
  job.clearEvents(n);
  job.setRow(n, {id: null, run: null, opened: 0, status: null, number: null, link: null});
}

/** Returns a row's events. A done row has none; an import that continues its statement rebuilds events from the columns. */
function eventsOfRow(job: JobFile, {n, id, opened}: StatementRow): readonly RunEvent[] {
  if (id !== null && job.eventsOf(n).length === 0) {
    job.addEvents(n, {type: 'named', id});
    if (opened === 1) job.addEvents(n, {type: 'intended', call: 'finalize', at: 0}, {type: 'outcome_unknown', at: 0});
  }
  return job.eventsOf(n);
}

function rowValuesAfter(event: RunEvent, call: string | undefined): Partial<StatementRow> | undefined {
  switch (event.type) {
    case 'intended':
      if (call === 'draft') return {phase: 'drafting'};
      if (call === 'finalize') return {phase: 'finishing', opened: 1};
      return call === 'send' ? {phase: 'finishing', sent: 'unknown'} : undefined;
    case 'refused':
      return call === 'send' ? {sent: 'no'} : undefined;
    default: {
      const id = statementIdIn(event);
      return id !== undefined ? {id} : event.type === 'answered' && call === 'send' ? {sent: 'yes'} : undefined;
    }
  }
}
