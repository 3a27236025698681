// Imports while somebody else is at the same statements: another import of the same file, the dashboard, the customer; and on a
// service that answers in its own way.

import {describe, expect, onTestFinished, test} from 'vitest';
import type {ApiRequest, ApiResponse} from '../../src/api/wire.js';
import {pay} from '../../src/sandbox/paying/payer.js';
import {seededRandom} from '../../src/sandbox/seeded-random.js';
import {JobWorld, NO_FAULTS, someRows, type Rates} from './support/job-world.js';

const COUNT = 4;
const CREATE = /^POST \/billing_statements$/;
const FINALIZE = /^POST \/billing_statements\/\w+\/finalize$/;
const SEND = /^POST \/billing_statements\/\w+\/send$/;
const LIST = /^GET \/billing_statements$/;

type Meddle = (request: ApiRequest, handle: () => Promise<ApiResponse>, id: string) => Promise<ApiResponse>;

/** Requests of somebody else. */
const callOf =
  (world: JobWorld) =>
  (method: ApiRequest['method'], path: string, body?: object, query = ''): Promise<ApiResponse> =>
    Promise.resolve(
      world.sandbox.handle({
        ...{method, path, query},
        headers: {
          authorization: `Basic ${Buffer.from(`${world.sandbox.keys.secret}:`).toString('base64')}`,
          'content-type': 'application/json',
        },
        body: body && Buffer.from(JSON.stringify(body)),
      }),
    );

/** An account with these jobs for the same file: all were confirmed before the first began. */
async function worldWith(names: readonly string[], {rates = NO_FAULTS, seed = 7}: {rates?: Rates; seed?: number} = {}) {
  const world = new JobWorld(seed, rates);
  onTestFinished(() => world.close());
  const rows = someRows(COUNT, seededRandom(seed + 1));
  for (const name of names) await world.stage(rows, {name});
  const call = callOf(world);
  /** Does something else at the first request of this kind; from then on everything is as it should be. */
  const once = (kind: RegExp, meddle: Meddle): void => {
    let done = false;
    world.meddle = (request, handle) => {
      if (done || !kind.test(`${request.method} ${request.path}`)) return handle();
      done = true;
      return meddle(request, handle, request.path.split('/')[2]!);
    };
  };
  /** How often each row was billed, and e-mailed. */
  const billed = async () => {
    const payable = (await world.statements()).filter(({status}) => status === 'open' || status === 'paid');
    const emails = payable.map(({id}) => world.emails(id));
    return {
      statements: payable.length,
      emails: emails.reduce((sum, count) => sum + count, 0),
      most: Math.max(...emails),
    };
  };
  const phases = (name?: string): string[] => world.rows(name).map(({phase}) => phase);
  return {world, rows, once, call, billed, phases};
}

describe('two imports of one file', () => {
  const ONCE = {statements: COUNT, emails: COUNT, most: 1};

  test('one after the other: the second bills nobody, also when it is told to go on', async () => {
    const {world, billed, phases} = await worldWith(['job_one', 'job_two']);
    expect(await world.run('job_one')).toBeUndefined();
    expect(await world.run('job_two')).toBeUndefined();
    expect(phases('job_two')).toEqual(Array(COUNT).fill('failed'));
    expect(world.rows('job_two')[0]!.error).toMatch(/^Another import made bstm_\w+ for this row/);
    expect(await billed()).toEqual(ONCE);
    expect(await world.run('job_two', {retries: true})).toBeUndefined();
    expect(await billed()).toEqual(ONCE);
    expect(await world.statements()).toHaveLength(COUNT);
  });

  test('at the same time: what both have made is finalized by neither, until one is told to go on', async () => {
    for (const seed of [1, 2, 3]) {
      const {world, billed} = await worldWith(['job_one', 'job_two'], {seed});
      await Promise.all([world.run('job_one'), world.run('job_two')]);
      expect((await billed()).statements).toBeLessThanOrEqual(COUNT);
      expect((await billed()).most).toBeLessThanOrEqual(1);
      await Promise.all([world.run('job_one', {retries: true}), world.run('job_two', {retries: true})]);
      expect((await billed()).statements).toBeLessThanOrEqual(COUNT);
      expect((await billed()).most).toBe(1);
      await world.run('job_one', {retries: true});
      expect(await billed()).toEqual(ONCE);
    }
  });
});

