// Imports of the same rows by fixed schedules: which one bills, and what each reports.

import {describe, expect, test} from 'vitest';
import type {Fault, Faults} from '../../support/simulation/faults.js';
import {aged, type Lag} from '../../support/simulation/hostile-service.js';
import {importStage, saidBy, someBills} from '../../support/simulation/import-stage.js';
import type {Bill, Wishes} from '../../support/simulation/imports.js';

const SENT: Wishes = {until: 'sent'};
const BILLS = someBills(3);
const ONCE = {'JUNE-1': 1, 'JUNE-2': 1, 'JUNE-3': 1};

/** Faults by request: the first match, once. */
function onPath(...rules: readonly (readonly [RegExp, Fault])[]): Faults {
  const left = [...rules];
  return {
    request: ({method, path}) => {
      const found = left.findIndex(([kind]) => kind.test(`${method} ${path}`));
      return found === -1 ? undefined : left.splice(found, 1)[0]![1];
    },
  };
}

const emailsOf = (world: {readonly sandbox: any}): readonly string[] =>
  world.sandbox
    .perform((tx: any) => tx.store.list('customer', {limit: 1000}))
    .data.filter(({deleted}: any) => deleted !== true)
    .map(({email}: any) => email)
    .toSorted();

describe('two machines on a perfect network', () => {
  test.each([0, 30, 200, 5000, 16_000, 33_000, 48_000])(
    'the second begins %i ms later: each row is billed once, and the loser names the sent statement',
    async (later) => {
      const {world, machine, emails, broken} = importStage(['A', 'B']);
      const second = async () => {
        await world.passed(later);
        return machine('B').imports(BILLS, {...SENT, hasEnded: async () => false});
      };
      const [, ended] = await world.run(machine('A').imports(BILLS, SENT), second());
      await world.rest();
      expect(emails()).toEqual(ONCE);
      expect(emailsOf(world)).toEqual(['payer0@example.com', 'payer1@example.com', 'payer2@example.com']);
      expect(broken(SENT)).toEqual([]);
      if (ended.end === 'refused') return expect(ended.error.code).toBe('made_elsewhere');
      const rows = [...machine('A').rows(), ...machine('B').rows()];
      expect(rows.filter(({phase}) => phase === 'done')).toHaveLength(3);
      const open = new Set(world.truth().flatMap(({id, status}) => (status === 'open' ? [id] : [])));
      for (const {phase, error_code: code, error} of rows) {
        if (phase === 'done') continue;
        expect([phase, code]).toEqual(['failed', 'made_elsewhere']);
        expect(open).toContain(/bstm_\w+/.exec(error!)?.[0]);
      }
      // The loser's statements are deleted.
      expect(world.truth().filter(({status}) => status === 'draft')).toEqual([]);
    },
  );

  test.each([0, 400, 900, 3000, 8000, 14_000, 20_000, 31_000])(
    'whose reads are always fifteen seconds old, the second begins %i ms later: each row is billed once, by one customer',
    async (later) => {
      for (const seed of [1, 2]) {
        const {world, machine, emails, broken} = importStage(['A', 'B'], {lag: aged(15_000), seed});
        const second = world.passed(later).then(() => machine('B').imports(BILLS, SENT));
        await world.run(machine('A').imports(BILLS, SENT), second);
        await world.rest();
        expect(emails(), `seed ${seed}`).toEqual(ONCE);
        expect(emailsOf(world), `seed ${seed}`).toHaveLength(3);
        expect(broken(SENT), `seed ${seed}`).toEqual([]);
      }
    },
  );

  test('with drafts of the same second: the lower id is billed', async () => {
    let later = 0;
    for (let seed = 1; seed <= 8; seed++) {
      const {world, machine, emails, broken} = importStage(['A', 'B'], {lag: aged(15_000), seed});
      for (const {payer} of BILLS) await world.call('POST', '/customers', {...payer, currency: 'PHP'});
      const second = world.passed(700).then(() => machine('B').imports(BILLS, SENT));
      await world.run(machine('A').imports(BILLS, SENT), second);
      await world.rest();
      expect(emails(), `seed ${seed}`).toEqual(ONCE);
      expect(broken(SENT), `seed ${seed}`).toEqual([]);
      if (
        machine('B')
          .rows()
          .some(({phase}) => phase === 'done')
      )
        later++;
    }
    expect(later).toBeGreaterThan(0);
  });

  test('the second begins after the first has ended: it bills no one', async () => {
    const {world, machine, emails, broken} = importStage(['A', 'B']);
    await world.run(machine('A').imports(BILLS, SENT));
    const [ended] = await world.run(machine('B').imports(BILLS, {...SENT, adopt: true}));
    expect(saidBy(ended).applied).toBe('no');
    expect(emails()).toEqual(ONCE);
    expect(broken(SENT)).toEqual([]);
  });

  test('a row with the same external id and other content: one is billed, and the other names it', async () => {
    const {world, machine, billed, emails, broken} = importStage(['A', 'B']);
    const changed: Bill[] = BILLS.map((bill, n) =>
      n === 1 ? {...bill, items: [{description: 'Rent', quantity: 1, unit_price: 7000_00}]} : bill,
    );
    await world.run(machine('A').imports(BILLS, SENT), machine('B').imports(changed, SENT));
    expect(emails()).toEqual(ONCE);
    expect(broken(SENT)).toEqual([]);
    const own = [machine('A'), machine('B')].map((each) => each.rows()[1]!);
    expect(own.map(({phase}) => phase).toSorted()).toEqual(['done', 'failed']);
    const left = own.find(({phase}) => phase === 'failed')!;
    expect(left.error).toContain(billed()['JUNE-2']![0]!.id);
  });
});

