// Lines at the bottom of a terminal, redrawn in place: written over and not cleared first, so that nothing flickers.

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
  readonly size: () => {readonly width: number; readonly height: number};
  /** @param lines no wider than the terminal @param cursor hidden by default */
  readonly draw: (lines: readonly string[], cursor?: {readonly line: number; readonly column: number}) => void;
  /** Erases the lines, so that what is written next takes their place. */
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

/** @param widthOf columns of a text without its colours */
export function openFrame(output: FrameOutput, widthOf: (text: string) => number, onResize: () => void): Frame {
  let drawn: readonly string[] = [];
  let cursorLine = 0;
  const columns = (): number => Math.max(20, output.columns || 80);
  const rowsOf = (line: string): number => Math.max(1, Math.ceil(widthOf(line) / columns()));
  /** Counts rows, since a terminal that became narrower has wrapped the lines. */
  const toTop = (): string =>
    drawn.length === 0 ? '' : `${up(drawn.slice(0, cursorLine).reduce((sum, line) => sum + rowsOf(line), 0))}\r`;
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
    cursorLine = 0;
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
      cursorLine = cursor?.line ?? safe.length - 1;
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
