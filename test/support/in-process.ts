// Screens without a process: the command runs inside the test, on streams that it takes for a terminal.

import {PassThrough, Writable} from 'node:stream';
import {cliEnvironment} from './cli.js';
import {Interruption, runIn} from './commands.js';
import {drawn, FIXED_NOW, screen, type Screen, type ScreenOptions} from './screen.js';
import {skippedOn, sleepOn} from './skipped-time.js';
import {CTRL_C, CTRL_D, read, terminal, type Pty, type Terminal, type TerminalOptions} from './terminal.js';

export interface InProcessOptions extends ScreenOptions {
  /** Scales waits; in a pseudo-terminal waits are never scaled. */
  readonly pace?: number;
}

type OpenScreen = (dataDirectory: string, args: readonly string[], options?: InProcessOptions) => Screen;
type OpenTerminal = (
  dataDirectory: string,
  args: readonly string[],
  options?: Omit<TerminalOptions, 'shell'> & {readonly pace?: number},
) => Terminal;

/** `npm run soak` has all of them in pseudo-terminals. */
const isSoak = process.env.CENTAVO_TEST_TERMINALS === 'all';

/** Like `screen`, without a process: it cannot be killed. */
export const screenInProcess: OpenScreen = isSoak
  ? screen
  : (dataDirectory, args, {columns = 80, rows = 24, now = FIXED_NOW, ...options} = {}) =>
      drawn(ptyInProcess(dataDirectory, args, {columns, rows, now, ...options}), columns, rows);

/** Like `terminal`, without a process. */
export const terminalInProcess: OpenTerminal = isSoak
  ? terminal
  : (dataDirectory, args, {columns = 100, env, pace} = {}) =>
      read(ptyInProcess(dataDirectory, args, {columns, rows: 40, now: null, env, pace}));

function ptyInProcess(
  dataDirectory: string,
  args: readonly string[],
  {columns, rows, env, now, pace = 1}: InProcessOptions,
): Pty {
  const started = Date.now();
  const {signal, received, send} = new Interruption();
  let isRaw = false;
  const setRawMode = (raw: boolean): PassThrough => {
    isRaw = raw;
    return stdin;
  };
  const stdin = Object.assign(new PassThrough(), {isTTY: true, setRawMode});
  const listeners: ((data: string) => void)[] = [];
  const show = (text: string): void => {
    // As the terminal's driver does.
    for (const listener of listeners) listener(text.replaceAll('\n', '\r\n'));
  };
  const output = (): any =>
    Object.assign(
      new Writable({
        decodeStrings: false,
        write: (text: Buffer | string, _, done) => {
          show(String(text));
          done();
        },
      }),
      // Whatever is piped to the terminal does not close it.
      {isTTY: true, columns, rows, end: () => {}},
    );
  const [stdout, stderr] = [output(), output()];
  const surroundings = {
    ...{stdin, stdout, stderr},
    env: cliEnvironment(dataDirectory, {TERM: 'xterm-256color', ...env}, args),
    now: () => (typeof now === 'number' ? now * 1000 + Date.now() - started : Date.now()) + skippedOn(dataDirectory),
    sleep: sleepOn(dataDirectory, pace),
    signal,
    interrupt: () => send('SIGINT'),
  };
  const exit = Promise.resolve()
    .then(() => runIn(dataDirectory, args, surroundings, received))
    .catch((error: Error) => {
      show(String(error.stack));
      return -1;
    });
  return {
    onData: (listener) => void listeners.push(listener),
    onExit: (listener) => void exit.then((exitCode) => listener({exitCode})),
    write: (keys) => {
      if (isRaw) return void stdin.write(keys);
      // As the terminal's driver does while a program reads lines.
      if (keys.includes(CTRL_C)) return send('SIGINT');
      const [text, ...end] = keys.replaceAll('\r', '\n').split(CTRL_D);
      show(text!);
      for (const line of text!.split(/(?<=\n)/)) stdin.write(line);
      if (end.length > 0) stdin.end();
    },
    resize: (newColumns, newRows) => {
      for (const stream of [stdout, stderr]) {
        Object.assign(stream, {columns: newColumns, rows: newRows});
        stream.emit('resize');
      }
    },
    kill: (name = 'SIGHUP') => send(name as NodeJS.Signals),
  };
}
