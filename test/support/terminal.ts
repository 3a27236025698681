// A pseudo-terminal that runs the built program: tests wait for its output, and answer.

import {cliEnvironment, RUN} from './cli.js';
import {Watchers} from './watchers.js';
import type {Readable} from 'node:stream';

type Module = typeof import('@lydell/node-pty');

/** The module, or why it cannot be loaded on this machine. */
export const loaded: {readonly pty?: Module; readonly reason?: string} = await import('@lydell/node-pty').then(
  (pty) => ({pty: 'spawn' in pty ? pty : (pty as {default: Module}).default}),
  (error: Error) => ({reason: error.message}),
);

/** A pseudo-terminal with a running program. */
export interface Pty {
  readonly onData: (listener: (data: string) => void) => unknown;
  readonly onExit: (listener: (end: {exitCode: number; signal?: number}) => void) => unknown;
  readonly write: (keys: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  readonly kill: (signal?: string) => void;
}

export interface TerminalOptions {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Runs this in a shell instead; `centavo` is then `"$NODE" "$RUN"`. */
  readonly shell?: string;
}

export interface Terminal {
  /** Everything shown so far, colours and cursor movements included. */
  readonly raw: () => string;
  /** The same as text. */
  readonly text: () => string;
  /** Resolves when the text after the last match has this; rejects if the program ends first. */
  readonly until: (pattern: RegExp) => Promise<void>;
  readonly type: (keys: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  readonly kill: (signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM') => void;
  /** The exit status, once it has ended. */
  readonly ended: Promise<number>;
}

export const ENTER = '\r';
export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';

// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001B\[[0-?]*[ -/]*[@-~]|\u001B[@-Z\\-_]|\r/g;

/** Starts `centavo` in a terminal of its own. */
export function terminal(dataDirectory: string, args: readonly string[], options: TerminalOptions = {}): Terminal {
  const {columns = 100, env = {}, shell} = options;
  const [command, words] = shell === undefined ? [process.execPath, [RUN, ...args]] : ['/bin/sh', ['-c', shell]];
  const pty = loaded.pty!.spawn(command, words, {
    cols: columns,
    rows: 40,
    env: cliEnvironment(dataDirectory, {TERM: 'xterm-256color', NODE: process.execPath, RUN, ...env}, args),
  });
  return read(pty);
}

/** Idle turns of the event loop after which all output of an ended program has been read. */
const LAST_TURNS = 10;
/** Milliseconds of each. */
const TURN = 20;

/**
 * node-pty closes a terminal 200 ms after its program has ended, whatever has not been read by then, which on a busy machine
 * is the program's last words. Here it is read until nothing comes. It need not end: what the program left behind may keep it open.
 */
export function readToItsEnd(pty: Pty): void {
  const {_socket: socket} = pty as {_socket?: Readable};
  if (!socket) return;
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => {
    if (error) return destroy(error);
    let left = LAST_TURNS;
    socket.on('data', () => (left = LAST_TURNS));
    const turn = (): unknown => (left-- > 0 && !socket.destroyed ? setTimeout(turn, TURN) : destroy());
    turn();
    return socket;
  };
}

/** Types keys. After the end of the output nobody reads them, and the socket would throw where no test can catch it. */
export function typeInto(pty: Pty, keys: string): void {
  if (!hasEnded(pty)) pty.write(keys);
}

/** Changes the size. After the end of the output its file may be closed. */
export function resizeTo(pty: Pty, columns: number, rows: number): void {
  if (!hasEnded(pty)) pty.resize(columns, rows);
}

function hasEnded(pty: Pty): boolean {
  const {_socket: socket} = pty as {_socket?: Readable};
  return socket !== undefined && (socket.readableEnded || socket.destroyed);
}

/** Closes the terminal, as its window does. Its processes hear of it by SIGHUP, and by streams that fail. */
export const closeTerminal = (pty: Pty): void => void (pty as {_socket?: Readable})._socket!.destroy();

/** The exit status as a shell has it: 128 and the number of the signal that ended the program. */
export const statusOf = ({exitCode, signal}: {exitCode: number; signal?: number}): number =>
  signal ? 128 + signal : exitCode;

/** Its output as text. */
export function read(pty: Pty): Terminal {
  readToItsEnd(pty);
  let raw = '';
  let matched = 0;
  let status: number | undefined;
  const watchers = new Watchers();
  const text = () => raw.replace(ESCAPES, '');
  pty.onData((data) => {
    raw += data;
    watchers.notify();
  });
  const ended = new Promise<number>((resolve) => {
    pty.onExit((end) => {
      status = statusOf(end);
      resolve(status);
      watchers.notify();
    });
  });
  return {
    raw: () => raw,
    text,
    ended,
    type: (keys) => typeInto(pty, keys),
    resize: (columns, rows) => resizeTo(pty, columns, rows),
    kill: (signal) => pty.kill(signal),
    until: async (pattern) => {
      const match = await watchers.until(() => {
        const rest = text().slice(matched);
        // A sentence is found although it is broken between words.
        const found = pattern.exec(rest) ?? pattern.exec(rest.replaceAll('\n', ' '));
        if (found || status === undefined) return found;
        throw new Error(`It ended with ${status} and without ${String(pattern)}: ${text()}`);
      });
      matched += match.index + match[0].length;
    },
  };
}
