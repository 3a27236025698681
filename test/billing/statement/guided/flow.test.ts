// The guided flow with a scripted asker: what each answer leads to, without a terminal.

import {describe, expect, test} from 'vitest';
import {valueOrThrow} from '../../../../src/input/invalid-input.js';
import {readItem, totalAsNumber} from '../../../../src/input/items.js';
import {askForDecision, returnTo} from '../../../../src/billing/statement/guided/flow.js';
import {Guide} from '../../../../src/billing/statement/guided/guide.js';
import {askToConfirm, reviewChoices} from '../../../../src/billing/statement/guided/steps/review.js';
import {typedText} from '../../../../src/billing/statement/guided/steps/items.js';
import type {UnfinishedContent, UnfinishedStore} from '../../../../src/billing/statement/unfinished-store.js';
import {PromptEnded, type Asker, type LineQuestion} from '../../../../src/output/prompt/asker.js';

/** Tuesday, 15 December 2026, 10:00 in Manila. */
const NOW = Date.parse('2026-12-15T10:00:00+08:00') / 1000;
const person = (id: string, name: string, email: string) => ({id, name, email, detail: email});
const PEOPLE = [
  person('cus_1', 'Niño Ibañez', 'nino@example.com'),
  person('cus_2', 'Ana Reyes', 'ana@example.com'),
  person('cus_3', 'Reyes Hardware', 'orders@reyes.example'),
];

/** A text is typed and entered, ENTER leaves the field as it is, and `[name]` chooses a customer. */
type Answer =
  string | {readonly back: string} | {readonly paste: string; readonly before?: string} | {readonly left: string};
const ENTER = '';
/** An address at whose lookup the user leaves. */
const STOPS = 'stops@example.com';
const ESCAPE = {back: ''};
const NINO = '[Niño Ibañez]';

interface Asked extends Partial<LineQuestion> {
  readonly mark?: string;
}

function scripted(answers: readonly Answer[]) {
  const waiting = [...answers];
  const asked: Asked[] = [];
  const said: string[] = [];
  const next = (question: Asked): Exclude<Answer, {left: string}> => {
    asked.push(question);
    const answer = waiting.shift();
    if (answer === undefined) throw new PromptEnded('stopped');
    if (typeof answer === 'string' || !('left' in answer)) return answer;
    question.onTyping?.(answer.left);
    throw new PromptEnded('stopped');
  };
  const typed = (text: string, question: Asked) =>
    text === ENTER ? {typed: question.text ?? '', isSame: true} : {typed: text, isSame: false};
  const asker: Asker = {
    line: async (question) => {
      const answer = next(question);
      if (typeof answer === 'string') return typed(answer, question);
      return 'paste' in answer ? {pasted: answer.paste, before: answer.before ?? '', after: ''} : answer;
    },
    choose: async (question) => {
      const answer = next(question as Asked);
      return typeof answer === 'string' ? answer : undefined;
    },
    search: async (question) => {
      const answer = next(question as Asked);
      if (typeof answer !== 'string') return answer as {back: string};
      const name = /^\[(.*)\]$/.exec(answer)?.[1];
      return name === undefined
        ? typed(answer, question as Asked)
        : {chosen: question.choices().find((each) => each.name === name)!};
    },
    say: (...lines) => void said.push(...lines),
    wait: (_, work) => work,
    dropTypedAhead: () => {},
    close: () => {},
  };
  return {asker, asked, said};
}

interface Start extends Partial<
  Pick<Guide, 'description' | 'dueAt' | 'items' | 'made' | 'payer' | 'returns' | 'step'>
> {
  readonly isReplacing?: boolean;
  readonly store?: UnfinishedStore;
  readonly isLoading?: boolean;
}

