// The guided flow without a terminal: the state after each event.

import {describe, expect, test} from 'vitest';
import {valueOrThrow} from '../../../../src/input/invalid-input.js';
import {readItem, totalAsNumber} from '../../../../src/input/items.js';
import {reduceGuided} from '../../../../src/billing/statement/guided/reducer.js';
import {toCustomer} from '../../../../src/billing/statement/guided/steps/customers.js';
import {reviewChoices} from '../../../../src/billing/statement/guided/steps/review.js';
import {guidedViewOf} from '../../../../src/billing/statement/guided/screens/guided-view.js';
import {textMeasureFor} from '../../../../src/output/text-width.js';
import {typedText} from '../../../../src/billing/statement/guided/steps/items.js';
import type {UnfinishedContent} from '../../../../src/billing/statement/unfinished-store.js';
import type {GuidedEvent, GuidedState} from '../../../../src/billing/statement/guided/state.js';
import {unfinishedToSave} from '../../../../src/billing/statement/guided/steps/unfinished.js';

/** Tuesday, 15 December 2026, 10:00 in Manila. */
const NOW = Date.parse('2026-12-15T10:00:00+08:00') / 1000;
const person = (id: string, name: string, email: string) => ({id, name, email, detail: email});
const PEOPLE = [
  person('cus_1', 'Niño Ibañez', 'nino@example.com'),
  person('cus_2', 'Ana Reyes', 'ana@example.com'),
  person('cus_3', 'Reyes Hardware', 'orders@reyes.example'),
  person('cus_4', "Aling Nena's Kakanin", 'nena@example.com'),
];

const START = toCustomer({
  step: 'customer',
  title: 'New billing statement',
  isSaved: true,
  isDescribed: true,
  isReplacing: false,
  account: 'sandbox, no money moves',
  mode: 'sandbox',
  now: NOW,
  items: [],
  field: {text: '', cursor: 0},
  halfTyped: {},
  returns: false,
  invalidLines: [],
  undo: [],
  scrolled: 0,
  people: PEOPLE,
  loading: false,
  shown: {query: '', people: []},
  mark: '',
  found: [],
  made: {key: 'k', since: NOW, attempted: false},
  plainLines: [],
});

const key = (name: string): GuidedEvent => ({type: 'key', key: name});
const text = (typed: string): GuidedEvent => ({type: 'text', text: typed});
const ENTER = key('enter');
const ESCAPE = key('escape');
/** The state after typed input; a text of `↵` at its end is entered. */
const after = (state: GuidedState, ...events: readonly (GuidedEvent | string)[]): GuidedState =>
  events.reduce<GuidedState>((now, event) => {
    if (typeof event !== 'string') return reduceGuided(now, event);
    const typed = event.replace(/↵$/, '');
    const filled = typed === '' ? now : reduceGuided(now, text(typed));
    return event.endsWith('↵') ? reduceGuided(filled, ENTER) : filled;
  }, state);

describe('the customer step', () => {
  test.each([
    ['nino', ['cus_1']],
    ['NIÑO', ['cus_1']],
    ['ib nin', ['cus_1']],
    ['reyes', ['cus_3', 'cus_2']],
    ['ana', ['cus_2']],
    ['orders@', ['cus_3']],
    ['nenas', ['cus_4']],
    ['zzz', []],
  ])('%j finds %j, and marks the first', (query, ids) => {
    const state = after(START, query);
    expect(state.shown.people.map(({id}) => id)).toEqual(ids);
    expect(state.mark).toBe(ids[0] ?? 'new');
  });

  test('marks no customer before typing: Enter alone starts a new one', () => {
    expect(after(START, ENTER).step).toBe('name');
  });

  test('lists later customers below, and keeps the mark', () => {
    const typed = after({...START, loading: true, people: PEOPLE.slice(2)}, 'reyes');
    expect(typed.mark).toBe('cus_3');
    const state = reduceGuided(typed, {
      type: 'people',
      people: [person('cus_0', 'Reyes', 'r@example.com')],
      done: true,
    });
    expect(state.shown.people.map(({id}) => id)).toEqual(['cus_3', 'cus_0']);
    expect(state.mark).toBe('cus_3');
    expect(after(state, ENTER)).toMatchObject({step: 'items', payer: {id: 'cus_3'}});
  });

  test('needs a second Enter for a new customer during loading', () => {
    const state = after({...START, loading: true}, 'Zeny↵');
    expect(state).toMatchObject({step: 'customer', note: {tone: 'warning'}});
    expect(after(state, ENTER)).toMatchObject({step: 'name', field: {text: 'Zeny'}});
  });

  test('warns about an existing name; a second Enter creates another', () => {
    const state = after(START, 'Ana reyes', key('up'), ENTER, ENTER);
    expect(state.note?.text).toContain('A customer named Ana Reyes already exists (ana@example.com).');
    expect(after(state, ENTER)).toMatchObject({step: 'email', name: 'Ana reyes'});
  });

  test('warns about an existing address; a second Enter bills its customer', () => {
    const asked = after(START, 'Zeny↵', ENTER, 'ana@example.com↵');
    expect(asked.effect).toEqual({type: 'lookup', email: 'ana@example.com'});
    const told = reduceGuided(asked, {type: 'looked-up', email: 'ana@example.com', people: [PEOPLE[1]!]});
    expect(told.note?.text).toContain('Ana Reyes already has this address');
    expect(after(told, ENTER)).toMatchObject({step: 'items', payer: {id: 'cus_2'}});
    expect(after(told, 'x', ENTER).effect).toEqual({type: 'lookup', email: 'ana@example.comx'});
  });

  test('refuses an invalid address', () => {
    expect(after(START, 'Zeny↵', ENTER, 'zeny↵').note?.text).toContain('"zeny" is not an email address.');
  });
});

