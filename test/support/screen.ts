// Screens: the program in a pseudo-terminal, drawn by a terminal emulator, and stored as text.

import {createRequire} from 'node:module';
import {fileURLToPath} from 'node:url';
import type {Terminal as Emulator} from '@xterm/headless';
import {cliEnvironment, RUN} from './cli.js';
import {closeTerminal, loaded, readToItsEnd, resizeTo, statusOf, typeInto, type Pty} from './terminal.js';
import {Watchers} from './watchers.js';

const {Terminal} = createRequire(import.meta.url)('@xterm/headless') as {Terminal: typeof Emulator};
const FIXED_CLOCK = fileURLToPath(new URL('fixed-clock.cjs', import.meta.url));

/** Tuesday, 15 December 2026, 10:00 in Manila. */
export const FIXED_NOW = Date.parse('2026-12-15T10:00:00+08:00') / 1000;

/** The marks of a synchronized update. */
const FRAME_BEGINS = '\u001B[?2026h';
const FRAME_ENDS = '\u001B[?2026l';

export interface ScreenOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Unix seconds at the start of the program's clock; {@link FIXED_NOW} by default, the real time if null. */
  readonly now?: number | null;
}

export interface Screen {
  /** The whole screen and scrollback as trimmed text. Ids, links and tokens are masked. */
  readonly show: () => Promise<string>;
  /** The same, unmasked. */
  readonly text: () => Promise<string>;
  /** Everything that was written, colours and cursor movements included. */
  readonly raw: () => string;
  /** Resolves when the screen shows this; rejects when the program ends without. */
  readonly until: (pattern: RegExp) => Promise<void>;
  readonly type: (keys: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  readonly kill: (signal: 'SIGHUP' | 'SIGINT' | 'SIGKILL' | 'SIGTERM') => void;
  /** Closes the terminal, as its window does. */
  readonly close: () => void;
  /** The exit status, once it has ended. */
  readonly ended: Promise<number>;
}

/** Ids and tokens are random; they are replaced by as many characters, so that nothing moves. */
export const masked = (text: string): string =>
  text.replace(
    /\b((?:bstm|bstm_li|cus|pi|pay|ref|evt|wh|cs)_)([A-Za-z0-9]{4,})/g,
    (_, prefix: string, rest: string) => `${prefix}${'X'.repeat(rest.length)}`,
  );

/** Starts `centavo` at a desk. */
export function screen(dataDirectory: string, args: readonly string[], options: ScreenOptions = {}): Screen {
  const {columns = 80, rows = 24, env = {}, now = FIXED_NOW} = options;
  const preload = now === null ? [] : ['--require', FIXED_CLOCK];
  const pty = loaded.pty!.spawn(process.execPath, [...preload, RUN, ...args], {
    cols: columns,
    rows,
    env: cliEnvironment(
      dataDirectory,
      {TERM: 'xterm-256color', ...(now !== null && {FIXED_NOW: String(now)}), ...env},
      args,
    ),
  });
  return drawn(pty, columns, rows);
}

/** Draws the output with a terminal emulator of this size. */
export function drawn(pty: Pty, columns: number, rows: number): Screen {
  readToItsEnd(pty);
  const emulator = new Terminal({cols: columns, rows, allowProposedApi: true, scrollback: 10_000});
  let raw = '';
  let status: number | undefined;
  let drawing = Promise.resolve();
  let undrawn = 0;
  const watchers = new Watchers();
  /** A frame arrives in several pieces; ignore partial frames. */
  const isWhole = (): boolean => undrawn === 0 && raw.lastIndexOf(FRAME_BEGINS) <= raw.lastIndexOf(FRAME_ENDS);
  pty.onData((data) => {
    raw += data;
    undrawn++;
    drawing = new Promise((resolve) => {
      emulator.write(data, () => {
        undrawn--;
        resolve();
        watchers.notify();
      });
    });
  });
  // Programs ask where the cursor is; the emulator answers.
  emulator.onData((answer) => typeInto(pty, answer));
  const ended = new Promise<number>((resolve) => {
    pty.onExit((end) => {
      const ending = (status = statusOf(end));
      void drawing.then(() => {
        resolve(ending);
        watchers.notify();
      });
    });
  });
  const shown = (): string => {
    const {active} = emulator.buffer;
    const lines = Array.from({length: active.length}, (_, row) => active.getLine(row)!.translateToString(true));
    return `${lines.join('\n').trimEnd()}\n`;
  };
  const text = async (): Promise<string> => {
    await drawing;
    return shown();
  };
  return {
    text,
    show: async () => masked(await text()),
    raw: () => raw,
    ended,
    type: (keys) => typeInto(pty, keys),
    resize: (newColumns, newRows) => {
      emulator.resize(newColumns, newRows);
      resizeTo(pty, newColumns, newRows);
    },
    kill: (signal) => pty.kill(signal),
    close: () => closeTerminal(pty),
    until: async (pattern) => {
      await watchers.until(() => {
        if (status === undefined && !isWhole()) return undefined;
        const now = shown();
        // A sentence is found although it is broken between words.
        if (pattern.test(now) || pattern.test(now.replaceAll('\n', ' '))) return true;
        if (status === undefined) return undefined;
        throw new Error(`It ended with ${status} and without ${String(pattern)}:\n${now}`);
      });
    },
  };
}
