// Lays out a question as lines that fit the terminal, and writes them in place of the last ones.

import {EventEmitter} from 'node:events';
import {oneLineText} from '../format.js';
import type {Style} from '../streams.js';
import type {AskerNote, Space, Summary, Terminal} from './asker.js';
import type {NamedChoice} from './matching.js';

export interface FrameStyle extends Space {
  readonly height: number;
  readonly paint: (style: Style, text: string) => string;
  /** Makes a text safe to draw, in one line. */
  readonly clean: (text: string) => string;
}

export interface FrameParts {
  readonly title?: readonly [title: string, account: string];
  readonly isLive?: boolean;
  readonly summary?: Summary;
  /** Lines of the question. The cursor is in the last one. */
  readonly question: readonly string[];
  readonly note?: AskerNote;
  /** Lines below the question, drawn unchanged. */
  readonly below: readonly string[];
  readonly keys: string;
  /** Rows by which the user scrolled up from the end of the summary. */
  readonly scrolled: number;
}

const NOTE_STYLES = {error: 'red', warning: 'yellow', info: 'dim'} as const;

interface Frame {
  /** Lines up to the cursor. */
  readonly above: string[];
  readonly below: string[];
  /** Number of rows of the summary that are shown. */
  readonly page: number;
}

export function frameOf(parts: FrameParts, style: FrameStyle): Frame {
  const {width, height, measure, paint, clean} = style;
  const {summary: {before = [], rows = [], after = []} = {}, question, note, scrolled} = parts;
  const head = parts.title ? titleLines(parts.title, parts.isLive === true, style) : [];
  const notes = note ? wrapped(note.text, style).map((line) => `  ${paint(NOTE_STYLES[note.tone], line)}`) : [];
  const keys = keyLines(parts.keys, style).map((line) => paint('dim', line));
  const free = height - 1 - head.length - question.length - notes.length - keys.length;
  const below = [...notes, ...parts.below.slice(0, Math.max(1, free))];
  const space = Math.max(0, free - Math.min(parts.below.length, Math.max(1, free)));
  const fixed = before.length + after.length;
  const listed = scrolledRows(rows, Math.max(0, space - fixed), scrolled, style);
  const lines = [...before, ...listed, ...after].map((line) => measure.cut(clean(line), width));
  const shown = space < fixed ? lines.slice(Math.max(0, lines.length - space)) : lines;
  const hasGap = shown.length > 0 && space - shown.length >= 3;
  const gap = hasGap ? [''] : [];
  const above = [...head, ...gap, ...shown, ...gap, ...question];
  const page = Math.max(1, listed.length === rows.length ? rows.length : listed.length - 1);
  return {above, below: [...below, ...gap, ...keys], page};
}

function scrolledRows(rows: readonly string[], space: number, scrolled: number, {clean}: FrameStyle): string[] {
  if (rows.length <= space) return [...rows];
  const count = Math.max(1, space - 1);
  const end = Math.max(Math.min(count, rows.length), rows.length - scrolled);
  const start = Math.max(0, end - count);
  const where = clean(`  Items ${start + 1} to ${end} of ${rows.length} · PgUp and PgDn show the others`);
  return [...rows.slice(start, end), ...(space > 1 ? [where] : [])];
}

export const wrapped = (text: string, {width, measure, clean}: FrameStyle): string[] =>
  measure.wrap(clean(text), width - 2);

function titleLines([title, account]: readonly [string, string], isLive: boolean, style: FrameStyle): string[] {
  const {width, measure, paint, clean} = style;
  const shown = measure.cut(clean(account), width);
  const space = width - measure.widthOf(title) - measure.widthOf(shown);
  const painted = paint(isLive ? 'red' : 'dim', shown);
  return space < 2 ? [paint('bold', title), painted] : [`${paint('bold', title)}${' '.repeat(space)}${painted}`];
}

