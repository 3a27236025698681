// Runs on a service whose answers are old, incomplete or reformatted.

import {describe, expect, test} from 'vitest';
import type {BillingStatementData} from '../../../src/billing/statement/plan.js';
import {DUE, runStory} from '../../support/billing/merchant-run.js';
import type {Faults} from '../../support/billing/scheduled-service.js';

/** Changes of a run without faults: the draft, three items, due date, finalizing, sending. */
const CHANGES = 7;

describe('old reads', () => {
  const lagging = (milliseconds: number, replica: boolean): Faults => ({
    changes: new Map(),
    lag: {milliseconds, replica},
  });

  test.each([100, 1000, 5000, 14_000])('old by %i ms cause a wait, and no repeated call', async (late) => {
    for (const replica of [false, true])
      for (const plan of [{}, {send: false}, {send: false, finalize: false}]) {
        const {endings, wrong, world} = await runStory([lagging(late, replica)], plan);
        expect({endings, wrong}).toEqual({endings: ['done'], wrong: []});
        const [{line_items: items, amount}] = (await world.statements()) as [BillingStatementData];
        expect([(items as unknown[]).length, amount]).toEqual([3, 3_250_100]);
      }
  });

  /** An update whose answer omits the items, so that they must be read. */
  const withoutItems = ({method}: {method: string}, body: any): unknown =>
    method === 'PUT' ? {...body, line_items: undefined} : body;

  test('older than the settle time stop the run, without a repeated call', async () => {
    const {endings, wrong, world} = await runStory([{...lagging(60_000, false), answer: withoutItems}]);
    expect({endings, wrong}).toEqual({endings: ['not_shown:not_shown'], wrong: []});
    expect(world.asked).toBe(CHANGES - 2);
  });

  const isRead = ({method, path}: {method: string; path: string}): boolean =>
    method === 'GET' && path.startsWith('/billing_statements/');
  test.each<[string, (statement: Record<string, unknown>) => unknown]>([
    ['no items', (statement) => ({...statement, line_items: undefined})],
    ['items that are no list', (statement) => ({...statement, line_items: {data: statement.line_items}})],
    ['no status', (statement) => ({...statement, status: undefined})],
    [
      'amounts as texts',
      (one) => ({
        ...one,
        line_items: (one.line_items as any[]).map((item) => ({...item, unit_price: String(item.unit_price)})),
      }),
    ],
  ])('with %s are ignored: nothing is added twice', async (_what, change) => {
    const answer: Faults['answer'] = (request, body) => (isRead(request) ? change(body) : withoutItems(request, body));
    const {endings, wrong, world} = await runStory([{changes: new Map(), answer}]);
    expect({endings, wrong}).toEqual({endings: ['failed:unusable_answer', 'done'], wrong: []});
    expect(world.asked).toBe(CHANGES);
  });
});

describe('a service that rewrites values', () => {
  const wide = [{description: 'Cafe\u0301  de  Oro', quantity: 1, unit_price: 250_000}];
  const writing =
    (change: (text: string) => string): Faults['answer'] =>
    (_request, body) => {
      const item = (each: any) =>
        each.unit_price === undefined ? each : {...each, description: change(each.description)};
      return body.line_items ? {...body, line_items: body.line_items.map(item)} : item(body);
    };

  test.each<[string, (text: string) => string]>([
    ['without double blanks', (text) => text.replace(/\s+/g, ' ')],
    ['with composed accents', (text) => text.normalize('NFC')],
  ])('%s: recognizes uncertain items', async (_what, change) => {
    const story = await runStory([{changes: new Map([[1, 'lost']]), answer: writing(change)}], {items: wide});
    expect(story.endings).toEqual(['done']);
    expect(story.world.asked).toBe(5);
  });

  test('leaves unpredictable rewrites alone, and does not call them foreign', async () => {
    const upper = writing((text) => text.toUpperCase());
    const certain = await runStory([{changes: new Map(), answer: upper}], {items: wide});
    expect(certain.endings).toEqual(['done']);
    const doubted = await runStory([{changes: new Map([[1, 'lost']]), answer: upper}], {items: wide});
    expect(doubted.endings[0]).toBe('foreign:unexpected_items');
    expect(doubted.texts[0]).not.toMatch(/did not come from this run/);
  });

  /** The service's answer for a due time. */
  const due = (change: (at: number, method: string) => unknown): Faults => ({
    changes: new Map(),
    answer: ({method}, body) => (body.due_at ? {...body, due_at: change(body.due_at, method)} : body),
  });
  test('accepts a due time rounded to the day', async () => {
    const story = await runStory([due((at) => at - (at % 86_400))]);
    expect(story).toMatchObject({endings: ['done'], sentStatements: 1});
  });

  test('keeps the wanted due time when an update answers with old values', async () => {
    const story = await runStory([due((at, method) => (method === 'PUT' ? at - 5_000_000 : at))]);
    expect(story).toMatchObject({endings: ['done'], wrong: [], sentStatements: 1});
    expect((await story.world.statements()).map(({due_at: at}) => at)).toEqual([DUE]);
  });

  test('does not send with another due time', async () => {
    const story = await runStory([due((at) => at + 30 * 86_400)]);
    expect(story).toMatchObject({endings: ['not_shown:not_shown'], wrong: [], sentStatements: 0});
  });

  test('does not send with an amount that differs from the items', async () => {
    const answer: Faults['answer'] = (_request, body) =>
      body.status === 'open' ? {...body, amount: body.amount + 500} : body;
    const story = await runStory([{changes: new Map(), answer}]);
    expect(story).toMatchObject({endings: ['mismatch:statement_differs'], sentStatements: 0});
  });

  test('finds an uncertain draft in lists without metadata and items', async () => {
    const answer: Faults['answer'] = (_request, body) =>
      body.data
        ? {...body, data: body.data.map(({line_items: _i, metadata: _m, payment_settings: _p, ...rest}: any) => rest)}
        : body;
    const {endings, wrong, world} = await runStory([{changes: new Map([[0, 'lost']]), answer}]);
    expect({endings, wrong}).toEqual({endings: ['done'], wrong: []});
    expect(world.asked).toBe(CHANGES);
  });
});
