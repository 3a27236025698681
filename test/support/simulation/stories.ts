// One statement under listed faults: a merchant runs the command, follows what each stop suggests, and judges every report.

import {nextText} from '../../../src/common/next-text.js';
import {onTestFinished} from 'vitest';
import type {ApiRequest} from '../../../src/api/wire.js';
import {explainStop} from '../../../src/billing/statement/cli/explain-stop.js';
import type {StatementPlan} from '../../../src/billing/statement/plan.js';
import type {RunOutcome} from '../../../src/billing/statement/workflow/outcome.js';
import {errorLines, errorObject} from '../../../src/cli/dispatch/print-error.js';
import type {CentavoError} from '../../../src/common/errors.js';
import {readDate} from '../../../src/input/dates.js';
import {valueOrThrow} from '../../../src/input/invalid-input.js';
import {readItem} from '../../../src/input/items.js';
import {falseLater, falseNow} from '../claims.js';
import {wordsOf} from '../words.js';
import {violations} from './cases.js';
import type {Faults} from './faults.js';
import type {Lag, Meddle} from './hostile-service.js';
import {Machine} from './subjects.js';
import {World, type Truth} from './world.js';

export const ITEMS = [
  {description: 'Web design', quantity: 2, unit_price: 1_500_000},
  {description: 'Hosting', quantity: 1, unit_price: 125_050},
  {description: 'Hosting', quantity: 1, unit_price: 125_050},
] as const;
/** The end of a day in Manila, in unix seconds. */
export const DUE = Date.parse('2031-12-15T23:59:59+08:00') / 1000;

/** Rewrites the answer to a request, or acts before it arrives. */
export type Answer = (request: ApiRequest, body: any) => unknown;

/** The faults of one run, and the age of its reads. */
export interface Round {
  readonly faults?: Faults;
  readonly lag?: Lag;
  readonly answer?: Answer;
  /** Milliseconds. */
  readonly interruptedAfter?: number;
}

export const answering =
  (answer: Answer): Meddle =>
  async (request, handle) => {
    const response = await handle();
    if (response.status >= 300 || response.body.length === 0) return response;
    const body = await answer(request, JSON.parse(Buffer.from(response.body).toString()));
    return {...response, body: Buffer.from(JSON.stringify(body))};
  };

/** A machine, and the plan of a statement that is to be sent. */
export async function billing() {
  const world = new World({seed: 1, way: 20});
  onTestFinished(() => world.close());
  const machine = new Machine('A', world);
  const customer = {name: 'Juan', email: 'juan@example.com', currency: 'PHP'};
  const {id: customer_id} = await world.call('POST', '/customers', customer);
  const whole = {items: ITEMS, dueAt: DUE, finalize: true, send: true} as const;
  const plan: StatementPlan = {create: {customer_id, currency: 'PHP'}, ...whole};
  /** One run of the program. @returns its end; undefined if it was killed */
  const run = async (wanted: StatementPlan, {answer, ...own}: Round = {}): Promise<RunOutcome | undefined> => {
    world.meddle = answer ? answering(answer) : (_, handle) => handle();
    const [ended] = await world.run(machine.process(wanted, own));
    return ended.ended === 'killed' ? undefined : ended.value;
  };
  /** A draft created elsewhere. */
  const draft = async (items: readonly object[]): Promise<string> => {
    const {id} = await world.call('POST', '/billing_statements', {customer_id, currency: 'PHP'});
    for (const each of items)
      await world.call('POST', '/billing_statement_line_items', {...each, billing_statement_id: id});
    return id as string;
  };
  /** The changes of runs. */
  const changes = () => world.applied.filter(({by}) => typeof by === 'number');
  return {world, machine, plan, run, draft, changes};
}

export interface Stopped {
  readonly error: CentavoError;
  /** The printed error, as text and as JSON. */
  readonly text: string;
}

/** @throws Error if it did not stop, or says so in more than three lines */
export function explained(outcome: RunOutcome | undefined, plan: StatementPlan): Stopped {
  if (outcome?.end !== 'stopped') throw new Error('It did not stop.');
  const error = explainStop(outcome.stop, outcome.state, plan, []);
  const lines = errorLines(error);
  if (lines.length > 3) throw new Error(`More than three lines:\n${lines.join('\n')}`);
  return {error, text: `${lines.join('\n')}\n${JSON.stringify(errorObject(error))}`};
}

