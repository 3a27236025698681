// Reissues under faults of the service: two statements are never payable, and after any stop the same command continues
// until one is, or until the old one was paid. Time is virtual.

import {describe, expect, test} from 'vitest';
import type {ReissuePlan} from '../../../src/billing/statement/reissue.js';
import {listed, type Fault, type Faults} from '../../support/simulation/faults.js';
import {
  brokenOf,
  DUE,
  errorOf,
  ITEMS,
  process,
  reissueScene,
  textOf,
  type Given,
} from '../../support/simulation/reissues.js';
import type {Truth, World} from '../../support/simulation/world.js';
import {some} from '../../support/test-size.js';

/** Changes of a run without faults, in order. */
const CHANGES = ['the draft', 'item 1', 'item 2', 'the due date', 'the void', 'the finalizing', 'the sending'];
const VOID = CHANGES.indexOf('the void');
const SENDING = CHANGES.length - 1;
const at = (change: number, fault: Fault): Faults => listed({[change]: fault});

/** Milliseconds after the timeout; negative before it. */
const WITHIN = [14_900, -9000, 100, 5000];
const BEYOND = [15_500, 17_000, 20_000, 45_000];
const ENDS = ['interrupt-before', 'interrupt-after', 'kill-before', 'kill-after'] as const;

const ONE_PAYABLE = {wrong: [], payable: 1};
const AMOUNT = 6500_00;

interface Course extends Given {
  /** Acts between two runs; `draft` is the latest replacement. */
  readonly between?: (world: World, old: string, draft: Truth | undefined) => unknown;
  readonly change?: Partial<ReissuePlan>;
  /** Differences of the plan after the command was done; without it, the command is not repeated. */
  readonly then?: Partial<ReissuePlan>;
  /** Maximum number of runs. */
  readonly most?: number;
}

/** Runs the command until it is done. @param faults of each run in turn; later runs have none */
async function reissues(faults: readonly Faults[], {between, change, then, most = 6, ...given}: Course = {}) {
  const scene = await reissueScene({}, given);
  const {world, id, A, its} = scene;
  const [endings, texts]: [string[], string[]] = [[], []];
  let plan: ReissuePlan = {...scene.plan, ...change};
  let last = then === undefined;
  for (let round = 0; round < most; round++) {
    const outcome = await scene.run(A, {faults: faults[round]}, plan);
    if (outcome?.end === 'done') {
      endings.push('done');
      if (last) break;
      last = true;
      plan = {...plan, ...then};
    } else if (outcome) {
      const {code} = errorOf(outcome);
      endings.push(code);
      texts.push(textOf(outcome));
      if (/not_open|statement_paid|already_reissued|send_in_doubt/.test(code)) break;
    } else endings.push('killed');
    await between?.(world, id, its().at(-1));
  }
  await world.rest();
  const customer = {name: 'Ana', email: 'ana@example.com'};
  const wanted = {customer, items: ITEMS, dueAt: DUE, ...change, until: 'sent', replaces: id} as const;
  const count = (status: string): number => world.truth().filter((each) => each.status === status).length;
  return {
    ...{...scene, endings, texts, asked: world.met.changes, payable: count('open'), paid: count('paid')},
    wrong: brokenOf(world, wanted, [A]),
  };
}

test('makes each change once without faults', async () => {
  const {summary, its, ...rest} = await reissues([]);
  expect(rest).toMatchObject({endings: ['done'], asked: CHANGES.length, ...ONE_PAYABLE});
  expect(summary()).toEqual(['void', 'open 1']);
  expect(its()).toMatchObject([{amount: AMOUNT, due_at: DUE}]);
});

test('copies the old statement and names it, without keys of earlier runs', async () => {
  const fields = {
    description: 'June work',
    payment_settings: {payment_methods: ['gcash']},
    metadata: {order: '12', centavo_key: 'x', centavo_replaces: 'bstm_other'},
  };
  const {world, id, its} = await reissues([], {fields});
  const next = await world.call('GET', `/billing_statements/${its()[0]!.id}`);
  expect(next.metadata).toEqual({
    order: '12',
    centavo_key: expect.any(String),
    centavo_run: expect.any(String),
    centavo_replaces: id,
    centavo_amount: String(AMOUNT),
  });
  expect(next.metadata.centavo_key).not.toBe('x');
  expect(next.description).toBe('June work');
  expect(next.payment_settings.payment_methods).toEqual(['gcash']);
});

test('bills other items and another due date', async () => {
  const items = [{description: 'Web design, corrected', quantity: 3, unit_price: 100_000}];
  const {its, ...rest} = await reissues([], {change: {items, dueAt: 2_000_000_000}});
  expect(rest).toMatchObject({endings: ['done'], ...ONE_PAYABLE});
  expect(its()).toMatchObject([{status: 'open', amount: 300_000, due_at: 2_000_000_000}]);
});

