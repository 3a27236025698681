// Reissues by one or two machines under faults, kills and people, and the promises that no case may break.

import {onTestFinished} from 'vitest';
import type {CentavoError} from '../../../src/common/errors.js';
import {seededRandom} from '../../../src/common/seeded-random.js';
import {HTTP_TIMING} from '../../../src/billing/statement/workflow/service-timing.js';
import {runPlan} from '../../../src/billing/statement/workflow/run-plan.js';
import {
  reissueStatement,
  type ReissueOptions,
  type ReissueOutcome,
  type ReissuePlan,
} from '../../../src/billing/statement/reissue.js';
import {errorLines} from '../../../src/cli/dispatch/print-error.js';
import {standingOf} from '../../../src/accounting/standing.js';
import {explainReissue} from '../../../src/billing/statement/cli/explain-reissue.js';
import {violations, type Plan, type Said} from './cases.js';
import {drawn, RATES, STALENESS, type Rates} from './faults.js';
import {aged, drawnLag} from './hostile-service.js';
import {Machine} from './subjects.js';
import {World, type Around, type Ended, type Item, type Truth, type WorldOptions} from './world.js';

export const ITEMS: readonly Item[] = [
  {description: 'Rent', quantity: 1, unit_price: 6000_00},
  {description: 'Water', quantity: 2, unit_price: 250_00},
];
export const DUE = 1_900_000_000;

/** The old statement, if it is more than a plain open one. */
export interface Given {
  /** The call that ended it; `draft` if it was never finalized. */
  readonly state?: 'draft' | 'mark_uncollectible' | 'void';
  readonly fields?: object;
}

/** An open statement, created long ago. */
async function openStatement(world: World, {state, fields}: Given = {}): Promise<string> {
  const {id: customer_id} = await world.call('POST', '/customers', {
    ...{name: 'Ana', email: 'ana@example.com', currency: 'PHP'},
  });
  const {id} = await world.call('POST', '/billing_statements', {customer_id, currency: 'PHP', ...fields});
  for (const item of ITEMS)
    await world.call('POST', '/billing_statement_line_items', {...item, billing_statement_id: id});
  await world.call('PUT', `/billing_statements/${id}`, {due_at: DUE});
  if (state !== 'draft') await world.call('POST', `/billing_statements/${id}/finalize`);
  if (state !== 'draft' && state !== undefined) await world.call('POST', `/billing_statements/${id}/${state}`);
  return id as string;
}

/** Two machines that can reissue a statement and send the new one. */
export async function reissueScene(options: Partial<WorldOptions> = {}, given: Given = {}) {
  const world = new World({seed: 1, way: 20, ...options});
  onTestFinished(() => world.close());
  const id = await openStatement(world, given);
  const [A, B] = [reissuer('A', world), reissuer('B', world)];
  const plan: ReissuePlan = {id, send: true};
  /** Runs one process alone, to its end. */
  const run = async (machine: Reissuer, own: Parameters<typeof process>[2] = {}, wanted = plan) => {
    const [outcome] = await world.run(process(machine, wanted, own));
    return outcome;
  };
  const its = () => world.truth().filter(({metadata}) => metadata?.centavo_replaces === id);
  const old = () => world.truth().find((each) => each.id === id)!.status;
  /** The old statement, then its replacements, each with its number of emails. */
  const summary = () => [old(), ...its().map(({status, emails}) => `${status} ${emails.length}`)];
  return {world, id, A, B, plan, run, its, old, summary};
}

export type Reissuer = Machine & {
  readonly ends: {readonly run: number; readonly at: number; readonly outcome: ReissueOutcome}[];
};

export const reissuer = (name: string, world: World): Reissuer => Object.assign(new Machine(name, world), {ends: []});

/** The options of a reissue on a machine. */
export function around(machine: Machine, each: Around): ReissueOptions {
  const {client, now, signal, sleep, onProgress, history} = machine.options(each, {});
  return {
    ...{client, now, signal, sleep, onProgress},
    timing: () => HTTP_TIMING,
    intend: history.intend,
    carryOut: (part, {key, onProgress}) => runPlan(part, {...machine.options(each, {id: part.id, key}), onProgress}),
  };
}

/** One process of the command. */
export async function process(
  machine: Reissuer,
  plan: ReissuePlan,
  own: Parameters<World['start']>[2] = {},
): Promise<ReissueOutcome | undefined> {
  let run = 0;
  const work = (each: Around): Promise<ReissueOutcome> => {
    ({run} = each);
    return reissueStatement(plan, around(machine, each));
  };
  const ended: Ended<ReissueOutcome> = await machine.world.start(machine.name, work, own);
  if (ended.ended === 'killed') machine.kills++;
  const outcome = ended.ended === 'killed' ? undefined : ended.value;
  if (outcome === undefined) return undefined;
  machine.ends.push({run, at: machine.world.now(), outcome});
  machine.said.push(saidOf(plan, outcome, run));
  return outcome;
}

