// The items step: items are typed or pasted, and edited or removed by line number.

import {MAXIMUM_CENTAVOS, MINIMUM_CENTAVOS} from '../../../../api/fields.js';
import {formatPesos} from '../../../../common/pesos.js';
import {InvalidInput} from '../../../../input/invalid-input.js';
import {totalAsNumber, type StatementItem} from '../../../../input/items.js';
import {readPastedTable} from '../../../../input/spreadsheet/pasted-table.js';
import {pastedLines, possibleQuantity, readTypedItem} from '../../../../input/typed-items.js';
import {EMPTY_FIELD, lineFieldOf} from '../../../../output/prompt/line-field.js';
import {
  goToQuestion,
  withNote,
  goToNext,
  quitKey,
  withPlainLines,
  goToReview,
  textQuestion,
  withWarning,
  type GuidedEvent,
  type GuidedState,
  type GuidedQuestion,
} from '../state.js';
import {toCustomer} from './customers.js';

const TOO_LITTLE = `A statement collects at least ${formatPesos(MINIMUM_CENTAVOS)}.`;
const TOO_MUCH = `A statement collects at most ${formatPesos(MAXIMUM_CENTAVOS)}.`;

/** `2 items, total ₱36,500.00` */
export const formatItemSum = (items: readonly StatementItem[]): string =>
  `${formatItemCount(items.length)}, total ${formatPesos(totalAsNumber(items))}`;

export const formatItemCount = (count: number): string => `${count} ${count === 1 ? 'item' : 'items'}`;

/** Returns an item as a user would type it: `Hosting @ 6,500`. Adds the quantity if needed. */
export function typedText({description: text, quantity, unit_price}: StatementItem): string {
  const price = formatPesos(unit_price).slice(1).replace(/\.00$/, '');
  const short = `${text} @ ${price}`;
  const isClear = quantity === 1 && !/^\d+\s?[x×]|[x×]\s?\S+$/i.test(text) && !possibleQuantity(text);
  return isClear ? short : `${text} x${quantity} @ ${price}`;
}

export const formatItemPrice = ({quantity, unit_price}: StatementItem): string =>
  `${quantity.toLocaleString('en')} × ${formatPesos(unit_price)}`;

/** `Hosting: 1 × ₱6,500.00 = ₱6,500.00` */
export const formatItemReading = (item: StatementItem): string =>
  `${item.description}: ${formatItemPrice(item)} = ${formatPesos(totalAsNumber([item]))}`;

export const toItems = (state: GuidedState): GuidedState => goToQuestion(state, 'items');

const ITEMS_PAGE = 8;
const EXAMPLE = 'Web design x2 @ 15,000';

export const ITEMS: GuidedQuestion = {
  ask: ({items, editing, invalidLines}) =>
    editing !== undefined
      ? `Line ${editing + 1}:`
      : invalidLines[0]
        ? `Pasted line ${invalidLines[0].number}:`
        : `Item ${items.length + 1}:`,
  askPlainly: ({items, editing, invalidLines, warned}) =>
    invalidLines[0] && editing === undefined
      ? `Pasted line ${invalidLines[0].number} again (${warned === undefined ? 'empty' : 'back'} skips it):`
      : `Line ${(editing ?? items.length) + 1}:`,
  intro: ({items}) =>
    items.length === 0
      ? [`Items, one a line: ${EXAMPLE}. An empty line ends, "back" goes back.`]
      : [
          ...formatItemLines(items),
          `${formatItemSum(items)}.`,
          `Another item; ${editHint(items)}, undo; an empty line ends.`,
        ],
  preview: ({items, field: {text}}) => {
    if (items.length === 0 && text === '') return `${EXAMPLE}, or paste a list: one item a line`;
    const read = text.trim() === '' ? undefined : readTypedItem(text);
    return read === undefined || read instanceof InvalidInput ? undefined : formatItemReading(read.item);
  },
  keys: (state) => {
    if (state.editing !== undefined) return `Enter save · Esc cancel · ${quitKey(state)}`;
    if (state.invalidLines.length > 0) return `Enter add · Esc skip · ${quitKey(state)}`;
    if (state.items.length === 0) return `Enter add · Esc back · ${quitKey(state)}`;
    return `Enter add, empty ends · ${editHint(state.items)} · undo · Esc back`;
  },
  handle: handleItems,
  back: backFromItems,
};

