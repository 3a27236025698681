// Tests of the simulator itself: its faults are as configured, and its judge finds every broken promise.

import {afterEach, expect, test} from 'vitest';
import type {CentavoError} from '../../../../src/common/errors.js';
import {seededRandom} from '../../../../src/common/seeded-random.js';
import {drawCase, isBilled, isPlanned, violations, type Plan, type Said} from '../../../support/simulation/cases.js';
import {
  CALL,
  drawn,
  listed,
  NO_FAULTS,
  RATES,
  scaled,
  SETTLE,
  STALENESS,
  type Fault,
} from '../../../support/simulation/faults.js';
import {aged, drawnLag, type Lag} from '../../../support/simulation/hostile-service.js';
import {VirtualTime} from '../../../support/simulation/virtual-time.js';
import {World, type Act, type Around, type WorldOptions} from '../../../support/simulation/world.js';

const worlds: World[] = [];
afterEach(() => worlds.splice(0).forEach((world) => world.close()));

const newWorld = (options: Partial<WorldOptions> = {}): World => {
  const world = new World({seed: 1, ...options});
  worlds.push(world);
  return world;
};

const WHO = {name: 'Ana', email: 'ana@example.com'};
const ITEMS = [{description: 'Rent', quantity: 2, unit_price: 300_000}];
const PLAN: Plan = {customer: WHO, items: ITEMS, dueAt: 1_900_000_000, until: 'sent'};
const DONE: Said = {end: 'done', until: 'sent', sent: 'yes', changed: 'yes'};

const errorOf = async (work: PromiseLike<unknown>): Promise<CentavoError | undefined> =>
  work.then(
    () => undefined,
    (error: CentavoError) => error,
  );

/** Bills without checks or retries. */
async function bill({client, signal}: Around, {customer, items, dueAt, until}: Plan): Promise<string> {
  const options = {signal};
  const create = () => client.customers.create({name: customer.name, email: customer.email, currency: 'PHP'}, options);
  const customer_id = customer.id ?? (await create()).id;
  const {id} = await client.billingStatements.create({customer_id, currency: 'PHP'}, options);
  for (const item of items) await client.billingStatementLineItems.create({...item, billing_statement_id: id}, options);
  if (dueAt !== undefined) await client.billingStatements.update(id, {due_at: dueAt}, options);
  if (until !== 'draft') await client.billingStatements.finalize(id, options);
  if (until === 'sent') await client.billingStatements.send(id, options);
  return id;
}

/** An existing draft with one item. */
async function draft(world: World): Promise<string> {
  const {id: customer_id} = await world.call('POST', '/customers', {...WHO, currency: 'PHP'});
  const {id} = await world.call('POST', '/billing_statements', {customer_id, currency: 'PHP'});
  await world.call('POST', '/billing_statement_line_items', {...ITEMS[0], billing_statement_id: id});
  return id;
}

const valueOf = async <T>(world: World, work: (around: Around) => Promise<T>, lag?: Lag): Promise<T> => {
  const ended = await world.alone('A', work, {...(lag && {lag})});
  if (ended.ended !== 'returned') throw new Error(ended.ended);
  return ended.value;
};