describe.each(CHANGES.map((name, change) => [name, change] as const))('%s', (_name, change) => {
  test.each(ENDS)('%s: the same command continues', async (fault) => {
    const tale = await reissues([at(change, fault)]);
    expect(tale).toMatchObject(ONE_PAYABLE);
    if (change < SENDING) expect(tale.endings.at(-1)).toBe('done');
  });

  test.each(['lost', 'never', 'garbage-after', 'status-500-after', 'status-503-before'] as const)(
    '%s is settled by reading',
    async (fault) => {
      const tale = await reissues([at(change, fault)]);
      expect(tale).toMatchObject(ONE_PAYABLE);
      if (change < SENDING) expect(tale.endings).toEqual(['done']);
    },
  );

  test.each<Fault>(['unsent', {limited: 999_999}, 'refused'])(
    '%j stops the run; the same command does the rest',
    async (fault) => {
      const tale = await reissues([at(change, fault)]);
      expect(tale).toMatchObject(ONE_PAYABLE);
      expect(tale.endings.at(-1)).toBe('done');
      expect(tale.endings).toHaveLength(2);
    },
  );

  test.each(some([...WITHIN, ...BEYOND], 4))('late by %i ms', async (late) => {
    expect(await reissues([at(change, {late})])).toMatchObject(ONE_PAYABLE);
  });

  test.each(some([100, ...BEYOND, 14_900], 3))('killed, then late by %i ms during the next run', async (late) => {
    for (const end of ['kill', 'interrupt'] as const)
      expect(await reissues([at(change, {late, end})])).toMatchObject(ONE_PAYABLE);
  });

  test('killed there, and paid before the next run if open: one is paid or payable', async () => {
    const between = (world: World): void => world.truth().forEach(({id}) => world.pays(id));
    for (const fault of ['kill-before', 'kill-after'] as const) {
      const {wrong, payable, paid} = await reissues([at(change, fault)], {between});
      expect({wrong, either: payable + paid}).toEqual({wrong: [], either: 1});
    }
  });
});

describe('the old statement is paid while the draft is made', () => {
  test.each([
    ['deletes the draft', undefined, /Nothing was billed again\. The draft bstm_\w+ was deleted\./, 'deleted 0'],
    ['names a draft that it cannot delete', 'refused', /bstm_\w+ remains\.[^]* delete bstm_\w+$/, 'draft 0'],
  ] as const)('%s', async (_, fault, words, draft) => {
    const {world, id, A, run, summary} = await reissueScene();
    const faults: Faults = {
      request: ({method, path}) => {
        if (path === '/billing_statement_line_items') world.pays(id);
        return method === 'DELETE' ? fault : undefined;
      },
    };
    const outcome = await run(A, {faults});
    if (outcome?.end !== 'stopped') throw new Error('It did not stop.');
    expect(errorOf(outcome).code).toBe('statement_paid');
    expect(textOf(outcome)).toMatch(words);
    expect(summary()).toEqual(['paid', draft]);
  });
});

describe('the state at the start', () => {
  test.each(['draft', 'void', 'mark_uncollectible'] as const)('refuses a statement after %s', async (state) => {
    expect(await reissues([], {state})).toMatchObject({endings: ['not_open'], asked: 0});
  });

  test('does not bill again when reissued again', async () => {
    const tale = await reissues([], {then: {}});
    expect(tale).toMatchObject({endings: ['done', 'done'], asked: CHANGES.length, ...ONE_PAYABLE});
  });

  test('reports an earlier reissue with other content, and changes nothing', async () => {
    const then = {items: [{description: 'Other', quantity: 1, unit_price: 5_000_00}]};
    const tale = await reissues([], {then});
    expect(tale).toMatchObject({endings: ['done', 'already_reissued'], asked: CHANGES.length, ...ONE_PAYABLE});
  });

  test('voids the old one for a replacement opened by hand', async () => {
    const tale = await reissues([at(VOID, 'kill-before')], {
      between: (world, _, draft) => world.person('finalize', draft!.id),
    });
    expect(tale).toMatchObject({endings: ['killed', 'done'], ...ONE_PAYABLE});
    expect(tale.summary()).toEqual(['void', 'open 0']);
  });

  test('does not finalize an incomplete draft after a void by hand', async () => {
    const tale = await reissues([at(2, 'kill-before')], {
      between: (world, old) => world.person('void', old),
      most: 2,
    });
    expect(tale).toMatchObject({endings: ['killed', 'incomplete_draft'], wrong: [], payable: 0});
  });

  test('leaves a draft with foreign items unchanged', async () => {
    const tale = await reissues([at(VOID, 'kill-before')], {
      between: (world, _, draft) => world.person('add-item', draft!.id),
      most: 2,
    });
    expect(tale).toMatchObject({endings: ['killed', 'unexpected_items'], wrong: [], payable: 1});
    expect(tale.texts.at(-1)).toContain('centavo billing-statements delete bstm_');
  });

  test('finalizes the older of two replacement drafts', async () => {
    const tale = await reissues([at(VOID, 'kill-before')], {
      between: async (world, _, draft) => {
        const {customerId: customer_id, metadata, items} = draft!;
        const {id} = await world.call('POST', '/billing_statements', {customer_id, currency: 'PHP', metadata});
        for (const {description, quantity, unit_price} of items)
          await world.call('POST', '/billing_statement_line_items', {
            ...{billing_statement_id: id, description, quantity, unit_price},
          });
      },
    });
    expect(tale).toMatchObject({endings: ['killed', 'done'], ...ONE_PAYABLE});
    expect(tale.summary()).toEqual(['void', 'open 1', 'draft 0']);
  });
});

test('two at once, on two machines, end with one payable statement', async () => {
  for (let change = 0; change < SENDING; change++) {
    const {world, A, B, plan, run, summary} = await reissueScene();
    let count = 0;
    // The second run starts and ends during this change of the first.
    world.meddle = async (request, handle) => {
      const response = await handle();
      if (request.method === 'GET' || count++ !== change) return response;
      world.meddle = (_, others) => others();
      await process(B, plan);
      return response;
    };
    await run(A);
    const open = world.truth().filter(({status}) => status === 'open');
    expect(open, `change ${change}: ${summary().join()}`).toMatchObject([{amount: AMOUNT}]);
  }
});
