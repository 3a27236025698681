// Hand-made schedules: those that broke an earlier design, and those that random faults rarely reach.

import {afterEach, describe, expect, test} from 'vitest';
import type {RunOutcome} from '../../../../src/billing/statement/workflow/outcome.js';
import type {OperationCall} from '../../../../src/api/operation.js';
import type {StatementPlan} from '../../../../src/billing/statement/plan.js';
import type {RunEvent} from '../../../../src/billing/statement/workflow/run-events.js';
import {runPlan, type RunOptions} from '../../../../src/billing/statement/workflow/run-plan.js';
import type {CallOptions} from '../../../../src/client/call.js';
import {clientOver} from '../../../../src/client/client.js';
import {CentavoError} from '../../../../src/common/errors.js';
import {listed, type Faults} from '../../../support/simulation/faults.js';
import {aged} from '../../../support/simulation/hostile-service.js';
import {Machine} from '../../../support/simulation/subjects.js';
import {World, type Around, type Ended, type WorldOptions} from '../../../support/simulation/world.js';

const worlds: World[] = [];
afterEach(() => worlds.splice(0).forEach((world) => world.close()));

const ANA = {name: 'Ana', email: 'ana@example.com'};
const item = (description: string, unit_price: number) => ({description, quantity: 1, unit_price});
const [RENT, WATER, GAS] = [item('Rent', 6000_00), item('Water', 500_00), item('Gas', 300_00)];
const DUE = 1_900_000_000;
/** Numbers of the changes of a run of PLAN. */
const [DRAFT, ITEM, SET_DUE, FINALIZE, SEND] = [0, 1, 2, 3, 4];

async function scene(options: Partial<WorldOptions> = {}) {
  const world = new World({seed: 1, way: 20, ...options});
  worlds.push(world);
  const {id: customer_id} = await world.call('POST', '/customers', {...ANA, currency: 'PHP'});
  const plan: StatementPlan = {
    create: {customer_id, currency: 'PHP'},
    items: [RENT],
    dueAt: DUE,
    finalize: true,
    send: true,
  };
  const machine = new Machine('A', world);
  /** A process of the machine, with other options if given. */
  const process = async (
    wanted: StatementPlan,
    {of = machine, faults, killedAfter, around}: Process = {},
  ): Promise<RunOutcome | undefined> => {
    const ended: Ended<RunOutcome> = await world.alone(
      of.name,
      (each) => {
        const usual = of.options(each, {id: wanted.id, key: wanted.id === undefined ? `${of.name}plan` : undefined});
        return runPlan(wanted, {...usual, ...around?.(each, usual)});
      },
      {...(faults && {faults}), ...(killedAfter !== undefined && {killedAfter})},
    );
    return ended.ended === 'killed' ? undefined : ended.value;
  };
  /** A draft created elsewhere. */
  const draft = async (metadata: object | null, items = [RENT]): Promise<string> => {
    const {id} = await world.call('POST', '/billing_statements', {customer_id, currency: 'PHP', metadata});
    for (const each of items)
      await world.call('POST', '/billing_statement_line_items', {...each, billing_statement_id: id});
    await world.call('PUT', `/billing_statements/${id}`, {due_at: DUE});
    return id as string;
  };
  return {world, plan, machine, process, draft};
}

interface Process {
  readonly of?: Machine;
  readonly faults?: Faults;
  /** Milliseconds. */
  readonly killedAfter?: number;
  readonly around?: (around: Around, usual: RunOptions) => Partial<RunOptions>;
}

const why = (outcome: RunOutcome | undefined) => (outcome?.end === 'stopped' ? outcome.stop.why : outcome?.end);
const summary = (world: World) =>
  world.truth().map(({status, amount, emails}) => ({status, amount, emails: emails.length}));
const SENT = [{status: 'open', amount: 6000_00, emails: 1}];
const named = (plan: StatementPlan, id: string): StatementPlan => ({...plan, create: undefined, id});
const changesOf = (world: World, end: RegExp) => world.applied.filter(({path, by}) => end.test(path) && by !== 'test');