const editHint = ({length}: readonly StatementItem[]): string =>
  `${length} edits line ${length}, -${length} removes it`;

export const formatItemLines = (items: readonly StatementItem[]): string[] =>
  items.map((item, index) => `Line ${index + 1}: ${formatItemReading(item)}`);

function handleItems(state: GuidedState, event: GuidedEvent): GuidedState {
  if (event.type === 'key' && event.key.startsWith('page')) {
    const by = event.key === 'pageup' ? ITEMS_PAGE : -ITEMS_PAGE;
    return {...state, scrolled: Math.max(0, Math.min(state.items.length - 1, state.scrolled + by))};
  }
  if (event.type === 'paste' && state.editing === undefined && /[\r\n]/.test(event.text.trim())) {
    const {text, cursor} = state.field;
    // The paste is not merged with a line that needs a fix, or with a complete typed item.
    if (state.invalidLines.length > 0) return pasted(state, event.text);
    return pasted(
      state,
      readTypedItem(text) instanceof InvalidInput
        ? text.slice(0, cursor) + event.text + text.slice(cursor)
        : `${text}\n${event.text}`,
    );
  }
  return textQuestion(enterItem)(state, event);
}

function backFromItems(state: GuidedState): GuidedState {
  const {editing, invalidLines, payer} = state;
  if (editing !== undefined) return {...state, editing: undefined, field: EMPTY_FIELD, note: undefined};
  if (invalidLines.length > 0) return showInvalidItem({...state, invalidLines: invalidLines.slice(1)});
  // The customer of an existing statement cannot change.
  if (state.returns || state.isReplacing || state.changes) return goToReview(state);
  return payer && payer.id === undefined
    ? goToQuestion({...state, name: payer.name}, 'email', payer.email)
    : toCustomer(state);
}

function enterItem(state: GuidedState, typed: string): GuidedState {
  const text = typed.trim();
  if (state.editing !== undefined) return saveLine(state, text, state.editing);
  if (state.invalidLines.length > 0) return text === '' ? backFromItems(state) : addFixed(state, text);
  const number = /^(-?)(\d{1,4})$/.exec(text);
  if (text === '' || /^done$/i.test(text)) return finish(state);
  if (/^undo$/i.test(text)) return undo(state);
  if (number) return byNumber(state, Number(number[2]) - 1, number[1] === '-');
  return insert(state, text, state.items.length);
}

/** Returns the state with new items, which `undo` can revert. If their total is too high, only adds a note. */
function withItems(
  state: GuidedState,
  items: readonly StatementItem[],
  words: (state: GuidedState) => string[],
): GuidedState {
  if (totalAsNumber(items) > MAXIMUM_CENTAVOS) return withNote(state, 'error', TOO_MUCH);
  const undo = [...state.undo, state.items];
  const next = {...state, items, undo, field: EMPTY_FIELD, note: undefined, warned: undefined, scrolled: 0};
  return withPlainLines(next, ...words(next));
}

const formatItemLine = (index: number, items: readonly StatementItem[]): string =>
  `Line ${index + 1}: ${formatItemReading(items[index]!)}. ${formatItemSum(items)}.`;

/** Returns the item of the text, or a state with its error or question. */
function typedItemOf(
  state: GuidedState,
  text: string,
): {readonly item: StatementItem} | {readonly refused: GuidedState} {
  const read = readTypedItem(text);
  if (read instanceof InvalidInput) return {refused: withNote(state, 'error', read.problem)};
  if (read.question !== undefined && state.warned !== text) return {refused: withWarning(state, read.question)};
  return read;
}

function insert(state: GuidedState, text: string, at: number): GuidedState {
  const read = typedItemOf(state, text);
  if ('refused' in read) return read.refused;
  return withItems(state, state.items.toSpliced(at, 0, read.item), ({items}) => [formatItemLine(at, items)]);
}

