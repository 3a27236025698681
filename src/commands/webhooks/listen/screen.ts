// The terminal of the event list: draws on the whole terminal, and reads keys.

import type {Key} from 'node:readline';
import type {ReadStream, WriteStream} from 'node:tty';
import {multiLineText} from '../../../output/format.js';
import {keyDecoder} from '../../../output/prompt/keyboard.js';

export interface ScreenOptions {
  readonly input: ReadStream;
  readonly output: WriteStream;
  /** Registers a clean-up for the end of the process; returns a function that cancels it. */
  readonly atExit: (cleanUp: () => void) => () => void;
  /** @param key a character, or the name of a key, such as `enter` and `ctrl-c`; characters only if pasted */
  readonly onKey: (key: string, isPasted: boolean) => void;
  readonly onResize: () => void;
}

export interface Screen {
  readonly size: () => {readonly width: number; readonly height: number};
  /** @param lines one for each row, no wider than the terminal */
  readonly draw: (lines: readonly string[]) => void;
  /** Restores the terminal. */
  readonly close: () => void;
}

/** The alternate screen, marks around pasted text, and no cursor. */
const ENTER = '\u001B[?1049h\u001B[?2004h\u001B[?25l';
const LEAVE = '\u001B[?25h\u001B[?2004l\u001B[?1049l';
/** A frame is shown as a whole, over the previous one, so that it does not flicker. */
const BEGIN = '\u001B[?2026h\u001B[H';
const END_LINE = '\u001B[K';
const END = '\u001B[J\u001B[?2026l';

export function openScreen({input, output, atExit, onKey, onResize}: ScreenOptions): Screen {
  const keys = keyDecoder();
  let isPasted = false;
  keys.on('keypress', (text: string | undefined, {name = '', ctrl, meta, sequence = ''}: Key) => {
    // Escape, followed at once by another key.
    if (meta && name !== 'escape' && !isPasted) onKey('escape', false);
    const typed = meta ? sequence.slice(1) : (text ?? '');
    const isCharacter = [...typed].length === 1 && typed >= ' ' && typed !== '\u007F';
    if (name === 'paste-start' || name === 'paste-end') isPasted = name === 'paste-start';
    else if (isCharacter) onKey(typed, isPasted);
    else if (!isPasted) onKey(`${ctrl ? 'ctrl-' : ''}${name === 'return' ? 'enter' : name}`, false);
  });
  const onData = (chunk: Buffer): void => void keys.emit('data', chunk);
  const write = (text: string): void => {
    try {
      output.write(text);
    } catch {
      // A closed terminal is not an error.
    }
  };
  const ignore = (): void => {};
  output.on('error', ignore);
  output.on('resize', onResize);
  write(ENTER);
  const cancelExit = atExit(() => write(LEAVE));
  input.on('data', onData);
  input.setRawMode(true);
  input.resume();
  return {
    size: () => ({width: output.columns || 80, height: output.rows || 24}),
    draw: (lines) => write(`${BEGIN}${lines.map(multiLineText).join(`${END_LINE}\r\n`)}${END_LINE}${END}`),
    close: () => {
      cancelExit();
      keys.removeAllListeners('keypress');
      input.off('data', onData);
      input.setRawMode(false);
      input.pause();
      output.off('resize', onResize);
      output.off('error', ignore);
      write(LEAVE);
    },
  };
}