test('bills one of two rows when the check did not show a draft of the same second', async () => {
  const {world, machine, emails, broken} = importStage(['A', 'B']);
  for (const {payer} of BILLS) await world.call('POST', '/customers', {...payer, currency: 'PHP'});
  const changed: Bill[] = [{...BILLS[2]!, items: [{description: 'Rent', quantity: 1, unit_price: 7000_00}]}];
  const second = world.passed(2000).then(() => machine('B').imports(changed, SENT, {lag: aged(1700)}));
  await world.run(machine('A').imports(BILLS, {...SENT, concurrency: 1}), second);
  const shown = world.runs[1]!.startedAt + 100 - 1700;
  const made = world.applied.filter(({by, path}) => by === 0 && path === '/billing_statements').map(({at}) => at);
  expect([made[0]! < shown, made[2]! > shown]).toEqual([true, true]);
  expect(emails()).toEqual(ONCE);
  expect(machine('B').rows()[0]).toMatchObject({phase: 'failed', error_code: 'made_elsewhere'});
  expect(broken(SENT)).toEqual([]);
});

describe('a customer that both machines created', () => {
  test('exists once afterwards', async () => {
    const {world, machine} = importStage(['A', 'B']);
    await world.run(machine('A').imports(BILLS, SENT), machine('B').imports(BILLS, SENT));
    const made = world.applied.filter(({method, path}) => method === 'POST' && path === '/customers');
    expect(made).toHaveLength(6);
    expect(emailsOf(world)).toHaveLength(3);
  });

  test('exists once afterwards even if only a fresh read showed the later one', async () => {
    const {world, machine, emails, broken} = importStage(['A', 'B']);
    const fresh = {statement: 0, items: 0};
    const old = {statement: 10_000, items: 10_000};
    // The newest customer is read first.
    const lag: Lag = ({write, number}) => (!write && number > 0 ? old : fresh);
    const second = async () => {
      await world.passed(4000);
      const who = {name: 'Somebody', email: 'somebody@example.com', currency: 'PHP'};
      await world.call('POST', '/customers', who, 'person');
      await world.passed(2000);
      return machine('B').imports(BILLS, SENT, {lag});
    };
    await world.run(machine('A').imports(BILLS, SENT), second());
    expect(emails()).toEqual(ONCE);
    expect(emailsOf(world)).toHaveLength(3 + 1);
    expect(broken(SENT)).toEqual([]);
  });

  test('is kept if another user bills it', async () => {
    const {world, machine, emails, broken} = importStage(['A', 'B']);
    const person = async (): Promise<void> => {
      await world.passed(10_000);
      const {data} = await world.call('GET', '/customers');
      for (const {id} of data)
        await world.call('POST', '/billing_statements', {customer_id: id, currency: 'PHP'}, 'person');
    };
    await world.run(machine('A').imports(BILLS, SENT), machine('B').imports(BILLS, SENT), person());
    expect(emails()).toEqual(ONCE);
    expect(emailsOf(world)).toHaveLength(6);
    expect(broken(SENT, {hasPeople: true})).toEqual([]);
  });
});