/** Wraps the keys to one line, or to two lines on a screen of at least 16 rows. */
function keyLines(keys: string, {width, height, measure}: FrameStyle): string[] {
  const lines: string[] = [];
  for (const part of keys.split(' · ')) {
    const longer = lines.length === 0 ? part : `${lines.at(-1)} · ${part}`;
    if (lines.length > 0 && measure.widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.slice(0, height < 16 ? 1 : 2).map((line) => measure.cut(line, width));
}

interface ListOptions {
  /** Index of the marked row, if any. */
  readonly selected: number;
  readonly rows: number;
  /** True if the first row is always shown. */
  readonly isFirstKept?: boolean;
}

/** Returns the rows around the marked one. */
export function choiceListLines(
  all: readonly NamedChoice[],
  {selected, rows, isFirstKept = false}: ListOptions,
  {width, measure, paint, clean}: FrameStyle,
): string[] {
  const {cut, padEnd, widthOf} = measure;
  const kept = isFirstKept ? 1 : 0;
  const capacity = Math.max(1, rows - kept);
  const start = kept + Math.max(0, Math.min(selected - kept - Math.floor(capacity / 2), all.length - kept - capacity));
  const at = [...(isFirstKept ? [0] : []), ...all.keys()].filter(
    (index, place) => (isFirstKept && place === 0) || (index >= start && index < start + capacity),
  );
  const shown = at.map((index) => {
    const {name, detail} = all[index]!;
    return {index, name: clean(name), detail: detail === undefined ? undefined : clean(detail)};
  });
  const detailed = shown.filter(({detail}) => detail !== undefined);
  const widest = (part: 'detail' | 'name'): number => Math.max(0, ...detailed.map((row) => widthOf(row[part]!)));
  // Names get at most half the width, or down to 40% if details need more.
  const maxName = Math.max(Math.floor(width * 0.4), Math.min(Math.floor(width / 2), width - 4 - widest('detail')));
  const names = Math.min(widest('name'), maxName);
  return shown.map(({index, name, detail}) => {
    const line = cut(detail === undefined ? name : `${padEnd(cut(name, names), names)}  ${detail}`, width - 2);
    return index === selected ? paint('cyan', `❯ ${line}`) : `  ${line}`;
  });
}

/** Returns the part of a text around the cursor that fits behind the prompt, and the cursor's column. */
export function fieldLine(
  prompt: string,
  text: string,
  cursor: number,
  {width, measure, clean}: FrameStyle,
): {readonly text: string; readonly column: number} {
  const {cut, tail, widthOf} = measure;
  const isSecret = clean(text) !== oneLineText(text);
  const [left, right] = isSecret
    ? [clean(text), '']
    : [oneLineText(text.slice(0, cursor)), oneLineText(text.slice(cursor))];
  const columns = Math.max(8, width - widthOf(prompt));
  const before = tail(left, columns - 1);
  return {text: before + cut(right, columns - widthOf(before)), column: widthOf(prompt + before)};
}

/** Columns. Wider lines are hard to read. */
const MAX_WIDTH = 96;
const BEGIN = '\u001B[?2026h\u001B[?25l';
const END = '\u001B[?2026l';
const SHOW_CURSOR = '\u001B[?25h';
const REST_OF_SCREEN = '\u001B[J';
const PASTE_ON = '\u001B[?2004h';
const PASTE_OFF = '\u001B[?2004l';
const up = (rows: number): string => (rows > 0 ? `\u001B[${rows}A` : '');

/** The stream that @inquirer/core writes to. Each write becomes one frame. */
export class FrameOutput extends EventEmitter {
  readonly writable = true;
  #drawn: {readonly above: readonly string[]; readonly below: readonly string[]; readonly column: number} | undefined;
  hasCursor = false;

  constructor(
    private readonly output: Terminal['output'],
    private readonly widthOf: (text: string) => number,
  ) {
    super();
  }

  /** Read by @inquirer/core. */
  get columns(): number {
    return Math.max(20, this.output.columns || 80);
  }

  get size(): {readonly width: number; readonly height: number} {
    return {width: Math.min(MAX_WIDTH, this.columns - 1), height: Math.max(6, this.output.rows || 24)};
  }

  /** Notes the lines that the next write draws, and the cursor's column. Without one, the cursor is hidden. */
  draws(frame?: Pick<Frame, 'above' | 'below'>, column?: number): void {
    this.#drawn = frame && {...frame, column: column ?? 0};
    this.hasCursor = column !== undefined;
  }

  readonly write = (text: string): boolean => {
    this.print(`${BEGIN}${text}${this.hasCursor ? SHOW_CURSOR : ''}${END}`);
    return true;
  };

  /** Erases a frame that the terminal has wrapped anew, or that other output follows. */
  erase(): void {
    if (!this.#drawn) return;
    const rowsOf = (line: string): number => Math.max(1, Math.ceil(this.widthOf(line) / this.columns));
    const {above, column} = this.#drawn;
    const inLine = Math.floor(column / this.columns);
    const top = above.slice(0, -1).reduce((sum, line) => sum + rowsOf(line), inLine);
    this.print(`${up(top)}\r${REST_OF_SCREEN}`);
  }

  /** Makes the space that the next write erases. */
  space(): void {
    if (!this.#drawn) return;
    const {above, below} = this.#drawn;
    this.print('\n'.repeat(above.length + below.length - 1) + up(below.length));
  }

  open(): void {
    this.print(PASTE_ON);
  }

  close(): void {
    this.print(`${PASTE_OFF}${SHOW_CURSOR}`);
  }

  print(text: string): void {
    try {
      this.output.write(text);
    } catch {
      // A closed terminal is not an error.
    }
  }

  // The prompts end their output; the terminal stays open.
  readonly end = (): void => {};
}
