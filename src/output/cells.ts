// The cells of a table, and the values of one object: what a person at a terminal sees of a value, and what a pipe gets.

import {manilaDay, shortDay} from '../manila.js';
import type {Io, Style} from './io.js';
import {textOf, valueAt} from './rows.js';
import type {Column, Row} from './render.js';
import type {Cell} from './table.js';

/** What a cell can take into account besides its own row. */
export interface Look {
  /** Unix seconds. */
  readonly now: number;
  /** The paths of the columns that are shown. */
  readonly beside: ReadonlySet<string>;
}

/** What a person reads in place of a value. */
export interface Words {
  readonly text: string;
  readonly style?: Style;
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
  /** How a person sees it; without it, the value as a pipe gets it. */
  readonly look?: Look;
  /** The whole time and not its day. */
  readonly whole?: boolean;
}

/** One value of a row. Its text is clean and on one line. */
export function cellOf(row: Row, column: Column, {io, look, whole = false}: CellOptions): Cell {
  const words = look && column.words?.(row, look);
  if (words) return painted(words.text, words.style ?? STYLES.get(words.text), io);
  const full = textOf(row, column);
  if (column.kind === 'timestamp' && !whole)
    return {text: look ? dayOf(valueAt(row, column.path), full, look) : dayIn(full)};
  return painted(full, column.kind === 'status' ? STYLES.get(full) : undefined, io);
}

const painted = (text: string, style: Style | undefined, io: Io): Cell => ({
  text,
  ...(style && {paint: (part: string) => io.paint(style, part)}),
});

const dayIn = (time: string): string => time.slice(0, DAY_LENGTH);

const dayOf = (at: unknown, time: string, {now}: Look): string =>
  typeof at === 'number' && at !== 0 && Number.isFinite(manilaDay(at)) && /^\d{4}-/.test(time)
    ? shortDay(at, now)
    : dayIn(time);

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