test('a user finalizes and voids the winner during the wait: no row is billed twice, and the errors are true', async () => {
  const {world, machine, broken} = importStage(['A', 'B']);
  const person = async (): Promise<void> => {
    await world.passed(40_000);
    const oldest = world.truth().find(({metadata}) => metadata?.external_id === 'JUNE-1')!;
    await world.person('finalize', oldest.id);
    await world.person('void', oldest.id);
  };
  const ends = await world.run(machine('A').imports(BILLS, SENT), machine('B').imports(BILLS, SENT), person());
  await world.rest();
  expect(ends.slice(0, 2).map((each) => each?.end)).toEqual(['worked', 'worked']);
  expect(broken(SENT, {hasPeople: true})).toEqual([]);
});

test('keeps a customer that a user bills right before its deletion', async () => {
  const {world, machine, once, emails} = importStage(['A', 'B']);
  once(/^GET \/customers\/\w+$/, async (_request, handle, id) => {
    await world.call('POST', '/billing_statements', {customer_id: id, currency: 'PHP'}, 'person');
    return handle();
  });
  await world.run(machine('A').imports(BILLS, SENT), machine('B').imports(BILLS, SENT));
  expect(emails()).toEqual(ONCE);
  expect(emailsOf(world)).toHaveLength(4);
});

test('a user finalizes the younger of two drafts during the wait: the older one is not billed', async () => {
  const {world, machine, billed, broken} = importStage(['A', 'B']);
  for (const {payer} of BILLS) await world.call('POST', '/customers', {...payer, currency: 'PHP'});
  const person = async (): Promise<void> => {
    await world.passed(8000);
    const younger = world.truth().findLast(({metadata}) => metadata?.external_id === 'JUNE-1')!;
    await world.person('change-due', younger.id);
    await world.person('finalize', younger.id);
  };
  const second = world.passed(1200).then(() => machine('B').imports(BILLS, SENT, {lag: aged(3000)}));
  await world.run(machine('A').imports(BILLS, SENT), second, person());
  expect(world.truth().filter(({metadata}) => metadata?.external_id === 'JUNE-1')).toHaveLength(2);
  expect(billed()['JUNE-1']).toHaveLength(1);
  expect(broken(SENT, {hasPeople: true})).toEqual([]);
});

test('a user voids the other import’s statement: --retry-failed bills the row', async () => {
  const {world, machine, emails} = importStage(['A', 'B']);
  await world.run(machine('A').imports(BILLS, SENT), machine('B').imports(BILLS, SENT));
  const left = [machine('A'), machine('B')].find((each) => each.rows()[0]!.phase === 'failed')!;
  const {id} = world.truth().find(({metadata, status}) => metadata?.external_id === 'JUNE-1' && status === 'open')!;
  await world.person('void', id);
  await world.pass(20_000);
  const [ended] = await world.run(left.resumes({...SENT, retries: true, adopt: true}));
  saidBy(ended);
  expect(left.rows()[0]).toMatchObject({phase: 'done', sent: 'yes'});
  expect(emails()).toEqual(ONCE);
  expect(world.truth().filter(({status}) => status === 'open')).toHaveLength(3);
});

