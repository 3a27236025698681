// What a person sees without a process: the command runs in the test's own, on streams that are a terminal to it.

import {PassThrough, Writable} from 'node:stream';
import {setTimeout as delay} from 'node:timers/promises';
import {cliEnvironment} from '../../helpers/cli.js';
import {runIn, turn} from './commands.js';
import {emulator, FIXED_NOW, screen, type Screen, type ScreenOptions} from './screen.js';

/** What a signal makes of the exit status. */
const STATUSES = {SIGHUP: 143, SIGINT: 130, SIGTERM: 143};

export interface DeskOptions extends ScreenOptions {
  /** How long a wait takes, as a part of what was asked for; in a pseudo-terminal, all of it. */
  readonly pace?: number;
}

type Open = (dataDirectory: string, args: readonly string[], options?: DeskOptions) => Screen;

/** `npm run soak` has all screens in pseudo-terminals. */
const isSoak = process.env.CENTAVO_TEST_SCREENS === 'all';

/** What `screen` does, without a process: it cannot be killed. One at a time; the next waits. */
export const desk: Open = isSoak ? screen : inProcess;

/** For what is repeated at several widths: the program in a pseudo-terminal at 80 columns, and a desk at the others. */
export const screenAt: Open = (dataDirectory, args, options) =>
  (options?.columns === 80 ? screen : desk)(dataDirectory, args, options);

function inProcess(dataDirectory: string, args: readonly string[], options: DeskOptions = {}): Screen {
  const {columns = 80, rows = 24, env = {}, now = FIXED_NOW, pace = 1} = options;
  const started = Date.now();
  const stopping = new AbortController();
  let received: number | undefined;
  const stop = (status: number): void => {
    received ??= status;
    stopping.abort();
  };

  const stdin = Object.assign(new PassThrough(), {isTTY: true, setRawMode: () => stdin});
  const output = (): any =>
    Object.assign(
      new Writable({
        write: (chunk: Buffer, _, done) => {
          // As the terminal's driver does.
          drawing.write(chunk.toString().replaceAll('\n', '\r\n'));
          done();
        },
      }),
      // Whatever is piped to the terminal does not close it.
      {isTTY: true, columns, rows, end: () => {}},
    );
  const [stdout, stderr] = [output(), output()];
  const surroundings = {
    ...{stdin, stdout, stderr},
    env: cliEnvironment(dataDirectory, {TERM: 'xterm-256color', ...env}),
    now: () => (now === null ? Date.now() : now * 1000 + Date.now() - started),
    sleep: (milliseconds: number, signal?: AbortSignal) => delay(milliseconds * pace, undefined, {signal}),
    signal: stopping.signal,
    interrupt: () => stop(STATUSES.SIGINT),
  };
  const exit = Promise.resolve().then(() => turn(() => runIn(dataDirectory, args, surroundings, () => received)));
  const drawing = emulator({columns, rows, onAnswer: (answer) => stdin.write(answer), exit});
  return {
    ...drawing.seen,
    type: (keys) => stdin.write(keys),
    resize: (newColumns, newRows) => {
      drawing.resize(newColumns, newRows);
      for (const stream of [stdout, stderr]) {
        Object.assign(stream, {columns: newColumns, rows: newRows});
        stream.emit('resize');
      }
    },
    kill: (signal) => {
      if (signal === 'SIGKILL') throw new Error('There is no process to kill.');
      stop(STATUSES[signal]);
    },
  };
}
