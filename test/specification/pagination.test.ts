// Specification, "Pagination rules for list endpoints": pages of every list, in both directions, newest first.

import {describe, expect, test} from 'vitest';
import {createPayout} from '../../src/sandbox/payments/payout-deposits.js';
import {service, type Answer, type Service} from './service.js';
import {customer, webhook} from './stories.js';

interface Listed {
  readonly path: string;
  readonly ids: readonly string[];
}

type Fill = (api: Service, count: number) => Promise<Listed>;

async function repeated(count: number, make: (index: number) => Promise<{id: string}>): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push((await make(index)).id);
  return ids;
}

const transactions: Fill = async (api, count) => {
  const movements = Array.from({length: count}, (_, index) => ({type: 'adjustment', id: null, amount: index}) as const);
  const bank = {account_name: 'Habi Studio', account_number: '4410', bank_name: 'BPI'};
  const {id} = api.sandbox.perform((work) => createPayout(work, movements, bank));
  // Transactions of other payouts are not in the list.
  api.sandbox.perform((work) => createPayout(work, movements, bank));
  const path = `/payouts/${id}/transactions`;
  const {data} = await api.ok('GET', `${path}?limit=100`);
  return {path, ids: data.map((one: {id: string}) => one.id).reverse()};
};

const lists: readonly [string, Fill][] = [
  [
    'billing statements',
    async (api, count) => {
      const {id} = await customer(api);
      const make = () => api.ok('POST', '/billing_statements', {customer_id: id, currency: 'PHP'});
      return {path: '/billing_statements', ids: await repeated(count, make)};
    },
  ],
  ['customers', async (api, count) => ({path: '/customers', ids: await repeated(count, () => customer(api))})],
  ['webhooks', async (api, count) => ({path: '/webhooks', ids: await repeated(count, () => webhook(api))})],
  ['payout transactions', transactions],
];

const shown = ({status, body}: Answer, ids: readonly string[]) => ({
  status,
  // Numbers count from the oldest, which is 1.
  data: body.data?.map(({id}: {id: string}) => ids.indexOf(id) + 1),
  more: body.has_more,
});

describe.each(lists)('a list of %s', (_name, fill) => {
  test('is newest first', async () => {
    const api = await service();
    const {path, ids} = await fill(api, 5);
    expect(shown(await api.send('GET', path), ids)).toEqual({status: 200, data: [5, 4, 3, 2, 1], more: false});
  });

  test('is empty, not missing, without objects', async () => {
    const api = await service();
    const {path} = await fill(api, 0);
    expect((await api.send('GET', path)).body).toEqual({resource: 'list', has_more: false, data: []});
  });

  test.each<[string, (ids: readonly string[]) => string, number[], boolean]>([
    ['1: limit cuts it', () => 'limit=2', [5, 4], true],
    ['1: a limit that just fits leaves no more', () => 'limit=5', [5, 4, 3, 2, 1], false],
    ['3: after gives what follows', (ids) => `limit=2&after=${ids[3]}`, [3, 2], true],
    ['3: after gives the last page', (ids) => `limit=2&after=${ids[2]}`, [2, 1], false],
    ['3: after gives nothing behind the last', (ids) => `after=${ids[0]}`, [], false],
    ['2: before gives what directly precedes, newest first', (ids) => `limit=2&before=${ids[1]}`, [4, 3], true],
    ['2: before gives the first page', (ids) => `limit=2&before=${ids[2]}`, [5, 4], false],
    ['2: before gives what there is of a page', (ids) => `limit=2&before=${ids[3]}`, [5], false],
    ['2: before gives nothing ahead of the first', (ids) => `before=${ids[4]}`, [], false],
  ])('rule %s', async (_rule, query, data, more) => {
    const api = await service();
    const {path, ids} = await fill(api, 5);
    expect(shown(await api.send('GET', `${path}?${query(ids)}`), ids)).toEqual({status: 200, data, more});
  });

  test('returns each object once forwards, and again backwards', async () => {
    const api = await service();
    const {path, ids} = await fill(api, 7);
    const walk = async (direction: 'after' | 'before', cursor: string): Promise<string[]> => {
      const {data, has_more: more} = await api.ok('GET', `${path}?limit=2${cursor && `&${direction}=${cursor}`}`);
      const page = data.map(({id}: {id: string}) => id);
      const next = more ? await walk(direction, direction === 'after' ? page.at(-1) : page[0]) : [];
      return direction === 'after' ? [...page, ...next] : [...next, ...page];
    };
    const newestFirst = [...ids].reverse();
    expect(await walk('after', '')).toEqual(newestFirst);
    expect(await walk('before', ids[0]!)).toEqual(newestFirst.slice(0, -1));
  });

  test.each(['before', 'after'])(
    'refuses a cursor for %s that was never given out, or is of another kind',
    async (name) => {
      const api = await service();
      const {path, ids} = await fill(api, 1);
      const prefix = ids[0]!.slice(0, ids[0]!.lastIndexOf('_') + 1);
      for (const cursor of [`${prefix}${'N'.repeat(32)}`, `pay_${'N'.repeat(32)}`, 'x']) {
        expect(await api.send('GET', `${path}?${name}=${cursor}`)).toMatchObject({
          status: 400,
          body: {errors: [{parameter: name, code: 'parameter_invalid', detail: expect.any(String)}]},
        });
      }
    },
  );
});

test.each([
  ['customers', (api: Service) => customer(api)],
  ['webhooks', (api: Service) => webhook(api)],
])('a list of %s goes on behind one that was deleted meanwhile', async (resource, make) => {
  const api = await service();
  const ids = await repeated(3, () => make(api));
  await api.ok('DELETE', `/${resource}/${ids[1]}`);
  expect(shown(await api.send('GET', `/${resource}?after=${ids[1]}`), ids)).toMatchObject({data: [1]});
  expect(shown(await api.send('GET', `/${resource}?before=${ids[1]}`), ids)).toMatchObject({data: [3]});
  expect(shown(await api.send('GET', `/${resource}`), ids)).toMatchObject({data: [3, 1]});
});

test('rule 4: a list of billing statements has no filter', async () => {
  const api = await service();
  const {path, ids} = await lists[0]![1](api, 2);
  const answer = await api.send('GET', `${path}?status=open&name=Nobody&metadata[a]=b`);
  expect(shown(answer, ids)).toEqual({status: 200, data: [2, 1], more: false});
});
