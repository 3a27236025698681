// Reissues under faults of the service: two statements are never payable, and after any stop the same command continues
// until one is, or until the old one was paid. Time is virtual.

import {describe, expect, test} from 'vitest';
import type {ApiRequest} from '../../../src/api/wire.js';
import {itemsOf} from '../../../src/billing/statement/plan.js';
import {payStatement} from '../../../src/sandbox/payments/pay-statement.js';
import {reissues, world, type Tale} from '../../support/billing/reissues.js';
import {some} from '../../support/test-size.js';
import {Disk} from '../../support/simulation/disk.js';
import type {Fault, Faults} from '../../support/billing/scheduled-service.js';

/** Changes of a run without faults, in order. */
const CHANGES = ['the draft', 'item 1', 'item 2', 'the due date', 'the void', 'the finalizing', 'the sending'];
const VOID = CHANGES.indexOf('the void');
const SENDING = CHANGES.length - 1;
const at = (change: number, fault: Fault): Faults => ({changes: new Map([[change, fault]])});

const WITHIN = [100, 1000, 5000, 14_900];
const BEYOND = [15_500, 17_000, 20_000, 45_000];
const ENDS = ['interrupt-before', 'interrupt-after', 'kill-before', 'kill-after'] as const;

const ONE_PAYABLE = {wrong: [], payable: 1};

test('makes each change once without faults', async () => {
  const tale = await reissues([]);
  expect(tale).toMatchObject({endings: ['done'], ...ONE_PAYABLE});
  expect(tale.world.asked - tale.before).toBe(CHANGES.length);
  expect(await described(tale)).toEqual(['draft→open ₱900 due', 'old void']);
});

test('copies the old statement and names it, without keys of earlier runs', async () => {
  const {world, old} = await reissues(
    [],
    {},
    {metadata: {order: '12', centavo_key: 'x', centavo_replaces: 'bstm_other'}},
  );
  const [next] = (await world.statements()) as any[];
  expect(next.metadata).toEqual({
    order: '12',
    centavo_key: expect.any(String),
    centavo_run: expect.any(String),
    centavo_replaces: old,
    centavo_amount: '90000',
  });
  expect(next.metadata.centavo_key).not.toBe('x');
  expect(next.description).toBe('June work');
  expect(next.payment_settings.payment_methods).toEqual(['gcash']);
});

test('bills other items and another due date', async () => {
  const items = [{description: 'Web design, corrected', quantity: 3, unit_price: 100_000}];
  const {world, endings} = await reissues([], {items, dueAt: 2_000_000_000});
  const [next] = await world.statements();
  expect(endings).toEqual(['done']);
  expect(next).toMatchObject({status: 'open', amount: 300_000, due_at: 2_000_000_000});
});

describe.each(CHANGES.map((name, change) => [name, change] as const))('%s', (_name, change) => {
  test.each(ENDS)('%s: the same command continues', async (fault) => {
    const tale = await reissues([at(change, fault)]);
    expect(tale).toMatchObject(ONE_PAYABLE);
    if (change < SENDING) expect(tale.endings.at(-1)).toBe('done');
  });

  test.each(['lost', 'garbage', 'status-500-after', 'status-503-before'] as const)(
    '%s is settled by reading',
    async (fault) => {
      const tale = await reissues([at(change, fault)]);
      expect(tale).toMatchObject(ONE_PAYABLE);
      if (change < SENDING) expect(tale.endings).toEqual(['done']);
    },
  );

  test.each(['unsent', 'limited', 'refused'] as const)(
    '%s stops the run; the same command does the rest',
    async (fault) => {
      const tale = await reissues([at(change, fault)]);
      expect(tale).toMatchObject(ONE_PAYABLE);
      expect(tale.endings.at(-1)).toBe('done');
      expect(tale.endings).toHaveLength(2);
    },
  );

  test.each(some([...WITHIN, ...BEYOND], 4))('late by %i ms', async (late) => {
    const tale = await reissues([at(change, {late})]);
    expect(tale).toMatchObject(ONE_PAYABLE);
  });

  test.each(some([...WITHIN, ...BEYOND], 3))('killed, then late by %i ms during the next run', async (late) => {
    for (const then of ['kill', 'interrupt'] as const)
      expect(await reissues([at(change, {late, then})])).toMatchObject(ONE_PAYABLE);
  });

  test('killed there, and paid before the next run: either one is paid, never both payable', async () => {
    for (const fault of ['kill-before', 'kill-after'] as const) {
      const tale = await reissues([at(change, fault)], {}, {}, {between: payWhatIsOpen});
      expect(tale).toMatchObject({wrong: [], payable: 0, paid: 1});
    }
  });
});

const payWhatIsOpen = async ({world}: Pick<Tale, 'world'>): Promise<void> => {
  const open = (await world.statements()).find(({status}) => status === 'open');
  if (open) world.sandbox.perform((tx) => payStatement(tx, open.id));
};

