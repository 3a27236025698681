// Imports from services with unusual responses.

import {describe, expect, test} from 'vitest';
import type {ApiRequest, ApiResponse} from '../../../src/api/wire.js';
import {aged, type Meddle} from '../../support/simulation/hostile-service.js';
import {importStage, saidBy, someBills} from '../../support/simulation/import-stage.js';
import type {Wishes} from '../../support/simulation/imports.js';
import type {World} from '../../support/simulation/world.js';

const SENT: Wishes = {until: 'sent'};
const BILLS = someBills(4);
const ONCE = {'JUNE-1': 1, 'JUNE-2': 1, 'JUNE-3': 1, 'JUNE-4': 1};

/** Kinds of requests. */
const CREATE = /^POST \/billing_statements$/;
const FINALIZE = /^POST \/billing_statements\/\w+\/finalize$/;
const SEND = /^POST \/billing_statements\/\w+\/send$/;
const LIST = /^GET \/billing_statements$/;

const said = (body: object | string, status = 200, type = 'application/json'): ApiResponse => ({
  status,
  headers: {'content-type': type},
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});
const bodyOf = (answer: ApiResponse): any => JSON.parse(Buffer.from(answer.body).toString());

/** Changes the lists of statements. */
const listing =
  (change: (data: any[]) => any[]): Meddle =>
  async (request: ApiRequest, handle: () => Promise<ApiResponse>): Promise<ApiResponse> => {
    const answer = await handle();
    if (!LIST.test(`${request.method} ${request.path}`)) return answer;
    const body = bodyOf(answer);
    return {...answer, body: Buffer.from(JSON.stringify({...body, data: change(body.data)}))};
  };

const customersIn = (world: World): readonly {readonly email: string; readonly deleted?: true}[] =>
  world.sandbox.perform((tx) => tx.store.list('customer', {limit: 1000})).data as never;