describe('somebody else', () => {
  test('bills a row with other content while the import waits: it is not billed again', async () => {
    const {world, billed, rows} = await worldWith(['job_one']);
    const changed = rows.map((row) =>
      row.cells.get('external_id') === 'JUNE-2'
        ? {...row, cells: new Map([...row.cells, ['unit_price', '777.00']])}
        : row,
    );
    await world.stage(changed, {name: 'job_two'});
    world.now += 5000;
    await world.run('job_two');
    world.now += 5000;
    await world.run('job_one');
    expect(world.rows('job_one').map(({error_code: code}) => code)).toEqual(Array(COUNT).fill('made_elsewhere'));
    await world.run('job_one', {retries: true});
    expect(await billed()).toEqual({statements: COUNT, emails: COUNT, most: 1});
    await world.run('job_one', {retries: true, allowDuplicate: true});
    expect(await billed()).toEqual({statements: COUNT + 1, emails: COUNT + 1, most: 1});
  });

  test('finalizes and sends a draft right before this import does: it is not sent again, also when failed rows are retried', async () => {
    const {world, once, call, billed, phases} = await worldWith(['job_test']);
    once(FINALIZE, async (request, handle, id) => {
      await call('POST', request.path);
      await call('POST', `/billing_statements/${id}/send`);
      return handle();
    });
    await world.run();
    expect(phases().toSorted()).toEqual(['done', 'done', 'done', 'failed']);
    await world.run('job_test', {retries: true});
    expect(await billed()).toEqual({statements: COUNT, emails: COUNT, most: 1});
    expect(world.rows().find(({phase}) => phase === 'failed')?.error).toMatch(/may also have sent it/);
  });

  test('pays between the finalizing and the sending: that is done, and not called sent', async () => {
    const {world, once, billed} = await worldWith(['job_test']);
    once(FINALIZE, async (_request, handle, id) => {
      const answer = await handle();
      world.sandbox.perform((work) => pay(work, id));
      return answer;
    });
    await world.run();
    expect(
      world
        .rows()
        .map(({phase, status, sent}) => [phase, status, sent])
        .toSorted(),
    ).toEqual([...Array.from({length: COUNT - 1}, () => ['done', 'open', 'yes']), ['done', 'paid', 'no']]);
    expect(await billed()).toEqual({statements: COUNT, emails: COUNT - 1, most: 1});
  });

  const ITEM = {description: 'Tip', quantity: 1, unit_price: 100_000};
  test.each<[string, (call: ReturnType<typeof callOf>, id: string) => Promise<unknown>]>([
    [
      'adds an item to',
      (call, id) => call('POST', '/billing_statement_line_items', {...ITEM, billing_statement_id: id}),
    ],
    [
      'voids',
      async (call, id) => {
        await call('POST', `/billing_statements/${id}/finalize`);
        await call('POST', `/billing_statements/${id}/void`);
      },
    ],
    ['deletes', (call, id) => call('DELETE', `/billing_statements/${id}`)],
  ])('%s a draft before it is finalized: it has failed, and is not sent', async (_what, meddle) => {
    const {world, call, billed, once, phases} = await worldWith(['job_test']);
    once(/^GET \/billing_statements\/\w+$/, async (_request, handle, id) => {
      await meddle(call, id);
      return handle();
    });
    await world.run();
    expect(phases().toSorted()).toEqual(['done', 'done', 'done', 'failed']);
    expect(await billed()).toEqual({statements: COUNT - 1, emails: COUNT - 1, most: 1});
  });
});