const AFTER = {kind: 'outcome_unknown', applied: 'unknown', made: 1};
const CASES: readonly [Fault, {kind?: string; applied?: string; ended?: string; made: number; least?: number}][] = [
  ['lost', AFTER],
  ['never', {...AFTER, made: 0, least: CALL}],
  ['unsent', {kind: 'unavailable', applied: 'no', made: 0}],
  ['refused', {kind: 'rejected', applied: 'no', made: 0}],
  ['status-503-before', {...AFTER, made: 0}],
  ['status-500-after', AFTER],
  ['garbage-after', AFTER],
  ['kill-before', {ended: 'killed', made: 0}],
  ['kill-after', {ended: 'killed', made: 1}],
  ['kill-answered', {ended: 'killed', made: 1}],
  ['interrupt-before', {kind: 'interrupted', applied: 'no', ended: 'interrupted', made: 0}],
  ['interrupt-after', {kind: 'interrupted', applied: 'unknown', ended: 'interrupted', made: 1}],
  [{limited: 7}, {made: 1, least: 7000}],
  [{slow: 6000}, {made: 1, least: 6000}],
  [{slow: 11_000}, {...AFTER, least: CALL}],
  [{late: 14_000}, {...AFTER, made: 0, least: CALL}],
  [{late: -4000}, {...AFTER, least: CALL}],
  [
    {late: 14_000, end: 'reset'},
    {...AFTER, made: 0},
  ],
  [
    {late: 14_000, end: 'kill'},
    {ended: 'killed', made: 0},
  ],
  [
    {late: 14_000, end: 'interrupt'},
    {kind: 'interrupted', applied: 'unknown', ended: 'interrupted', made: 0},
  ],
];

test.each(CASES)('a change meets %j', async (fault, {kind, applied, ended = 'returned', made, least = 0}) => {
  const world = newWorld({faults: listed({0: fault})});
  const start = world.now();
  let error: CentavoError | undefined;
  let took = 0;
  const end = await world.alone('A', async ({client, signal, dies}) => {
    error = await errorOf(client.customers.create({...WHO, currency: 'PHP'}, {signal}));
    dies();
    took = world.now() - start;
  });
  expect({ended: end.ended, kind: error?.kind, applied: error?.details.applied, made: world.applied.length}).toEqual({
    ...{ended, kind, applied, made},
  });
  expect(world.met.faults).toBe(1);
  if (ended === 'returned') expect(took).toBeGreaterThanOrEqual(least);
  expect(took).toBeLessThan(CALL + 1);
  await world.rest();
  const isLate = typeof fault === 'object' && 'late' in fault;
  expect(world.applied.map(({by}) => by)).toEqual(made || isLate ? [0] : []);
  if (isLate && fault.end !== undefined) expect(world.applied[0]!.at - start).toBeLessThan(SETTLE + 100);
  if (isLate && fault.end === undefined) expect(world.applied[0]!.at - start).toBe(CALL + fault.late);
});

test('reads have the drawn age, and always show what the test created', async () => {
  const world = newWorld();
  const old = await draft(world);
  const run = async (around: Around) => {
    const id = await bill(around, {...PLAN, until: 'draft'});
    const made = around.nowMilliseconds();
    const {client} = around;
    const seen = async () => [
      (await client.billingStatements.list({limit: 1})).data.map((each) => each.id),
      (await errorOf(client.billingStatements.get(id)))?.kind,
    ];
    const early = await seen();
    await around.sleep(made + STALENESS - around.nowMilliseconds());
    return {id, early, late: await seen()};
  };
  const {id, early, late} = await valueOf(world, run, aged(STALENESS));
  expect({early, late}).toEqual({early: [[old], 'not_found'], late: [[id], undefined]});
  const pages = await valueOf(world, async ({client}) => {
    const ids: string[] = [];
    for await (const each of client.billingStatements.list({limit: 1})) ids.push(each.id);
    const {data} = await client.customers.list({email: 'ANA@example.com'});
    return {ids, customers: data.length};
  });
  expect(pages).toEqual({ids: [id, old], customers: 2});
});