describe('late calls and old reads', () => {
  test('waits for an item that lands 14 seconds after its timeout', async () => {
    const {world, plan, process} = await scene({faults: listed({[ITEM]: {late: 14_000}}), lag: aged(3000)});
    expect(why(await process(plan))).toBe('done');
    await world.rest();
    expect(summary(world)).toEqual(SENT);
  });

  test('waits for a draft that does', async () => {
    const {world, plan, process} = await scene({faults: listed({[DRAFT]: {late: 14_000}}), lag: aged(3000)});
    expect(why(await process(plan))).toBe('done');
    await world.rest();
    expect(summary(world)).toEqual(SENT);
  });

  test('claims two applied but unanswered items', async () => {
    const {world, plan, process} = await scene({faults: listed({1: 'lost', 2: 'lost'}), lag: aged(15_000)});
    expect(why(await process({...plan, items: [RENT, RENT]}))).toBe('done');
    await world.rest();
    expect(summary(world)).toEqual([{status: 'open', amount: 12_000_00, emails: 1}]);
  });

  test('waits for an item of a process killed just before its timeout', async () => {
    const {world, plan, process} = await scene({lag: aged(15_000)});
    await process(plan, {faults: listed({[ITEM]: {late: 14_900}}), killedAfter: 9900});
    expect(why(await process(plan))).toBe('done');
    await world.rest();
    expect(summary(world)).toEqual(SENT);
  });

  test('waits for the due time of an earlier process', async () => {
    const {world, plan, process} = await scene();
    await process({...plan, dueAt: 1_950_000_000}, {faults: listed({[SET_DUE]: {late: 10, end: 'kill'}})});
    // The first answer is lost too: the change is repeated.
    expect(why(await process(plan, {faults: listed({0: 'status-500-after'})}))).toBe('done');
    await world.rest();
    expect(world.truth()).toMatchObject([{due_at: DUE, status: 'open'}]);
  });

  test('waits for a draft of a process killed just before its timeout', async () => {
    const {world, plan, process} = await scene({lag: aged(15_000)});
    await process(plan, {faults: listed({[DRAFT]: {late: 14_900}}), killedAfter: 9900});
    expect(why(await process(plan))).toBe('done');
    await world.rest();
    expect(summary(world)).toEqual(SENT);
  });

  test('waits for another due time of such a process before finalizing', async () => {
    const {world, plan, process} = await scene({lag: aged(15_000)});
    const faults = listed({[SET_DUE]: {late: 14_900}});
    await process({...plan, dueAt: 1_950_000_000}, {faults, killedAfter: 10_050});
    const ends = [why(await process(plan)), why(await process(plan))];
    expect(ends).toEqual(['not_shown', 'done']);
    expect(world.truth()).toMatchObject([{status: 'open', due_at: DUE}]);
    expect(summary(world)).toEqual(SENT);
  });

  test('waits for a draft whose process slept between its intent and the call', async () => {
    const {world, plan, process} = await scene();
    const events: RunEvent[] = [{type: 'intended', call: 'draft', at: world.now() - 100_000}];
    const metadata = {centavo_key: 'slept', centavo_run: 'run'};
    void world.passed(14_000).then(() => world.call('POST', '/billing_statements', {...plan.create, metadata}));
    const outcome = await process(plan, {
      around: (_, {journal}) => ({journal: {...journal, key: 'slept', run: 'run', events}}),
    });
    await world.rest();
    expect(why(outcome)).toBe('done');
    expect(summary(world)).toEqual(SENT);
  });

  test('reads once after an unknown finalize', async () => {
    const {world, plan, process} = await scene();
    await process(plan, {faults: listed({[FINALIZE]: 'kill-before'})});
    const before = world.met.requests;
    expect(why(await process(plan))).toBe('done');
    // A read, the finalize, and the send.
    expect(world.met.requests - before).toBe(3);
  });

  test('finds an unanswered new customer among others with the same address', async () => {
    const {world, plan, process} = await scene();
    const outcome = await process({...plan, newCustomer: ANA}, {faults: listed({0: 'lost'})});
    expect(why(outcome)).toBe('done');
    expect(world.truth()[0]!.customerId).not.toBe(plan.create!.customer_id);
  });
});

