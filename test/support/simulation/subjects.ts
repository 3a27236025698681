// The tested engine, on machines with a journal and a history, driven by a merchant who follows the suggestions.

import {HTTP_TIMING} from '../../../src/billing/statement/workflow/service-timing.js';
import {runPlan, type RunOptions} from '../../../src/billing/statement/workflow/run-plan.js';
import type {RunOutcome} from '../../../src/billing/statement/workflow/outcome.js';
import type {StatementPlan} from '../../../src/billing/statement/plan.js';
import type {Plan, Said} from './cases.js';
import {Disk} from './disk.js';
import {patient, type Around, type Ended, type World} from './world.js';

/** The disk of one computer. Unwritten data is lost when a process dies. */
export class Machine {
  readonly #disk = new Disk();
  readonly #sends: {readonly id: string; readonly run: number; state: 'in_doubt' | 'not' | 'sent'}[] = [];
  /** The latest statement in the history. */
  lastId: string | undefined;
  readonly said: Said[] = [];
  /** Number of killed processes. */
  kills = 0;

  constructor(
    readonly name: string,
    readonly world: World,
  ) {}

  /** Runs a plan in a process of this machine. */
  async process(
    plan: StatementPlan,
    {key, ...own}: {readonly key?: string} & Parameters<World['start']>[2] = {},
  ): Promise<Ended<RunOutcome>> {
    let run = 0;
    const work = (around: Around): Promise<RunOutcome> => {
      ({run} = around);
      // A command for a named statement has its own plan.
      return runPlan(plan, this.options(around, plan.named ? {} : {id: plan.id, key}));
    };
    const ended = await this.world.start(this.name, work, own);
    const value = ended.ended === 'killed' ? undefined : ended.value;
    if (ended.ended === 'killed') this.kills++;
    if (value) this.said.push(saidOf(plan, value, run));
    return ended;
  }

  options(around: Around, named: {readonly id?: string; readonly key?: string}): RunOptions {
    const {client, serviceAhead, signal, sleep, steadyNow: now, run, dies} = around;
    const send = (id: string) => this.#sends.findLast((each) => each.id === id && each.run === run);
    return {
      ...{client, serviceAhead, signal, now, sleep: patient(sleep), timeout: 60_000},
      timing: () => HTTP_TIMING,
      onProgress: () => {},
      journal: this.#disk.journal(around, named),
      history: {
        intend: (call, ids) => {
          dies();
          if (call === 'send') this.#sends.push({id: ids[0]!, run, state: 'in_doubt'});
        },
        made: (id) => {
          dies();
          if (id.startsWith('bstm_')) this.lastId = id;
        },
        sendEnded: (id, sent) => {
          dies();
          send(id)!.state = sent ? 'sent' : 'not';
        },
        earlier: (id) => {
          const states = this.#sends.filter((each) => each.id === id && each.run !== run).map(({state}) => state);
          const state = states.includes('sent') ? 'sent' : states.includes('in_doubt') ? 'in_doubt' : undefined;
          return {unsettled: false, send: state};
        },
      },
    };
  }
}

/** The report that a merchant reads at the end. */
function saidOf(plan: StatementPlan, outcome: RunOutcome, run: number): Said {
  const until = plan.send ? 'sent' : plan.finalize ? 'open' : 'draft';
  if (outcome.end === 'done') {
    const {statement, changed} = outcome;
    return {
      run,
      end: 'done',
      until,
      statementId: statement.id,
      // A customer who has paid gets no email.
      sent: plan.send && statement.status !== 'paid' ? 'yes' : 'no',
      changed: changed ? 'yes' : 'no',
    };
  }
  const {stop, state} = outcome;
  const sent = state.uncertainCall === 'send' || stop.why === 'send_in_doubt' ? 'unknown' : 'no';
  return {run, end: 'stopped', until, statementId: state.statementId, sent, changed: state.applied};
}

/** The engine's plan for a wanted statement. */
export const planOf = ({customer, items, dueAt, description, until}: Plan): StatementPlan => ({
  ...(customer.id === undefined && {newCustomer: {name: customer.name, email: customer.email}}),
  create: {customer_id: customer.id ?? '', currency: 'PHP', ...(description !== undefined && {description})},
  items,
  dueAt,
  finalize: until !== 'draft',
  send: until === 'sent',
});

/** The merchant gives up after this number of attempts. */
const MOST_ATTEMPTS = 6;

/** Bills, and continues the last attempt until it is done or nothing remains. */
export async function bills(machine: Machine, wanted: Plan, pause: () => number): Promise<RunOutcome | undefined> {
  const plan = planOf(wanted);
  const key = `${machine.name}key`;
  let last: RunOutcome | undefined;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const id = machine.lastId;
    const {newCustomer: _, create: __, ...rest} = plan;
    const ended = await machine.process(id !== undefined && attempt % 2 === 1 ? {...rest, id} : plan, {key});
    last = ended.ended === 'killed' ? undefined : ended.value;
    if (last?.end === 'done' || (last && !goesOn(last))) return last;
    await machine.world.passed(pause());
  }
  return last;
}

/** True if a stop suggests continuing. */
export const goesOn = (outcome: RunOutcome): boolean =>
  outcome.end === 'stopped' &&
  ['failed', 'not_shown'].includes(outcome.stop.why) &&
  outcome.state.uncertainCall !== 'send';