const ITEMS = after(START, 'nino↵');
const TWO = after(ITEMS, 'Web design x2 @ 15,000↵', 'Hosting @ 500↵');

describe('the items step', () => {
  test('adds, changes, removes and restores lines', () => {
    expect(TWO.items.map(({description}) => description)).toEqual(['Web design', 'Hosting']);
    expect(after(TWO, '1↵').field.text).toBe('Web design x2 @ 15,000');
    const changed = after(TWO, '1↵', key('ctrl-u'), 'Logo @ 700↵');
    expect(changed.items[0]).toEqual({description: 'Logo', quantity: 1, unit_price: 70_000});
    expect(after(TWO, '1↵', ESCAPE)).toMatchObject({items: TWO.items, field: {text: ''}, editing: undefined});
    expect(after(TWO, '-1↵').items.map(({description}) => description)).toEqual(['Hosting']);
    expect(after(TWO, '-1↵', 'undo↵').items).toEqual(TWO.items);
    expect(after(TWO, '3↵').note?.text).toBe('Line 3 does not exist.');
    expect(after(ITEMS, 'undo↵').note?.text).toBe('Nothing to undo.');
  });

  test('keeps an invalid line in the field with its reason until it changes', () => {
    const state = after(ITEMS, 'Hosting 6500↵');
    expect(state).toMatchObject({items: [], field: {text: 'Hosting 6500'}});
    expect(state.note?.text).toBe('No price. Did you mean: Hosting @ 6500');
    expect(after(state, '0').note).toBeUndefined();
  });

  test.each(['', 'done'])('%j ends the items once there is one', (word) => {
    expect(after(TWO, `${word}↵`).step).toBe('due');
    expect(after(ITEMS, `${word}↵`)).toMatchObject({step: 'items', note: {tone: 'error'}});
  });

  test('refuses a total that is too low or too high', () => {
    expect(after(ITEMS, 'Pen @ 5↵', ENTER).note?.text).toBe('A statement collects at least ₱20.00.');
    const state = after(TWO, 'Tower @ 60,000,000↵');
    expect(state).toMatchObject({items: TWO.items, note: {text: 'A statement collects at most ₱59,999,999.99.'}});
  });

  const LINES = Array.from({length: 30}, (_, index) => `Item ${index + 1} x${index + 1} @ 10`);
  test('accepts thirty pasted lines', () => {
    const state = reduceGuided(ITEMS, {type: 'paste', text: LINES.join('\n')});
    expect(state.items).toHaveLength(30);
    expect(totalAsNumber(state.items)).toBe(465_000);
    expect(after(state, 'undo↵').items).toEqual([]);
  });

  test('adds valid pasted lines, and asks about invalid ones one by one', () => {
    const state = reduceGuided(ITEMS, {type: 'paste', text: 'Pens @ 5\nDelivery\n\nPaper @ 100\nHosting 6500\n'});
    expect(state.items.map(({description}) => description)).toEqual(['Pens', 'Paper']);
    expect(state).toMatchObject({field: {text: 'Delivery'}, invalidLines: [{number: 2}, {number: 4}]});
    expect(state.note?.text).toContain('2 pasted lines need a fix. Line 2: No price.');
    const second = after(state, ' @ 50↵');
    expect(second).toMatchObject({
      field: {text: 'Hosting 6500'},
      items: [{}, {description: 'Delivery'}, {description: 'Paper'}],
    });
    expect(after(second, ESCAPE)).toMatchObject({
      invalidLines: [],
      field: {text: ''},
      items: second.items,
      step: 'items',
    });
    const all = after(second, key('ctrl-u'), 'Hosting @ 6500↵');
    expect(all.items.map(({description}) => description)).toEqual(['Pens', 'Delivery', 'Paper', 'Hosting']);
  });

  test.each([
    [
      'Description\tQty\tUnit Price\r\nPens\t2\t75\r\n\r\n  \rPaper @ 5\nTotal\t\t150\n',
      ['2 Pens 7500', '1 Paper 500'],
    ],
    ['Item\tPrice\tTotal\nPens\t75\t75\nTotal\t\t75', ['1 Pens 7500']],
    ['No.\tItem\tRate\tQty\n1\tPens\t75\t10', ['10 Pens 7500']],
    ['Item\tPrice\tDiscount\nPens\t75\t', ['1 Pens 7500']],
    [
      'Item\tPrice\tDiscount\nPens\t75\t10',
      'The column "Discount": It is not known. If it changes no amount, paste the table without it.',
    ],
    ['Item\tPrice\nPens - PAID\t75', 'The column "Item": "Pens - PAID" may not be owed.'],
    ['Item\tQty\tPrice\tAmount\nPens\t2\t75\t140', 'Line 2, Amount: 2 × ₱75.00 is not this amount.'],
    ['Item\tQty\tPrice\tAmount\tTotal\nPens\t2\t75\t140\t150', 'Line 2, Amount: 2 × ₱75.00 is not this amount.'],
    ['Item\tPrice\nPens\t75\nTotal\t80', 'Line 3, Price: The row is a total of ₱80.00'],
    ['Item\tQty\nPens\t75', 'The table has no unit price.'],
    ['Item\tPrice\nPens\t1\t500', 'Line 2: It has more cells than the header.'],
  ])('reads a pasted table by its header: %j', (text, expected) => {
    const {items, note} = reduceGuided(ITEMS, {type: 'paste', text});
    if (typeof expected === 'string') expect([items, note?.text]).toEqual([[], expect.stringContaining(expected)]);
    else expect(items.map((item) => `${item.quantity} ${item.description} ${item.unit_price}`)).toEqual(expected);
  });

  test.each([
    ['Pancit bilao 3 @ 450', 'Is 3 the quantity? Then write: Pancit bilao x3 @ 450.'],
    ['3 Pancit bilao @ ₱450 each', 'Is 3 the quantity? Then write: Pancit bilao x3 @ ₱450 each.'],
    ['Ube 12 75 pesos', 'Is 12 the quantity? Then write: Ube x12 @ 75 pesos.'],
  ])('asks about %j; a second Enter makes it one piece', (line, plainLines) => {
    const asked = after(ITEMS, `${line}↵`);
    expect(asked).toMatchObject({items: [], field: {text: line}, note: {tone: 'warning'}});
    expect(asked.note?.text).toContain(plainLines);
    expect(after(asked, ENTER).items).toMatchObject([{quantity: 1}]);
    expect(after(asked, key('ctrl-u'), 'Pancit bilao x3 @ 450↵').items).toMatchObject([{quantity: 3}]);
    const pastedLines = reduceGuided(ITEMS, {type: 'paste', text: `Pens @ 5\n${line}\nPaper @ 6`});
    expect(pastedLines).toMatchObject({items: [{description: 'Pens'}, {description: 'Paper'}], field: {text: line}});
    // The first Enter may belong to the paste.
    expect(after(pastedLines, ENTER)).toMatchObject({
      items: [{description: 'Pens'}, {description: 'Paper'}],
      note: {tone: 'warning'},
    });
    expect(after(pastedLines, ENTER, ENTER).items).toMatchObject([
      {description: 'Pens'},
      {quantity: 1},
      {description: 'Paper'},
    ]);
  });

  test.each(['iPhone 15 x1 @ 45,000', 'A3 paper @ 5', '3x Pens 12 @ 5', 'Room no.12 @ 900'])(
    'accepts %j without a question',
    (line) => {
      expect(after(ITEMS, `${line}↵`).items).toHaveLength(1);
    },
  );

  test('keeps the quantity of a changed line at one', () => {
    const state = after(ITEMS, 'Room 12 x1 @ 900↵', '1↵');
    expect(state.field.text).toBe('Room 12 x1 @ 900');
    expect(after(state, ENTER)).toMatchObject({items: [{description: 'Room 12', quantity: 1}], editing: undefined});
  });

  test('on a plain terminal, bills a questioned item once, and ends at an empty line', () => {
    const line = (typed: string): GuidedEvent => ({type: 'line', text: typed});
    for (const answer of ['Halo x4 @ 80', '']) {
      const state = after(ITEMS, line('Halo 4 @ 80'), line(answer));
      expect(state.items).toHaveLength(1);
      expect(after(state, line(''))).toMatchObject({step: 'due', items: state.items});
    }
  });

  test('appends pasted text to typed text, unless that is a whole item', () => {
    const state = after(ITEMS, 'Pens', {type: 'paste', text: ' @ 5\nPaper @ 6'});
    expect(state.items.map(({description}) => description)).toEqual(['Pens', 'Paper']);
    const whole = after(ITEMS, 'Hosting @ 500', {type: 'paste', text: 'Pens @ 5\nPaper @ 6'});
    expect(whole.items).toMatchObject([
      {description: 'Hosting', unit_price: 50_000},
      {description: 'Pens'},
      {description: 'Paper'},
    ]);
  });

  test('keeps all lines of a second paste while a line needs a fix', () => {
    const first = reduceGuided(ITEMS, {type: 'paste', text: 'Bad line\nPens @ 5\nWorse line'});
    const state = reduceGuided(first, {type: 'paste', text: 'Extra @ 1\nMore @ 2'});
    expect(state.items.map(({description}) => description)).toEqual(['Pens', 'Extra', 'More']);
    expect(state).toMatchObject({field: {text: 'Bad line'}, invalidLines: [{text: 'Bad line'}, {text: 'Worse line'}]});
    expect(state.note?.text).toContain('2 pasted lines need a fix.');
    const found = {...(JSON.parse(JSON.stringify(unfinishedToSave(state))) as UnfinishedContent), at: NOW, file: 'f'};
    expect(reduceGuided(START, {type: 'resumed', found})).toMatchObject({
      ...{step: 'items', invalidLines: state.invalidLines, field: {text: 'Bad line'}, note: state.note},
    });
  });

  test.each([
    'Web design x2 @ 15,000',
    'Box x2 x1 @ 5',
    '2x Pens x1 @ 5',
    'Hosting @ 500',
    'a@b x3 @ 0.01',
    'Room 12 x1 @ 5',
  ])('reads %j back as the same item', (line) => {
    const item = valueOrThrow(readItem(line), 'it');
    expect(valueOrThrow(readItem(typedText(item)), 'it')).toEqual(item);
  });
});

