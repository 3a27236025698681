// Cases drawn from a seed, and the promises about money and truth that no case may break.

import {seededRandom} from '../../../src/common/seeded-random.js';
import {drawn, RATES, type Rates} from './faults.js';
import {aged, drawnLag} from './hostile-service.js';
import {World, type Content, type Item, type Truth} from './world.js';

/** The wanted final state of a statement. */
type Until = 'draft' | 'open' | 'sent';

export interface Plan {
  /** Created if it has no id. */
  readonly customer: {readonly id?: string; readonly name: string; readonly email: string};
  readonly items: readonly Item[];
  /** Unix seconds; required to finalize. */
  readonly dueAt?: number;
  readonly description?: string;
  readonly until: Until;
  /** Id of the replaced statement: the two must never be payable at the same time. */
  readonly replaces?: string;
}

/** The report of a process at its end. */
export interface Said {
  /** Number of the run; without it, the report is checked against all runs. */
  readonly run?: number;
  readonly end: 'done' | 'stopped';
  readonly until: Until;
  readonly statementId?: string;
  /** True if this machine has emailed the statement. */
  readonly sent: 'no' | 'unknown' | 'yes';
  /** True if this process has changed anything; `yes` may include earlier processes of its machine. */
  readonly changed: 'no' | 'unknown' | 'yes';
}

interface Violation {
  readonly kind: 'double' | 'false words' | 'second e-mail' | 'wrong finalized' | 'wrong sent';
  readonly words: string;
}

interface Case {
  readonly world: World;
  readonly plan: Plan;
  /** Two machines that do the same at the same time. */
  readonly machines: readonly string[];
}

/** @param options the rates of faults; whether replicas lag; the chance that there are twins; how many acts of people */
export async function drawCase(
  seed: number,
  {
    rates = RATES,
    lags = true,
    twins = 0.3,
    people = 0,
  }: {rates?: Rates; lags?: boolean; twins?: number; people?: number} = {},
): Promise<Case> {
  const chance = seededRandom(10 * seed);
  const oneOf = <T>(...all: readonly T[]): T => all[Math.floor(chance() * all.length)]!;
  const replicas = oneOf('each', 'each', 'one');
  const world = new World({
    seed,
    faults: drawn(seededRandom(10 * seed + 1), rates),
    lag: lags ? drawnLag(seededRandom(10 * seed + 2), {replicas}) : aged(0),
    people: {acts: people, within: 90_000},
  });
  const items = Array.from({length: 1 + Math.floor(chance() * 4)}, () => ({
    description: oneOf('Rent', 'Water', 'Electricity', 'Repairs'),
    quantity: 1 + Math.floor(chance() * 5),
    unit_price: 100_00 + Math.floor(chance() * 10_000),
  }));
  if (items.length > 1 && chance() < 0.3) items[1] = items[0]!;
  const until = oneOf<Until>('draft', 'open', 'sent', 'sent');
  const who = {name: `Payer ${seed}`, email: `payer${seed}@example.com`};
  const id = chance() < 0.7 ? await newCustomer(world, who) : undefined;
  const dueAt = until !== 'draft' || chance() < 0.5 ? Math.floor(world.now() / 1000) + 2_592_000 : undefined;
  const plan = {
    customer: {...who, ...(id !== undefined && {id})},
    items,
    until,
    ...(dueAt !== undefined && {dueAt}),
    ...(chance() < 0.5 && {description: `Bill ${seed}`}),
  };
  return {world, plan, machines: chance() < twins ? ['A', 'B'] : ['A']};
}

const newCustomer = async (world: World, who: object): Promise<string> =>
  (await world.call('POST', '/customers', {...who, currency: 'PHP'})).id as string;

const itemsKey = (items: readonly Item[]): string =>
  JSON.stringify(items.map(({description, quantity, unit_price}) => [description, quantity, unit_price]).sort());

const sumOf = (items: readonly Item[]): number =>
  items.reduce((sum, {quantity, unit_price}) => sum + quantity * unit_price, 0);

/** True if the statement matches the plan. */
export const isPlanned = ({items, amount, due_at}: Content, plan: Plan): boolean =>
  itemsKey(items) === itemsKey(plan.items) &&
  amount === sumOf(plan.items) &&
  (plan.dueAt === undefined || due_at === plan.dueAt);

const isRun = (by: unknown): by is number => typeof by === 'number';

