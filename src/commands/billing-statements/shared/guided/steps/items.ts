// The items: typed one by one or pasted all at once, and changed and taken out by their numbers.

import {MAXIMUM_CENTAVOS, MINIMUM_CENTAVOS} from '../../../../../api/fields.js';
import {formatPesos} from '../../../../../ground/pesos.js';
import {totalOf, type ItemInput} from '../../../../../input/items.js';
import {pastedLines, readTypedItem} from '../../../../../input/typed-items.js';
import {EMPTY_FIELD, fieldOf} from '../../../../../output/prompt/line-field.js';
import {going, noted, onward, saying, type State} from '../state.js';

const LEAST = `A statement collects ${formatPesos(MINIMUM_CENTAVOS)} at least.`;
const MOST = `A statement collects ${formatPesos(MAXIMUM_CENTAVOS)} at most.`;

/** `2 items, total ₱36,500.00` */
export const sumWords = (items: readonly ItemInput[]): string =>
  `${countWords(items.length)}, total ${formatPesos(totalOf(items))}`;

export const countWords = (count: number): string => `${count} ${count === 1 ? 'item' : 'items'}`;

/** An item as it can be typed again: `Hosting @ 6,500`; with its quantity where that, or the text, needs it. */
export function typedText({text, quantity, unitPrice}: ItemInput): string {
  const price = formatPesos(unitPrice).slice(1).replace(/\.00$/, '');
  const short = `${text} @ ${price}`;
  const isClear = quantity === 1 && !/^\d+\s?[x×]|[x×]\s?\S+$/i.test(text);
  return isClear ? short : `${text} x${quantity} @ ${price}`;
}

/** `Hosting: 1 × ₱6,500.00 = ₱6,500.00` */
export const readingOf = (item: ItemInput): string =>
  `${item.text}: ${item.quantity.toLocaleString('en')} × ${formatPesos(item.unitPrice)} = ${formatPesos(totalOf([item]))}`;

export const toItems = (state: State): State => going(state, 'items');

export function itemsStep(state: State, typed: string): State {
  const text = typed.trim();
  if (state.editing !== undefined) return saveLine(state, text, state.editing);
  if (state.bad.length > 0) return text === '' ? skipBad(state) : addFixed(state, text);
  const number = /^(-?)(\d{1,4})$/.exec(text);
  if (text === '' || /^done$/i.test(text)) return finish(state);
  if (/^undo$/i.test(text)) return undo(state);
  if (number) return byNumber(state, Number(number[2]) - 1, number[1] === '-');
  return add(state, text);
}

/** The state with other items, which `undo` takes back; the same where they come to too much. */
function withItems(state: State, items: readonly ItemInput[], words: (state: State) => string[]): State {
  if (totalOf(items) > MAXIMUM_CENTAVOS) return noted(state, 'error', MOST);
  const next = {...state, items, undo: [...state.undo, state.items], field: EMPTY_FIELD, note: undefined, scrolled: 0};
  return saying(next, ...words(next));
}

const lineWords = (index: number, items: readonly ItemInput[]): string =>
  `Line ${index + 1}: ${readingOf(items[index]!)}. ${sumWords(items)}.`;

function add(state: State, text: string): State {
  const read = readTypedItem(text);
  if ('fault' in read) return noted(state, 'error', read.fault);
  return withItems(state, [...state.items, read.item], ({items}) => [lineWords(items.length - 1, items)]);
}

function saveLine(state: State, text: string, line: number): State {
  const read = readTypedItem(text);
  if ('fault' in read) return noted(state, 'error', read.fault);
  const items = state.items.with(line, read.item);
  const next = withItems(state, items, () => [lineWords(line, items)]);
  return next.items === items ? {...next, editing: undefined} : next;
}

function byNumber(state: State, line: number, removes: boolean): State {
  const item = state.items[line];
  if (!item) return noted(state, 'error', `There is no line ${line + 1}.`);
  if (!removes)
    return saying(
      {...state, editing: line, field: fieldOf(typedText(item)), note: undefined},
      `Line ${line + 1} is: ${typedText(item)}`,
    );
  const items = state.items.filter((_, index) => index !== line);
  return withItems(state, items, () => [
    `Took out ${item.text}. ${items.length > 0 ? `${sumWords(items)}.` : 'No items are left.'}`,
  ]);
}

function undo(state: State): State {
  const before = state.undo.at(-1);
  if (!before) return noted(state, 'error', 'There is nothing to undo.');
  return saying(
    {...state, items: before, undo: state.undo.slice(0, -1), field: EMPTY_FIELD, note: undefined},
    `Undone. ${before.length > 0 ? `${sumWords(before)}.` : 'No items.'}`,
  );
}

function finish(state: State): State {
  if (state.items.length === 0) return noted(state, 'error', 'Type an item first. Example: Web design x2 @ 15,000');
  if (totalOf(state.items) < MINIMUM_CENTAVOS) return noted(state, 'error', LEAST, {field: EMPTY_FIELD});
  return onward({...state, undo: []}, 'due');
}

/** Several pasted lines: the good ones are added, the others are asked about one by one. */
export function pasted(state: State, text: string): State {
  const lines = pastedLines(text);
  const good: ItemInput[] = [];
  const bad: State['bad'][number][] = [];
  for (const [index, line] of lines.entries()) {
    const read = readTypedItem(line);
    if ('item' in read) good.push(read.item);
    else bad.push({number: index + 1, text: line.replace(/\s+/g, ' ')});
  }
  if (lines.length === 0) return state;
  const items = [...state.items, ...good];
  const next = withItems(state, items, () => [`Pasted ${lines.length} lines: added ${countWords(good.length)}.`]);
  if (next.items !== items) return next;
  return showBad({...next, bad: [...state.bad, ...bad]}, bad.length);
}

function showBad(state: State, count = state.bad.length): State {
  const [first] = state.bad;
  if (!first) return {...state, field: EMPTY_FIELD, note: undefined};
  const read = readTypedItem(first.text);
  const fault = 'fault' in read ? read.fault : '';
  const many = `${count} pasted ${count === 1 ? 'line needs' : 'lines need'} a fix.`;
  return noted({...state, field: fieldOf(first.text)}, 'error', `${many} Line ${first.number}: ${fault}`);
}

function addFixed(state: State, text: string): State {
  const read = readTypedItem(text);
  if ('fault' in read) return noted(state, 'error', read.fault);
  const next = withItems(state, [...state.items, read.item], ({items}) => [lineWords(items.length - 1, items)]);
  return next.items === state.items ? next : showBad({...next, bad: state.bad.slice(1)});
}

export const skipBad = (state: State): State => showBad({...state, bad: state.bad.slice(1)});

/** An item that the service refused, in its field with the reason. */
export const refusedItem = (state: State, line: number, text: string): State =>
  noted(
    {...going(state, 'items'), returns: true, editing: line, field: fieldOf(typedText(state.items[line]!))},
    'error',
    text,
  );