/** Answers the questions until the flow decides, or until no answer is left. */
async function run(answers: readonly Answer[], {isReplacing = false, store, isLoading, ...start}: Start = {}) {
  const {asker, asked, said} = scripted(answers);
  const context = {
    billing: async () => ({
      findCustomers: async (_: unknown, __: unknown, {email}: {email: string}) => {
        if (email === STOPS) throw new PromptEnded('stopped');
        return PEOPLE.filter((each) => each.email === email);
      },
    }),
    client: async () => ({}),
    displayNow: () => NOW,
    signal: new AbortController().signal,
  };
  const guide = new Guide({
    ...{context: context as never, asker, store, now: NOW, isReplacing, account: 'sandbox, no money moves'},
    isDescribed: !isReplacing,
    made: {key: 'k', since: NOW, attempted: false},
  });
  guide.people.add(PEOPLE);
  guide.people.isLoading = isLoading ?? false;
  Object.assign(guide, start);
  let decision: string;
  try {
    decision = await askForDecision(guide);
  } catch (error) {
    if (!(error instanceof PromptEnded)) throw error;
    guide.save();
    decision = 'left';
  }
  return {decision, guide, asked, said, last: asked.at(-1)!, note: asked.at(-1)!.note?.text};
}

const TWO = [NINO, 'Web design x2 @ 15,000', 'Hosting @ 500'];
const REVIEW = [...TWO, 'done', 'dec 25'];
const descriptions = ({items}: Pick<Guide, 'items'>): string[] => items.map(({description}) => description);

describe('the customer step', () => {
  test('needs a second Enter for a new customer during loading', async () => {
    const once = await run(['Zeny'], {isLoading: true});
    expect(once.last).toMatchObject({ask: 'Customer:', text: 'Zeny', note: {tone: 'warning'}});
    const twice = await run(['Zeny', ENTER], {isLoading: true});
    expect(twice.last).toMatchObject({ask: 'Name of the customer:', text: 'Zeny'});
  });

  test('warns about an existing name; a second Enter creates another', async () => {
    const {note} = await run(['Ana reyes', ENTER]);
    expect(note).toContain('A customer named Ana Reyes already exists (ana@example.com).');
    expect((await run(['Ana reyes', ENTER, ENTER])).guide).toMatchObject({step: 'email', name: 'Ana reyes'});
  });

  test('warns about an existing address; a second Enter bills its customer', async () => {
    const {note} = await run(['Zeny', ENTER, 'ana@example.com']);
    expect(note).toContain('Ana Reyes already has this address');
    const {guide} = await run(['Zeny', ENTER, 'ana@example.com', ENTER]);
    expect(guide).toMatchObject({step: 'items', payer: {id: 'cus_2'}});
    const other = await run(['Zeny', ENTER, 'ana@example.com', 'anna@example.com']);
    expect(other.guide.payer).toEqual({name: 'Zeny', email: 'anna@example.com'});
  });

  test.each([
    ['zeny', '"zeny" is not an email address.'],
    [' ', 'An email address is needed: the link to pay is sent to it.'],
  ])('refuses the address %j', async (address, words) => {
    expect((await run(['Zeny', ENTER, address])).note).toContain(words);
  });
});

