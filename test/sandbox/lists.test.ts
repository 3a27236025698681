// Lists: newest first, in pages both ways, each object exactly once; and their filters.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {world, type Wire, type World} from '../support/sandbox/world.js';

const ids = (page: Wire): string[] => page.data.map(({id}: Wire) => id);

async function manyWebhooks(count: number): Promise<{w: World; made: string[]}> {
  const w = world();
  const made: string[] = [];
  for (let index = 0; index < count; index += 1)
    made.unshift((await w.ok('POST', '/webhooks', {url: `https://a.b/${index}`, events: ['x']})).id);
  return {w, made};
}

test('a page has ten objects by default, newest first', async () => {
  const {w, made} = await manyWebhooks(12);
  const page = await w.ok('GET', '/webhooks');
  expect(page).toMatchObject({resource: 'list', has_more: true});
  expect(ids(page)).toEqual(made.slice(0, 10));
});

test('pages contain each object exactly once, in both directions, also with deleted cursors', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({min: 0, max: 23}),
      fc.integer({min: 1, max: 9}),
      fc.infiniteStream(fc.boolean()),
      async (count, limit, deletions) => {
        const {w, made} = await manyWebhooks(count);
        const gone = new Set<string>();
        const remove = async (id: string) => {
          if (!deletions.next().value) return;
          await w.ok('DELETE', `/webhooks/${id}`);
          gone.add(id);
        };

        const forward: string[] = [];
        for (let page = await w.ok('GET', `/webhooks?limit=${limit}`); ;) {
          forward.push(...ids(page));
          expect(page.data.length).toBeLessThanOrEqual(limit);
          if (!page.has_more) break;
          await remove(forward.at(-1)!);
          page = await w.ok('GET', `/webhooks?limit=${limit}&after=${forward.at(-1)}`);
        }
        expect(forward).toEqual(made);

        if (count === 0) return;
        const left = made.filter((id) => !gone.has(id) || id === made.at(-1));
        const backward: string[] = [made.at(-1)!];
        for (let more = true; more;) {
          const page = await w.ok('GET', `/webhooks?limit=${limit}&before=${backward[0]}`);
          backward.unshift(...ids(page));
          more = page.has_more;
        }
        expect(backward).toEqual(left);
      },
    ),
    {numRuns: 40},
  );
});

test.each([
  'limit=0',
  'limit=101',
  'limit=x',
  'limit=1.5',
  'after=wh_unknown',
  'before=wh_unknown',
  'after=cus_x',
  'after=wh_a&before=wh_b',
])('%s is refused', async (query) => {
  const {w} = await manyWebhooks(1);
  expect((await w.call('GET', `/webhooks?${query}`)).status).toBe(400);
});

test('a page of one hundred', async () => {
  const {w, made} = await manyWebhooks(101);
  const page = await w.ok('GET', '/webhooks?limit=100');
  expect(ids(page)).toEqual(made.slice(0, 100));
  expect(page.has_more).toBe(true);
});

describe('filters', () => {
  test('webhooks by part of their URL or description, in any case', async () => {
    const w = world();
    const one = await w.ok('POST', '/webhooks', {
      url: 'https://shop.example/Hooks',
      events: ['a'],
      description: 'Shipping',
    });
    await w.ok('POST', '/webhooks', {url: 'https://other.example/', events: ['a']});
    expect(ids(await w.ok('GET', '/webhooks?url=SHOP.example/hooks'))).toEqual([one.id]);
    expect(ids(await w.ok('GET', '/webhooks?description=ship'))).toEqual([one.id]);
    expect(ids(await w.ok('GET', '/webhooks?description=nothing'))).toEqual([]);
  });

  test('customers by name, email and metadata, with pages', async () => {
    const w = world();
    const matching: string[] = [];
    for (let index = 0; index < 9; index += 1) {
      const {id} = await w.customer({
        name: index % 2 ? 'Niño Ibañez' : 'Other',
        metadata: {'Order ID': String(index % 2)},
      });
      if (index % 2) matching.unshift(id);
    }
    const query = `name=${encodeURIComponent('niño ibañez')}&metadata%5BOrder+ID%5D=1`;
    const first = await w.ok('GET', `/customers?${query}&limit=3`);
    expect(ids(first)).toEqual(matching.slice(0, 3));
    expect(first.has_more).toBe(true);
    const second = await w.ok('GET', `/customers?${query}&limit=3&after=${first.data[2].id}`);
    expect(ids(second)).toEqual(matching.slice(3));
    expect(second.has_more).toBe(false);
    expect(ids(await w.ok('GET', '/customers?metadata[toString]=x'))).toEqual([]);
  });
});

test('a customer session lasts a day', async () => {
  const w = world();
  const {id: customerId} = await w.customer();
  const session = await w.ok('POST', '/customer_sessions', {customer_id: customerId});
  expect(session).toMatchObject({
    customer: {id: customerId},
    expired: false,
    expired_at: w.sandbox.now() + 86_400,
    client_secret: expect.stringContaining('_secret_'),
  });
  expect(session.components).toHaveLength(4);
  w.advance(86_400);
  expect((await w.ok('GET', `/customer_sessions/${session.id}`)).expired).toBe(true);
});
