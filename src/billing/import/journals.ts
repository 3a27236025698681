// What is known of the runs of a job is kept in its file: facts of each customer that it creates, and of each row, whose columns
// say the same in short. An intention is on the disk before its call is made, with one write for all that wait for it.

import {statementIn, type Fact} from '../engine/facts.js';
import type {RunJournal} from '../engine/journal.js';
import type {JobCustomer, Phase, Row} from './job/facts.js';
import type {JobFile} from './job/file.js';

export function customerJournal(job: JobFile, {ref, begun_at: begunAt}: JobCustomer): RunJournal {
  // Release 0.6.0 noted only that it was about to create it, under another key.
  const isFormer = begunAt !== null;
  if (isFormer && job.factsOf(ref).length === 0) job.addFacts(ref, {what: 'intend', call: 'customer', at: 0});
  return {
    key: isFormer ? job.formerKey(ref) : job.customerKey(ref),
    run: job.id,
    facts: job.factsOf(ref),
    record: (fact) => {
      job.addFacts(ref, fact);
      if (fact.what === 'intend') return job.commitTogether();
      if ((fact.what === 'done' || fact.what === 'found') && fact.id) job.setCustomer(ref, {id: fact.id});
    },
    disown: () => {},
    close: () => {},
  };
}

/** @param facts for a run that begins anew, whatever is known of the statement */
export function rowJournal(job: JobFile, row: Row, facts = factsOfRow(job, row)): RunJournal {
  const {n, key} = row;
  let call: string | undefined;
  return {
    key,
    run: job.runOf(n),
    facts,
    record: (fact) => {
      job.addFacts(n, fact);
      if (fact.what === 'intend') ({call} = fact);
      const values = valuesAfter(fact, call);
      if (values) job.setRow(n, values);
      if (fact.what === 'intend' && (call === 'draft' || call === 'take')) job.setPassed(false);
      if (fact.what === 'intend') return job.commitTogether();
    },
    disown: () => disown(job, n),
    close: () => {},
  };
}

/** The statement of a row belongs to somebody else, or is gone: what is begun for the row next is new. */
export function disown(job: JobFile, n: number): void {
  job.forget(n);
  job.setRow(n, {id: null, run: null, opened: 0, status: null, number: null, link: null});
}

/** Facts of a row; what release 0.6.0 noted of one is put in their words first. */
function factsOfRow(job: JobFile, {n, id, phase, opened}: Row): readonly Fact[] {
  const known = job.factsOf(n);
  if (known.length === 0 && phase !== 'planned') job.addFacts(n, ...factsOfFormer(id, phase, opened === 1));
  return job.factsOf(n);
}

/** @param opened whether it may have been finalized */
const factsOfFormer = (id: string | null, phase: Phase, opened: boolean): readonly Fact[] => [
  {what: 'former'},
  ...(id !== null
    ? [{what: 'named', id} as const]
    : phase === 'drafting'
      ? [{what: 'intend', call: 'draft', at: 0} as const]
      : []),
  ...(opened
    ? ([
        {what: 'intend', call: 'finalize', at: 0},
        {what: 'doubt', at: 0},
      ] as const)
    : []),
];

function valuesAfter(fact: Fact, call: string | undefined): Partial<Row> | undefined {
  switch (fact.what) {
    case 'intend':
      if (call === 'draft') return {phase: 'drafting'};
      if (call === 'finalize') return {phase: 'finishing', opened: 1};
      return call === 'send' ? {phase: 'finishing', sent: 'unknown'} : undefined;
    case 'refused':
      return call === 'send' ? {sent: 'no'} : undefined;
    default: {
      const id = statementIn(fact);
      return id !== undefined ? {id} : fact.what === 'done' && call === 'send' ? {sent: 'yes'} : undefined;
    }
  }
}