function saidOf({send}: ReissuePlan, outcome: ReissueOutcome, run: number): Said {
  if (outcome.end === 'done') {
    const {statement, applied, byOther = false} = outcome;
    const isSent = send && !byOther && statement.status !== 'paid';
    return {
      run,
      end: 'done',
      until: isSent ? 'sent' : 'open',
      statementId: statement.id,
      sent: isSent ? 'yes' : 'unknown',
      changed: applied,
    };
  }
  const {stop, applied} = outcome;
  // When two runs delete a draft at once, neither knows which of them did it.
  const isShared = stop.why === 'paid' && stop.removed.length > 0;
  return {run, end: 'stopped', until: 'open', sent: 'unknown', changed: isShared ? 'unknown' : applied};
}

type Stopped = Extract<ReissueOutcome, {end: 'stopped'}>;

export const errorOf = (outcome: Stopped): CentavoError =>
  explainReissue(outcome, {
    ...{again: ['reissue', 'bstm_x'], account: [], now: 0},
    ...(outcome.old && {standing: standingOf(outcome.old, {}, 0)}),
  });

export const textOf = (outcome: Stopped): string => errorLines(errorOf(outcome)).join('\n');

/** True if a stop suggests running the command again. */
const goesOn = (outcome: ReissueOutcome): boolean =>
  outcome.end === 'stopped' &&
  (outcome.stop.why === 'failed' ||
    outcome.stop.why === 'elsewhere' ||
    (outcome.stop.why === 'run' &&
      ['failed', 'not_shown', 'taken'].includes(outcome.stop.outcome.stop.why) &&
      outcome.stop.outcome.state.uncertainCall !== 'send'));

const MOST_ATTEMPTS = 6;

/** Reissues, and repeats the command until it is done or nothing remains; sometimes once more. */
export async function reissues(
  machine: Reissuer,
  plan: ReissuePlan,
  {pause, repeats}: {readonly pause: () => number; readonly repeats: boolean},
): Promise<ReissueOutcome | undefined> {
  let last: ReissueOutcome | undefined;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    last = await process(machine, plan);
    if (last && !goesOn(last)) break;
    await machine.world.passed(pause());
  }
  if (!repeats || last?.end !== 'done') return last;
  await machine.world.passed(pause());
  return process(machine, plan);
}

export interface ReissueCase {
  readonly rates?: Rates;
  readonly lags?: boolean;
  readonly machines?: 1 | 2;
  readonly people?: number;
  /** True if the customer may pay the old statement during the run. */
  readonly pays?: boolean;
}

/** Draws a case, and runs it. */
export async function reissueCase(
  seed: number,
  {rates = RATES, lags = true, machines = 1, people = 0, pays = false}: ReissueCase,
): Promise<{
  readonly world: World;
  readonly machines: readonly Reissuer[];
  readonly broken: () => Broken[];
  readonly end: string;
}> {
  const chance = seededRandom(10 * seed + 5);
  const replicas = chance() < 0.3 ? 'one' : 'each';
  const world = new World({
    seed,
    faults: drawn(seededRandom(10 * seed + 1), rates),
    lag: lags ? drawnLag(seededRandom(10 * seed + 2), {replicas}) : aged(0),
    people: {acts: people, within: 120_000},
  });
  const id = await openStatement(world);
  const items =
    chance() < 0.5
      ? undefined
      : [{description: 'Rent, corrected', quantity: 1, unit_price: 5500_00}, ...(chance() < 0.5 ? [ITEMS[1]!] : [])];
  const dueAt = chance() < 0.5 ? undefined : DUE + 86_400;
  const plan: ReissuePlan = {id, send: chance() < 0.7, ...(items && {items}), ...(dueAt && {dueAt})};
  const own = Array.from({length: machines}, (_, n) => reissuer('AB'[n]!, world));
  const pause = (): number => (chance() < 0.5 ? 500 : chance() * 60_000);
  const starts = own.map((_, n) => (n === 0 || chance() < 0.4 ? 0 : chance() * 60_000));
  if (pays && chance() < 0.6) void world.passed(chance() * 40_000).then(() => world.pays(id));
  await world.run(
    ...own.map(async (machine, n) => {
      await world.passed(starts[n]!);
      return reissues(machine, plan, {pause, repeats: chance() < 0.3});
    }),
  );
  await world.rest();
  const wanted: Plan = {
    customer: {name: 'Ana', email: 'ana@example.com'},
    items: items ?? ITEMS,
    // A draft keeps a due time set at the dashboard.
    ...((dueAt ?? (people > 0 ? undefined : DUE)) && {dueAt: dueAt ?? DUE}),
    until: plan.send ? 'sent' : 'open',
    replaces: id,
  };
  const end = own
    .map(({ends}) => ends.at(-1)?.outcome)
    .map((outcome) =>
      outcome === undefined
        ? 'killed'
        : outcome.end === 'done'
          ? outcome.byOther
            ? 'by another'
            : 'done'
          : outcome.stop.why === 'run'
            ? outcome.stop.outcome.stop.why
            : outcome.stop.why,
    );
  return {world, machines: own, broken: () => brokenOf(world, wanted, own), end: end.sort().join('+')};
}

