// One statement, billed by one or more machines under faults, kills, old reads and people, and the promises that must hold.

import {expect, test} from 'vitest';
import {seededRandom} from '../../../../src/common/seeded-random.js';
import type {StatementPlan} from '../../../../src/billing/statement/plan.js';
import {drawCase, violations, type Plan} from '../../../support/simulation/cases.js';
import {scaled, RATES} from '../../../support/simulation/faults.js';
import {bills, goesOn, Machine, planOf} from '../../../support/simulation/subjects.js';
import type {World} from '../../../support/simulation/world.js';
import {SEED} from '../../../support/seed.js';
import {cases} from '../../../support/test-size.js';

const CASES = cases(150);
const seeds = Array.from({length: CASES}, (_, index) => SEED + index);

/** The promises that may be broken. */
const KINDS = ['wrong sent', 'wrong finalized', 'double', 'second e-mail', 'false words', 'thrown'] as const;

interface Broken {
  readonly kind: (typeof KINDS)[number];
  readonly words: string;
}

class Tally {
  readonly #ends: Record<string, number> = {};
  readonly #broken: Broken[] = [];
  #faults = 0;
  #kills = 0;

  /** @param work returns its end, and the broken promises */
  async add(
    seed: number,
    world: World,
    machines: readonly Machine[],
    work: () => Promise<{readonly end: string; readonly broken: readonly Broken[]}>,
  ): Promise<void> {
    try {
      const {end, broken} = await work();
      this.#ends[end] = (this.#ends[end] ?? 0) + 1;
      for (const {kind, words} of broken) this.#broken.push({kind, words: `seed ${seed}: ${kind}: ${words}`});
    } catch (error) {
      const words = `seed ${seed}: ${error instanceof Error ? error.stack : String(error)}`;
      this.#broken.push({kind: 'thrown', words});
    } finally {
      this.#faults += world.met.faults;
      for (const {kills} of machines) this.#kills += kills;
      world.close();
    }
  }