test('a draft with a lost response appears late in the other machine’s wait: one is billed', async () => {
  for (const late of [1000, 8000, 14_000, 14_990]) {
    const {world, machine, emails, broken} = importStage(['A', 'B'], {lag: aged(15_000)});
    const faults = onPath([/^POST \/billing_statements$/, {late, end: 'reset'}]);
    await world.run(
      machine('A').imports(BILLS, SENT, {faults}),
      world.passed(300).then(() => machine('B').imports(BILLS, SENT)),
    );
    await world.rest();
    expect(emails(), `${late} ms`).toEqual(ONCE);
    expect(broken(SENT), `${late} ms`).toEqual([]);
  }
});

test.each([500, 20_000, 40_000, 60_000])(
  'another machine adopts after %i ms while this one still runs: it is reported, and no row is billed twice',
  async (later) => {
    const {world, machine, emails, broken} = importStage(['A', 'B']);
    const adopts = async () => {
      await world.passed(later);
      return machine('B').imports(BILLS, {...SENT, adopt: true});
    };
    const [first] = await world.run(machine('A').imports(BILLS, SENT), adopts());
    await world.rest();
    expect(broken(SENT, {isPerfect: false})).toEqual([]);
    for (const count of Object.values(emails())) expect(count).toBeLessThanOrEqual(1);
    const {rows} = saidBy(first);
    for (const {phase, error_code: code, sent} of rows)
      if (phase !== 'done') expect([phase, code, sent]).toEqual(['failed', expect.any(String), 'no']);
  },
);

test.each([100, 500, 2000])(
  'a third machine adopts the drafts of two killed ones: each row is billed once, even if those continue',
  async (later) => {
    const {world, machine, emails, broken} = importStage(['A', 'B', 'C']);
    const second = world.passed(later).then(() => machine('B').imports(BILLS, SENT, {killedAfter: 10_000}));
    await world.run(machine('A').imports(BILLS, SENT, {killedAfter: 20_000}), second);
    expect([machine('A').kills, machine('B').kills]).toEqual([1, 1]);
    await world.run(machine('C').imports(BILLS, {...SENT, adopt: true}));
    expect(emails()).toEqual(ONCE);
    await world.run(machine('A').resumes(SENT), machine('B').resumes(SENT));
    expect(emails()).toEqual(ONCE);
    expect(broken(SENT, {isPerfect: false})).toEqual([]);
  },
);

test('leaves the row to the other import when the adopted draft was not the winner', async () => {
  let won = 0;
  for (let seed = 1; seed <= 6; seed++) {
    const {world, machine, emails, broken} = importStage(['A', 'B', 'C'], {seed});
    for (const {payer} of BILLS) await world.call('POST', '/customers', {...payer, currency: 'PHP'});
    const at = (milliseconds: number, name: 'B' | 'C', lag: number) =>
      world
        .passed(milliseconds)
        .then(() => machine(name).imports(BILLS, {...SENT, adopt: name === 'C'}, {lag: aged(lag)}));
    // The drafts of A and B are of the same second, and C is shown only those of A.
    await world.run(machine('A').imports(BILLS, SENT, {killedAfter: 3000}), at(500, 'B', 3000), at(5000, 'C', 4500));
    expect(emails(), `seed ${seed}`).toEqual(ONCE);
    expect(broken(SENT, {isPerfect: false}), `seed ${seed}`).toEqual([]);
    if (
      machine('B')
        .rows()
        .some(({phase}) => phase === 'done')
    )
      won++;
  }
  expect(won).toBeGreaterThan(0);
});

test.each<[string, Fault]>([
  ['before the sending', 'kill-before'],
  ['after the sending', 'kill-after'],
])('killed %s and resumed: each is emailed once or reported as uncertain', async (_when, fault) => {
  const {world, machine, emails, broken} = importStage(['A']);
  await world.run(machine('A').imports(BILLS, SENT, {faults: onPath([/\/send$/, fault])}));
  expect(broken(SENT, {isPerfect: false})).toEqual([]);
  await world.pass(1000);
  const [ended] = await world.run(machine('A').resumes(SENT));
  const {rows} = saidBy(ended);
  expect(broken(SENT, {isPerfect: false})).toEqual([]);
  for (const {external_id: id, sent} of rows)
    expect(sent === 'yes' ? emails()[id] : sent, id).toBe(sent === 'yes' ? 1 : 'unknown');
  expect(rows.filter(({sent}) => sent === 'unknown').length).toBeLessThanOrEqual(3);
});

