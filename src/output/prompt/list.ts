// Draws the field and the list of a question: the text around the cursor, and the rows around the mark.

import type {TextMeasure} from '../text-width.js';
import type {LineField, KeyEvent} from './line-field.js';
import type {NamedChoice} from './matching.js';

/** Returns the rows by which an event moves the mark; undefined for any other event. @param page rows of a page */
export const rowsMoved = (event: {readonly type: string} | KeyEvent, page: number): number | undefined =>
  event.type === 'key' && 'key' in event
    ? {up: -1, down: 1, 'ctrl-p': -1, 'ctrl-n': 1, pageup: -page, pagedown: page}[event.key]
    : undefined;

interface ListOptions {
  /** Index of the marked row, if any. */
  readonly selected: number;
  readonly width: number;
  /** Number of rows that fit. */
  readonly rows: number;
  readonly ruler: TextMeasure;
  /** True if the first row is always shown. */
  readonly isFirstKept?: boolean;
  readonly paint?: (line: string) => string;
}

/** @param all choices without control characters or secrets */
export function choiceListLines(
  all: readonly NamedChoice[],
  {selected, width, rows, ruler, isFirstKept = false, paint = (line) => line}: ListOptions,
): string[] {
  const {cut, padEnd, widthOf} = ruler;
  const kept = isFirstKept ? 1 : 0;
  const capacity = Math.max(1, rows - kept);
  const start = kept + Math.max(0, Math.min(selected - kept - Math.floor(capacity / 2), all.length - kept - capacity));
  const shown = [...all.slice(0, kept), ...all.slice(start, start + capacity)];
  const detailed = shown.filter(({detail}) => detail !== undefined);
  const widest = (part: 'detail' | 'name'): number => Math.max(0, ...detailed.map((row) => widthOf(row[part]!)));
  // Names get at most half the width, or down to 40% if details need more.
  const maxName = Math.max(Math.floor(width * 0.4), Math.min(Math.floor(width / 2), width - 4 - widest('detail')));
  const names = Math.min(widest('name'), maxName);
  return shown.map((row) => {
    const {name, detail} = row;
    const line = cut(detail === undefined ? name : `${padEnd(cut(name, names), names)}  ${detail}`, width - 2);
    return row === all[selected] ? paint(`❯ ${line}`) : `  ${line}`;
  });
}

/** Returns the typed text, or the part around the cursor that fits after the prompt, and the cursor's column. */
export function fieldLine(
  prompt: string,
  {text, cursor}: LineField,
  {width, ruler}: {readonly width: number; readonly ruler: TextMeasure},
): {readonly text: string; readonly column: number} {
  const {cut, tail, widthOf} = ruler;
  const columns = Math.max(8, width - widthOf(prompt));
  const before = tail(text.slice(0, cursor), columns - 1);
  const after = cut(text.slice(cursor), columns - widthOf(before));
  return {text: before + after, column: widthOf(prompt + before)};
}
