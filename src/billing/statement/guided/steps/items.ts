// The items step: items are typed or pasted, and edited or removed by line number.

import {MAXIMUM_CENTAVOS, MINIMUM_CENTAVOS} from '../../../../api/fields.js';
import {formatPesos} from '../../../../common/pesos.js';
import {InvalidInput} from '../../../../input/invalid-input.js';
import {totalAsNumber, type StatementItem} from '../../../../input/items.js';
import {readPastedTable} from '../../../../input/spreadsheet/pasted-table.js';
import {pastedLines, possibleQuantity, readTypedItem} from '../../../../input/typed-items.js';
import type {AskerNote, LineQuestion, PastedAnswer} from '../../../../output/prompt/asker.js';
import {askUntilRead, errorNote, warningNote, type Guide, type Reading} from '../guide.js';
import {formatItemCount, formatItemLines, formatItemReading, formatItemSum, itemSummary} from './summary.js';

const TOO_LITTLE = `A statement collects at least ${formatPesos(MINIMUM_CENTAVOS)}.`;
const TOO_MUCH = `A statement collects at most ${formatPesos(MAXIMUM_CENTAVOS)}.`;

/** Returns an item as a user would type it: `Hosting @ 6,500`. Adds the quantity if needed. */
export function typedText({description: text, quantity, unit_price}: StatementItem): string {
  const price = formatPesos(unit_price).slice(1).replace(/\.00$/, '');
  const short = `${text} @ ${price}`;
  const isClear = quantity === 1 && !/^\d+\s?[x×]|[x×]\s?\S+$/i.test(text) && !possibleQuantity(text);
  return isClear ? short : `${text} x${quantity} @ ${price}`;
}

const EXAMPLE = 'Web design x2 @ 15,000';
/** Answers to the question that are no items. */
const COMMAND = /^(?:done|undo|back|-?\d{1,4})$/i;

/** @returns false if the user went back */
export async function askItems(guide: Guide): Promise<boolean> {
  const {asker} = guide;
  const undo: (readonly StatementItem[])[] = [];
  const replace = (items: readonly StatementItem[], ...words: readonly string[]): AskerNote | undefined => {
    if (totalAsNumber(items) > MAXIMUM_CENTAVOS) return errorNote(TOO_MUCH);
    undo.push(guide.items);
    guide.items = items;
    asker.say(...words);
    return undefined;
  };
  const refused = guide.refusedItem;
  guide.refusedItem = undefined;
  if (refused !== undefined) await editItem(guide, refused, replace);
  let asked: Pick<LineQuestion, 'intro' | 'note' | 'text'> = {intro: introOf(guide)};
  await fixPastedLines(guide, replace);
  for (;;) {
    const {items} = guide;
    const answer = await guide.line('items', {...itemQuestion(guide), ...asked});
    const typed = 'typed' in answer ? answer.typed.trim() : '';
    const number = /^(-?)(\d{1,4})$/.exec(typed);
    const line = Number(number?.[2]) - 1;
    const item = items[line];
    const before = undo.at(-1);
    const isConfirmed = 'typed' in answer && answer.isSame && asked.note?.tone === 'warning';
    asked = {};
    if ('back' in answer) return false;
    if ('pasted' in answer) {
      asked = {note: addPasted(guide, answer, replace)};
      await fixPastedLines(guide, replace);
    } else if (typed === '' || /^done$/i.test(typed)) {
      const fault =
        items.length === 0
          ? `Type an item first. Example: ${EXAMPLE}`
          : totalAsNumber(items) < MINIMUM_CENTAVOS && TOO_LITTLE;
      if (!fault) return true;
      asked = {note: errorNote(fault)};
    } else if (/^undo$/i.test(typed)) {
      if (before === undefined) asked = {note: errorNote('Nothing to undo.'), text: typed};
      else {
        guide.items = undo.pop()!;
        asker.say(`Undone. ${before.length > 0 ? `${formatItemSum(before)}.` : 'No items.'}`);
      }
    } else if (number && !item) asked = {note: errorNote(`Line ${line + 1} does not exist.`), text: typed};
    else if (number?.[1] === '-') {
      const rest = items.toSpliced(line, 1);
      replace(
        rest,
        `Removed ${item!.description}. ${rest.length > 0 ? `${formatItemSum(rest)}.` : 'No items remain.'}`,
      );
    } else if (number) await editItem(guide, line, replace);
    else {
      const read = readItemLine(typed, isConfirmed);
      const added = 'note' in read ? [] : [...items, read.value];
      const note = 'note' in read ? read.note : replace(added, formatItemLine(items.length, added));
      if (note) asked = {note, text: answer.typed};
    }
  }
}

/** Sets the items. @returns a note if their total is too high */
type Replace = (items: readonly StatementItem[], ...words: readonly string[]) => AskerNote | undefined;

const itemQuestion = (guide: Guide): LineQuestion => {
  const {items, quitKey} = guide;
  return {
    ask: `Item ${items.length + 1}:`,
    askPlainly: `Line ${items.length + 1}:`,
    summary: itemSummary(guide),
    preview: (text) =>
      items.length === 0 && text === '' ? `${EXAMPLE}, or paste a list: one item a line` : reading(text),
    isList: (text) => {
      const lines = pastedLines(text);
      return lines.length > 1 && !lines.some((line) => COMMAND.test(line));
    },
    keys:
      items.length === 0
        ? `Enter add · Esc back · ${quitKey}`
        : `Enter add, empty ends · ${editHint(items)} · undo · Esc back`,
  };
};

function reading(text: string): string | undefined {
  const read = text.trim() === '' ? undefined : readTypedItem(text);
  return read === undefined || read instanceof InvalidInput ? undefined : formatItemReading(read.item);
}