describe('two machines', () => {
  test('finds its draft taken over after a kill, and creates no other', async () => {
    const {world, plan, process} = await scene();
    await process(plan, {faults: listed({[DRAFT]: 'kill-after'})});
    const {id} = world.truth()[0]!;
    const other = new Machine('B', world);
    expect(why(await process(named(plan, id), {of: other}))).toBe('done');
    expect(why(await process(plan))).toBe('taken');
    expect(summary(world)).toEqual(SENT);
  });

  test('opens nothing half changed when a finalize meets a takeover', async () => {
    const {world, plan, process} = await scene();
    await process(plan, {faults: listed({[FINALIZE]: {late: 150, end: 'kill'}})});
    const {id} = world.truth()[0]!;
    const outcome = await process(named({...plan, items: [RENT, WATER, GAS]}, id), {of: new Machine('B', world)});
    await world.rest();
    expect(summary(world)).toEqual([{status: 'open', amount: 6000_00, emails: 0}]);
    expect(why(outcome)).toBe('opened_by_other');
  });

  test('keeps the metadata of a draft that is taken over, and records the previous owner', async () => {
    const {world, plan, process, draft} = await scene();
    const id = await draft({order: '7', centavo_key: 'plan', centavo_run: 'second', centavo_was: 'first'});
    expect(why(await process(named({...plan, dueAt: undefined}, id)))).toBe('done');
    expect(world.truth()).toMatchObject([
      {metadata: {order: '7', centavo_key: 'plan', centavo_was: 'first second'}, due_at: DUE},
    ]);
    expect(world.truth()[0]!.metadata!.centavo_run).not.toBe('second');
  });

  test('can take back its draft', async () => {
    const {world, plan, process} = await scene();
    const drafted = {...plan, finalize: false, send: false};
    await process(drafted);
    const {id} = world.truth()[0]!;
    expect(why(await process(named(drafted, id), {of: new Machine('B', world)}))).toBe('done');
    expect(why(await process(named(plan, id)))).toBe('taken');
    expect(why(await process(named(plan, id)))).toBe('done');
    expect(summary(world)).toEqual(SENT);
  });
});

describe('sending', () => {
  test.each<[string, Parameters<typeof listed>[0][number]]>([
    ['without an answer', 'lost'],
    ['and killed before the answer', 'kill-after'],
    ['and killed before the call', 'kill-before'],
  ])('does not repeat the send: %s', async (_, fault) => {
    const {world, plan, process} = await scene();
    await process(plan, {faults: listed({[SEND]: fault})});
    const id = world.truth()[0]!.id;
    for (const wanted of [plan, named(plan, id)]) expect(why(await process(wanted))).toBe('send_in_doubt');
    expect(world.truth()[0]!.emails.length).toBe(fault === 'kill-before' ? 0 : 1);
  });

  test('repeats the send after 429, and after a refusal in the next process', async () => {
    const {world, plan, process} = await scene();
    expect(why(await process(plan, {faults: listed({[SEND]: {limited: 5}, [SEND + 1]: 'refused'})}))).toBe('failed');
    expect(summary(world)).toMatchObject([{emails: 0}]);
    expect(why(await process(plan))).toBe('done');
    expect(summary(world)).toEqual(SENT);
  });

  test.each<['in_doubt' | 'sent', string]>([
    ['sent', 'done'],
    ['in_doubt', 'send_in_doubt'],
  ])('does not send what another command has %s', async (send, end) => {
    const {world, plan, process} = await scene();
    const outcome = await process(plan, {
      around: (_, {history}) => ({history: {...history, earlier: () => ({unsettled: false, send})}}),
    });
    expect(why(outcome)).toBe(end);
    expect(summary(world)).toMatchObject([{status: 'open', emails: 0}]);
  });

  test('reports its earlier send when repeated, and changes nothing', async () => {
    const {world, plan, process} = await scene();
    expect(await process(plan)).toMatchObject({end: 'done', changed: true});
    expect(await process(plan)).toMatchObject({end: 'done', changed: false, sentBefore: true});
    expect(summary(world)).toEqual(SENT);
  });

  test('does not send a statement that gets another item while it is finalized', async () => {
    const {world, plan, process} = await scene();
    const faults: Faults = {
      request: ({path}) => {
        if (path.endsWith('/finalize')) void world.person('add-item', world.truth()[0]!.id);
        return undefined;
      },
    };
    expect(why(await process(plan, {faults}))).toBe('mismatch');
    expect(summary(world)).toEqual([{status: 'open', amount: 6077_00, emails: 0}]);
  });

  test('does not send a statement that another person opened', async () => {
    const {world, plan, process} = await scene();
    await process(plan, {faults: listed({[FINALIZE]: 'refused'})});
    await world.person('finalize', world.truth()[0]!.id);
    await world.pass(20_000);
    expect(why(await process(plan))).toBe('opened_by_other');
    expect(summary(world)).toMatchObject([{status: 'open', emails: 0}]);
  });
});

