// The flow as lines of a screen: the account, what was entered, the question, and the keys.

import {formatPesos} from '../../../../../ground/pesos.js';
import {totalOf, type ItemInput} from '../../../../../input/items.js';
import {readTypedItem} from '../../../../../input/typed-items.js';
import {clean} from '../../../../../output/format.js';
import type {Style} from '../../../../../output/io.js';
import type {Field} from '../../../../../output/prompt/line-field.js';
import type {Measure} from '../../../../../output/prompt/measure.js';
import type {State} from '../state.js';
import {NEW, payerWords} from '../steps/customers.js';
import {dueReading, dueWords, usualWords} from '../steps/due.js';
import {countWords, readingOf} from '../steps/items.js';
import {changesIn, choices, effectOf} from '../steps/review.js';
import {describeFound, offers} from '../steps/unfinished.js';

export interface Looks {
  readonly width: number;
  readonly height: number;
  readonly measure: Measure;
  readonly paint: (style: Style, text: string) => string;
}

export interface View {
  readonly lines: readonly string[];
  readonly cursor?: {readonly line: number; readonly column: number};
}

/** The parts of a screen; blank lines between them go first where there is little room. */
interface Parts {
  readonly summary: (rows: number) => string[];
  readonly question: readonly string[];
  /** Column of the cursor on the last line of the question. */
  readonly column?: number;
  readonly below: readonly string[];
  readonly keys: string;
}

export function viewOf(state: State, looks: Looks): View {
  const {height, paint} = looks;
  const head = header(state, looks);
  const parts = partsOf(state, looks);
  const note = noteLines(state, looks);
  const keys = keyLines(parts.keys, looks).map((line) => paint('dim', line));
  const fixed = head.length + parts.question.length + note.length + keys.length;
  // The longest part that can be cut is a list below the question, or the items above it.
  const blanks = height - 1 - fixed - parts.below.length >= 8 ? 1 : 0;
  const below = parts.below.slice(0, Math.max(1, height - 1 - fixed));
  const summary = parts.summary(Math.max(0, height - 1 - fixed - below.length - 3 * blanks));
  const gap = Array.from({length: blanks}, () => '');
  const above = [...head, ...gap, ...summary, ...(summary.length > 0 ? gap : [])];
  const lines = [...above, ...parts.question, ...note, ...below, ...gap, ...keys];
  return {
    lines: lines.slice(-(height - 1)),
    ...(parts.column !== undefined && {
      cursor: {
        line: above.length + parts.question.length - 1 - Math.max(0, lines.length - (height - 1)),
        column: parts.column,
      },
    }),
  };
}