export interface Broken {
  readonly kind: string;
  readonly words: string;
}

/** Returns every broken promise. Call it when nothing runs any more. */
export function brokenOf(world: World, plan: Plan, machines: readonly Reissuer[]): Broken[] {
  const old = plan.replaces!;
  const isIts = ({metadata}: Truth): boolean => metadata?.centavo_replaces === old;
  const said = machines.flatMap((machine) => machine.said);
  const found: Broken[] = [...violations(world, plan, said, isIts), ...twoPayable(world, old)];
  const report = (kind: string, words: string): void => void found.push({kind, words});
  const its = world.truth().filter(isIts);
  const byRuns = its.filter(({openedBy}) => typeof openedBy === 'number');
  if (byRuns.length > 1) report('double', `${byRuns.map(({id}) => id).join(' and ')} were opened by runs`);
  const mails = its.flatMap(({emails}) => emails).filter(({by}) => typeof by === 'number').length;
  if (mails > 1) report('second e-mail', `${mails} were sent`);
  for (const {ends} of machines)
    for (const end of ends) for (const words of falseWords(world, old, end)) report('false words', words);
  return found;
}

/** At most one of the old statement and its opened replacements is payable or paid at any instant. */
function twoPayable({applied}: World, old: string): Broken[] {
  const byPeople = new Set<string>();
  const payable = new Set([old]);
  const found: Broken[] = [];
  for (const {at, by, path, statementId: id, after} of applied) {
    if (id === undefined || (id !== old && after?.metadata?.centavo_replaces !== old)) continue;
    if (path.endsWith('/finalize') && by === 'person') byPeople.add(id);
    const isPayable = after?.status === 'open' || after?.status === 'paid';
    if (isPayable && !byPeople.has(id)) payable.add(id);
    else payable.delete(id);
    if (payable.size > 1) found.push({kind: 'double', words: `at ${at} ${[...payable].join(' and ')} can be paid`});
  }
  return found;
}

/** False reports about the old statement, older than a read may be. */
function falseWords(world: World, old: string, {run, at, outcome}: Reissuer['ends'][number]): string[] {
  const {applied} = world;
  const statusAt = (when: number): string =>
    (applied.findLast((each) => each.statementId === old && each.at <= when)?.after?.status as string) ?? 'open';
  const mayBe = [statusAt(at), statusAt(at - STALENESS - 5000)];
  if (outcome.end === 'done') {
    const {old: shown, byOther} = outcome;
    const sends = byOther && applied.some(({by, path}) => by === run && path.endsWith('/send'));
    const isSo = mayBe.includes(shown.status!);
    return [
      ...(isSo ? [] : [`the old one is ${shown.status}, and it is ${mayBe[0]}`]),
      ...(sends ? ['somebody else opened it, and this run sent it'] : []),
    ];
  }
  const text = textOf(outcome);
  const name = outcome.old?.billing_statement_number ?? 'none';
  // Words such as "was open when it was last read" claim nothing of now.
  const said = new RegExp(`${name as string} (?:is|was)(?: marked)? (open|void|paid|uncollectible)(?! when)`);
  const status = said.exec(text)?.[1];
  const isBilled = applied.some(
    ({by, path, at: when, statementId, after}) =>
      typeof by === 'number' && when <= at && statementId !== old && path.endsWith('/finalize') && after !== undefined,
  );
  const made = (end: string): boolean => applied.some(({by, path}) => by === run && path.endsWith(end));
  return [
    /did not (finalize or )?send/.test(text) && made('/send') && 'this run did not send it, and it did',
    /did not finalize/.test(text) && made('/finalize') && 'this run did not finalize it, and it did',
    status !== undefined && !mayBe.includes(status) && `${name} is ${status}, and it is ${mayBe[0]}`,
    text.includes('Nothing was billed again') && isBilled && 'nothing was billed again, and it was',
    text.split('\n').length > 3 && 'more than three lines',
  ]
    .filter((words) => words !== false)
    .map((words) => `${words}: ${text}`);
}
