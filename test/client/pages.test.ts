// Iterating a list that changes during iteration: every item present throughout is returned exactly once, and iteration ends.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {Pages, type PageParams} from '../../src/client/pages.js';
import {runs} from '../support/test-size.js';

const SEED = 20261218;
const RUNS = {seed: SEED, numRuns: runs(1000)};

interface Item {
  readonly id: string;
}

const idOf = (number: number): string => `cus_${number}`;
const numberOf = (id: string): number => Number(id.slice(4));

/** A service that lists newest first, by order of creation. */
class Model {
  readonly numbers: Set<number>;
  readonly ever: Set<number>;
  #next: number;
  requests = 0;

  constructor(size: number) {
    this.numbers = new Set(Array.from({length: size}, (_, index) => index));
    this.ever = new Set(this.numbers);
    this.#next = size;
  }

  insert(): void {
    this.numbers.add(this.#next);
    this.ever.add(this.#next++);
  }

  remove(choice: number): void {
    const all = [...this.numbers];
    if (all.length > 0) this.numbers.delete(all[choice % all.length]!);
  }

  page({after, before, limit}: PageParams): {resource: 'list'; has_more: boolean; data: Item[]} {
    this.requests++;
    const newestFirst = [...this.numbers].sort((a, b) => b - a);
    const found =
      before === undefined
        ? newestFirst.filter((number) => after === undefined || number < numberOf(after))
        : newestFirst.filter((number) => number > numberOf(before)).reverse();
    const data = found.slice(0, limit as number).map((number) => ({id: idOf(number)}));
    return {resource: 'list', has_more: found.length > data.length, data: before === undefined ? data : data.reverse()};
  }
}

const changes = fc.array(fc.oneof(fc.constant('insert' as const), fc.nat(1000)), {maxLength: 4});

async function walk(model: Model, params: PageParams, between: readonly (readonly (number | 'insert')[])[]) {
  let page = 0;
  const stable = new Set(model.numbers);
  const given: string[] = [];
  const pages = new Pages<Item>(async (asked) => {
    const answer = model.page(asked);
    for (const change of between[page++] ?? []) {
      if (change === 'insert') model.insert();
      else model.remove(change);
    }
    return answer;
  }, params);
  for await (const {id} of pages) given.push(id);
  for (const number of stable) if (!model.numbers.has(number)) stable.delete(number);
  return {given, stable};
}

describe(`iterating (seed ${SEED})`, () => {
  test('returns each item present throughout exactly once, and no unknown item', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(30),
        fc.integer({min: 1, max: 7}),
        fc.array(changes, {maxLength: 12}),
        async (size, limit, between) => {
          const model = new Model(size);
          const {given, stable} = await walk(model, {limit}, between);
          expect(new Set(given).size).toBe(given.length);
          expect([...stable].map(idOf).filter((id) => !given.includes(id))).toEqual([]);
          expect(given.filter((id) => !model.ever.has(numberOf(id)))).toEqual([]);
        },
      ),
      RUNS,
    );
  });

  test('backwards, from an item to the newest, returns each exactly once too', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({min: 1, max: 30}),
        fc.nat(29),
        fc.integer({min: 1, max: 7}),
        fc.array(changes, {maxLength: 12}),
        async (size, from, limit, between) => {
          const model = new Model(size);
          const {given, stable} = await walk(model, {limit, before: idOf(from)}, between);
          expect(new Set(given).size).toBe(given.length);
          const missed = [...stable].filter((number) => number > from && !given.includes(idOf(number)));
          expect(missed).toEqual([]);
          expect(given.every((id) => numberOf(id) > from)).toBe(true);
        },
      ),
      RUNS,
    );
  });

  test('requests another page only if there is one', async () => {
    for (const [size, requests] of [
      [0, 1],
      [5, 1],
      [6, 2],
      [10, 2],
      [11, 3],
    ] as const) {
      const model = new Model(size);
      await walk(model, {limit: 5}, []);
      expect(model.requests).toBe(requests);
    }
  });
});

/** Pages that the service returns in turn, the last one forever. */
async function served(...pages: {data: Item[]; has_more: boolean}[]) {
  const asked: PageParams[] = [];
  const all = new Pages<Item>(
    async (params) => {
      asked.push(params);
      return {resource: 'list', ...pages[Math.min(asked.length, pages.length) - 1]!};
    },
    {limit: 2, email: 'a@example.com'},
  );
  const given: string[] = [];
  for await (const {id} of all) given.push(id);
  return {given, asked};
}

const A = {id: 'cus_A'};
const B = {id: 'cus_B'};
const C = {id: 'cus_C'};

describe('a service that misbehaves', () => {
  test.each([
    [
      'says there is more and gives nothing',
      [
        {data: [A, B], has_more: true},
        {data: [], has_more: true},
      ],
    ],
    ['gives the same page for ever', [{data: [A, B], has_more: true}]],
  ])('that %s is an error, after what it gave', async (_, pages) => {
    const given: string[] = [];
    const walked = async () => {
      for await (const {id} of new Pages<Item>(
        async () => ({resource: 'list', ...(pages.length > 1 ? pages.shift()! : pages[0]!)}),
        {},
      ))
        given.push(id);
    };
    await expect(walked()).rejects.toMatchObject({kind: 'unavailable', code: 'list_without_progress'});
    expect(given).toEqual(['cus_A', 'cus_B']);
  });

  test('whose pages overlap: returns each item once', async () => {
    const {given} = await served({data: [A, B], has_more: true}, {data: [B, C], has_more: false});
    expect(given).toEqual(['cus_A', 'cus_B', 'cus_C']);
  });

  test('that repeats an item on a page: returns it once', async () => {
    expect((await served({data: [A, A], has_more: false})).given).toEqual(['cus_A']);
  });
});

test('keeps the filters on all pages, and uses the last item of the previous page as the cursor', async () => {
  const {asked} = await served({data: [A, B], has_more: true}, {data: [C], has_more: false});
  expect(asked).toEqual([
    {limit: 2, email: 'a@example.com'},
    {limit: 2, email: 'a@example.com', after: 'cus_B'},
  ]);
});

test('sends nothing until awaited, and then returns one page', async () => {
  const model = new Model(9);
  const pages = new Pages<Item>(async (params) => model.page(params), {limit: 4});
  expect(model.requests).toBe(0);
  expect((await pages).data.map(({id}) => id)).toEqual(['cus_8', 'cus_7', 'cus_6', 'cus_5']);
  expect(model.requests).toBe(1);
});

test('a page that fails ends the iteration with its error', async () => {
  const model = new Model(9);
  const pages = new Pages<Item>(
    async (params) => {
      if (model.requests === 2) throw new Error('down');
      return model.page(params);
    },
    {limit: 3},
  );
  const given: string[] = [];
  await expect(
    (async () => {
      for await (const {id} of pages) given.push(id);
    })(),
  ).rejects.toThrow('down');
  expect(given).toHaveLength(6);
});