/** The keys on one line, or on two if there is room. */
function keyLines(keys: string, {width, height, measure}: Looks): string[] {
  const lines: string[] = [];
  for (const part of keys.split(' · ')) {
    const longer = lines.length === 0 ? part : `${lines.at(-1)} · ${part}`;
    if (lines.length > 0 && measure.widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.slice(0, height < 16 ? 1 : 2).map((line) => measure.cut(line, width));
}

function header({account, mode, title}: State, {width, measure, paint}: Looks): string[] {
  const shown = paint(mode === 'live' ? 'red' : 'dim', measure.cut(clean(account), width));
  const space = width - measure.widthOf(title) - measure.widthOf(shown);
  return space < 2 ? [paint('bold', title), shown] : [`${paint('bold', title)}${' '.repeat(space)}${shown}`];
}

const quitKey = ({isKept}: State): string => (isKept ? 'Ctrl-C quit, saved' : 'Ctrl-C quit');

function noteLines({note}: State, {width, measure, paint}: Looks): string[] {
  if (!note) return [];
  const styles = {error: 'red', warning: 'yellow', info: 'dim'} as const;
  return measure.wrap(clean(note.text), width - 2).map((line) => `  ${paint(styles[note.tone], line)}`);
}

/** A question with the text typed so far; of a long one the part around the cursor. */
function fieldLine(prompt: string, field: Field, {width, measure, paint}: Looks): {line: string; column: number} {
  const shown = `${prompt} `;
  const room = Math.max(8, width - measure.widthOf(shown));
  const before = measure.tail(clean(field.text.slice(0, field.cursor)), room - 1);
  const after = measure.cut(clean(field.text.slice(field.cursor)), room - measure.widthOf(before));
  return {
    line: `${paint('bold', shown)}${before}${after}`,
    column: measure.widthOf(shown) + measure.widthOf(before),
  };
}

function partsOf(state: State, looks: Looks): Parts {
  if (state.busy !== undefined) return {summary: () => [], question: [state.busy], below: [], keys: quitKey(state)};
  switch (state.step) {
    case 'unfinished':
      return unfinishedParts(state, looks);
    case 'customer':
      return customerParts(state, looks);
    case 'items':
      return itemParts(state, looks);
    case 'review':
      return reviewParts(state, looks);
    default:
      return fieldParts(state, looks);
  }
}

const rowsOf = (
  rows: readonly {key: string; words: string}[],
  mark: string,
  {width, measure, paint}: Looks,
): string[] =>
  rows.map(({key, words}) => {
    const line = measure.cut(clean(`${key}  ${words}`), width - 2);
    return key === mark ? paint('cyan', `❯ ${line}`) : `  ${line}`;
  });

function unfinishedParts(state: State, looks: Looks): Parts {
  const found = state.found[state.scrolled];
  const {width, measure, paint} = looks;
  const words = found ? measure.wrap(clean(describeFound(found, state.now)), width - 2).map((line) => `  ${line}`) : [];
  const several = state.found.length > 1;
  return {
    summary: () => words,
    question: [paint('bold', several ? '? You have unfinished statements.' : '? You have an unfinished statement.')],
    below: rowsOf(offers(state), state.mark || '1', looks),
    keys: '↑↓ or letter, then Enter · Ctrl-C quit',
  };
}

/** Customers that are shown at once. */
const MOST_PEOPLE = 8;

function customerParts(state: State, looks: Looks): Parts {
  const {width, height, measure, paint} = looks;
  const {line, column} = fieldLine('? Customer:', state.field, looks);
  const {people, query} = state.shown;
  const most = Math.max(1, Math.min(MOST_PEOPLE, height - 9));
  const at = Math.max(
    0,
    people.findIndex(({id}) => id === state.mark),
  );
  const start = Math.max(0, Math.min(at - Math.floor(most / 2), people.length - most));
  const shown = people.slice(start, start + most);
  const names = Math.min(Math.max(0, ...shown.map(({name}) => measure.widthOf(clean(name)))), Math.floor(width * 0.5));
  const rows = shown.map(({id, name, email}) => {
    const first = measure.padEnd(measure.cut(clean(name), names), names);
    const row = measure.cut(`${first}  ${clean(email)}`, width - 2);
    return id === state.mark ? paint('cyan', `❯ ${row}`) : `  ${row}`;
  });
  const fresh = measure.cut(query === '' ? '+ New customer' : `+ New customer "${clean(query)}"`, width - 2);
  return {
    summary: () => [],
    question: [line],
    column,
    below: [
      state.mark === NEW ? paint('cyan', `❯ ${fresh}`) : `  ${fresh}`,
      ...rows,
      paint('dim', `  ${peopleWords(state)}`),
    ],
    keys: `Type a name or email · ↑↓ move · Enter select · Esc clear · ${quitKey(state)}`,
  };
}

function peopleWords({people, loading, unread, shown}: State): string {
  const all = people.length.toLocaleString('en');
  if (unread !== undefined) return `${all} customers; the others could not be read: ${unread}`;
  if (loading) return `loading: ${all}…`;
  if (shown.query === '') return `${all} ${people.length === 1 ? 'customer' : 'customers'}`;
  return `${shown.people.length.toLocaleString('en')} of ${all} customers`;
}

function itemParts(state: State, looks: Looks): Parts {
  const {width, measure, paint} = looks;
  const {items, editing, bad, field, note} = state;
  const question =
    editing !== undefined
      ? `Line ${editing + 1}:`
      : bad[0]
        ? `Pasted line ${bad[0].number}:`
        : `Item ${items.length + 1}:`;
  const {line, column} = fieldLine(`? ${question}`, field, looks);
  const read = field.text.trim() === '' ? undefined : readTypedItem(field.text);
  const reading =
    read && 'item' in read && !note ? [`  ${paint('dim', measure.cut(clean(readingOf(read.item)), width - 2))}`] : [];
  const example = items.length === 0 && field.text === '' && !note;
  return {
    summary: (rows) => {
      const customer = `  Customer  ${measure.cut(payerWords(state), width - 12)}`;
      const lines = itemLines({items, width, rows: Math.max(2, rows - 2), scrolled: state.scrolled}, measure);
      return rows < 4 ? lines.slice(-Math.max(1, rows)) : [customer, ...(lines.length > 0 ? ['', ...lines] : [])];
    },
    question: [line],
    column,
    below: example
      ? measure
          .wrap('Web design x2 @ 15,000, or paste a list: one item a line', width - 2)
          .map((each) => `  ${paint('dim', each)}`)
      : reading,
    keys:
      editing !== undefined
        ? `Enter save · Esc cancel · ${quitKey(state)}`
        : bad.length > 0
          ? `Enter add · Esc skip · ${quitKey(state)}`
          : items.length === 0
            ? `Enter add · Esc back · ${quitKey(state)}`
            : 'Enter add, empty ends · 3 edits line 3, -3 takes it out · undo · Esc back',
  };
}

const LABELS = {name: 'Name of the customer:', email: 'Email:', due: 'Due:', confirm: '', items: ''} as const;

function fieldParts(state: State, looks: Looks): Parts {
  const {width, measure, paint} = looks;
  const {step, field, note, question} = state;
  if (step === 'confirm') {
    const asked = measure
      .wrap(clean(`? ${question}`), width - 2)
      .map((each, index) => (index === 0 ? each : `  ${each}`));
    const {line, column} = fieldLine('  (y/N)', field, looks);
    return {
      summary: (rows) => asSummary(state, rows, looks),
      question: [...asked.map((each) => paint('bold', each)), line],
      column,
      below: [],
      keys: 'y then Enter: yes · Enter alone: no',
    };
  }
  const {line, column} = fieldLine(`? ${LABELS[step as keyof typeof LABELS]}`, field, looks);
  const reading = step === 'due' && !note ? dueReading(field.text, state) : undefined;
  return {
    summary: (rows) =>
      step === 'due' ? asSummary(state, rows, looks) : step === 'email' ? nameLine(state, looks) : [],
    question: [line],
    column,
    below: reading === undefined ? [] : [`  ${paint('dim', measure.cut(reading, width - 2))}`],
    keys:
      step === 'due'
        ? `Dec 15, next friday, net 30, end of month · ${usualWords(state)} · Esc back`
        : `Enter next · Esc back · ${quitKey(state)}`,
  };
}

const nameLine = ({name = ''}: State, {width, measure}: Looks): string[] => [
  `  Name  ${measure.cut(clean(name), width - 8)}`,
];

function asSummary(state: State, rows: number, {width, measure}: Looks): string[] {
  const to = `  To   ${measure.cut(payerWords(state), width - 7)}`;
  const due =
    state.dueAt !== undefined && state.step !== 'due'
      ? [`  Due  ${measure.cut(dueWords(state.dueAt, state.now), width - 7)}`]
      : [];
  const gap = rows > 8 ? [''] : [];
  const left = Math.max(2, rows - 1 - due.length - gap.length);
  return [to, ...due, ...gap, ...itemLines({items: state.items, width, rows: left}, measure)];
}

function reviewParts(state: State, looks: Looks): Parts {
  const {width, measure, paint} = looks;
  const words = [...changesIn(state), effectOf(state)];
  const effect = words.flatMap((line) => measure.wrap(clean(line), width - 2)).map((line) => `  ${line}`);
  return {
    summary: (rows) => [...asSummary(state, rows - effect.length - 1, looks), ...(rows > 8 ? [''] : []), ...effect],
    question: [paint('bold', "? What's next?")],
    below: rowsOf(choices(state), state.mark, looks),
    keys: `↑↓ or letter, then Enter · Esc back · ${quitKey(state)}`,
  };
}

const priceWords = ({quantity, unitPrice}: ItemInput): string =>
  `${quantity.toLocaleString('en')} × ${formatPesos(unitPrice)}`;

interface ItemLines {
  readonly items: readonly ItemInput[];
  readonly width: number;
  /** Lines there may be, with the total. */
  readonly rows: number;
  /** Items at the end that are not shown. */
  readonly scrolled?: number;
}

/** Numbered items with their totals; without room for all, how many more there are, and their total. */
function itemLines({items, width, rows, scrolled = 0}: ItemLines, measure: Measure): string[] {
  if (items.length === 0) return [];
  const {cut, padEnd, padStart, widthOf} = measure;
  const total = formatPesos(totalOf(items));
  const end = Math.max(1, items.length - scrolled);
  const room = Math.max(1, rows - 1);
  // A line for what is left out on either side.
  const all = items.length <= room;
  const start = all ? 0 : Math.max(0, end - Math.max(1, room - (end < items.length ? 2 : 1)));
  const last = all ? items.length : end;
  const shown = items.slice(start, last);
  const number = String(items.length).length + 1;
  const totals = Math.max(widthOf(total) + 7, ...shown.map((item) => widthOf(formatPesos(totalOf([item])))));
  const amounts = Math.max(...[total, ...shown.map((item) => formatPesos(totalOf([item])))].map(widthOf));
  const prices = Math.max(...shown.map((item) => widthOf(priceWords(item))));
  const wide = width - 2 - number - 2 - prices - 3 - amounts >= 12;
  const text = Math.max(4, width - 2 - number - 2 - (wide ? prices + 3 : 2) - amounts);
  const left = (from: number, to: number, where: string): string[] => {
    const some = items.slice(from, to);
    if (some.length === 0) return [];
    const words = cut(`and ${some.length} more ${some.length === 1 ? 'item' : 'items'} ${where}`, width - totals - 4);
    return [
      `  ${padEnd('', number + 2)}${padEnd(words, width - number - 4 - amounts)}${padStart(formatPesos(totalOf(some)), amounts)}`,
    ];
  };
  return [
    ...left(0, start, 'above'),
    ...shown.map((item, index) =>
      [
        `  ${padStart(String(start + index + 1), number)}  `,
        padEnd(cut(clean(item.text), text), text),
        wide ? ` ${padStart(priceWords(item), prices)}  ` : '  ',
        padStart(formatPesos(totalOf([item])), amounts),
      ].join(''),
    ),
    ...left(last, items.length, 'below'),
    `  ${padEnd('', number + 2)}${padEnd(cut(countWords(items.length), width), width - number - 4 - amounts - 7)}${padStart(`Total  ${total}`, amounts + 7)}`,
  ];
}
