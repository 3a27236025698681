// Stand-in programs on their own PATH: real processes that print, linger and end as the test orders through a socket.

import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createServer, type Socket} from 'node:net';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {temporaryDirectory} from '../cli.js';
import {hostOf} from '../processes.js';
import {listen} from '../services/sockets.js';

const SCRIPT = `
const {spawn} = require('node:child_process');
const line = require('node:net').connect(Number(process.env.STAND_IN_PORT), '127.0.0.1');
const tell = (message) => line.write(JSON.stringify(message) + '\\n');
const orders = {
  out: (text) => process.stdout.write(text, () => tell({done: true})),
  err: (text) => process.stderr.write(text, () => tell({done: true})),
  exit: (status) => process.exit(status),
  stubborn: () => { process.on('SIGTERM', () => {}); tell({done: true}); },
  child: () => {
    const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); console.log(1); setInterval(() => {}, 1e6)'], {stdio: ['ignore', 'pipe', 'inherit']});
    child.stdout.once('data', () => tell({done: true, pid: child.pid}));
  },
};
let held = '';
line.setEncoding('utf8').on('data', (chunk) => {
  const parts = (held + chunk).split('\\n');
  held = parts.pop();
  for (const part of parts) { const [order, value] = JSON.parse(part); orders[order](value); }
});
tell({pid: process.pid, args: process.argv.slice(2), environment: process.env});
setInterval(() => {}, 1e6);
`;

/** A running stand-in. */
export interface Running {
  readonly pid: number;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Prints; resolves when written. */
  readonly out: (text: string) => Promise<unknown>;
  readonly err: (text: string) => Promise<unknown>;
  readonly exit: (status: number) => void;
  /** Ignores SIGTERM from now on. */
  readonly stubborn: () => Promise<unknown>;
  /** Starts a program that ignores SIGTERM. @returns its process id */
  readonly child: () => Promise<number>;
}

export type Programs = Awaited<ReturnType<typeof standIns>>;

/** True if a process runs; false for a zombie. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, 'utf8'));
}

/** Resolves when none of these processes runs; for processes that are not children. */
export async function untilGone(pids: readonly number[]): Promise<void> {
  while (pids.some(isRunning)) await new Promise((resolve) => setImmediate(resolve));
}

/** `done`, or what a program says at its start. */
type Message = Record<string, any>;

function follow(socket: Socket, onStart: (running: Running) => void): void {
  const waiting: ((message: Message) => void)[] = [];
  const order = (...words: unknown[]): Promise<Message> => {
    socket.write(`${JSON.stringify(words)}\n`);
    return new Promise((resolve) => waiting.push(resolve));
  };
  let held = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (held + chunk).split('\n');
    held = parts.pop()!;
    for (const message of parts.map((part) => JSON.parse(part) as Message)) {
      if (message.done) waiting.shift()?.(message);
      else
        onStart({
          ...(message as Pick<Running, 'args' | 'environment' | 'pid'>),
          out: (text) => order('out', text),
          err: (text) => order('err', text),
          exit: (status) => void order('exit', status),
          stubborn: () => order('stubborn'),
          child: async () => (await order('child')).pid!,
        });
    }
  });
}

/** Creates programs with these names, which wait for orders. */
export async function standIns(...names: string[]) {
  const folder = join(temporaryDirectory(), 'bin');
  mkdirSync(folder);
  for (const name of names) writeFileSync(join(folder, name), `#!${process.execPath}\n${SCRIPT}`, {mode: 0o755});

  const arrived: Running[] = [];
  const wanted: ((running: Running) => void)[] = [];
  const pids: number[] = [];
  const server = createServer((socket) =>
    follow(socket, (running) => {
      pids.push(running.pid);
      const take = wanted.shift();
      if (take) take(running);
      else arrived.push(running);
    }),
  );
  const {port, close} = await listen(server);
  onTestFinished(() => {
    void close();
    for (const pid of pids.filter(isRunning)) process.kill(pid, 'SIGKILL');
  });
  return {
    /** The only folder of the PATH. */
    folder,
    host: hostOf({PATH: folder, STAND_IN_PORT: String(port), CENTAVO_SECRET_KEY: 'sk_test_never_to_be_seen'}),
    /** The next stand-in, in order of start. */
    next: async (): Promise<Running> => arrived.shift() ?? new Promise((resolve) => wanted.push(resolve)),
  };
}

/** Returns the error that a promise rejects with; fails if it resolves. */
export const rejection = (promise: Promise<unknown>): Promise<any> =>
  promise.then(
    (value) => Promise.reject(new Error(`resolved with ${JSON.stringify(value)}`)),
    (error: unknown) => error,
  );

/** True if a promise has settled after all pending reads. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return settled;
}
