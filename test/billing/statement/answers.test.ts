// Runs on a service whose answers are old, incomplete or reformatted.

import {describe, expect, test} from 'vitest';
import {listed, type Faults} from '../../support/simulation/faults.js';
import {aged, type Lag} from '../../support/simulation/hostile-service.js';
import {bill, DUE, type Answer, type Round} from '../../support/simulation/stories.js';

/** Changes of a run without faults: the draft, three items, due date, finalizing, sending. */
const CHANGES = 7;
const lost = (change: number): Faults => listed({[change]: 'lost'});

describe('old reads', () => {
  /** Every second read is current. */
  const byTurns =
    (age: number): Lag =>
    ({write, number}) => {
      const old = write || number % 2 === 0 ? age : 0;
      return {statement: old, items: old};
    };

  test.each([100, 1000, 5000, 14_000])('old by %i ms cause a wait, and no repeated call', async (late) => {
    for (const lag of [aged(late), byTurns(late)])
      for (const plan of [{}, {send: false}, {send: false, finalize: false}]) {
        const {endings, wrong, statements} = await bill([{lag}], plan);
        expect({endings, wrong}).toEqual({endings: ['done'], wrong: []});
        expect(statements).toMatchObject([{amount: 3_250_100, items: [{}, {}, {}]}]);
      }
  });

  /** An update whose answer omits the items, so that they must be read. */
  const withoutItems: Answer = ({method}, body) => (method === 'PUT' ? {...body, line_items: undefined} : body);

  test('older than the settle time stop the run, without a repeated call', async () => {
    const story = await bill([{lag: aged(0, 60_000), answer: withoutItems}]);
    expect(story).toMatchObject({endings: ['not_shown:not_shown'], wrong: [], asked: CHANGES - 2});
  });

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
    const answer: Answer = (request, body) => (request.method === 'GET' ? change(body) : withoutItems(request, body));
    const story = await bill([{answer}]);
    expect(story).toMatchObject({endings: ['failed:unusable_answer', 'done'], wrong: [], asked: CHANGES});
  });
});

describe('a service that rewrites values', () => {
  const wide = [{description: 'Cafe\u0301  de  Oro', quantity: 1, unit_price: 250_000}];
  const writing =
    (change: (text: string) => string): Answer =>
    (_request, body) => {
      const item = (each: any) =>
        each.unit_price === undefined ? each : {...each, description: change(each.description)};
      return body.line_items ? {...body, line_items: body.line_items.map(item)} : item(body);
    };

  test.each<[string, (text: string) => string]>([
    ['without double blanks', (text) => text.replace(/\s+/g, ' ')],
    ['with composed accents', (text) => text.normalize('NFC')],
  ])('%s: recognizes uncertain items', async (_what, change) => {
    const story = await bill([{faults: lost(1), answer: writing(change)}], {items: wide});
    expect(story).toMatchObject({endings: ['done'], asked: 5});
  });

  test('leaves unpredictable rewrites alone, and does not call them foreign', async () => {
    const upper = writing((text) => text.toUpperCase());
    const certain = await bill([{answer: upper}], {items: wide});
    expect(certain.endings).toEqual(['done']);
    const doubted = await bill([{faults: lost(1), answer: upper}], {items: wide});
    expect(doubted.endings[0]).toBe('foreign:unexpected_items');
    expect(doubted.texts[0]).not.toMatch(/did not come from this run/);
  });

  /** The service's answer for a due time. */
  const due = (change: (at: number, method: string) => unknown): Round => ({
    answer: ({method}, body) => (body.due_at ? {...body, due_at: change(body.due_at, method)} : body),
  });
  test('accepts a due time rounded to the day', async () => {
    const story = await bill([due((at) => at - (at % 86_400))]);
    expect(story).toMatchObject({endings: ['done'], emails: 1});
  });

  test('keeps the wanted due time when an update answers with old values', async () => {
    const story = await bill([due((at, method) => (method === 'PUT' ? at - 5_000_000 : at))]);
    expect(story).toMatchObject({endings: ['done'], wrong: [], emails: 1});
    expect(story.statements).toMatchObject([{due_at: DUE}]);
  });

  test('does not send with another due time', async () => {
    const story = await bill([due((at) => at + 30 * 86_400)]);
    expect(story).toMatchObject({endings: ['not_shown:not_shown'], wrong: [], emails: 0});
  });

  test('does not send with an amount that differs from the items', async () => {
    const answer: Answer = (_request, body) => (body.status === 'open' ? {...body, amount: body.amount + 500} : body);
    const story = await bill([{answer}]);
    expect(story).toMatchObject({endings: ['mismatch:statement_differs'], emails: 0});
  });

  test('finds an uncertain draft in lists without metadata and items', async () => {
    const answer: Answer = (_request, body) =>
      body.data
        ? {...body, data: body.data.map(({line_items: _i, metadata: _m, payment_settings: _p, ...rest}: any) => rest)}
        : body;
    const story = await bill([{faults: lost(0), answer}]);
    expect(story).toMatchObject({endings: ['done'], wrong: [], asked: CHANGES});
  });
});
