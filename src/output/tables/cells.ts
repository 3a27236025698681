// The cells of a table, and the values of one object: what a person at a terminal sees of a value, and what a pipe gets.

import {longDay, shortDay} from '../../manila.js';
import type {Io, Style} from '../io.js';
import {textOf, valueAt} from '../rows.js';
import type {Column, Look, Result, Row, WordsByPath} from '../result.js';
import type {Cell} from './table.js';

/** How a person sees values; without it they are as a pipe gets them. */
export interface Reading extends Look {
  readonly words: WordsByPath;
}

/** How these columns are read at a terminal; undefined in a pipe, or where the time is not known. */
export async function readingOf(
  {words}: Partial<Result>,
  columns: readonly Column[],
  {io, now}: {readonly io: Io; readonly now?: number},
): Promise<Reading | undefined> {
  if (!io.stdoutIsTerminal || now === undefined) return undefined;
  return {now, beside: new Set(columns.map(({path}) => path)), words: (await words?.()) ?? new Map()};
}

const STATUSES: Readonly<Record<'dim' | 'green' | 'red' | 'yellow', readonly string[]>> = {
  yellow: ['active', 'open'],
  dim: ['draft', 'disabled', 'void', 'canceled', 'expired'],
  green: ['paid', 'succeeded', 'successful', 'completed', 'enabled'],
  red: ['failed', 'uncollectible'],
};
const STYLES = new Map(Object.entries(STATUSES).flatMap(([style, all]) => all.map((each) => [each, style as Style])));

/** In a table, times are shortened to the day. */
const DAY_LENGTH = 10;

interface CellOptions {
  readonly io: Io;
  readonly look?: Reading;
  /** The whole time and not its day. */
  readonly whole?: boolean;
}

/** One value of a row. Its text is clean and on one line. */
export function cellOf(row: Row, column: Column, {io, look, whole = false}: CellOptions): Cell {
  const words = look?.words.get(column.path)?.(row, look);
  if (words) return painted(words.text, words.style ?? STYLES.get(words.text), io);
  const full = textOf(row, column);
  if (column.kind === 'timestamp')
    return {text: timeText(valueAt(row, column.path), full, {look, whole, timed: column.timed})};
  return painted(full, column.kind === 'status' ? STYLES.get(full) : undefined, io);
}

const painted = (text: string, style: Style | undefined, io: Io): Cell => ({
  text,
  ...(style && {paint: (part: string) => io.paint(style, part)}),
});

/** @param time as a pipe gets it: `2026-12-15 23:59` */
function timeText(
  at: unknown,
  time: string,
  {look, whole, timed}: Pick<CellOptions, 'look' | 'whole'> & Pick<Column, 'timed'>,
): string {
  const isTime = typeof at === 'number' && at !== 0 && /^\d{4}-\d\d-\d\d \d\d:\d\d$/.test(time);
  const hour = time.slice(-5);
  if (look && isTime && whole) return `${longDay(at)}, ${hour}`;
  if (look && isTime) return timed ? `${shortDay(at, look.now)} ${hour}` : shortDay(at, look.now);
  return whole ? time : time.slice(0, DAY_LENGTH);
}

const ID = /^((?:[a-z]+_)+)([A-Za-z0-9]+)$/;
/** Characters after the prefix that a short id has at least. */
const SHORT_ID = 8;

/** The ids cut to their prefix and eight characters, or to as many more as tell all of them apart. */
export function shortIds(ids: readonly string[]): string[] {
  const bodies = [...new Set(ids)].flatMap((id) => ID.exec(id)?.[0] ?? []);
  const longest = bodies.reduce((length, id) => Math.max(length, id.length), 0);
  for (let length = SHORT_ID; length < longest; length++) {
    const short = (id: string): string => {
      const [, prefix = '', body = ''] = ID.exec(id) ?? [];
      return body ? prefix + body.slice(0, length) : id;
    };
    if (new Set(bodies.map(short)).size === bodies.length) return ids.map(short);
  }
  return [...ids];
}