function saveLine(state: GuidedState, text: string, line: number): GuidedState {
  const read = typedItemOf(state, text);
  if ('refused' in read) return read.refused;
  const items = state.items.with(line, read.item);
  const next = withItems(state, items, () => [formatItemLine(line, items)]);
  return next.items === items ? {...next, editing: undefined} : next;
}

function byNumber(state: GuidedState, line: number, removes: boolean): GuidedState {
  const item = state.items[line];
  if (!item) return withNote(state, 'error', `Line ${line + 1} does not exist.`);
  if (!removes)
    return withPlainLines(
      {...state, editing: line, field: lineFieldOf(typedText(item)), note: undefined},
      `Line ${line + 1} is: ${typedText(item)}`,
    );
  const items = state.items.filter((_, index) => index !== line);
  return withItems(state, items, () => [
    `Removed ${item.description}. ${items.length > 0 ? `${formatItemSum(items)}.` : 'No items remain.'}`,
  ]);
}

function undo(state: GuidedState): GuidedState {
  const before = state.undo.at(-1);
  if (!before) return withNote(state, 'error', 'Nothing to undo.');
  return withPlainLines(
    {...state, items: before, undo: state.undo.slice(0, -1), field: EMPTY_FIELD, note: undefined},
    `Undone. ${before.length > 0 ? `${formatItemSum(before)}.` : 'No items.'}`,
  );
}

function finish(state: GuidedState): GuidedState {
  if (state.items.length === 0) return withNote(state, 'error', `Type an item first. Example: ${EXAMPLE}`);
  if (totalAsNumber(state.items) < MINIMUM_CENTAVOS) return withNote(state, 'error', TOO_LITTLE, {field: EMPTY_FIELD});
  return goToNext({...state, undo: []}, 'due');
}

/** Adds valid pasted lines, then asks about each invalid line. A fixed line keeps its place. */
function pasted(state: GuidedState, text: string): GuidedState {
  const table = readPastedTable(text);
  if (typeof table === 'string') return withNote(state, 'error', table);
  const lines = pastedLines(table?.rest ?? text);
  const count = lines.length + (table?.items.length ?? 0);
  if (count === 0) return state;
  const items = [...state.items, ...(table?.items ?? [])];
  const invalidLines: GuidedState['invalidLines'][number][] = [];
  for (const [index, line] of lines.entries()) {
    const read = readTypedItem(line);
    if (!(read instanceof InvalidInput) && read.question === undefined) items.push(read.item);
    else invalidLines.push({number: index + 1, text: line.replace(/\s+/g, ' '), at: items.length});
  }
  const added = items.length - state.items.length;
  const next = withItems(state, items, () => [`Pasted ${count} lines: added ${formatItemCount(added)}.`]);
  if (next.items !== items) return next;
  return showInvalidItem({...next, invalidLines: [...state.invalidLines, ...invalidLines]});
}

export function showInvalidItem(state: GuidedState): GuidedState {
  const [first] = state.invalidLines;
  const count = state.invalidLines.length;
  if (!first) return {...state, field: EMPTY_FIELD, note: undefined, warned: undefined};
  const shown = {...state, field: lineFieldOf(first.text)};
  const read = readTypedItem(first.text);
  const many = `${count} pasted ${count === 1 ? 'line needs' : 'lines need'} a fix. Line ${first.number}:`;
  // A question needs two Enters, as for a typed line: the first may belong to the paste.
  return read instanceof InvalidInput
    ? withNote(shown, 'error', `${many} ${read.problem}`)
    : withNote(shown, 'warning', `${many} ${read.question ?? ''}`.trim());
}

function addFixed(state: GuidedState, text: string): GuidedState {
  const [{at} = {at: 0}, ...rest] = state.invalidLines;
  const next = insert(state, text, at);
  if (next.items === state.items) return next;
  return showInvalidItem({...next, invalidLines: rest.map((each) => ({...each, at: each.at + 1}))});
}

/** Shows a refused item in its field, with the reason. */
export const refusedItem = (state: GuidedState, line: number, text: string): GuidedState =>
  withNote(
    {...goToQuestion(state, 'items'), returns: true, editing: line, field: lineFieldOf(typedText(state.items[line]!))},
    'error',
    text,
  );