/** True if a run has billed with it: finalized or emailed it. */
export const isBilled = ({openedBy, status, emails}: Truth): boolean =>
  (isRun(openedBy) && (status === 'open' || status === 'paid')) || emails.some(({by}) => isRun(by));

/**
 * Returns every broken promise. Call it when nothing runs any more.
 * @param owns selects the statements of the plan; default: all that runs created
 */
export function violations(
  world: World,
  plan: Plan,
  said: readonly Said[],
  owns: (statement: Truth) => boolean = ({createdBy}) => isRun(createdBy),
): Violation[] {
  const found: Violation[] = [];
  const report = (kind: Violation['kind'], words: string): void => void found.push({kind, words});
  const own = world.truth().filter(owns);

  for (const statement of own) {
    const {id, openedBy, emails, amount} = statement;
    const mailed = emails.filter(({by}) => isRun(by)).length;
    const isAsPlanned = isPlanned(statement, plan);
    if (mailed > 0 && (!isAsPlanned || plan.until !== 'sent'))
      report('wrong sent', `${id} was sent for ${amount}, and ${wanted(plan)} was planned`);
    if (isRun(openedBy) && !world.touched.has(id) && (!isAsPlanned || plan.until === 'draft'))
      report('wrong finalized', `${id} was opened for ${amount}, and ${wanted(plan)} was planned`);
    if (mailed > 1) report('second e-mail', `${id} was e-mailed ${mailed} times`);
  }

  const bills = own.filter(isBilled);
  const old = world.truth().find(({id}) => id === plan.replaces);
  for (const {id, openedAt} of old ? bills : [])
    if (old!.status === 'open' || old!.status === 'paid' || (old!.voided && old!.voided.at > openedAt!))
      report('double', `${id} was opened while ${old!.id}, which it replaces, could be paid`);
  bills.forEach((one, index) => {
    for (const other of bills.slice(index + 1))
      if (!mayFollow(world, one, other) && !mayFollow(world, other, one))
        report('double', `${one.id} and ${other.id} bill the same`);
  });

  for (const each of said) for (const words of untrue(world, plan, own, each)) report('false words', words);
  return found;
}

const wanted = ({items, until}: Plan): string => `${sumOf(items)}, ${until}`;

/** True if a person voided one before the other machine first read: then billing again was right. */
function mayFollow({runs}: World, {voided}: Truth, {openedBy}: Truth): boolean {
  if (voided?.by !== 'person' || !isRun(openedBy)) return false;
  const first = runs.find(({machine}) => machine === runs[openedBy]!.machine)!;
  return voided.at < first.startedAt;
}

/** Returns the false statements of a report. */
function untrue(
  world: World,
  plan: Plan,
  own: readonly Truth[],
  {run, end, until, statementId, sent, changed}: Said,
): string[] {
  const {runs, applied, touched} = world;
  const isOwn = (by: unknown): by is number =>
    isRun(by) && (run === undefined || (by <= run && runs[by]!.machine === runs[run]!.machine));
  const name = `run ${run ?? 'of all'}`;
  const about = own.filter(({id}) => statementId === undefined || id === statementId);
  const statement = world.truth().find(({id}) => id === statementId);
  const reached: Record<Until, readonly string[]> = {
    draft: ['draft', 'open', 'paid'],
    open: ['open', 'paid'],
    sent: ['open', 'paid'],
  };
  const isDone =
    statement !== undefined &&
    (touched.has(statement.id) || (isPlanned(statement, plan) && reached[until].includes(statement.status))) &&
    (until !== 'sent' || statement.emails.length > 0);
  const mails = about.flatMap(({emails}) => emails);
  const isChanged = applied.some(({by}) => isOwn(by) && (run === undefined || by === run));
  return [
    end === 'done' &&
      !isDone &&
      `done, and ${statement ? `${statement.id} is ${statement.status}` : 'there is nothing'}`,
    sent === 'no' && mails.some(({by}) => isOwn(by)) && 'not sent, and it was',
    sent === 'yes' && mails.length === 0 && 'sent, and it was not',
    changed === 'no' && isChanged && 'nothing was changed, and something was',
    changed === 'yes' && !applied.some(({by}) => isOwn(by)) && 'changed, and nothing was',
  ]
    .filter((words) => words !== false)
    .map((words) => `${name} said ${words}`);
}