const DUE = after(TWO, ENTER);
describe('the due date step', () => {
  test('accepts a day in words; Enter alone is two weeks', () => {
    expect(after(DUE, 'next friday↵')).toMatchObject({step: 'review', dueAt: NOW + 10 * 86_400 + 50_399});
    expect(after(DUE, ENTER).dueAt).toBe(NOW + 14 * 86_400 + 50_399);
  });

  test.each([
    ['nov 20 2026', 'Friday, 20 November 2026 was 25 days ago: the statement would already be overdue.'],
    ['Dec 15 2027', 'Wednesday, 15 December 2027 is 365 days away.'],
  ])('%s needs a second Enter on the same text', (words, plainLines) => {
    const state = after(DUE, `${words}↵`);
    expect(state.note?.text).toBe(`${plainLines} Press Enter again to use it anyway.`);
    expect(after(state, ENTER).step).toBe('review');
    expect(after(state, key('backspace'), words.slice(-1), ENTER).step).toBe('due');
  });
});

const REVIEW = after(DUE, 'dec 25↵');
describe('going back', () => {
  test('Escape goes back step by step, and keeps the typed text', () => {
    const due = after(REVIEW, ESCAPE);
    expect(due.step).toBe('due');
    const left = after(due, 'dec', ESCAPE);
    expect(left).toMatchObject({step: 'items', items: TWO.items, field: {text: ''}});
    expect(after(left, ENTER)).toMatchObject({step: 'due', field: {text: 'dec'}});
    expect(after(left, ENTER, ' 30↵', ESCAPE)).toMatchObject({step: 'due', field: {text: ''}});
    const items = after(due, ESCAPE);
    expect(after(items, 'Tie wi', ESCAPE, 'nino↵')).toMatchObject({step: 'items', field: {text: 'Tie wi'}});
    const customer = after(items, ESCAPE);
    expect(customer).toMatchObject({step: 'customer', items: TWO.items, dueAt: REVIEW.dueAt});
    expect(after(customer, 'ana↵', ENTER, ENTER, ENTER)).toMatchObject({step: 'review', payer: {id: 'cus_2'}});
  });

  test('keeps a new customer when going back from the first item', () => {
    const email = after(START, 'Zeny↵', ENTER, 'zeny@example.com↵');
    const item = reduceGuided(email, {type: 'looked-up', email: 'zeny@example.com', people: []});
    expect(item).toMatchObject({step: 'items', payer: {name: 'Zeny', email: 'zeny@example.com'}});
    const again = after(item, ESCAPE);
    expect(again).toMatchObject({step: 'email', name: 'Zeny', field: {text: 'zeny@example.com'}});
    expect(after(again, ESCAPE)).toMatchObject({step: 'name', field: {text: 'Zeny'}});
    expect(after(again, ESCAPE, ENTER)).toMatchObject({step: 'email', field: {text: 'zeny@example.com'}});
    const other = after(again, ESCAPE, ESCAPE, key('ctrl-u'), 'Zenaida↵');
    expect(other).toMatchObject({step: 'name', field: {text: 'Zenaida'}});
    // The address belongs to the other customer.
    expect(after(other, ENTER)).toMatchObject({step: 'email', name: 'Zenaida', field: {text: ''}});
  });

  test('a replacement keeps its customer, cannot become a draft, and goes back to the review', () => {
    const replacing = {...REVIEW, isReplacing: true, isSaved: false, isDescribed: false};
    expect(reviewChoices(replacing).map(({key}) => key)).toEqual(['s', 'o', 'i', 'u', 'l']);
    expect(after(replacing, ESCAPE, ESCAPE)).toMatchObject({step: 'items'});
    expect(after(replacing, ESCAPE, ESCAPE, ESCAPE)).toMatchObject({step: 'review', payer: REVIEW.payer});
    expect(after(replacing, 'c', ENTER).step).toBe('review');
  });

  test('typing "back" does the same', () => {
    expect(after(DUE, 'back↵').step).toBe('items');
    expect(after(TWO, 'back↵').step).toBe('customer');
    const email = after(START, 'Zeny↵', ENTER);
    expect(after(email, 'back↵')).toMatchObject({step: 'name', field: {text: 'Zeny'}});
    expect(after(email, 'back↵', key('ctrl-u'), 'back↵').step).toBe('customer');
  });

  test.each([
    ['c', 'customer'],
    ['i', 'items'],
    ['u', 'due'],
    ['e', 'description'],
  ])('%s and Enter edits, and returns to the review', (letter, step) => {
    expect(after(REVIEW, letter)).toMatchObject({step: 'review', mark: letter});
    expect(after(REVIEW, letter, ENTER).step).toBe(step);
    expect(after(REVIEW, letter, ENTER, ESCAPE).step).toBe('review');
  });

  test('an edited answer returns to the review', () => {
    expect(after(REVIEW, 'c', ENTER, 'ana↵')).toMatchObject({step: 'review', payer: {id: 'cus_2'}});
    expect(after(REVIEW, 'i', ENTER, 'Logo @ 5↵', ENTER).step).toBe('review');
    expect(after(REVIEW, 'u', ENTER, 'dec 31↵').step).toBe('review');
  });
});

