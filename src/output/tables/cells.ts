// Formats the cells of a table, and the values of one object.

import {boundedText, MAX_LINK} from '../../common/bounded-text.js';
import {endOfManilaDay, longDay, shortDay} from '../../common/manila.js';
import type {OutputStreams, Style} from '../streams.js';
import type {ResultCell, ResultColumn, FormatContext, CommandResult, ResultRow, ValueFormatters} from '../result.js';
import {cellText, valueAt} from '../row-formats.js';

export interface TerminalCellOptions extends FormatContext {
  readonly words: ValueFormatters;
}

/** Resolves with undefined if the time is unknown. */
export async function terminalCellOptionsOf(
  {formatters: words}: Partial<CommandResult>,
  columns: readonly ResultColumn[],
  now: number | undefined,
): Promise<TerminalCellOptions | undefined> {
  if (now === undefined) return undefined;
  return {now, shownPaths: new Set(columns.map(({path}) => path)), words: (await words?.()) ?? new Map()};
}

const STATUSES: Readonly<Record<'dim' | 'green' | 'red' | 'yellow', readonly string[]>> = {
  yellow: ['active', 'open', 'not_checked'],
  dim: ['draft', 'disabled', 'void', 'settled', 'canceled', 'expired'],
  green: ['paid', 'succeeded', 'successful', 'completed', 'enabled'],
  red: ['failed', 'uncollectible'],
};
export const STATUS_STYLES = new Map(
  Object.entries(STATUSES).flatMap(([style, all]) => all.map((each) => [each, style as Style])),
);

/** Characters of `2026-12-15`. */
const DAY_LENGTH = 10;

interface CellOptions {
  readonly io: OutputStreams;
  readonly look?: TerminalCellOptions;
  readonly fullTime?: boolean;
}

/** Returns the cell of a value: one line, without control characters. */
export function cellOf(row: ResultRow, column: ResultColumn, {io, look, fullTime = false}: CellOptions): ResultCell {
  const words = look?.words.get(column.path)?.(row, look);
  if (words) return painted(boundedText(words.text), words.style ?? STATUS_STYLES.get(words.text), io);
  const full = cellText(row, column);
  if (column.kind === 'timestamp')
    return {text: timeText(valueAt(row, column.path), full, {look, fullTime, timed: column.timed})};
  const text = boundedText(full, column.whole ? MAX_LINK : undefined);
  return painted(text, column.kind === 'status' ? STATUS_STYLES.get(full) : undefined, io);
}

const painted = (text: string, style: Style | undefined, io: OutputStreams): ResultCell => ({
  text,
  ...(style && {paint: (part: string) => io.paint(style, part)}),
});

/** @param time the text for a pipe: `2026-12-15 23:59` */
function timeText(
  at: unknown,
  time: string,
  {look, fullTime, timed}: Pick<CellOptions, 'fullTime' | 'look'> & Pick<ResultColumn, 'timed'>,
): string {
  const isTime = typeof at === 'number' && at !== 0 && /^\d{4}-\d\d-\d\d \d\d:\d\d$/.test(time);
  const hour = time.slice(-5);
  if (look && isTime && fullTime) return `${longDay(at)}, ${hour}`;
  // A settlement names a day, which is its end.
  if (look && isTime) return shortDay(at, look.now) + (timed && at !== endOfManilaDay(at) ? ` ${hour}` : '');
  return fullTime ? time : time.slice(0, DAY_LENGTH);
}

const ID_TEXT = /^((?:[a-z]+_)+)([A-Za-z0-9]+)$/;
/** Characters after the prefix of a short id. */
const SHORT_ID_LENGTH = 8;

/** Cuts ids to their prefix, eight characters and an ellipsis; to more characters if needed to keep all ids distinct. */
export function shortIds(ids: readonly string[]): string[] {
  const bodies = [...new Set(ids)].flatMap((id) => ID_TEXT.exec(id)?.[0] ?? []);
  const longest = bodies.reduce((length, id) => Math.max(length, id.length), 0);
  for (let length = SHORT_ID_LENGTH; length < longest; length++) {
    const short = (id: string): string => {
      const [, prefix = '', body = ''] = ID_TEXT.exec(id) ?? [];
      return body.length > length ? `${prefix}${body.slice(0, length)}…` : id;
    };
    if (new Set(bodies.map(short)).size === bodies.length) return ids.map(short);
  }
  return [...ids];
}