/** Follows the printed suggestion. @returns the plan to continue with, if there is one */
async function follow(world: World, {error}: Stopped, plan: StatementPlan): Promise<StatementPlan | undefined> {
  const command = /centavo (.*)$/.exec(nextText(error.details) ?? '')?.[1];
  const words = command === undefined ? [] : wordsOf(command)[0]!;
  const ids = words.filter((word) => word.startsWith('bstm_'));
  switch (words[0]) {
    case 'bill':
      return planOf(words, plan);
    case 'billing-statement-line-items':
      for (const id of ids) await world.call('DELETE', `/billing_statement_line_items/${id}`, undefined, 'person');
      return plan;
    case 'void':
      await world.call('POST', `/billing_statements/${ids[0]}/void`, undefined, 'person');
  }
  return undefined;
}

/** The plan of a printed command line. */
function planOf(words: readonly string[], plan: StatementPlan): StatementPlan {
  const all = (flag: string) => words.flatMap((word, index) => (words[index - 1] === flag ? [word] : []));
  const [id] = all('--continue');
  const [due] = all('--due');
  const [customer] = all('--customer');
  return {
    ...(id !== undefined && {id}),
    ...(customer !== undefined && {create: {...plan.create!, customer_id: customer}}),
    items: all('--item').map((text) => valueOrThrow(readItem(text), '--item')),
    ...(due !== undefined && {dueAt: valueOrThrow(readDate(due, 0), '--due')}),
    finalize: words.includes('--finalize') || words.includes('--send'),
    send: words.includes('--send'),
  };
}

export interface Story {
  readonly world: World;
  /** The end of each run: `done`, `killed`, or the reason and the error code. */
  readonly endings: string[];
  /** The printed text of each stop. */
  readonly texts: string[];
  /** Broken promises. */
  readonly wrong: string[];
  readonly statements: readonly Truth[];
  readonly emails: number;
  /** Number of requested changes. */
  readonly asked: number;
}

/**
 * @param rounds what each run meets in turn; later runs meet nothing
 * @param change differences from a plan that sends
 */
export async function bill(rounds: readonly Round[], change: Partial<StatementPlan> = {}): Promise<Story> {
  const {world, machine, plan, run} = await billing();
  const first = {...plan, ...change};
  const [endings, texts, wrong, later]: [string[], string[], string[], (() => string[])[]] = [[], [], [], []];
  const find = (wanted: string | undefined) => world.truth().find(({id}) => id === wanted);
  let next: StatementPlan | undefined = first;
  for (let round = 0; next !== undefined && round < 6; round++) {
    const outcome = await run(next, rounds[round]);
    const by = world.runs.length - 1;
    if (outcome === undefined) {
      endings.push('killed');
      // The merchant finds the draft in the history.
      const id = machine.lastId;
      next = id === undefined ? undefined : {...first, id};
    } else if (outcome.end === 'done') {
      endings.push('done');
      const {id, status, amount} = outcome.statement;
      const now = find(id);
      if (status !== now?.status || amount !== now?.amount) wrong.push(`shown as ${status}, and it is ${now?.status}`);
      next = undefined;
    } else {
      const stopped = explained(outcome, next);
      const {error, text} = stopped;
      endings.push(`${outcome.stop.why}:${error.code}`);
      texts.push(text);
      const made = () => world.applied.filter((each) => each.by === by).map(({path}) => path);
      const said = {text, applied: error.details.applied};
      const now = find(outcome.state.statementId);
      wrong.push(...falseNow(said, {status: now?.status, items: now?.items.length ?? 0, changed: made().length > 0}));
      later.push(() => falseLater(said, made()));
      next = await follow(world, stopped, next);
    }
  }
  await world.rest();
  const wanted = {
    ...{customer: {name: 'Juan', email: 'juan@example.com'}, items: first.items, dueAt: first.dueAt!},
    until: first.send ? 'sent' : first.finalize ? 'open' : 'draft',
  } as const;
  const broken = violations(world, wanted, machine.said).map(({kind, words}) => `${kind}: ${words}`);
  const statements = world.truth();
  return {
    ...{world, endings, texts, statements, asked: world.met.changes},
    wrong: [...wrong, ...later.flatMap((look) => look()), ...broken],
    emails: statements.reduce((sum, {emails}) => sum + emails.length, 0),
  };
}