describe('the review', () => {
  test('letters only mark a choice; Enter carries it out', () => {
    const marked = after(REVIEW, 'd');
    expect(marked).toMatchObject({mark: 'd', effect: undefined});
    expect(after(marked, ENTER).effect).toEqual({type: 'goal', goal: 'draft'});
    expect(after(REVIEW, 's', ENTER).effect).toEqual({type: 'goal', goal: 'send'});
    expect(after(REVIEW, 'l', ENTER).effect).toEqual({type: 'quit'});
  });

  test('four extra Enters after the last item send nothing', () => {
    const state = after(TWO, ENTER, ENTER, ENTER, ENTER);
    expect(state).toMatchObject({step: 'review', mark: '', effect: undefined, note: {tone: 'info'}});
    expect(after(state, key('down'), ENTER).effect).toEqual({type: 'goal', goal: 'send'});
    const problem = {step: 'review', text: 'Cannot connect.', made: state.made} as const;
    expect(after(reduceGuided(after(state, 's'), {type: 'problem', problem}), ENTER).effect).toBeUndefined();
  });

  test('adds, changes and removes a description', () => {
    const given = after(REVIEW, 'e', ENTER, 'June rent↵');
    expect(given).toMatchObject({step: 'review', description: 'June rent'});
    const again = after(given, 'e', ENTER);
    expect(again.field.text).toBe('June rent');
    expect(after(again, key('ctrl-u'), ENTER).description).toBeUndefined();
    expect(unfinishedToSave(given)?.description).toBe('June rent');
  });

  test('does not offer to send after an unknown send', () => {
    const made = {...REVIEW.made, attempted: true, statementId: 'bstm_1', opened: true, sendInDoubt: true};
    const state = reduceGuided(REVIEW, {
      type: 'problem',
      problem: {step: 'review', text: 'The email may have been sent.', made},
    });
    for (const typed of ['s', 'o', 'd', 'c', 'i', 'u'])
      expect(after(state, typed), typed).toMatchObject({step: 'review', mark: 'k', effect: undefined});
    expect(after(state, ENTER).effect).toEqual({type: 'check'});
    expect(after(state, ESCAPE).step).toBe('review');
  });

  test('asks before a live change, and accepts only y', () => {
    const asked = reduceGuided(REVIEW, {type: 'question', question: 'LIVE · shop: send it?'});
    expect(after(asked, ENTER).effect).toEqual({type: 'confirmed', yes: false});
    expect(after(asked, 'sure↵').effect).toEqual({type: 'confirmed', yes: false});
    expect(after(asked, 'y↵').effect).toEqual({type: 'confirmed', yes: true});
    expect(reduceGuided(asked, {type: 'paste', text: 'y\n'})).toEqual(asked);
  });

  test.each([
    ['email', 'email', 'zeny@nope.example'],
    ['items', 'items', 'Hosting @ 500'],
    ['due', 'due', ''],
  ] as const)('asks again for a refused value: %s', (step, at, field) => {
    const payer = {name: 'Zeny', email: 'zeny@nope.example'};
    const problem = {step, text: 'Refused: no.', made: {...REVIEW.made, attempted: true}, item: 1};
    const state = reduceGuided({...REVIEW, payer}, {type: 'problem', problem});
    expect(state).toMatchObject({step: at, field: {text: field}, note: {text: 'Refused: no.'}, items: REVIEW.items});
  });
});