describe('the items step', () => {
  test('adds, changes, removes and restores lines', async () => {
    const {guide, said} = await run(TWO);
    expect(descriptions(guide)).toEqual(['Web design', 'Hosting']);
    expect(said.at(-1)).toBe('Line 2: Hosting: 1 × ₱500.00 = ₱500.00. 2 items, total ₱30,500.00.');
    expect((await run([...TWO, '1'])).last).toMatchObject({ask: 'Line 1:', text: 'Web design x2 @ 15,000'});
    const changed = await run([...TWO, '1', 'Logo @ 700']);
    expect(changed.guide.items[0]).toEqual({description: 'Logo', quantity: 1, unit_price: 70_000});
    const kept = await run([...TWO, '1', {back: 'Log'}]);
    expect(kept.guide.items).toEqual(guide.items);
    expect(kept.last).toMatchObject({ask: 'Item 3:', text: ''});
    expect(descriptions((await run([...TWO, '-1'])).guide)).toEqual(['Hosting']);
    expect((await run([...TWO, '-1', 'undo'])).guide.items).toEqual(guide.items);
    expect((await run([...TWO, '3'])).note).toBe('Line 3 does not exist.');
    expect((await run([NINO, 'undo'])).note).toBe('Nothing to undo.');
  });

  test('keeps an invalid line in the field, with its reason and what Tab puts there', async () => {
    const {guide, last} = await run([NINO, 'Hosting 6500']);
    expect(guide.items).toEqual([]);
    expect(last).toMatchObject({
      text: 'Hosting 6500',
      note: {text: 'No price. Did you mean: Hosting @ 6500', suggestion: 'Hosting @ 6500'},
    });
  });

  test.each(['Discount -100', 'Discount @ -100', 'Voucher @ -₱1,000.00', 'Less: deposit @ 500'])(
    '%j is a deduction, and says what to do',
    async (line) => {
      const {guide, note} = await run([NINO, line]);
      expect(guide.items).toEqual([]);
      expect(note).toMatch(/deduction.*Subtract it from/);
    },
  );

  test.each([ENTER, 'done'])('%j ends the items once there is one', async (word) => {
    expect((await run([...TWO, word])).last.ask).toBe('Due:');
    expect((await run([NINO, word])).last).toMatchObject({ask: 'Item 1:', note: {tone: 'error'}});
  });

  test('refuses a total that is too low or too high', async () => {
    expect((await run([NINO, 'Pen @ 5', ENTER])).note).toBe('A statement collects at least ₱20.00.');
    const {guide, note} = await run([...TWO, 'Tower @ 60,000,000']);
    expect(guide.items).toHaveLength(2);
    expect(note).toBe('A statement collects at most ₱59,999,999.99.');
  });

  const LINES = Array.from({length: 30}, (_, index) => `Item ${index + 1} x${index + 1} @ 10`);
  test('accepts thirty pasted lines, and undoes them at once', async () => {
    const {guide} = await run([NINO, {paste: LINES.join('\n')}]);
    expect(guide.items).toHaveLength(30);
    expect(totalAsNumber(guide.items)).toBe(465_000);
    expect((await run([NINO, {paste: LINES.join('\n')}, 'undo'])).guide.items).toEqual([]);
  });

  const MIXED = {paste: 'Pens @ 5\nDelivery\n\nPaper @ 100\nHosting 6500\n'};
  test('adds valid pasted lines, and asks about invalid ones one by one', async () => {
    const first = await run([NINO, MIXED]);
    expect(descriptions(first.guide)).toEqual(['Pens', 'Paper']);
    expect(first.last).toMatchObject({ask: 'Pasted line 2:', text: 'Delivery'});
    expect(first.note).toContain('2 pasted lines need a fix. Line 2: No price.');
    const second = await run([NINO, MIXED, 'Delivery @ 50']);
    expect(descriptions(second.guide)).toEqual(['Pens', 'Delivery', 'Paper']);
    expect(second.last).toMatchObject({ask: 'Pasted line 4:', text: 'Hosting 6500'});
    const skipped = await run([NINO, MIXED, 'Delivery @ 50', ESCAPE]);
    expect(skipped.guide.items).toEqual(second.guide.items);
    expect(skipped.last).toMatchObject({ask: 'Item 4:', text: ''});
    const all = await run([NINO, MIXED, 'Delivery @ 50', 'Hosting @ 6500']);
    expect(descriptions(all.guide)).toEqual(['Pens', 'Delivery', 'Paper', 'Hosting']);
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
  ])('reads a pasted table by its header: %j', async (paste, expected) => {
    const {guide, note} = await run([NINO, {paste}]);
    const items = guide.items.map((item) => `${item.quantity} ${item.description} ${item.unit_price}`);
    if (typeof expected === 'string') expect([items, note]).toEqual([[], expect.stringContaining(expected)]);
    else expect(items).toEqual(expected);
  });

  test.each(['Total\t\t\t500', 'Grand Total\t500', 'TOTAL\t1\t500'])('a pasted row %j is no item', async (row) => {
    const {guide, note} = await run([NINO, {paste: `Pens\t2\t75\nPaper\t1\t350\n${row}`}]);
    expect(descriptions(guide)).toEqual(['Pens', 'Paper']);
    expect(note).toContain('It looks like a total, and centavo adds up the items. Leave it out.');
  });

  test.each([
    ['Pancit bilao 3 @ 450', 'Is 3 the quantity? Then write: Pancit bilao x3 @ 450.'],
    ['3 Pancit bilao @ ₱450 each', 'Is 3 the quantity? Then write: Pancit bilao x3 @ ₱450 each.'],
    ['Ube 12 75 pesos', 'Is 12 the quantity? Then write: Ube x12 @ 75 pesos.'],
  ])('asks about %j; a second Enter makes it one piece', async (line, words) => {
    const asked = await run([NINO, line]);
    expect(asked.guide.items).toEqual([]);
    expect(asked.last).toMatchObject({text: line, note: {tone: 'warning'}});
    expect(asked.note).toContain(words);
    expect(words).toContain(`: ${asked.last.note!.suggestion}.`);
    expect((await run([NINO, line, ENTER])).guide.items).toMatchObject([{quantity: 1}]);
    expect((await run([NINO, line, 'Pancit bilao x3 @ 450'])).guide.items).toMatchObject([{quantity: 3}]);
    const paste = {paste: `Pens @ 5\n${line}\nPaper @ 6`};
    expect((await run([NINO, paste])).last.text).toBe(line);
    // The first Enter may belong to the paste.
    const once = await run([NINO, paste, ENTER]);
    expect(descriptions(once.guide)).toEqual(['Pens', 'Paper']);
    expect(once.last.note?.tone).toBe('warning');
    expect((await run([NINO, paste, ENTER, ENTER])).guide.items).toMatchObject([
      {description: 'Pens'},
      {quantity: 1},
      {description: 'Paper'},
    ]);
  });

  test.each(['iPhone 15 x1 @ 45,000', 'A3 paper @ 5', '3x Pens 12 @ 5', 'Room no.12 @ 900'])(
    'accepts %j without a question',
    async (line) => {
      expect((await run([NINO, line])).guide.items).toHaveLength(1);
    },
  );

  test('keeps the quantity of a changed line at one', async () => {
    const asked = [NINO, 'Room 12 x1 @ 900', '1'];
    expect((await run(asked)).last.text).toBe('Room 12 x1 @ 900');
    const {guide, last} = await run([...asked, ENTER]);
    expect(guide.items).toMatchObject([{description: 'Room 12', quantity: 1}]);
    expect(last.ask).toBe('Item 2:');
  });

  test('a paste belongs to the text that it is pasted behind, unless that is a whole item', async () => {
    const joined = await run([NINO, {paste: ' @ 5\nPaper @ 6', before: 'Pens'}]);
    expect(descriptions(joined.guide)).toEqual(['Pens', 'Paper']);
    const whole = await run([NINO, {paste: 'Pens @ 5\nPaper @ 6', before: 'Hosting @ 500'}]);
    expect(descriptions(whole.guide)).toEqual(['Hosting', 'Pens', 'Paper']);
  });

  test('a paste behind a half-typed fix belongs to it, in its place', async () => {
    const fix = {paste: ' @ 5\nInk @ 7\nBroken', before: 'Fixed'};
    const {guide, last} = await run([NINO, {paste: 'Pens @ 5\nBad\nPaper @ 6\nWorse'}, fix]);
    expect(descriptions(guide)).toEqual(['Pens', 'Fixed', 'Ink', 'Paper']);
    expect(last).toMatchObject({ask: 'Pasted line 3:', text: 'Broken'});
    expect(guide.invalidLines.map(({at}) => at)).toEqual([3, 4]);
  });

  test('keeps all lines of a second paste while a line needs a fix, and after a stop', async () => {
    const {store, files} = memory();
    const pastes = [{paste: 'Bad line\nPens @ 5\nWorse line'}, {paste: 'Ink @ 7\nWorst line', before: 'Bad line'}];
    const {guide, note, last} = await run([NINO, ...pastes], {store});
    expect(descriptions(guide)).toEqual(['Pens', 'Ink']);
    expect(note).toContain('3 pasted lines need a fix.');
    const again = await run(['1'], {store: memory(files).store, step: 'unfinished'});
    expect(again.guide.invalidLines).toEqual(guide.invalidLines);
    expect(again.last).toMatchObject({ask: last.ask, text: 'Bad line', note: last.note});
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

describe('the due date step', () => {
  test('accepts a day in words; Enter alone is two weeks', async () => {
    const {guide} = await run([...TWO, 'done', 'next friday']);
    expect(guide).toMatchObject({step: 'review', dueAt: NOW + 10 * 86_400 + 50_399});
    expect((await run([...TWO, 'done', ENTER])).guide.dueAt).toBe(NOW + 14 * 86_400 + 50_399);
  });

  test.each([
    ['nov 20 2026', 'Friday, 20 November 2026 was 25 days ago: the statement would already be overdue.'],
    ['Dec 15 2027', 'Wednesday, 15 December 2027 is 365 days away.'],
  ])('%s needs a second Enter on the same text', async (day, words) => {
    const {note} = await run([...TWO, 'done', day]);
    expect(note).toBe(`${words} Press Enter again to use it anyway.`);
    expect((await run([...TWO, 'done', day, ENTER])).guide.step).toBe('review');
    expect((await run([...TWO, 'done', day, day])).guide.step).toBe('due');
  });
});

describe('going back', () => {
  test('Escape goes back step by step, and keeps the typed text', async () => {
    const back = [...REVIEW, ESCAPE];
    expect((await run(back)).last.ask).toBe('Due:');
    expect((await run([...back, {back: 'dec'}])).last).toMatchObject({ask: 'Item 3:', text: ''});
    expect((await run([...back, {back: 'dec'}, ENTER])).last).toMatchObject({ask: 'Due:', text: 'dec'});
    const half = await run([...back, ESCAPE, {back: 'Tie wi'}, NINO]);
    expect(half.last).toMatchObject({ask: 'Item 3:', text: 'Tie wi'});
    const customer = await run([...back, ESCAPE, ESCAPE]);
    expect(customer.last.ask).toBe('Customer:');
    expect(customer.guide.items).toHaveLength(2);
    const other = await run([...back, ESCAPE, ESCAPE, '[Ana Reyes]', ENTER, ENTER]);
    expect(other.guide).toMatchObject({step: 'review', payer: {id: 'cus_2'}, dueAt: customer.guide.dueAt});
  });

  test('keeps a new customer when going back from the first item', async () => {
    const zeny = ['Zeny', ENTER, 'zeny@example.com'];
    expect((await run([...zeny, ESCAPE])).last).toMatchObject({ask: 'Email:', text: 'zeny@example.com'});
    const name = await run([...zeny, ESCAPE, ESCAPE]);
    expect(name.last).toMatchObject({ask: 'Name of the customer:', text: 'Zeny'});
    const again = await run([...zeny, ESCAPE, ESCAPE, ENTER]);
    expect(again.last).toMatchObject({ask: 'Email:', text: 'zeny@example.com'});
    const search = await run([...zeny, ESCAPE, ESCAPE, {back: 'Zeny'}]);
    expect(search.last).toMatchObject({ask: 'Customer:', text: 'Zeny'});
    // The address belongs to the other customer.
    const other = await run([...zeny, ESCAPE, ESCAPE, {back: 'Zeny'}, 'Zenaida', ENTER]);
    expect(other.last).toMatchObject({ask: 'Email:', text: ''});
  });

  test('Edit customer keeps the name and the address of a new one', async () => {
    const zeny = ['Zeny', ENTER, 'zeny@example.com', 'Logo @ 500', ENTER, ENTER, 'c'];
    const {last} = await run(zeny);
    expect(last).toMatchObject({ask: 'Name of the customer:', text: 'Zeny'});
    const back = await run([...zeny, {back: 'Zeny'}, ESCAPE]);
    expect(back.guide).toMatchObject({step: 'review', payer: {name: 'Zeny', email: 'zeny@example.com'}});
    const renamed = await run([...zeny, 'Zenaida', ENTER]);
    expect(renamed.guide).toMatchObject({step: 'review', payer: {name: 'Zenaida', email: 'zeny@example.com'}});
  });

  test('a replacement keeps its customer, cannot become a draft, and goes back to the review', async () => {
    const start = {
      ...{isReplacing: true, step: 'review' as const, payer: PEOPLE[0], dueAt: NOW + 86_400},
      items: [{description: 'Pens', quantity: 1, unit_price: 500_00}],
    };
    const {guide} = await run([], start);
    expect(reviewChoices(guide).map(({key}) => key)).toEqual(['s', 'o', 'i', 'u', 'l']);
    expect((await run([ESCAPE, ESCAPE], start)).last.ask).toBe('Item 2:');
    expect((await run([ESCAPE, ESCAPE, ESCAPE], start)).guide).toMatchObject({step: 'review', payer: PEOPLE[0]});
  });

  test.each([
    ['c', 'Customer:'],
    ['i', 'Item 3:'],
    ['u', 'Due:'],
    ['e', 'Description:'],
  ])('%s edits, and returns to the review', async (letter, ask) => {
    expect((await run([...REVIEW, letter])).last.ask).toBe(ask);
    expect((await run([...REVIEW, letter, ESCAPE])).guide.step).toBe('review');
  });

  test('an edited answer returns to the review', async () => {
    const {guide} = await run([...REVIEW, 'c', '[Ana Reyes]']);
    expect(guide).toMatchObject({step: 'review', payer: {id: 'cus_2'}});
    expect((await run([...REVIEW, 'i', 'Logo @ 5', ENTER])).guide.step).toBe('review');
    expect((await run([...REVIEW, 'u', 'dec 31'])).guide.step).toBe('review');
  });
});

describe('the review', () => {
  test.each([
    ['d', 'draft'],
    ['o', 'finalize'],
    ['s', 'send'],
    ['l', 'quit'],
  ])('%s decides: %s', async (letter, decision) => {
    expect((await run([...REVIEW, letter])).decision).toBe(decision);
  });

  test('marks nothing, is careful, and names the account', async () => {
    const {last} = await run(REVIEW);
    expect(last).toMatchObject({isCareful: true, ask: expect.stringContaining('sandbox, no money moves')});
    expect(last.mark).toBeUndefined();
  });

  test('adds, changes and removes a description', async () => {
    const {store, files} = memory();
    const given = await run([...REVIEW, 'e', 'June rent'], {store});
    expect(given.guide).toMatchObject({step: 'review', description: 'June rent'});
    expect([...files.values()][0]).toMatchObject({description: 'June rent'});
    expect((await run([...REVIEW, 'e', 'June rent', 'e'])).last.text).toBe('June rent');
    expect((await run([...REVIEW, 'e', 'June rent', 'e', ' '])).guide.description).toBeUndefined();
  });

  test('does not offer to send after an unknown send', async () => {
    const made = {key: 'k', since: NOW, attempted: true, statementId: 'bstm_1', opened: true, sendInDoubt: true};
    const start = {made, step: 'review' as const, payer: PEOPLE[0]};
    const {guide, last} = await run([ESCAPE], start);
    expect(last.mark).toBe('k');
    expect(guide.step).toBe('review');
    expect(reviewChoices(guide).map(({key}) => key)).toEqual(['k', 'l']);
    expect((await run(['k'], start)).decision).toBe('check');
  });

  test('asks before a live change, and Enter alone is no', async () => {
    const {guide} = await run(REVIEW);
    for (const [answer, expected] of [
      ['y', true],
      ['n', false],
    ] as const) {
      const {asker, asked} = scripted([answer]);
      Object.assign(guide, {asker});
      expect(await askToConfirm(guide, 'LIVE · shop: send it?')).toBe(expected);
      expect(asked[0]).toMatchObject({ask: 'LIVE · shop: send it?', mark: 'n', isCareful: true});
    }
  });

  test.each([
    ['email', 'Email:', 'zeny@nope.example'],
    ['items', 'Line 2:', 'Hosting @ 500'],
    ['due', 'Due:', ''],
  ] as const)('asks again for a refused value: %s', async (step, ask, text) => {
    const {guide} = await run(REVIEW);
    const {asker, asked} = scripted([]);
    Object.assign(guide, {asker, payer: {name: 'Zeny', email: 'zeny@nope.example'}});
    const made = {...guide.made, attempted: true};
    returnTo(guide, {step, text: 'Refused: no.', made, ...(step === 'items' && {item: 1})});
    await expect(askForDecision(guide)).rejects.toThrow(PromptEnded);
    expect(asked).toMatchObject([{ask, text, note: {text: 'Refused: no.'}}]);
    expect(guide.items).toHaveLength(2);
  });
});

/** A store in memory. */
function memory(files = new Map<string, UnfinishedContent>()): {store: UnfinishedStore; files: typeof files} {
  const store = {
    list: () => [...files].map(([file, content]) => ({...content, file})),
    write: (file: string, content: UnfinishedContent) =>
      void files.set(file, JSON.parse(JSON.stringify(content)) as UnfinishedContent),
    remove: (file: string) => void files.delete(file),
    newFile: () => 'a.json',
  };
  return {store, files};
}

describe('saved statements', () => {
  test('keeps the text of a question that the user left by going back', async () => {
    const {store, files} = memory();
    const {last} = await run(['Zeny', ENTER, 'zeny@', {back: 'zeny@'}], {store});
    expect(last.ask).toBe('Name of the customer:');
    const again = await run(['1', ENTER], {store: memory(files).store, step: 'unfinished'});
    expect(again.last).toMatchObject({ask: 'Email:', text: 'zeny@'});
  });

  test.each<[string, Answer[], string, string]>([
    ['customer', [{left: 'ni'}], 'Customer:', 'ni'],
    ['name', ['Zeny', {left: 'Zenyth'}], 'Name of the customer:', 'Zenyth'],
    ['email', ['Zeny', ENTER, {left: 'ze'}], 'Email:', 'ze'],
    ['items', [...TWO, {left: 'Tie wi'}], 'Item 3:', 'Tie wi'],
    ['due', [...TWO, 'done', {left: 'next f'}], 'Due:', 'next f'],
    ['description', [...REVIEW, 'e', {left: 'June'}], 'Description:', 'June'],
    ['email, while its address is looked up', ['Zeny', ENTER, STOPS], 'Email:', STOPS],
  ])('resumes at %s with the half-typed text', async (_, answers, ask, text) => {
    const {store, files} = memory();
    const left = await run(answers, {store});
    expect(left.decision).toBe('left');
    const {asked, guide, last} = await run(['1'], {store: memory(files).store, step: 'unfinished'});
    expect(asked[0]).toMatchObject({ask: 'You have an unfinished statement.', mark: '1'});
    expect(last).toMatchObject({ask, text});
    for (const part of ['payer', 'items', 'dueAt'] as const) expect(guide[part]).toEqual(left.guide[part]);
  });

  test('saves nothing if nothing was entered', async () => {
    const {store, files} = memory();
    await run([], {store});
    expect(files.size).toBe(0);
  });

  test('says that the input is saved only where it is', async () => {
    const {last} = await run([NINO], {store: memory().store});
    expect(last.keys).toMatch(/Ctrl-C quit, saved$/);
    expect((await run([NINO])).last.keys).toMatch(/Ctrl-C quit$/);
  });
});
