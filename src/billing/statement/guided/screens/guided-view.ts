// Lays out the guided flow as lines: the account, the entered values, the question and the keys.

import {formatPesos} from '../../../../common/pesos.js';
import {totalAsNumber, type StatementItem} from '../../../../input/items.js';
import {oneLineText} from '../../../../output/format.js';
import type {Style} from '../../../../output/streams.js';
import type {TextMeasure} from '../../../../output/text-width.js';
import type {LineField} from '../../../../output/prompt/line-field.js';
import {fieldLine, choiceListLines} from '../../../../output/prompt/list.js';
import {STEPS} from '../reducer.js';
import {quitKey, type GuidedState} from '../state.js';
import {formatPayer} from '../steps/customers.js';
import {formatLongDue} from '../steps/due.js';
import {formatItemCount, formatItemPrice} from '../steps/items.js';
import {changesIn, describeChoice} from '../steps/review.js';
import {describeFound} from '../steps/unfinished.js';

export interface GuidedViewStyle {
  readonly width: number;
  readonly height: number;
  readonly measure: TextMeasure;
  readonly paint: (style: Style, text: string) => string;
}

export interface GuidedView {
  readonly lines: readonly string[];
  readonly cursor?: {readonly line: number; readonly column: number};
}

export function guidedViewOf(state: GuidedState, style: GuidedViewStyle): GuidedView {
  const {height, paint} = style;
  const step = STEPS[state.step];
  const head = header(state, style);
  const keys = keyLines(state.busy === undefined ? step.keys(state) : quitKey(state), style);
  const {question, column} = questionOf(state, style);
  const note = guidedNoteLines(state, style);
  const fixed = head.length + question.length + note.length + keys.length;
  const listed = height - 1 - fixed;
  const below = state.busy === undefined ? linesBelowQuestion(state, Math.max(1, listed), style) : [];
  // On a small screen, blank lines are removed first.
  const gap = listed - below.length >= 9 ? [''] : [];
  const summary =
    state.busy === undefined ? enteredSummary(state, Math.max(0, listed - below.length - 3 * gap.length), style) : [];
  const above = [...gap, ...summary, ...(summary.length > 0 ? gap : [])];
  const lines = [...above, ...question, ...note, ...below, ...gap, ...keys.map((line) => paint('dim', line))];
  // The account always stays visible.
  const cut = Math.max(0, head.length + lines.length - (height - 1));
  return {
    lines: [...head, ...lines.slice(cut)],
    ...(column !== undefined && {cursor: {line: head.length + above.length + question.length - 1 - cut, column}}),
  };
}

/** Returns the lines of the question, with its text field if any. The cursor is on the last line. */
function questionOf(
  state: GuidedState,
  {width, measure: ruler, paint}: GuidedViewStyle,
): {question: string[]; column?: number} {
  if (state.busy !== undefined) return {question: [state.busy]};
  const {ask, rows, isSearched} = STEPS[state.step];
  if (rows && !isSearched) return {question: [paint('bold', `? ${ask(state)}`)]};
  const asked =
    state.step === 'confirm'
      ? ruler.wrap(oneLineText(`? ${state.question}`), width - 2).map((line, at) => (at === 0 ? line : `  ${line}`))
      : [];
  const prompt = `${asked.length > 0 ? '  ' : '? '}${ask(state)} `;
  const {text, column} = fieldLine(prompt, cleanField(state.field), {width, ruler});
  return {question: [...asked.map((line) => paint('bold', line)), paint('bold', prompt) + text], column};
}

const cleanField = ({text, cursor}: LineField): LineField => {
  const before = oneLineText(text.slice(0, cursor));
  return {text: before + oneLineText(text.slice(cursor)), cursor: before.length};
};

/** Maximum rows of customers, including the row for a new customer. */
const MAX_PEOPLE = 9;

function linesBelowQuestion(
  state: GuidedState,
  most: number,
  {width, height, measure: ruler, paint}: GuidedViewStyle,
): string[] {
  const {rows, isSearched, preview} = STEPS[state.step];
  const all = rows?.(state) ?? [];
  const shown = all.map(({key, name, detail}) => ({
    name: oneLineText(isSearched ? name : `${key}  ${name}`),
    ...(detail !== undefined && {detail: oneLineText(detail)}),
  }));
  const list = choiceListLines(shown, {
    width,
    ruler,
    isFirstKept: isSearched,
    selected: all.findIndex(({key}) => key === state.mark),
    rows: isSearched ? Math.max(2, Math.min(MAX_PEOPLE, height - 8)) : most,
    paint: (line) => paint('cyan', line),
  });
  const read = state.note && !rows ? undefined : preview?.(state);
  const words = read === undefined ? [] : ruler.wrap(oneLineText(read), width - 2).slice(0, isSearched ? 1 : 2);
  return [...list, ...words.map((line) => `  ${paint('dim', line)}`)].slice(0, most);
}

