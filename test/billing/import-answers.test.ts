// Imports on a service that answers in its own way.

import {describe, expect, test} from 'vitest';
import type {ApiRequest, ApiResponse} from '../../src/api/wire.js';
import type {JobWorld} from '../support/billing/job-world.js';
import {callOf, COUNT, CREATE, FINALIZE, LIST, SEND, worldWith, type Meddle} from '../support/billing/meddled.js';

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

  test('makes a draft that a killed run asked for when the next one has made another: one of them goes, and nothing fails', async () => {
    const {world, phases, billed} = await worldWith(['job_test']);
    let late: {readonly body: string; readonly handle: () => Promise<ApiResponse>} | undefined;
    world.meddle = async (request, handle) => {
      if (!CREATE.test(`${request.method} ${request.path}`)) return handle();
      const body = String(request.body);
      if (late === undefined) {
        late = {body, handle};
        return world.kill();
      }
      const answer = await handle();
      if (body === late.body) await late.handle();
      return answer;
    };
    await world.runToEnd();
    expect(phases()).toEqual(Array(COUNT).fill('done'));
    expect(await billed()).toEqual({statements: COUNT, emails: COUNT, most: 1});
    expect(await world.statements()).toHaveLength(COUNT);
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

  test('is lost after it made a draft, which is found, and then refuses the key: something was changed', async () => {
    const {world, rows, call} = await worldWith([]);
    for (const email of new Set(rows.map(({cells}) => cells.get('customer_email'))))
      await call('POST', '/customers', {name: 'Payer', email, currency: 'PHP'});
    await world.stage(rows);
    let isFirst = true;
    world.meddle = async (request, handle) => {
      if (request.method === 'GET') return handle();
      if (!isFirst) return said({errors: []}, 403);
      isFirst = false;
      await handle();
      return said('<html>');
    };
    expect(await world.run()).toMatchObject({kind: 'auth'});
    expect(world.applied).toBe('yes');
  });
});