describe('a service that', () => {
  test.each(['sent', 'open'] as const)(
    'answers finalize with a draft: the row is not reported as open, for statements to be %s',
    async (until) => {
      const {world, machine, once, broken} = importStage(['A']);
      once(FINALIZE, async (_request, _handle, id) => said(await world.call('GET', `/billing_statements/${id}`)));
      await world.run(machine('A').imports(BILLS, {until}));
      const failed = machine('A')
        .rows()
        .find(({phase}) => phase === 'failed');
      expect(failed?.error_code).toBe('not_shown');
      expect(broken({until}, {isPerfect: false})).toEqual([]);
    },
  );

  test.each<[string, ApiResponse]>([
    ['a web page', said('<html>', 200, 'text/html')],
    ['half a body', said('{"id": "bstm_', 201)],
    ['nothing', said('', 200)],
    ['408', said({errors: []}, 408)],
    ['a redirect', said('', 302)],
  ])('answers a change with %s: each row is billed once, and sent or reported as uncertain', async (_what, answer) => {
    for (const kind of [
      CREATE,
      /^POST \/customers$/,
      /^POST \/billing_statement_line_items$/,
      /^PUT /,
      FINALIZE,
      SEND,
    ]) {
      const {world, machine, once, emails, toEnd, broken} = importStage(['A']);
      once(kind, async (_request, handle) => {
        await handle();
        return answer;
      });
      await toEnd('A', BILLS, SENT);
      expect(emails(), String(kind)).toEqual(ONCE);
      expect(world.truth(), String(kind)).toHaveLength(4);
      // An email is never repeated automatically.
      const doubted = machine('A')
        .rows()
        .filter(({sent}) => sent !== 'yes');
      expect(doubted.length, String(kind)).toBeLessThanOrEqual(kind === SEND ? 1 : 0);
      expect(broken(SENT), String(kind)).toEqual([]);
    }
  });

  test('lists statements without metadata and items: no row is billed twice', async () => {
    const {world, machine, emails, broken} = importStage(['A', 'B']);
    world.meddle = listing((data) => data.map(({metadata: _m, line_items: _i, ...rest}) => rest));
    await world.run(machine('A').imports(BILLS, SENT), machine('B').imports(BILLS, SENT));
    expect(emails()).toEqual(ONCE);
    expect(broken(SENT)).toEqual([]);
  });

  test.each([
    ['oldest first', (data: any[]) => data.toReversed()],
    ['in no order', (data: any[]) => data.toSorted((one, other) => (one.id < other.id ? -1 : 1))],
  ])('lists %s: finds a draft whose response was lost', async (_what, order) => {
    const {world, once, emails, toEnd} = importStage(['A']);
    const who = {name: 'Old', email: 'old@example.com', currency: 'PHP'};
    const customer = await world.call('POST', '/customers', who);
    for (let day = 0; day < 9; day++) {
      await world.call('POST', '/billing_statements', {customer_id: customer.id, currency: 'PHP'});
      await world.pass(3 * 86_400_000);
    }
    once(CREATE, async (_request, handle) => {
      await handle();
      return said('<html>');
    });
    const lost = world.meddle;
    world.meddle = (request, handle) => listing(order)(request, () => lost(request, handle));
    await toEnd('A', BILLS, SENT);
    expect(emails()).toEqual(ONCE);
    expect(world.truth()).toHaveLength(9 + 4);
  });

  test('still lists deleted statements: they stay deleted, and no row is billed twice', async () => {
    const {world, machine, emails, broken} = importStage(['A', 'B']);
    await world.run(machine('A').imports(BILLS, SENT), machine('B').imports(BILLS, SENT));
    const gone = world.truth().flatMap(({id, status}) => (status === 'deleted' ? [id] : []));
    expect(gone.length).toBeGreaterThan(0);
    const first = world.applied.flatMap(({after}) => (gone.includes(after?.id) ? [after] : []));
    const there = gone.map((id) => first.findLast((each) => each?.id === id)!);
    world.meddle = listing((data) => [...there, ...data]);
    for (const name of ['A', 'B'] as const) await world.run(machine(name).resumes({...SENT, retries: true}));
    expect(emails()).toEqual(ONCE);
    expect(broken(SENT)).toEqual([]);
  });

  test('still lists deleted drafts of another import: the rows are billed', async () => {
    const {world, machine, emails, broken} = importStage(['A', 'B']);
    for (const {payer} of BILLS) await world.call('POST', '/customers', {...payer, currency: 'PHP'});
    const person = async (): Promise<void> => {
      await world.passed(8000);
      const older = world.truth().filter(({createdBy}) => createdBy === 0);
      expect(older).toHaveLength(4);
      const shown = await Promise.all(older.map(({id}) => world.call('GET', `/billing_statements/${id}`)));
      for (const {id} of older) await world.person('delete', id);
      world.meddle = listing((data) => [...data, ...shown]);
    };
    const second = world.passed(1500).then(() => machine('B').imports(BILLS, SENT, {lag: aged(3000)}));
    await world.run(machine('A').imports(BILLS, SENT, {killedAfter: 3000}), second, person());
    expect(emails()).toEqual(ONCE);
    expect(broken(SENT, {hasPeople: true})).toEqual([]);
  });

  /** Customers of the file, with the service's own filter. */
  const customersBy =
    (filter: (email: string, wanted: string) => boolean, world: World): Meddle =>
    async (request, handle) => {
      if (request.method !== 'GET' || request.path !== '/customers') return handle();
      const {email, limit = '10', after} = Object.fromEntries(new URLSearchParams(request.query));
      const all = customersIn(world).filter((each) => email === undefined || filter(each.email, email)) as any[];
      const from = after === undefined ? 0 : all.findIndex(({id}) => id === after) + 1;
      const data = all.slice(from, from + Number(limit));
      return said({resource: 'list', has_more: all.length > from + data.length, data});
    };
  test.each([
    ['tells upper case from lower case in addresses', 20, (email: string, wanted: string) => email === wanted],
    ['ignores that it was asked for an address', 120, () => true],
  ])('%s: no customer is created twice', async (_what, count, filter) => {
    const {world, emails, toEnd} = importStage(['A']);
    for (let n = 0; n < count; n++) {
      const email = n < 4 ? `Payer${n}@Example.com` : `other${n}@example.com`;
      await world.call('POST', '/customers', {name: `Payer ${n}`, email, currency: 'PHP'});
    }
    world.meddle = customersBy(filter, world);
    const typed = BILLS.map((bill, n) => ({
      ...bill,
      payer: {email: `Payer${n}@Example.com`, name: `Payer ${n}`},
    }));
    await toEnd('A', typed, SENT);
    expect(emails()).toEqual(ONCE);
    expect(customersIn(world)).toHaveLength(count);
  });

  test('loses the response to a draft and then refuses the key: the run reports a change', async () => {
    const {world, machine} = importStage(['A']);
    for (const {payer} of BILLS) await world.call('POST', '/customers', {...payer, currency: 'PHP'});
    let isFirst = true;
    world.meddle = async (request, handle) => {
      if (request.method === 'GET') return handle();
      if (!isFirst) return said({errors: []}, 403);
      isFirst = false;
      await handle();
      return said('<html>');
    };
    const [ended] = await world.run(machine('A').imports(BILLS, SENT));
    expect(saidBy(ended)).toMatchObject({error: 'auth', applied: 'yes'});
  });
});