/** Returns the lines above the question: the entered values. */
function enteredSummary(state: GuidedState, rows: number, style: GuidedViewStyle): string[] {
  const {width, measure} = style;
  const {step, items, scrolled, found, now, name = ''} = state;
  switch (step) {
    case 'unfinished':
      return found[scrolled]
        ? measure.wrap(oneLineText(describeFound(found[scrolled], now)), width - 2).map((line) => `  ${line}`)
        : [];
    case 'email':
      return [`  Name  ${measure.cut(oneLineText(name), width - 8)}`];
    case 'items': {
      const lines = itemLines({items, width, rows: Math.max(2, rows - 2), scrolled}, measure);
      if (rows < 4) return lines.slice(-Math.max(1, rows));
      return [
        `  Customer  ${measure.cut(formatPayer(state), width - 12)}`,
        ...(lines.length > 0 ? ['', ...lines] : []),
      ];
    }
    case 'review': {
      const effect = [...changesIn(state), describeChoice(state)].flatMap((line) =>
        measure.wrap(oneLineText(line), width - 2),
      );
      const statement = statementLines(state, rows - effect.length - 1, style);
      return [...statement, ...(rows > 8 ? [''] : []), ...effect.map((line) => `  ${line}`)];
    }
    case 'confirm':
    case 'description':
    case 'due':
      return statementLines(state, rows, style);
    default:
      return [];
  }
}

/** Wraps the keys to one line, or to two lines on a screen of at least 16 rows. */
function keyLines(keys: string, {width, height, measure}: GuidedViewStyle): string[] {
  const lines: string[] = [];
  for (const part of keys.split(' · ')) {
    const longer = lines.length === 0 ? part : `${lines.at(-1)} · ${part}`;
    if (lines.length > 0 && measure.widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.slice(0, height < 16 ? 1 : 2).map((line) => measure.cut(line, width));
}

function header({account, mode, title}: GuidedState, {width, measure, paint}: GuidedViewStyle): string[] {
  const shown = paint(mode === 'live' ? 'red' : 'dim', measure.cut(oneLineText(account), width));
  const space = width - measure.widthOf(title) - measure.widthOf(shown);
  return space < 2 ? [paint('bold', title), shown] : [`${paint('bold', title)}${' '.repeat(space)}${shown}`];
}

function guidedNoteLines({note}: GuidedState, {width, measure, paint}: GuidedViewStyle): string[] {
  if (!note) return [];
  const styles = {error: 'red', warning: 'yellow', info: 'dim'} as const;
  return measure.wrap(oneLineText(note.text), width - 2).map((line) => `  ${paint(styles[note.tone], line)}`);
}

function statementLines(state: GuidedState, rows: number, {width, measure}: GuidedViewStyle): string[] {
  const to = `  To   ${measure.cut(formatPayer(state), width - 7)}`;
  const due =
    state.dueAt !== undefined && state.step !== 'due'
      ? [`  Due  ${measure.cut(formatLongDue(state.dueAt, state.now), width - 7)}`]
      : [];
  const what =
    state.description !== undefined && state.step !== 'description'
      ? [`  For  ${measure.cut(oneLineText(state.description), width - 7)}`]
      : [];
  const gap = rows > 8 ? [''] : [];
  const left = Math.max(2, rows - 1 - due.length - what.length - gap.length);
  return [to, ...due, ...what, ...gap, ...itemLines({items: state.items, width, rows: left}, measure)];
}

interface ItemLines {
  readonly items: readonly StatementItem[];
  readonly width: number;
  /** Maximum lines, including the total. */
  readonly rows: number;
  /** Number of items at the end that are not shown. */
  readonly scrolled?: number;
}

/** Returns numbered items with their totals. If not all fit, a line at each end counts and totals the hidden items. */
function itemLines({items, width, rows, scrolled = 0}: ItemLines, measure: TextMeasure): string[] {
  if (items.length === 0) return [];
  const {cut, padEnd, padStart, widthOf} = measure;
  const total = formatPesos(totalAsNumber(items));
  const end = Math.max(1, items.length - scrolled);
  const room = Math.max(1, rows - 1);
  // Hidden items need a line at each end.
  const all = items.length <= room;
  const start = all ? 0 : Math.max(0, end - Math.max(1, room - (end < items.length ? 2 : 1)));
  const last = all ? items.length : end;
  const shown = items.slice(start, last);
  const number = String(items.length).length + 1;
  const totals = Math.max(widthOf(total) + 7, ...shown.map((item) => widthOf(formatPesos(totalAsNumber([item])))));
  const amounts = Math.max(...[total, ...shown.map((item) => formatPesos(totalAsNumber([item])))].map(widthOf));
  const prices = Math.max(...shown.map((item) => widthOf(formatItemPrice(item))));
  const wide = width - 2 - number - 2 - prices - 3 - amounts >= 12;
  const text = Math.max(4, width - 2 - number - 2 - (wide ? prices + 3 : 2) - amounts);
  const left = (from: number, to: number, where: string): string[] => {
    const some = items.slice(from, to);
    if (some.length === 0) return [];
    const words = cut(`and ${some.length} more ${some.length === 1 ? 'item' : 'items'} ${where}`, width - totals - 4);
    return [
      `  ${padEnd('', number + 2)}${padEnd(words, width - number - 4 - amounts)}${padStart(formatPesos(totalAsNumber(some)), amounts)}`,
    ];
  };
  return [
    ...left(0, start, 'above'),
    ...shown.map((item, index) =>
      [
        `  ${padStart(String(start + index + 1), number)}  `,
        padEnd(cut(oneLineText(item.description), text), text),
        wide ? ` ${padStart(formatItemPrice(item), prices)}  ` : '  ',
        padStart(formatPesos(totalAsNumber([item])), amounts),
      ].join(''),
    ),
    ...left(last, items.length, 'below'),
    `  ${padEnd('', number + 2)}${padEnd(cut(formatItemCount(items.length), width), width - number - 4 - amounts - 7)}${padStart(`Total  ${total}`, amounts + 7)}`,
  ];
}