  expectNothingBroken(name: string): void {
    const counts = KINDS.map((kind) => `${kind} ${this.#broken.filter((each) => each.kind === kind).length}`);
    const met = `${this.#faults} faults, ${this.#kills} kills`;
    console.log(
      `CENTAVO_SEED=${SEED} CASES=${CASES} ${name}: ${met}; ${counts.join(', ')}; ${JSON.stringify(this.#ends)}`,
    );
    expect(this.#broken.slice(0, 8).map(({words}) => words)).toEqual([]);
  }
}

async function each(
  seed: number,
  tally: Tally,
  options: Parameters<typeof drawCase>[1],
  second: boolean,
): Promise<void> {
  const {world, plan} = await drawCase(seed, {...options, twins: 0});
  const chance = seededRandom(10 * seed + 5);
  const machines = [new Machine('A', world), ...(second ? [new Machine('B', world)] : [])];
  const pause = (): number => (chance() < 0.5 ? 500 : chance() * 40_000);
  const [first, other] = machines as [Machine, Machine?];
  const joins = async (): Promise<void> => {
    await world.passed(chance() * 60_000);
    const id = first.lastId;
    if (!other || id === undefined) return;
    const {newCustomer: _, create: __, ...rest} = planOf(plan);
    for (let attempt = 0; attempt < 3; attempt++) {
      const ended = await other.process({...rest, id});
      if (ended.ended !== 'killed' && ended.value && !goesOn(ended.value)) return;
      await world.passed(pause());
    }
  };
  await tally.add(seed, world, machines, async () => {
    await world.run(bills(first, plan, pause), joins());
    await world.rest();
    const said = machines.flatMap((machine) => machine.said);
    const {end, sent} = first.said.at(-1) ?? {end: 'killed', sent: ''};
    return {end: `${end} ${sent}`, broken: violations(world, plan, said)};
  });
}

/** A draft from the dashboard, with items that differ from the plan. */
async function draftIn(world: World, {customer, items}: Plan, chance: () => number): Promise<string> {
  const {id: payer} = customer.id ? customer : await world.call('POST', '/customers', {...customer, currency: 'PHP'});
  const {id} = await world.call('POST', '/billing_statements', {customer_id: payer, currency: 'PHP'});
  const others = [{description: 'Deposit', quantity: 1, unit_price: 200_00}, ...items.filter(() => chance() < 0.6)];
  for (const item of others)
    await world.call('POST', '/billing_statement_line_items', {...item, billing_statement_id: id});
  return id as string;
}

/** Edits a draft until it is done; each attempt starts from the current draft. */
async function edits(machine: Machine, id: string, {items, dueAt}: Plan, pause: () => number): Promise<void> {
  for (let attempt = 0; attempt < 4; attempt++) {
    const draft = await machine.world.call('GET', `/billing_statements/${id}`);
    const ended = await machine.process({id, edits: draft, items, dueAt, finalize: false, send: false});
    if (ended.ended !== 'killed' && ended.value?.end === 'done') return;
    await machine.world.passed(pause());
  }
}

/** Finalizes a draft, then sends it, with two commands; an unknown send is not repeated. */
async function opensAndSends(machine: Machine, id: string, pause: () => number): Promise<void> {
  const named = (send: boolean): StatementPlan => ({id, items: [], finalize: !send, send, named: {}});
  for (const send of [false, true])
    for (let attempt = 0; attempt < 3; attempt++) {
      const ended = await machine.process(named(send));
      if (ended.ended !== 'killed' && ended.value?.end === 'done') break;
      if (send && (ended.ended === 'killed' || machine.said.at(-1)?.sent === 'unknown')) return;
      await machine.world.passed(pause());
    }
}

async function alone(seed: number, tally: Tally, what: 'edits' | 'names'): Promise<void> {
  const {world, plan: drawn} = await drawCase(seed, {twins: 0});
  const chance = seededRandom(10 * seed + 5);
  const pause = (): number => (chance() < 0.5 ? 500 : chance() * 40_000);
  const machine = new Machine('A', world);
  await tally.add(seed, world, [machine], async () => {
    const id = await draftIn(world, drawn, chance);
    if (what === 'names')
      await world.call('PUT', `/billing_statements/${id}`, {due_at: Math.floor(world.now() / 1000) + 900_000});
    const {line_items: items, due_at: dueAt} = await world.call('GET', `/billing_statements/${id}`);
    const plan: Plan = what === 'edits' ? {...drawn, until: 'draft'} : {...drawn, items, dueAt, until: 'sent'};
    await world.run(what === 'edits' ? edits(machine, id, plan, pause) : opensAndSends(machine, id, pause));
    await world.rest();
    const {end = 'killed'} = machine.said.at(-1) ?? {};
    const isIt = (statement: {readonly id: string}): boolean => statement.id === id;
    return {end, broken: violations(world, plan, machine.said, isIt)};
  });
}

test.each(['edits', 'names'] as const)(
  'a draft that a person %s is changed, opened and sent as wanted, once',
  async (what) => {
    const tally = new Tally();
    for (const seed of seeds) await alone(seed, tally, what);
    tally.expectNothingBroken(`a person ${what}`);
  },
  3_600_000,
);

test.each<[string, Parameters<typeof drawCase>[1], boolean]>([
  ['on a perfect network', {rates: scaled(RATES, 0), lags: false}, false],
  ['under faults and kills', {}, false],
  ['with people at the dashboard', {people: 2}, false],
  ['taken over by another machine', {}, true],
])(
  '%s, nothing is billed wrong or twice, and no report is false',
  async (name, options, second) => {
    const tally = new Tally();
    for (const seed of seeds) await each(seed, tally, options, second);
    tally.expectNothingBroken(name);
  },
  3_600_000,
);

/**
 * Seeds that once billed wrong: another machine's item was mistaken for an uncertain one of the run, and a draft with
 * an unanswered takeover was not waited for.
 */
test.each([505_630, 520_901])('taken over by another machine, seed %i', async (seed) => {
  const tally = new Tally();
  await each(seed, tally, {}, true);
  tally.expectNothingBroken(`taken over, seed ${seed}`);
});
