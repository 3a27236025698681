// Stand-in programs on their own PATH: real processes that print, linger and end as the test orders through a socket.

import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createServer, type Socket} from 'node:net';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import type {ProcessHost} from '../../../src/processes/child-program.js';
import {temporaryDirectory} from '../cli.js';

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

export interface Programs {
  readonly host: ProcessHost;
  /** The only folder of the PATH. */
  readonly folder: string;
  /** The next stand-in, in order of start. */
  readonly next: () => Promise<Running>;
}

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

interface Message {
  readonly done?: true;
  readonly pid?: number;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

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
      else if (message.args) {
        onStart({
          pid: message.pid!,
          args: message.args,
          environment: message.environment!,
          out: (text) => order('out', text),
          err: (text) => order('err', text),
          exit: (status) => void order('exit', status),
          stubborn: () => order('stubborn'),
          child: async () => (await order('child')).pid!,
        });
      }
    }
  });
  socket.on('error', () => {});
}

/** Creates programs with these names, which wait for orders. */
export async function standIns(...names: string[]): Promise<Programs> {
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const pid of pids.filter(isRunning)) process.kill(pid, 'SIGKILL');
  });
  const {port} = server.address() as {port: number};
  return {
    folder,
    host: {
      env: {PATH: folder, STAND_IN_PORT: String(port), CENTAVO_SECRET_KEY: 'sk_test_never_to_be_seen'},
      kill: (pid, signal) => process.kill(pid, signal),
    },
    next: () => {
      const running = arrived.shift();
      return running ? Promise.resolve(running) : new Promise((resolve) => wanted.push(resolve));
    },
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
