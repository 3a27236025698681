// The interactive event list: the effect of each key on the screen.

import {describe, expect, test} from 'vitest';
import {
  addItem,
  EMPTY_VIEW,
  pressKey,
  loadLinePainter,
  renderView,
  shownItems,
  type ViewState,
} from '../../../../src/commands/webhooks/listen/event-list.js';

const plain = await loadLinePainter(
  (_style, text) => text,
  (line) => line,
);
const item = (number: number, type = 'billing_statement.paid') => ({
  id: `dlv_${number}`,
  line: `14:22:0${number} --> ${type} evt_${number} genuine`,
  searchText: `${type} evt_${number} genuine`,
});
const three: ViewState = [1, 2, 3].reduce(
  (state, number) => addItem(state, item(number, number === 2 ? 'refund.created' : undefined)),
  EMPTY_VIEW,
);
const keys = (state: ViewState, ...pressed: string[]): ViewState =>
  pressed.reduce((now, key) => pressKey(now, key, 5).state, state);

describe('the list', () => {
  test('follows the newest until the user moves up, and again at the end', () => {
    expect(three.selected).toBe(2);
    const up = keys(three, 'up');
    expect(up.selected).toBe(1);
    expect(addItem(up, item(4)).selected).toBe(1);
    expect(addItem(keys(up, 'down'), item(4)).selected).toBe(3);
  });

  test('stops at both ends', () => {
    expect(keys(three, 'up', 'up', 'up', 'up').selected).toBe(0);
    expect(keys(three, 'j', 'j').selected).toBe(2);
    expect(keys(EMPTY_VIEW, 'up', 'down', 'enter', 'r').selected).toBe(-1);
  });

  test('updates an existing item in place', () => {
    const again = addItem(three, {...item(2), line: 'changed'});
    expect(again.items.map(({line}) => line)[1]).toBe('changed');
    expect(again.items).toHaveLength(3);
  });

  test('returns requests: details, replay, quit', () => {
    expect(pressKey(three, 'enter', 5).request).toEqual({kind: 'details', id: 'dlv_3'});
    expect(pressKey(keys(three, 'up'), 'r', 5).request).toEqual({kind: 'replay', id: 'dlv_2'});
    expect(pressKey(three, 'q', 5).request).toEqual({kind: 'quit'});
    expect(pressKey(keys(three, '/'), 'ctrl-c', 5).request).toEqual({kind: 'interrupt'});
  });
});

describe('the notice', () => {
  const long =
    'deliveries cannot be stored, and are answered 503: the store /home/maria/deliveries.db cannot be used. The disk is full.';
  const screen = (height: number) => renderView({...three, notice: long}, ['Ready'], 80, height, plain);

  test('is shown in full at 80 columns, and the screen keeps its height', () => {
    const lines = screen(10);
    expect(lines).toHaveLength(10);
    expect(lines.slice(-3, -1).join(' ')).toBe(long);
    expect(lines.slice(1, 4).map((line) => line.trim())).toEqual(
      three.items.map(({line}, index) => (index === 2 ? `❯ ${line}` : line)),
    );
  });

  test('leaves space for the list on a small screen', () => {
    const narrow = renderView({...three, notice: long.repeat(4)}, ['Ready'], 40, 8, plain);
    expect(narrow).toHaveLength(8);
    expect(narrow.at(-2)).toMatch(/…$/);
    expect(screen(4)).toHaveLength(4);
  });
});

describe('the filter', () => {
  test('narrows while typing, and takes q as a letter', () => {
    const typed = keys(three, '/', 'r', 'e', 'f');
    expect(shownItems(typed).map(({id}) => id)).toEqual(['dlv_2']);
    expect(typed.selected).toBe(0);
    expect(keys(typed, 'q').filter).toBe('refq');
    expect(keys(typed, 'backspace').filter).toBe('re');
  });

  test('is kept by enter and cleared by escape', () => {
    const kept = keys(three, '/', 'r', 'e', 'f', 'enter');
    expect(kept).toMatchObject({mode: 'list', filter: 'ref'});
    expect(keys(kept, 'escape')).toMatchObject({filter: '', selected: 2});
  });
});

describe('the screen', () => {
  test('has one line per row, none wider than the terminal', () => {
    for (const [width, height] of [
      [80, 24],
      [20, 5],
      [40, 3],
    ] as const) {
      const lines = renderView(three, ['Listening'], width, height, plain);
      expect(lines).toHaveLength(Math.max(height, 4));
      for (const line of lines) expect([...line].length).toBeLessThanOrEqual(width);
    }
  });

  test('marks the selected item, and keeps it visible in a long list', () => {
    const many = Array.from({length: 9}, (_, number) => item(number)).reduce(addItem, EMPTY_VIEW);
    const lines = renderView(keys(many, 'home'), ['Listening'], 80, 6, plain);
    expect(lines[1]).toMatch(/^❯ 14:22:00/);
    expect(renderView(many, ['Listening'], 80, 6, plain)[3]).toMatch(/^❯ 14:22:08/);
  });

  test('scrolls details and goes back', () => {
    const details: ViewState = {
      ...keys(three, 'enter'),
      details: Array.from({length: 30}, (_, line) => `line ${line}`),
    };
    expect(renderView(keys(details, 'down', 'down'), ['Listening'], 80, 8, plain)[1]).toBe('line 2');
    expect(
      keys(details, 'pagedown', 'pagedown', 'pagedown', 'pagedown', 'pagedown', 'pagedown', 'pagedown').scroll,
    ).toBe(25);
    expect(keys(details, 'escape').mode).toBe('list');
  });
});