const editHint = ({length}: readonly StatementItem[]) => `${length} edits line ${length}, -${length} removes it`;

const formatItemLine = (index: number, items: readonly StatementItem[]): string =>
  `Line ${index + 1}: ${formatItemReading(items[index]!)}. ${formatItemSum(items)}.`;

const introOf = ({items}: Guide): string[] =>
  items.length === 0
    ? [`Items, one a line: ${EXAMPLE}. An empty line ends, "back" goes back.`]
    : [
        ...formatItemLines(items),
        `${formatItemSum(items)}.`,
        `Another item; ${editHint(items)}, undo; an empty line ends.`,
      ];

function readItemLine(text: string, isConfirmed: boolean): Reading<StatementItem> {
  const read = readTypedItem(text);
  if (read instanceof InvalidInput) return {note: errorNote(read.problem, read.details.suggestion)};
  if (read.question === undefined || isConfirmed) return {value: read.item};
  return {note: warningNote(read.question, read.suggestion)};
}

/** Asks for a line again, with its text in the field. */
async function editItem(guide: Guide, line: number, replace: Replace): Promise<void> {
  const text = typedText(guide.items[line]!);
  const question = {
    ...{ask: `Line ${line + 1}:`, text, preview: reading, summary: itemSummary(guide)},
    keys: `Enter save · Esc cancel · ${guide.quitKey}`,
  };
  guide.asker.say(`Line ${line + 1} is: ${text}`);
  const read = (typed: string, isConfirmed: boolean): Reading<true> => {
    const item = readItemLine(typed.trim(), isConfirmed);
    if ('note' in item) return item;
    const items = guide.items.with(line, item.value);
    const note = replace(items, formatItemLine(line, items));
    return note ? {note} : {value: true};
  };
  await askUntilRead(guide, 'items', question, read, false);
}

/**
 * Adds valid pasted lines, and keeps the invalid ones to be asked about.
 * @param isFix the text around the paste is the first invalid line, which the pasted lines replace
 */
function addPasted(guide: Guide, {pasted, before, after}: PastedAnswer, replace: Replace, isFix = false) {
  // The paste is not merged with a complete typed item.
  const isWhole = before.trim() !== '' && !(readTypedItem(before + after) instanceof InvalidInput);
  const text = isWhole ? `${before}${after}\n${pasted}` : before + pasted + after;
  const table = readPastedTable(text);
  if (typeof table === 'string') return errorNote(table);
  const lines = pastedLines(table?.rest ?? text);
  const items = [...(table?.items ?? [])];
  const at = isFix ? guide.invalidLines[0]!.at : guide.items.length;
  const invalidLines: Guide['invalidLines'][number][] = [];
  for (const [index, line] of lines.entries()) {
    const read = readTypedItem(line);
    if (!(read instanceof InvalidInput) && read.question === undefined) items.push(read.item);
    else invalidLines.push({number: index + 1, text: line.replace(/\s+/g, ' '), at: at + items.length});
  }
  const count = lines.length + (table?.items.length ?? 0);
  const words = `Pasted ${count} lines: added ${formatItemCount(items.length)}.`;
  const note = replace(guide.items.toSpliced(at, 0, ...items), words);
  if (note) return note;
  guide.invalidLines = isFix
    ? [...invalidLines, ...nextInvalidLines(guide, items.length)]
    : [...guide.invalidLines, ...invalidLines];
  return undefined;
}

/** Returns the invalid lines behind the first one, in front of which items were added. */
const nextInvalidLines = ({invalidLines}: Guide, added: number): Guide['invalidLines'] =>
  invalidLines.slice(1).map((each) => ({...each, at: each.at + added}));

/** Asks about each invalid pasted line. A fixed line keeps its place. */
async function fixPastedLines(guide: Guide, replace: Replace): Promise<void> {
  let text: string | undefined;
  let note: AskerNote | undefined;
  for (let [first] = guide.invalidLines; first; [first] = guide.invalidLines) {
    const {number, at} = first;
    const count = guide.invalidLines.length;
    const shown = text ?? first.text;
    const read = readItemLine(shown, false);
    const many = `${count} pasted ${count === 1 ? 'line needs' : 'lines need'} a fix. Line ${number}:`;
    // A question needs two Enters, as for a typed line: the first may belong to the paste.
    const fault: AskerNote = 'note' in read ? {...read.note, text: `${many} ${read.note.text}`} : warningNote(many);
    const answer = await guide.line('items', {
      ...itemQuestion(guide),
      ...{ask: `Pasted line ${number}:`, askPlainly: `Pasted line ${number} again (back skips it):`},
      ...{text: shown, note: note ?? fault, preview: reading, keys: `Enter add · Esc skip · ${guide.quitKey}`},
    });
    const isConfirmed = 'typed' in answer && answer.isSame && note?.tone === 'warning';
    [text, note] = [undefined, undefined];
    if ('pasted' in answer) {
      text = answer.before + answer.after;
      // A line that was edited is half typed, so the paste belongs to it.
      const isFix = text !== shown;
      note = addPasted(guide, isFix ? answer : {...answer, before: '', after: ''}, replace, isFix);
      if (isFix && !note) text = undefined;
    } else if ('back' in answer || answer.typed.trim() === '') {
      delete guide.halfTyped.items;
      guide.invalidLines = guide.invalidLines.slice(1);
    } else {
      const fixed = readItemLine(answer.typed.trim(), isConfirmed);
      if ('note' in fixed) note = fixed.note;
      else {
        const items = guide.items.toSpliced(at, 0, fixed.value);
        note = replace(items, formatItemLine(at, items));
      }
      if (note) text = answer.typed;
      else guide.invalidLines = nextInvalidLines(guide, 1);
    }
  }
}
