// A program in a process group of its own, and the end of that group: asked first, then forced, and nothing left behind.

import {spawn, type ChildProcess} from 'node:child_process';
import {withoutSecrets} from '../../secrets.js';
import type {TunnelHost} from './tunnel.js';

/** Milliseconds between asking and forcing. */
const GRACE = 2000;
/** Milliseconds that a program's last words may take after its end. */
const LAST_WORDS = 250;

/** How a program ended: with a status, by a signal, or without having been started. */
export interface ProgramEnd {
  readonly status?: number;
  readonly signal?: string;
  readonly error?: NodeJS.ErrnoException;
}

export interface Group {
  readonly child: ChildProcess;
  /** Resolves when the program is gone and its output has been read. Never rejects. */
  readonly ended: Promise<ProgramEnd>;
  readonly stop: () => Promise<void>;
}

/** @param holdInput keep its input open, for programs that end with it */
export function startGroup(
  program: string,
  args: readonly string[],
  {host, holdInput = false}: {host: TunnelHost; holdInput?: boolean},
): Group {
  const child = spawn(program, args, {
    env: withoutSecrets(host.environment),
    stdio: [holdInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    // A group of its own: all of it can be ended, and Ctrl-C in the terminal reaches centavo only, which stops in order.
    detached: true,
    windowsHide: true,
  });
  child.stdin?.on('error', () => {});

  const signalGroup = (signal: 'SIGKILL' | 'SIGTERM'): void => {
    if (child.pid === undefined) return;
    try {
      host.kill(-child.pid, signal);
    } catch {
      // No such group: it is empty, or the system knows none. The program itself may still be there in the second case.
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    }
  };

  const forget = host.atExit?.(() => signalGroup('SIGKILL'));
  const ended = new Promise<ProgramEnd>((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({error});
    });
    child.once('exit', () => {
      // What it started must not outlive it. Their group keeps its number while any is left, so no stranger is hit.
      signalGroup('SIGKILL');
      const cut = setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream?.destroy()), LAST_WORDS);
      child.once('close', (status, signal) => {
        clearTimeout(cut);
        resolve({status: status ?? undefined, signal: signal ?? undefined});
      });
    });
  });
  void ended.then(() => forget?.());

  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    signalGroup('SIGTERM');
    const force = setTimeout(() => signalGroup('SIGKILL'), GRACE);
    await ended;
    clearTimeout(force);
  };
  return {child, ended, stop: () => (stopped ??= stop())};
}