test("torn reads mix two instants; only finalize's answer is never torn", async () => {
  const world = newWorld();
  const id = await draft(world);
  const shown = async ({client, sleep}: Around) => {
    await client.billingStatementLineItems.create({...ITEMS[0]!, billing_statement_id: id});
    const put = await client.billingStatements.update(id, {due_at: PLAN.dueAt!});
    const read = await client.billingStatements.get(id);
    const opened = await client.billingStatements.finalize(id);
    const stale = await client.billingStatements.get(id);
    await sleep(STALENESS);
    return [put, read, opened, stale].map(({line_items, due_at, amount, status}) => [
      (line_items as unknown[]).length,
      due_at,
      amount,
      status,
    ]);
  };
  const due = PLAN.dueAt;
  expect(await valueOf(world, shown, aged(0, STALENESS))).toEqual([
    [1, due, 600_000, 'draft'],
    [1, due, 1_200_000, 'draft'],
    [2, due, 1_200_000, 'open'],
    [1, due, 1_200_000, 'open'],
  ]);
  const again = newWorld({way: 5});
  const other = await draft(again);
  const reverse = async ({client}: Around) => {
    await client.billingStatementLineItems.create({...ITEMS[0]!, billing_statement_id: other});
    const {line_items, amount} = await client.billingStatements.get(other);
    return [(line_items as unknown[]).length, amount];
  };
  const start = again.now();
  expect(await valueOf(again, reverse, aged(STALENESS, 0))).toEqual([2, 600_000]);
  expect(again.now() - start).toBe(4 * 5);
});

test('drawn ages are within the bound, per read or for all', () => {
  const chance = seededRandom(5);
  const leaving = {number: 0, write: false, method: 'GET', path: '/', machine: 'A'};
  const each = drawnLag(chance);
  const ages = Array.from({length: 500}, () => each(leaving));
  expect(ages.every(({statement, items}) => Math.max(statement, items) <= STALENESS)).toBe(true);
  expect(Math.max(...ages.map(({items}) => items))).toBe(STALENESS);
  expect(ages.some(({statement, items}) => statement > items)).toBe(true);
  expect(ages.some(({statement, items}) => statement < items)).toBe(true);
  const one = drawnLag(chance, {replicas: 'one', most: 100});
  expect(new Set(Array.from({length: 50}, () => JSON.stringify(one(leaving)))).size).toBe(1);
});

test('a dead process loses its later writes and stops; another machine continues', async () => {
  const world = newWorld();
  const journal: string[] = [];
  const steps: string[] = [];
  const work = async ({client, sleep, dies, alive}: Around) => {
    const write = (word: string): void => {
      dies();
      journal.push(word);
    };
    write('intended');
    await client.customers.create({...WHO, currency: 'PHP'});
    steps.push(`answered, alive: ${alive()}`);
    try {
      write('made');
    } finally {
      void sleep(10).then(() => steps.push('slept'));
      void client.customers.list().then(() => steps.push('read'));
    }
  };
  const [one, other] = await world.run(
    world.start('A', work, {faults: listed({0: 'kill-answered'})}),
    world.start('B', ({sleep}) => sleep(100_000)),
  );
  expect([one.ended, other.ended]).toEqual(['killed', 'returned']);
  expect({journal, steps}).toEqual({journal: ['intended'], steps: ['answered, alive: false']});
});

test('kills and interrupts a process during a wait, at an instant or by a rate', async () => {
  const world = newWorld();
  const start = world.now();
  const waits = async ({sleep, signal}: Around) => {
    await sleep(60_000, signal);
    return 'through';
  };
  let woken = false;
  const sleeps = async (around: Around) => {
    await waits(around);
    woken = true;
  };
  const killed = await world.alone('A', sleeps, {killedAfter: 1000});
  expect([killed.ended, world.now() - start]).toEqual(['killed', 1000]);
  const stopped = await world.alone('A', waits, {interruptedAfter: 2000});
  expect([stopped.ended, world.now() - start]).toEqual(['interrupted', 3000]);
  expect(await world.alone('A', waits)).toEqual({ended: 'returned', value: 'through'});
  const always = drawn(seededRandom(3), {change: {}, read: {}, wait: {kill: 1}});
  expect((await world.alone('A', waits, {faults: always})).ended).toBe('killed');
  expect(world.now() - start).toBeLessThan(63_000 + 60_000);
  const asks = ({client}: Around) => client.customers.create({...WHO, currency: 'PHP'});
  const silent = {...always, ...listed({0: 'never'})};
  const before = world.now();
  expect((await world.alone('A', asks, {faults: silent})).ended).toBe('killed');
  expect(world.now() - before).toBeLessThan(CALL);
  // The service goes on with what it has begun.
  await world.alone('A', asks, {killedAfter: 1});
  await world.rest();
  expect([world.applied.length, woken]).toEqual([1, false]);
});

