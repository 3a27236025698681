// A full screen at a terminal: draws lines, reports keys, and restores the terminal.

import {emitKeypressEvents} from 'node:readline';
import type {ReadStream, WriteStream} from 'node:tty';
import {cleanLines} from './format.js';

/** Stdin at a terminal. */
export type KeyInput = Pick<ReadStream, 'off' | 'on' | 'pause' | 'resume'> & Partial<Pick<ReadStream, 'setRawMode'>>;
/** Stdout at a terminal. */
export type ScreenOutput = Partial<Pick<WriteStream, 'columns' | 'rows'>> & {
  write(text: string): boolean;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
};

export interface Screen {
  readonly size: () => {readonly width: number; readonly height: number};
  readonly draw: (lines: readonly string[]) => void;
  readonly close: () => void;
}

const ENTER = '\u001B[?1049h\u001B[?25l';
const LEAVE = '\u001B[?25h\u001B[?1049l';
const HOME = '\u001B[H';
const REST_OF_LINE = '\u001B[K';

export interface ScreenOptions {
  readonly input: KeyInput;
  readonly output: ScreenOutput;
  /** Gets a name such as `up`, `return` or `ctrl-c`, or the character. */
  readonly onKey: (key: string) => void;
  readonly onResize: () => void;
  /** Registers a clean-up for the end of the process; returns a function that cancels it. */
  readonly atExit: (cleanUp: () => void) => () => void;
}

/** Takes over the terminal until closed. */
export function openScreen({input, output, onKey, onResize, atExit}: ScreenOptions): Screen {
  const keypress = (text: string | undefined, {name, ctrl}: {name?: string; ctrl?: boolean}): void => {
    if (ctrl) onKey(`ctrl-${name}`);
    else if (text !== undefined && text.length === 1 && text >= ' ' && text !== '\u007F') onKey(text);
    else if (name) onKey(name === 'enter' ? 'return' : name);
  };
  emitKeypressEvents(input as never);
  input.setRawMode?.(true);
  input.resume();
  input.on('keypress', keypress);
  output.on('resize', onResize);
  output.write(ENTER);
  let open = true;
  const forget = atExit(() => output.write(LEAVE));
  return {
    size: () => ({width: output.columns ?? 80, height: output.rows ?? 24}),
    draw: (lines) => {
      if (open) output.write(HOME + lines.map((line) => cleanLines(line) + REST_OF_LINE).join('\n'));
    },
    close: () => {
      if (!open) return;
      open = false;
      forget();
      input.off('keypress', keypress);
      output.off('resize', onResize);
      input.setRawMode?.(false);
      input.pause();
      output.write(LEAVE);
    },
  };
}