describe('saved drafts', () => {
  test.each([
    ['customer', after(START, 'ni')],
    ['name', after(START, 'Zeny↵')],
    ['email', after(START, 'Zeny↵', ENTER, 'ze')],
    ['items', after(TWO, 'Tie wi')],
    ['due', after(DUE, 'next f')],
    ['review', REVIEW],
  ])('resumes at %s with the half-typed text', (step, left) => {
    const kept = JSON.parse(JSON.stringify(unfinishedToSave(left))) as object;
    const found = {...kept, at: NOW - 720, file: 'a.json'} as never;
    const offered = {...START, step: 'unfinished' as const, found: [found], mark: '1'};
    expect(after(offered, ENTER).effect).toEqual({type: 'resume', file: 'a.json'});
    const state = reduceGuided(offered, {type: 'resumed', found});
    expect(state).toMatchObject({step, field: {text: left.field.text}, items: left.items, dueAt: left.dueAt});
    expect(state.payer).toEqual(left.payer);
  });

  test('saves nothing if nothing was entered', () => {
    expect(unfinishedToSave(START)).toBeUndefined();
  });
});

test('keeps the account and the effect of Enter visible on a small screen', async () => {
  const measure = await textMeasureFor();
  const paint = (_: unknown, words: string): string => words;
  const many = after(TWO, 'Pens @ 5↵', 'Paper @ 6↵', 'Ink @ 7↵', ENTER, ENTER);
  const state = {...after({...many, description: 'June rent'}, 's'), account: 'LIVE account, real money'};
  expect(state).toMatchObject({step: 'review', mark: 's'});
  for (let height = 17; height <= 40; height++)
    for (const width of [60, 80, 100]) {
      const {lines} = guidedViewOf(state, {width, height, measure, paint});
      expect(lines.length).toBeLessThan(height);
      expect(lines[0]).toMatch(/LIVE account, real money$/);
      expect(lines.join('\n')).toContain('gets an email now');
    }
});