describe('the journal', () => {
  const recording = (events: RunEvent[]): Process['around'] =>
    function around(_, {journal}) {
      return {
        journal: {
          ...journal,
          record: (event) => {
            events.push(event);
            journal.record(event);
          },
        },
      };
    };

  test('records a call before it is sent, and its outcome before the next one', async () => {
    const {plan, process} = await scene();
    const events: RunEvent[] = [];
    const seen: string[] = [];
    const faults: Faults = {
      request: ({write}) => {
        const said = events.map((event) => (event.type === 'intended' ? event.call : event.type));
        if (write) seen.push(said.filter((each) => each !== 'items_before').join(' '));
        return undefined;
      },
    };
    expect(why(await process(plan, {faults, around: recording(events)}))).toBe('done');
    expect(seen).toEqual([
      'draft',
      'draft answered item',
      'draft answered item answered due',
      'draft answered item answered due answered finalize',
      'draft answered item answered due answered finalize answered send',
    ]);
  });

  const full = new CentavoError('local_io', 'the disk is full.', {applied: 'no'});
  test.each<[string, Process['around']]>([
    [
      'journal',
      (_, {journal}) => ({
        journal: {
          ...journal,
          record: (event) => {
            if (event.type === 'intended' && event.call === 'item') throw full;
            journal.record(event);
          },
        },
      }),
    ],
    [
      'history',
      (_, {history}) => ({
        history: {
          ...history,
          intend: (call, ids) => {
            if (call === 'item') throw full;
            return history.intend(call, ids);
          },
        },
      }),
    ],
  ])('does not send what the %s cannot record', async (_, around) => {
    const {world, plan, process} = await scene();
    expect(await process(plan, {around})).toMatchObject({
      end: 'stopped',
      stop: {why: 'failed', error: full, at: 'item'},
    });
    expect(world.applied.filter(({by}) => by !== 'test').map(({path}) => path)).toEqual(['/billing_statements']);
  });

  test('reads again if it slept before finalizing', async () => {
    const {world, plan, process} = await scene();
    const outcome = await process(plan, {
      around: ({sleep}, {history}) => ({
        history: {
          ...history,
          intend: async (call, ids) => {
            await history.intend(call, ids);
            if (call !== 'finalize') return;
            await sleep(6000);
            await world.person('add-item', ids[0]!);
          },
        },
      }),
    });
    expect(why(outcome)).toBe('foreign');
    expect(summary(world)).toMatchObject([{status: 'draft', emails: 0}]);
  });

  test('finds an unrecorded answer with a read', async () => {
    const {world, plan, process} = await scene();
    for (const change of [DRAFT, ITEM - 1, SET_DUE - 2, FINALIZE - 3])
      await process(plan, {faults: listed({[change]: 'kill-answered'})});
    expect(why(await process(plan))).toBe('done');
    expect(summary(world)).toEqual(SENT);
  });
});

describe('a draft without keys', () => {
  test('waits for a recent change before finalizing', async () => {
    const {world, plan, process, draft} = await scene();
    const id = await draft({});
    const from = world.now();
    const outcome = await process(named(plan, id), {
      around: (_, {history}) => ({history: {...history, earlier: () => ({unsettled: true, madeAt: from - 1000})}}),
    });
    expect(why(outcome)).toBe('done');
    const waited = world.truth()[0]!.openedAt! - from;
    expect(waited).toBeGreaterThan(30_000);
    expect(waited < 31_000).toBe(true);
  });
});

test('recognizes its item when continued by statement id, without a wait', async () => {
  const {world, plan, process} = await scene();
  await process(plan, {faults: listed({[ITEM]: 'kill-answered'})});
  const from = world.now();
  expect(why(await process(named(plan, world.truth()[0]!.id)))).toBe('done');
  expect(Math.floor((world.now() - from) / 1000)).toBe(0);
  expect(summary(world)).toEqual(SENT);
});

