// Lines on a terminal, redrawn in place below earlier output. Overwrites to avoid flicker.

import {multiLineText} from '../format.js';
import {openKeyboard, type KeyboardOptions} from './keyboard.js';

/** Stdout or stderr at a terminal. */
export interface ScreenOutput {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
  on(event: 'error' | 'resize', listener: () => void): unknown;
  off(event: 'error' | 'resize', listener: () => void): unknown;
}

export interface ScreenOptions extends KeyboardOptions {
  readonly output: ScreenOutput;
  readonly onResize: () => void;
  /** Returns the columns of a text, not counting colour codes. */
  readonly widthOf: (text: string) => number;
  /** Registers a clean-up for the end of the process; returns a function that cancels it. */
  readonly atExit?: (cleanUp: () => void) => () => void;
}

export interface Screen {
  readonly size: () => {readonly width: number; readonly height: number};
  /** @param lines no wider than the terminal @param cursor hidden by default */
  readonly draw: (lines: readonly string[], cursor?: {readonly line: number; readonly column: number}) => void;
  /** Erases the lines, so that the next output takes their place. */
  readonly clear: () => void;
  /** Restores the terminal before a suspension, until `acquire` is called. */
  readonly release: () => void;
  readonly acquire: () => void;
  readonly close: () => void;
}

/** Columns. Wider lines are hard to read. */
const MAX_WIDTH = 96;
const BEGIN = '\u001B[?2026h\u001B[?25l';
const END = '\u001B[?2026l';
const SHOW_CURSOR = '\u001B[?25h';
const REST_OF_LINE = '\u001B[K';
const REST_OF_SCREEN = '\u001B[J';
/** Marks around pasted text. */
const ENTER = '\u001B[?2004h';
const LEAVE = `\u001B[?2004l${SHOW_CURSOR}`;

const up = (rows: number): string => (rows > 0 ? `\u001B[${rows}A` : '');

export function openScreen({output, onResize, widthOf, atExit, ...keys}: ScreenOptions): Screen {
  let drawn: readonly string[] = [];
  let cursorLine = 0;
  let isOpen = true;
  const columns = (): number => Math.max(20, output.columns || 80);
  const rowsOf = (line: string): number => Math.max(1, Math.ceil(widthOf(line) / columns()));
  /** Moves to the first line. Counts rows, since a terminal that became narrower has wrapped the lines. */
  const toTop = (): string => {
    if (drawn.length === 0) return '';
    return `${up(drawn.slice(0, cursorLine).reduce((sum, line) => sum + rowsOf(line), 0))}\r`;
  };
  const write = (text: string): void => {
    try {
      output.write(text);
    } catch {
      // A closed terminal is not an error.
    }
  };
  const clear = (): void => {
    if (drawn.length > 0) write(`${toTop()}${REST_OF_SCREEN}${SHOW_CURSOR}`);
    drawn = [];
    cursorLine = 0;
  };
  const ignore = (): void => {};
  output.on('error', ignore);
  output.on('resize', onResize);
  write(ENTER);
  const cancelExit = atExit?.(() => write(LEAVE));
  const keyboard = openKeyboard(keys);
  return {
    size: () => ({width: Math.min(MAX_WIDTH, columns() - 1), height: Math.max(6, output.rows || 24)}),
    draw: (lines, cursor) => {
      if (!isOpen) return;
      const safe = lines.map(multiLineText);
      const text = safe.join(`${REST_OF_LINE}\r\n`);
      const moveCursor = cursor
        ? `${up(safe.length - 1 - cursor.line)}\r${cursor.column > 0 ? `\u001B[${cursor.column}C` : ''}${SHOW_CURSOR}`
        : '';
      write(`${BEGIN}${toTop()}${text}${REST_OF_LINE}${REST_OF_SCREEN}${moveCursor}${END}`);
      drawn = safe;
      cursorLine = cursor?.line ?? safe.length - 1;
    },
    clear,
    release: () => {
      clear();
      write(LEAVE);
      keyboard.release();
    },
    acquire: () => {
      keyboard.acquire();
      write(ENTER);
    },
    close: () => {
      if (!isOpen) return;
      isOpen = false;
      clear();
      cancelExit?.();
      keyboard.close();
      output.off('resize', onResize);
      output.off('error', ignore);
      write(LEAVE);
    },
  };
}