describe('a service that', () => {
  const said = (body: object | string, status = 200, type = 'application/json'): ApiResponse => ({
    status,
    headers: {'content-type': type},
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  });
  const bodyOf = (answer: ApiResponse): any => JSON.parse(Buffer.from(answer.body).toString());
  /** Changes what lists of statements say. */
  const listing =
    (change: (data: any[]) => any[]) =>
    async (request: ApiRequest, handle: () => Promise<ApiResponse>): Promise<ApiResponse> => {
      const answer = await handle();
      if (!LIST.test(`${request.method} ${request.path}`)) return answer;
      const body = bodyOf(answer);
      return {...answer, body: Buffer.from(JSON.stringify({...body, data: change(body.data)}))};
    };

  test('answers the finalizing with a draft: it is not called open', async () => {
    for (const send of [true, false]) {
      const {world, once, rows} = await worldWith([]);
      await world.stage(rows, {send});
      once(FINALIZE, async (_request, _handle, id) =>
        said(bodyOf(await callOf(world)('GET', `/billing_statements/${id}`))),
      );
      await world.run();
      const [failed] = world.rows().filter(({phase}) => phase === 'failed');
      expect(failed?.error_code).toBe('not_shown');
    }
  });

  const after =
    (answer: ApiResponse): Meddle =>
    async (_request, handle) => {
      await handle();
      return answer;
    };
  test.each<[string, ApiResponse]>([
    ['a web page', said('<html>', 200, 'text/html')],
    ['half a body', said('{"id": "bstm_', 201)],
    ['nothing', said('', 200)],
    ['408', said({errors: []}, 408)],
    ['a redirect', said('', 302)],
  ])('answers with %s when the change is made: each is billed and sent once', async (_what, answer) => {
    for (const kind of [
      CREATE,
      /^POST \/customers$/,
      /^POST \/billing_statement_line_items$/,
      /^PUT /,
      FINALIZE,
      SEND,
    ]) {
      const {world, once, billed} = await worldWith(['job_test']);
      once(kind, after(answer));
      await world.runToEnd();
      expect(await billed(), String(kind)).toEqual({statements: COUNT, emails: COUNT, most: 1});
      expect(await world.statements()).toHaveLength(COUNT);
    }
  });

  test('lists statements without metadata and items: nothing is billed twice', async () => {
    const {world, billed} = await worldWith(['job_one', 'job_two']);
    world.meddle = listing((data) => data.map(({metadata: _m, line_items: _i, ...rest}) => rest));
    await world.run('job_one');
    await world.run('job_two');
    expect(await billed()).toEqual({statements: COUNT, emails: COUNT, most: 1});
  });

  test.each([
    ['oldest first', (data: any[]) => data.toReversed()],
    ['in no order', (data: any[]) => data.toSorted((one, other) => (one.id < other.id ? -1 : 1))],
  ])('lists %s: a draft whose answer was lost is found', async (_what, order) => {
    const {world, once, rows, call, billed} = await worldWith([]);
    const customer = bodyOf(await call('POST', '/customers', {name: 'Old', email: 'old@example.com', currency: 'PHP'}));
    for (let day = 0; day < 9; day++) {
      await call('POST', '/billing_statements', {customer_id: customer.id, currency: 'PHP'});
      world.now += 3 * 86_400_000;
    }
    world.meddle = listing(order);
    await world.stage(rows);
    const list = world.meddle;
    once(CREATE, after(said('<html>')));
    const lost = world.meddle;
    world.meddle = (request, handle) => list(request, () => lost(request, handle));
    await world.runToEnd();
    expect(await billed()).toEqual({statements: COUNT, emails: COUNT, most: 1});
    expect(await world.statements()).toHaveLength(9 + COUNT);
  });

  test('still lists what was deleted: that is gone, and nothing fails', async () => {
    const {world, phases} = await worldWith(['job_one', 'job_two']);
    await Promise.all([world.run('job_one'), world.run('job_two')]);
    const before = bodyOf(await callOf(world)('GET', '/billing_statements')).data;
    world.meddle = listing((data) => [...data, ...before.filter(({id}: any) => !data.some((each) => each.id === id))]);
    await world.run('job_one', {retries: true});
    await world.run('job_one', {retries: true});
    expect(phases('job_one')).toEqual(Array(COUNT).fill('done'));
  });

  /** Customers of the file, filtered as the service likes. */
  const customersBy =
    (filter: (email: string, wanted: string) => boolean) =>
    async (request: ApiRequest, handle: () => Promise<ApiResponse>, world: JobWorld): Promise<ApiResponse> => {
      if (request.method !== 'GET' || request.path !== '/customers') return handle();
      const {email, ...rest} = Object.fromEntries(new URLSearchParams(request.query));
      const all = bodyOf(await callOf(world)('GET', '/customers', undefined, new URLSearchParams(rest).toString()));
      return said({...all, data: all.data.filter((each: any) => filter(each.email, email!))});
    };
  test.each([
    ['tells upper case from lower case in addresses', 20, (email: string, wanted: string) => email === wanted],
    ['ignores that it was asked for an address', 120, () => true],
  ])('%s: nobody becomes a customer twice', async (_what, count, filter) => {
    const {world, rows, call} = await worldWith([]);
    for (let n = 0; n < count; n++) {
      const email = n < COUNT ? `Payer${n}@Example.com` : `other${n}@example.com`;
      await call('POST', '/customers', {name: `Payer ${n}`, email, currency: 'PHP'});
    }
    const by = customersBy(filter);
    world.meddle = (request, handle) => by(request, handle, world);
    const typed = rows.map((row) => {
      const email = row.cells.get('customer_email')!.replace('payer', 'Payer').replace('example', 'Example');
      return {...row, cells: new Map([...row.cells, ['customer_email', email]])};
    });
    await world.stage(typed);
    await world.run();
    const customers = new Set((await world.statements()).map(({customer}) => (customer as {email: string}).email));
    for (const email of customers) expect(email).toMatch(/^Payer/);
    const {data} = bodyOf(await call('GET', '/customers', undefined, 'email=payer1@example.com'));
    expect(data).toHaveLength(1);
  });
});