test('does not wait for history that its journal covers', async () => {
  const {world, plan, process} = await scene();
  await process(plan, {faults: listed({[ITEM]: 'kill-answered'})});
  const from = world.now();
  const outcome = await process(named(plan, world.truth()[0]!.id), {
    around: (_, {history}) => ({history: {...history, earlier: () => ({unsettled: true, madeAt: from - 1000})}}),
  });
  expect(why(outcome)).toBe('done');
  expect(Math.floor((world.now() - from) / 1000)).toBe(0);
});

describe('the end of a run', () => {
  test('gives up an unanswered call after the fourth attempt', async () => {
    const {world, plan, process} = await scene();
    const outcome = await process(plan, {faults: listed({2: 'lost', 3: 'lost', 4: 'lost', 5: 'lost'})});
    expect(outcome).toMatchObject({
      stop: {why: 'failed', at: 'due'},
      state: {uncertainCall: 'due', applied: 'unknown'},
    });
    expect(changesOf(world, /billing_statements\/\w+$/)).toHaveLength(4);
  });

  test('waits for 429 within the time limit', async () => {
    const {world, plan, process} = await scene();
    const from = world.now();
    const faults = listed({1: {limited: 25}, 2: {limited: 25}, 3: {limited: 25}});
    expect(await process(plan, {faults})).toMatchObject({
      stop: {why: 'failed', error: {kind: 'rate_limited'}, at: 'item'},
    });
    expect(Math.round((world.now() - from) / 1000)).toBe(50);
  });

  test('is done if only the last read fails', async () => {
    const {world, plan, process} = await scene();
    const drafted = {...plan, finalize: false, send: false};
    const faults: Faults = {request: ({write}) => (write ? undefined : 'lost')};
    const outcome = await process(drafted, {faults});
    expect(outcome).toMatchObject({end: 'done', changed: true});
    expect(summary(world)).toMatchObject([{status: 'draft', amount: 6000_00}]);
    // A statement that should be finalized is not done.
    expect(why(await process(plan, {faults}))).toBe('failed');
  });
});