test('time passes only when all wait; an endless wait is an error with the seed', async () => {
  const time = new VirtualTime(77);
  await expect(time.run(new Promise(() => {}))).rejects.toThrow('nothing will wake them (seed 77)');
  const circle = new VirtualTime(77);
  const endless = async (): Promise<void> => circle.sleep(1).then(endless);
  await expect(circle.run(endless(), 50)).rejects.toThrow('in circles (seed 77)');
  await time.run(time.sleep(1e6));
  const order: number[] = [];
  const wait = async (milliseconds: number): Promise<void> => {
    // As a journal does that writes several rows at a time.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
    await time.sleep(milliseconds);
    order.push(milliseconds);
  };
  const first = time.sleep(30).then(() => order.push(0));
  await time.run(Promise.all([first, time.sleep(15), wait(30), wait(10), wait(20)]));
  expect(order).toEqual([10, 20, 0, 30]);
  const controller = new AbortController();
  const aborted = errorOf(time.sleep(1e9, controller.signal));
  controller.abort(new Error('enough'));
  expect((await time.run(aborted))?.message).toBe('enough');
  expect(time.sleepers).toBe(0);
});

test('each act at the dashboard is applied and recorded', async () => {
  const changes: readonly (readonly [Act, object])[] = [
    ['add-item', {amount: 607_700}],
    ['change-item', {amount: 2_700_000}],
    ['delete-item', {items: []}],
    ['change-due', {due_at: 1_809_000_000}],
    ['delete', {status: 'deleted'}],
  ];
  for (const [act, becomes] of changes) {
    const world = newWorld();
    const id = await draft(world);
    expect(await world.person(act, id), act).toBe(true);
    expect(world.truth()[0], act).toMatchObject(becomes);
    expect([...world.touched]).toEqual([id]);
  }
  const world = newWorld();
  const id = await draft(world);
  expect(await world.person('finalize', id)).toBe(false);
  expect(world.touched.size).toBe(0);
  for (const act of ['change-due', 'finalize', 'send', 'void'] as const) expect(await world.person(act, id)).toBe(true);
  expect(world.truth()[0]).toMatchObject({
    openedBy: 'person',
    status: 'void',
    emails: [{by: 'person', amount: 600_000}],
  });

  const busy = newWorld({people: {acts: 20, within: 60_000}});
  await draft(busy);
  await busy.pass(30_000);
  const acts = () => busy.applied.filter(({by}) => by === 'person').length;
  const until = acts();
  await busy.rest();
  expect(until).toBeGreaterThan(2);
  expect(acts()).toBe(until);
});

