// Programs of the user's: the app that is developed, and what runs for each event. Never through a shell.

import {spawn, type ChildProcess} from 'node:child_process';
import {withoutSecrets, type Environment} from '../secrets.js';
import type {Delivery} from './delivery.js';
import {nameOf} from '../thrown.js';

export interface ProgramEnd {
  /** 1 when a signal ended it, or it could not be started. */
  readonly status: number;
  readonly error?: string;
  /** What was thrown when it could not be started. */
  readonly notStarted?: unknown;
}

export interface RunningApp {
  /** Never rejects. */
  readonly ended: Promise<ProgramEnd>;
  /** Asks it to end, and forces it after two seconds. */
  readonly stop: () => Promise<void>;
}

/** Milliseconds between asking and forcing. */
const GRACE = 2000;

export interface AppOptions {
  /** Keeps its output off stdout, which is somebody else's. */
  readonly quiet: boolean;
  /** At a terminal it shares the group that Ctrl-C reaches; elsewhere it has its own, all of which is ended. */
  readonly ownGroup: boolean;
  /** `process.kill`. */
  readonly kill: (pid: number, signal: 'SIGKILL' | 'SIGTERM') => unknown;
  /** Has this done if the process ends first. */
  readonly atExit?: (cleanUp: () => void) => () => void;
}

/** Starts the app, which shares the terminal. */
export function startApp(
  [program = '', ...args]: readonly string[],
  environment: Environment,
  {quiet, ownGroup, kill, atExit}: AppOptions,
): RunningApp {
  const child = tried(() =>
    spawn(program, args, {
      env: withoutSecrets(environment),
      stdio: ['inherit', quiet ? 2 : 'inherit', 'inherit'],
      detached: ownGroup,
      windowsHide: true,
    }),
  );
  if ('notStarted' in child) return {ended: Promise.resolve(child), stop: async () => {}};
  const signal = (name: 'SIGKILL' | 'SIGTERM'): void => {
    if (child.pid === undefined) return;
    try {
      kill(ownGroup ? -child.pid : child.pid, name);
    } catch {
      // It is gone already.
    }
  };
  const forget = atExit?.(() => signal('SIGKILL'));
  const ended = endOf(child).then((end) => {
    // What it started must not outlive it.
    if (ownGroup) signal('SIGKILL');
    forget?.();
    return end;
  });
  return {
    ended,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      signal('SIGTERM');
      const force = setTimeout(() => signal('SIGKILL'), GRACE);
      await ended;
      clearTimeout(force);
    },
  };
}

/**
 * Runs a program for an event, which it gets on stdin and, in parts, in its environment.
 * @param signal ends it
 */
export async function runForEvent(
  [program = '', ...args]: readonly string[],
  delivery: Delivery,
  environment: Environment,
  signal?: AbortSignal,
): Promise<ProgramEnd> {
  const {id, type, objectId} = delivery.event;
  const child = tried(() =>
    spawn(program, args, {
      env: {
        ...withoutSecrets(environment),
        CENTAVO_DELIVERY_ID: delivery.id,
        CENTAVO_EVENT_ID: id,
        CENTAVO_EVENT_TYPE: type,
        CENTAVO_OBJECT_ID: objectId,
      },
      stdio: ['pipe', 2, 2],
      windowsHide: true,
      signal,
    }),
  );
  if ('notStarted' in child) return child;
  // A program that does not read its input has still done what it does.
  child.stdin?.on('error', () => {});
  child.stdin?.end(delivery.body);
  return endOf(child);
}

const failedToStart = ({syscall = ''}: NodeJS.ErrnoException): boolean => syscall.startsWith('spawn');

/** Some of what keeps a program from starting is thrown at once, such as a path that leads through a file; the rest comes as an event. */
function tried(start: () => ChildProcess): ChildProcess | (ProgramEnd & {readonly notStarted: unknown}) {
  try {
    return start();
  } catch (error) {
    return {status: 1, notStarted: error};
  }
}

function endOf(child: ChildProcess): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve(failedToStart(error) ? {status: 1, notStarted: error} : {status: 1, error: error.code ?? nameOf(error)}),
    );
    child.once('exit', (status) => resolve({status: status ?? 1}));
  });
}
