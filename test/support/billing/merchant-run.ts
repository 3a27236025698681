// A whole story: a run with faults, its report, the merchant's next steps until nothing remains, and the verdict.

import {differenceOf, itemsOf, type StatementPlan} from '../../../src/billing/statement/plan.js';
import {explained} from './printed-stop.js';
import {World, type Faults} from './scheduled-service.js';

export interface Story {
  readonly world: World;
  /** The end of each run: `done`, `killed`, or an error code. */
  readonly endings: string[];
  /** Sentences about broken promises. */
  readonly wrong: string[];
  readonly sentStatements: number;
  /** The printed text of each stop. */
  readonly texts: readonly string[];
}

const NO_FAULTS: Faults = {changes: new Map()};
/** Milliseconds until every late change has been applied. */
const LONG = 600_000;

export const ITEMS = [
  {description: 'Web design', quantity: 2, unit_price: 1_500_000},
  {description: 'Hosting', quantity: 1, unit_price: 125_050},
  {description: 'Hosting', quantity: 1, unit_price: 125_050},
] as const;
/** The end of a day in Manila, in unix seconds. */
export const DUE = Date.parse('2031-12-15T23:59:59+08:00') / 1000;

/**
 * @param faultsOf the faults of each run in turn; later runs have none
 * @param change differences from a plan that sends
 */
export async function runStory(faultsOf: readonly Faults[], change: Partial<StatementPlan> = {}): Promise<Story> {
  const world = new World();
  const customer = await world.call('POST', '/customers', {name: 'Juan', email: 'juan@example.com', currency: 'PHP'});
  const first: StatementPlan = {
    create: {customer_id: customer.id as string, currency: 'PHP'},
    items: ITEMS,
    dueAt: DUE,
    finalize: true,
    send: true,
    ...change,
  };
  const endings: string[] = [];
  const wrong: string[] = [];
  const texts: string[] = [];
  const later: (() => void)[] = [];
  let plan: StatementPlan | undefined = first;
  for (let round = 0; plan !== undefined && round < 6; round++) {
    const outcome = await world.run(plan, faultsOf[round] ?? NO_FAULTS);
    if (outcome === undefined) {
      endings.push('killed');
      // The merchant finds the run in the history, and continues its draft.
      const id = world.lastId();
      plan = id === undefined ? undefined : {...first, id};
      continue;
    }
    if (outcome.end === 'done') {
      endings.push('done');
      const {id} = outcome.statement;
      const now = await world.call('GET', `/billing_statements/${id}`);
      const differs = outcome.statement.status !== now.status || outcome.statement.amount !== now.amount;
      if (differs) wrong.push(`a statement was shown that is another: ${JSON.stringify(outcome.statement)}`);
      if (first.send && world.sent(id) !== 1) wrong.push(`called sent, and was sent ${world.sent(id)} times`);
      break;
    }
    const stopped = explained(outcome, plan);
    endings.push(`${outcome.stop.why}:${stopped.error.code}`);
    texts.push(stopped.text);
    later.push(await world.judge(stopped, outcome.state));
    plan = await world.follow(stopped, plan);
  }
  await world.advance(LONG);
  for (const look of later) look();

  const statements = await world.statements();
  let sentStatements = 0;
  for (const statement of statements) {
    const sent = world.sent(statement.id);
    if (sent > 1) wrong.push(`${statement.id} was sent ${sent} times`);
    if (sent === 0) continue;
    sentStatements++;
    const {missing, surplus, foreign} = differenceOf(first.items, itemsOf(statement));
    if (missing.length + surplus.length + foreign.length > 0)
      wrong.push(`sent with other items: ${JSON.stringify(itemsOf(statement))}`);
  }
  if (sentStatements > 1) wrong.push(`${sentStatements} statements were sent`);
  return {world, endings, wrong: [...wrong, ...world.falseWords], sentStatements, texts};
}