interface Planted {
  readonly what: string;
  /** The end of each of our bills; default: one is sent. */
  readonly bills?: readonly Plan['until'][];
  /** Later acts on the last bill, at the dashboard or by us. */
  readonly then?: readonly (Act | 'we finalize' | 'we send')[];
  readonly plan?: Partial<Plan>;
  readonly said?: Partial<Said>;
  readonly found: readonly string[];
}
const WRONG = ['wrong sent', 'wrong finalized', 'false words'];
const STOPPED = {end: 'stopped', sent: 'no'} as const;
const PLANTED: readonly Planted[] = [
  {what: 'nothing', found: []},
  {what: 'another amount', plan: {items: [...ITEMS, ...ITEMS]}, found: WRONG},
  {what: 'another due time', plan: {dueAt: 1}, found: WRONG},
  {what: 'sent against the wish', plan: {until: 'open'}, said: {until: 'open'}, found: ['wrong sent']},
  {what: 'opened against the wish', bills: ['open'], plan: {until: 'draft'}, said: STOPPED, found: ['wrong finalized']},
  {what: 'billed twice', bills: ['sent', 'open'], said: STOPPED, found: ['double']},
  {what: 'e-mailed twice', then: ['we send'], found: ['second e-mail']},
  {what: 'done, and nothing there', bills: [], said: {sent: 'unknown', changed: 'no'}, found: ['false words']},
  {what: 'done, and still a draft', bills: ['draft'], said: {until: 'open', sent: 'no'}, found: ['false words']},
  {what: 'sent, and not', bills: ['open'], said: {until: 'open'}, found: ['false words']},
  {what: 'done, and not sent', bills: ['open'], said: {sent: 'unknown'}, found: ['false words']},
  {what: 'not sent, and sent', said: STOPPED, found: ['false words']},
  {what: 'nothing changed, and changed', said: {changed: 'no'}, found: ['false words']},
  {what: 'changed, and nothing changed', bills: [], said: STOPPED, found: ['false words']},
  {
    what: 'sent by a person',
    bills: ['draft'],
    then: ['add-item', 'finalize', 'send', 'send'],
    said: STOPPED,
    found: [],
  },
  {what: 'an item slipped in', bills: ['draft'], then: ['add-item', 'we finalize'], said: STOPPED, found: []},
  {
    what: 'an item slipped in, and sent by us',
    bills: ['draft'],
    then: ['add-item', 'we finalize', 'we send'],
    said: {...STOPPED, sent: 'unknown'},
    found: ['wrong sent'],
  },
];

test.each(PLANTED)('judges: $what', async ({bills = ['sent'], then = [], plan, said, found: kinds}) => {
  const world = newWorld();
  const statementId = await valueOf(world, async (around) => {
    let id: string | undefined;
    for (const until of bills) id = await bill(around, {...PLAN, until});
    for (const act of then)
      if (act === 'we finalize') await around.client.billingStatements.finalize(id!);
      else if (act === 'we send') await around.client.billingStatements.send(id!);
      else await world.person(act, id!);
    return id;
  });
  await world.rest();
  const found = violations(world, {...PLAN, ...plan}, [{...DONE, run: 0, statementId, ...said}]);
  expect({kinds: found.map(({kind}) => kind), found}).toEqual({kinds, found});
  expect(world.truth().every((each) => isPlanned(each, PLAN) || world.touched.has(each.id))).toBe(true);
});

test('only a run that first read after a void by a person may bill again', async () => {
  for (const isBefore of [true, false]) {
    const world = newWorld();
    const id = await valueOf(world, (around) => bill(around, PLAN));
    if (isBefore) await world.person('void', id);
    await world.pass(1);
    const wait = async (around: Around) => {
      await around.sleep(1000);
      return bill(around, PLAN);
    };
    const again = world.start('B', wait);
    if (!isBefore) await world.person('void', id);
    await world.run(again);
    expect(violations(world, PLAN, []).map(({kind}) => kind)).toEqual(isBefore ? [] : ['double']);
    expect(world.truth().map(isBilled)).toEqual([true, true]);
  }
});

test('a report covers the past of its own machine only', async () => {
  const world = newWorld();
  const id = await valueOf(world, (around) => bill(around, {...PLAN, until: 'open'}));
  await world.alone('B', ({client}) => client.billingStatements.send(id));
  const words = (run: number) => ({...DONE, ...STOPPED, run, statementId: id, changed: 'unknown'}) as const;
  await world.alone('A', async () => {});
  await world.alone('B', async () => {});
  expect(world.runs.map(({machine}) => machine)).toEqual(['A', 'B', 'A', 'B']);
  const isFalse = (run: number) => violations(world, PLAN, [words(run)]).length > 0;
  expect([0, 1, 2, 3].map(isFalse)).toEqual([false, true, false, true]);
  await world.alone('A', ({client}) => client.billingStatements.send(id));
  expect(violations(world, PLAN, [words(2)]).map(({kind}) => kind)).toEqual(['second e-mail']);
});