describe('the old statement is paid during the run', () => {
  /** Pays after the answer to this request. */
  const paying = (when: (request: ApiRequest, body: any) => boolean) => {
    let done = false;
    return (tale: Pick<Tale, 'old' | 'world'>) => (request: ApiRequest, body: any) => {
      if (!done && when(request, body)) {
        done = true;
        tale.world.sandbox.perform((tx) => payStatement(tx, tale.old));
      }
      return body;
    };
  };

  test.each([
    ['while the draft is made', paying(({method, path}) => method === 'POST' && path === '/billing_statements')],
    ['between the last look at the draft and the void', paying(({method}) => method === 'PUT')],
  ])('%s: deletes the draft, and bills nothing twice', async (_when, answer) => {
    const tale = await reissues([{changes: new Map(), answer} as never]);
    expect(tale).toMatchObject({endings: ['statement_paid'], wrong: [], payable: 0, paid: 1});
    expect((await tale.world.statements()).map(({status}) => status)).toEqual(['paid']);
    expect(tale.texts[0]).toMatch(/JUAN-0001 is paid\.\n.*Nothing was billed again\. The draft bstm_\w+ was deleted\./);
  });

  test('names a draft that cannot be deleted, with the command', async () => {
    const answer = paying(({method}) => method === 'PUT');
    const tale = await reissues([{changes: new Map([[VOID, 'refused']]), answer} as never], {}, {}, {most: 1});
    expect(tale.wrong).toEqual([]);
    expect(tale.payable).toBe(0);
  });
});

describe('the state at the start', () => {
  test.each(['draft', 'void', 'uncollectible'] as const)('refuses a statement that is %s', async (state) => {
    const tale = await reissues([], {}, {state});
    expect(tale.endings).toEqual(['not_open']);
    expect(tale.world.asked).toBe(tale.before);
  });

  test('does not bill again when reissued again', async () => {
    const tale = await reissues([], {}, {}, {repeat: 1});
    expect(tale).toMatchObject({endings: ['done', 'done'], ...ONE_PAYABLE});
    expect(tale.world.asked - tale.before).toBe(CHANGES.length);
  });

  test('reports an earlier reissue with other content, and changes nothing', async () => {
    const tale = await reissues(
      [],
      {},
      {},
      {repeat: 1, then: {items: [{description: 'Other', quantity: 1, unit_price: 5_000_00}]}},
    );
    expect(tale).toMatchObject({endings: ['done', 'already_reissued'], ...ONE_PAYABLE});
  });

  test('voids the old one for a replacement opened by hand', async () => {
    const tale = await reissues(
      [at(VOID, 'kill-before')],
      {},
      {},
      {
        between: async ({world}) => {
          const [draft] = await world.statements();
          await world.call('POST', `/billing_statements/${draft!.id}/finalize`);
        },
      },
    );
    expect(tale).toMatchObject({endings: ['killed', 'done'], ...ONE_PAYABLE});
    expect(await tale.world.statements()).toHaveLength(2);
  });

  test('does not finalize an incomplete draft after a void by hand', async () => {
    const tale = await reissues(
      [at(2, 'kill-before')],
      {},
      {},
      {
        between: async ({world, old}) => void (await world.call('POST', `/billing_statements/${old}/void`)),
        most: 2,
      },
    );
    expect(tale).toMatchObject({endings: ['killed', 'incomplete_draft'], wrong: [], payable: 0});
  });

  test('leaves a draft with foreign items unchanged', async () => {
    const tale = await reissues(
      [at(VOID, 'kill-before')],
      {},
      {},
      {
        between: async ({world}) => {
          const [draft] = await world.statements();
          await world.call('POST', '/billing_statement_line_items', {
            billing_statement_id: draft!.id,
            description: 'Not ours',
            quantity: 1,
            unit_price: 100,
          });
        },
        most: 2,
      },
    );
    expect(tale).toMatchObject({endings: ['killed', 'unexpected_items'], wrong: [], payable: 1});
    expect(tale.texts.at(-1)).toContain('centavo billing-statements delete bstm_');
  });
});

test('two at once, on two machines, end with one payable statement', async () => {
  for (let change = 0; change < SENDING; change++) {
    const tale = await world();
    // The second run starts during the first.
    let second: Promise<unknown> | undefined;
    let count = 0;
    const faults: Faults = {
      changes: new Map(),
      answer: async (request, body) => {
        if (request.method !== 'GET' && count++ === change) second = tale.run({}, {}, new Disk());
        await second;
        return body;
      },
    };
    await tale.run(faults);
    const statements = await tale.world.statements();
    expect(
      statements.filter(({status}) => status === 'open'),
      `change ${change}`,
    ).toHaveLength(1);
    const open = statements.find(({status}) => status === 'open')!;
    expect(open.amount).toBe(90_000);
  }
});

async function described({world}: Tale): Promise<string[]> {
  const [next, old] = await world.statements();
  const total = itemsOf(next!).reduce((sum, {quantity, unit_price}) => sum + quantity * unit_price, 0);
  return [`draft→${next!.status} ₱${total / 100} ${next!.due_at ? 'due' : 'no due date'}`, `old ${old!.status}`];
}