describe('calls', () => {
  /** A client that reports each change before it is made. */
  const watched =
    (seen: (call: OperationCall, options: CallOptions) => unknown) =>
    ({client}: Around): Partial<RunOptions> => ({
      client: clientOver(client, async (call, options = {}) => {
        if (call.operation.method !== 'GET') await seen(call, options);
        return client.perform(call, options) as Promise<unknown>;
      }),
    });

  test.each([
    [60_000, 10_000],
    [3000, 3000],
  ])('with a limit of %i ms time out after %i ms, in a single attempt', async (timeout, given) => {
    const {plan, process} = await scene();
    const limits: unknown[] = [];
    const around = watched((_, options) => limits.push([options.timeout, typeof options.once]));
    expect(why(await process(plan, {around: (each) => ({...around(each), timeout})}))).toBe('done');
    expect(limits).toEqual(Array.from({length: 5}, () => [given, 'function']));
  });

  test('updates include the payment settings, and a takeover the keys', async () => {
    const {plan, process, draft} = await scene();
    const updates: any[] = [];
    const around = watched(({verb, params}) => verb === 'update' && updates.push(params));
    await process({...plan, dueAt: DUE + 1}, {around});
    const taken = named({...plan, dueAt: undefined}, await draft({order: '7'}));
    expect(why(await process(taken, {around}))).toBe('done');
    expect(updates).toEqual([
      {due_at: DUE + 1, payment_settings: expect.objectContaining({payment_methods: expect.any(Array)})},
      {
        due_at: DUE,
        payment_settings: expect.objectContaining({payment_methods: expect.any(Array)}),
        metadata: {order: '7', centavo_key: expect.any(String), centavo_run: expect.any(String)},
      },
    ]);
  });

  test('are tried three times if they do not reach the service', async () => {
    /** Numbers of the changes that the network rejects. */
    const refusing = (numbers: readonly number[]) => {
      let number = 0;
      return watched((_, {once}) => {
        if (!numbers.includes(number++)) return;
        once!(100);
        throw new CentavoError('unavailable', 'the connection was refused.', {applied: 'no'});
      });
    };
    const {plan, process} = await scene();
    expect(why(await process(plan, {around: refusing([1, 2, 4, 5])}))).toBe('done');
    const other = await scene();
    const stopped = await other.process(other.plan, {around: refusing([1, 2, 3])});
    expect(stopped).toMatchObject({stop: {why: 'failed', at: 'item'}, state: {applied: 'yes', items: 0, of: 1}});
  });

  test('are not repeated for a draft without metadata', async () => {
    const {world, plan, process} = await scene();
    const strange = {...plan, create: {...plan.create!, metadata: 'none'}};
    const stopped = await process(strange, {faults: listed({[DRAFT]: 'lost'})});
    expect(stopped).toMatchObject({
      stop: {why: 'failed', at: 'draft'},
      state: {uncertainCall: 'draft', applied: 'unknown'},
    });
    expect(world.now() - world.runs[0]!.startedAt).toBeLessThan(10_000);
  });

  test('find their own new customer again', async () => {
    const {world, plan, process} = await scene();
    const again = () => world.call('POST', '/customers', {...ANA, currency: 'PHP', metadata: {source: 'web'}});
    await again();
    let waits = 0;
    // One of this name existed before, and another appears during the wait.
    const around = ({sleep}: Around): Partial<RunOptions> => ({
      sleep: async (milliseconds, signal) => {
        if (waits++ === 0) await again();
        return sleep(milliseconds, signal);
      },
    });
    expect(why(await process({...plan, newCustomer: ANA}, {faults: listed({0: 'lost'}), around}))).toBe('done');
    const all = (await world.call('GET', '/customers')).data as {id: string; metadata: object | null}[];
    expect(all).toHaveLength(4);
    const own = all.filter(({metadata}) => metadata !== null && 'centavo_key' in metadata);
    expect(own.map(({id}) => id)).toEqual([world.truth()[0]!.customerId]);
  });

  test('count as applied if the removed item is already gone', async () => {
    const {world, plan, process, draft} = await scene();
    const id = await draft(null, [RENT, WATER]);
    const edits = await world.call('GET', `/billing_statements/${id}`);
    const around = watched(
      ({verb, ids}) => verb === 'delete' && world.call('DELETE', `/billing_statement_line_items/${ids[0]}`),
    );
    const edit = {id, edits, items: plan.items, dueAt: DUE, finalize: false, send: false};
    expect(why(await process(edit, {around}))).toBe('done');
  });

  test.each<[string, Faults, string, boolean[]]>([
    ['answered', listed({}), 'done', [true]],
    ['refused', listed({[SEND]: 'refused'}), 'failed', [false]],
    ['without an answer', listed({[SEND]: 'lost'}), 'failed', []],
  ])('record a send in the history: %s', async (_, faults, end, recorded) => {
    const {plan, process} = await scene();
    const ended: boolean[] = [];
    const made: string[] = [];
    const outcome = await process(plan, {
      faults,
      around: (_each, {history}) => ({
        history: {...history, made: (id) => made.push(id), sendEnded: (_id, sent) => ended.push(sent)},
      }),
    });
    expect([why(outcome), ended]).toEqual([end, recorded]);
    expect(made).toEqual([expect.stringMatching(/^bstm_/)]);
    if (outcome?.end === 'stopped')
      expect(outcome.state.uncertainCall).toBe(recorded.length === 0 ? 'send' : undefined);
  });
});

describe('a slow service', () => {
  test('ends the run, because finalizing needs a recent read', async () => {
    // Each read takes six seconds.
    const {world, plan, process} = await scene({way: 3000});
    const began = world.now();
    const outcome = (await process(plan)) as Extract<RunOutcome, {end: 'stopped'}>;
    expect(outcome).toMatchObject({
      end: 'stopped',
      stop: {why: 'failed', at: 'read', error: {kind: 'unavailable', message: 'the API takes too long to answer.'}},
      state: {applied: 'yes', status: 'draft', items: 1},
    });
    expect(world.truth()).toMatchObject([{status: 'draft', emails: []}]);
    // Neither at the first slow read, nor never.
    expect(world.now() - began).toBeLessThan(90_000);
  });
});