test('a replacement may be opened only after the old statement cannot be paid', async () => {
  const orders = [['void', 'open'], ['open', 'void'], ['open']] as const;
  const kinds: string[][] = [];
  for (const order of orders) {
    const world = newWorld();
    const replaces = await draft(world);
    await world.call('PUT', `/billing_statements/${replaces}`, {due_at: PLAN.dueAt});
    await world.call('POST', `/billing_statements/${replaces}/finalize`);
    await valueOf(world, async (around) => {
      for (const step of order)
        if (step === 'open') await bill(around, {...PLAN, until: 'open'});
        else await around.client.billingStatements.void(replaces);
    });
    kinds.push(violations(world, {...PLAN, replaces}, []).map(({kind}) => kind));
  }
  expect(kinds).toEqual([[], ['double'], ['double']]);
});

/** The whole course of a case. */
async function courseOf(seed: number, options: Parameters<typeof drawCase>[1] = {}) {
  const {world, plan, machines} = await drawCase(seed, options);
  worlds.push(world);
  const careless = async (around: Around): Promise<Said> => {
    const words = {run: around.run, until: plan.until, sent: 'unknown', changed: 'unknown'} as const;
    const id = await bill(around, plan).catch(() => undefined);
    return {...words, end: id === undefined ? 'stopped' : 'done', ...(id !== undefined && {statementId: id})};
  };
  const ends = await world.run(...machines.map((machine) => world.start(machine, careless)));
  await world.rest();
  const said = ends.flatMap((end) => (end.ended === 'returned' ? [end.value] : []));
  return {plan, ends, applied: world.applied, met: world.met, at: world.now(), found: violations(world, plan, said)};
}

test('the same seed gives the same course, another seed another', async () => {
  const options = {people: 3};
  const [one, same, other] = [await courseOf(11, options), await courseOf(11, options), await courseOf(12, options)];
  expect(same).toEqual(one);
  expect(other.applied).not.toEqual(one.applied);
});

test('careless billing breaks promises only under faults, lag, twins and people', async () => {
  const calm = {rates: scaled(RATES, 0), lags: false, twins: 0};
  let faults = 0;
  const kinds = new Set<string>();
  for (let seed = 100; seed < 160; seed++) {
    const {found, met, ends} = await courseOf(seed, calm);
    expect([found, met.faults, ends[0]!.ended], `seed ${seed}`).toEqual([[], 0, 'returned']);
    const wild = await courseOf(seed);
    faults += wild.met.faults;
    for (const {kind} of wild.found) kinds.add(kind);
  }
  expect(NO_FAULTS.request({number: 0, write: true, method: 'POST', path: '/', machine: 'A'})).toBeUndefined();
  expect(faults).toBeGreaterThan(30);
  expect(kinds).toContain('double');
});

test('faults come at their rates, and late ones within the settle time by default', () => {
  const leaving = {number: 0, write: true, method: 'POST', path: '/', machine: 'A'};
  const draw = (change: object) => {
    const faults = drawn(seededRandom(8), {change, read: {}, wait: {}});
    return Array.from({length: 1000}, () => faults.request(leaving));
  };
  expect(draw({}).filter((fault) => fault !== undefined)).toEqual([]);
  expect(draw({lost: 1}).every((fault) => fault === 'lost')).toBe(true);
  const half = draw({refused: 0.5}).filter((fault) => fault === 'refused').length;
  expect(Math.abs(half - 500)).toBeLessThan(60);
  const lateness = (change: object) => draw(change).map((fault) => (fault as {late: number}).late);
  expect(Math.max(...lateness({late: 1}))).toBeGreaterThan(SETTLE - 100);
  expect(Math.max(...lateness({late: 1}))).toBeLessThanOrEqual(SETTLE);
  expect(Math.min(...lateness({late: 1}))).toBeLessThan(0);
  expect(Math.min(...lateness({'late-beyond': 1}))).toBeGreaterThan(SETTLE);
});
