// Lines at the bottom of what a terminal shows that are drawn anew in place: written over, never cleared first, so that nothing flickers.

import {cleanLines} from '../format.js';

/** Stderr at a terminal. */
export interface FrameOutput {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
  on(event: 'error' | 'resize', listener: () => void): unknown;
  off(event: 'error' | 'resize', listener: () => void): unknown;
}

export interface Frame {
  /** Columns that may be used, and rows. */
  readonly size: () => {readonly width: number; readonly height: number};
  /** @param lines no wider than the terminal @param cursor where it stands: a line and a column; hidden when left out */
  readonly draw: (lines: readonly string[], cursor?: {readonly line: number; readonly column: number}) => void;
  /** Takes the lines away, so that what is written next stands in their place. */
  readonly clear: () => void;
  readonly close: () => void;
}

/** Wider lines are hard to read. */
const WIDEST = 96;
const BEGIN = '\u001B[?2026h\u001B[?25l';
const END = '\u001B[?2026l';
const SHOW_CURSOR = '\u001B[?25h';
const REST_OF_LINE = '\u001B[K';
const REST_OF_SCREEN = '\u001B[J';

const up = (rows: number): string => (rows > 0 ? `\u001B[${rows}A` : '');

/** @param widthOf columns of a text, colours not counted */
export function openFrame(output: FrameOutput, widthOf: (text: string) => number, onResize: () => void): Frame {
  let drawn: readonly string[] = [];
  /** The line of the cursor among those. */
  let at = 0;
  const columns = (): number => Math.max(20, output.columns || 80);
  const rowsOf = (line: string): number => Math.max(1, Math.ceil(widthOf(line) / columns()));
  /** A terminal that became narrower has wrapped what was drawn. */
  const toTop = (): string =>
    drawn.length === 0 ? '' : `${up(drawn.slice(0, at).reduce((sum, line) => sum + rowsOf(line), 0))}\r`;
  const write = (text: string): void => {
    try {
      output.write(text);
    } catch {
      // A terminal that is gone shows nothing.
    }
  };
  const ignore = (): void => {};
  output.on('error', ignore);
  output.on('resize', onResize);
  const clear = (): void => {
    if (drawn.length > 0) write(`${toTop()}${REST_OF_SCREEN}${SHOW_CURSOR}`);
    drawn = [];
    at = 0;
  };
  return {
    size: () => ({width: Math.min(WIDEST, columns() - 1), height: Math.max(6, output.rows || 24)}),
    draw: (lines, cursor) => {
      const safe = lines.map(cleanLines);
      const text = safe.join(`${REST_OF_LINE}\r\n`);
      const back = cursor
        ? `${up(safe.length - 1 - cursor.line)}\r${cursor.column > 0 ? `\u001B[${cursor.column}C` : ''}${SHOW_CURSOR}`
        : '';
      write(`${BEGIN}${toTop()}${text}${REST_OF_LINE}${REST_OF_SCREEN}${back}${END}`);
      drawn = safe;
      at = cursor?.line ?? safe.length - 1;
    },
    clear,
    close: () => {
      clear();
      write(SHOW_CURSOR);
      output.off('resize', onResize);
      output.off('error', ignore);
    },
  };
}