test('killed between finalize and the record of the send, and resumed: each is emailed once', async () => {
  const {world, machine, emails, broken} = importStage(['A']);
  await world.run(machine('A').imports(BILLS, SENT, {faults: onPath([/\/finalize$/, 'kill-answered'])}));
  await world.pass(1000);
  const [ended] = await world.run(machine('A').resumes(SENT));
  expect(saidBy(ended).rows.map(({sent}) => sent)).toEqual(['yes', 'yes', 'yes']);
  expect(emails()).toEqual(ONCE);
  expect(broken(SENT)).toEqual([]);
});

test('the next month bills the same customers again and creates none twice', async () => {
  const {world, machine, emails, broken} = importStage(['A', 'B']);
  await world.run(machine('A').imports(BILLS, SENT));
  await world.pass(30 * 86_400_000);
  await world.run(machine('B').imports(someBills(3, 'JULY', 100), SENT));
  expect(emails()).toEqual({...ONCE, 'JULY-1': 1, 'JULY-2': 1, 'JULY-3': 1});
  expect(emailsOf(world)).toHaveLength(3);
  expect(broken(SENT)).toEqual([]);
});

test('without faults a row takes four requests and one per item, a new customer one', async () => {
  const {world, machine, emails} = importStage(['A']);
  const asked: Record<string, number> = {};
  world.meddle = ({method, path}, handle) => {
    const what = `${method} ${path.replace(/bstm_\w+/, '…')}`;
    asked[what] = (asked[what] ?? 0) + 1;
    return handle();
  };
  await world.run(machine('A').imports(BILLS, SENT));
  expect(emails()).toEqual(ONCE);
  expect(asked).toEqual({
    // The newest, one for each address, and the list when all are there.
    'GET /customers': 1 + 3 + 1,
    // Before anything is made, and when all drafts are there.
    'GET /billing_statements': 2,
    'POST /customers': 3,
    'POST /billing_statements': 3,
    'POST /billing_statement_line_items': 6,
    'PUT /billing_statements/…': 3,
    'POST /billing_statements/…/finalize': 3,
    'POST /billing_statements/…/send': 3,
  });
});

describe('killed at a request that is applied later, and resumed at once', () => {
  test.each(['/billing_statements', '/customers', '/billing_statement_line_items'])(
    'creates it once: POST %s',
    async (path) => {
      for (const [late, age, seed] of [
        [9000, 10_000, 1],
        [14_990, 10_000, 1],
        [13_000, 5000, 1],
        [14_990, 5000, 1],
        // The clocks of the two processes differ by more than a read may be younger.
        [9000, 14_900, 3],
        [14_990, 14_900, 3],
      ] as const)
        for (let skipped = 0; skipped < 2; skipped++) {
          const {world, machine, emails, broken} = importStage(['A'], {lag: aged(age), seed});
          let seen = 0;
          const kills = (asked: string): boolean => asked === path && seen++ === skipped;
          const faults: Faults = {
            request: ({method, path: asked}) => (method === 'POST' && kills(asked) ? {late, end: 'kill'} : undefined),
          };
          await world.run(machine('A').imports(BILLS, SENT, {faults}));
          expect(machine('A').kills).toBe(1);
          await world.run(machine('A').resumes(SENT));
          await world.rest();
          expect(emails(), `${late} ms, ${age} ms`).toEqual(ONCE);
          expect(world.truth(), `${late} ms, ${age} ms`).toHaveLength(3);
          expect(emailsOf(world), `${late} ms, ${age} ms`).toHaveLength(3);
          expect(broken(SENT), `${late} ms, ${age} ms`).toEqual([]);
        }
    },
  );
});
