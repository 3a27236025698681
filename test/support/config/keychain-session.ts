// Real keychains, working and broken, each in its own D-Bus session, home and runtime folder.

import {execFile, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {onTestFinished} from 'vitest';
import {temporaryDirectory} from '../cli.js';

/** Why no keychain can run here, or undefined. */
export function keychainMissing(): string | undefined {
  if (process.platform !== 'linux') return 'only Linux lets a keychain be run in private';
  for (const program of ['dbus-run-session', 'dbus-send', 'dbus-test-tool', 'gnome-keyring-daemon', 'secret-tool'])
    if (spawnSync(program, ['--version']).error)
      return `${program} is not installed (apt install gnome-keyring dbus libsecret-tools dbus-tests)`;
  return undefined;
}

const WAIT_FOR_SERVICE = `
until dbus-send --session --print-reply --dest=org.freedesktop.DBus /org/freedesktop/DBus \\
  org.freedesktop.DBus.GetNameOwner string:org.freedesktop.secrets >/dev/null 2>&1; do :; done`;

const UNLOCK = `printf %s password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; ${WAIT_FOR_SERVICE}`;

/** Commands that prepare a session. */
const STATES = {
  unlocked: UNLOCK,
  /** Its files are limited to 2 KiB. The daemon gets an error as of a full disk. */
  full: `trap '' XFSZ; ulimit -f 2; ${UNLOCK}`,
  /** The bus starts the daemon on first use, and no keyring exists. */
  'without a collection': ':',
  'without a service': ':',
  'black hole': `dbus-test-tool black-hole --name=org.freedesktop.secrets & ${WAIT_FOR_SERVICE}`,
};

const BUS_WITHOUT_SERVICES = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default"><allow send_destination="*"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>`;

/** The daemons of unlocked sessions, which must be alive. */
const daemons = new Set<number>();
let hasCrashed = false;

function noteCrashes(): void {
  for (const pid of daemons)
    if (processShows(pid) === undefined) {
      daemons.delete(pid);
      hasCrashed = true;
    }
}

/**
 * Options of tests with an unlocked session. gnome-keyring 42 to 50 now and then aborts at a client's first call
 * (GNOME/gnome-keyring#196). A test in which it died by itself says nothing about centavo, and runs again.
 */
export const UNLESS_DAEMON_DIED = {
  retry: {
    count: 2,
    condition: (): boolean => {
      noteCrashes();
      const crashed = hasCrashed;
      hasCrashed = false;
      return crashed;
    },
  },
};

export type KeychainSession = Awaited<ReturnType<typeof keychainSession>>;

/** Creates a home and a runtime folder. @param done registers the cleanup */
export function privateEnvironment(done: (clean: () => void) => unknown = onTestFinished): Record<string, string> {
  const directory = temporaryDirectory(done);
  const [home, runtime] = [join(directory, 'home'), join(directory, 'run')];
  for (const folder of [home, runtime]) mkdirSync(folder, {mode: 0o700});
  return {PATH: process.env.PATH!, HOME: home, XDG_RUNTIME_DIR: runtime, LANG: 'C.UTF-8'};
}

/** Starts a session in this state; removed after the test or the given hook. */
export async function keychainSession(
  state: keyof typeof STATES,
  done: (clean: () => Promise<void> | void) => unknown = onTestFinished,
) {
  const environment = privateEnvironment(done);
  const {HOME: home} = environment as {HOME: string};
  const config = join(home, '..', 'bus.conf');
  writeFileSync(config, BUS_WITHOUT_SERVICES);
  // The session ends with the input of its shell, even if this process is killed.
  const script = `set -e; ${STATES[state]}; echo "$DBUS_SESSION_BUS_ADDRESS"; exec cat >/dev/null`;
  const options = state === 'without a service' ? [`--config-file=${config}`] : [];
  const bus = spawn('dbus-run-session', [...options, '--', 'bash', '-c', script], {
    env: environment,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => bus.once('close', resolve));
  /** Ends of daemons that the test wants. */
  const forget = (): void => {
    for (const pid of processesOf(home, /./)) daemons.delete(pid);
  };
  done(async () => {
    noteCrashes();
    forget();
    bus.stdin.end();
    await ended;
    // The daemon and its children leave with the bus; the rest is ended.
    for (let left = processesOf(home, /./); left.length > 0; left = processesOf(home, /./)) {
      for (const pid of left) endProcess(pid);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const address = await new Promise<string>((resolve, reject) => {
    bus.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
    bus.once('close', () => reject(new Error(`The session ${state} did not start.`)));
  });
  const inside = {...environment, DBUS_SESSION_BUS_ADDRESS: address};
  const ownDaemons = (): number[] => processesOf(home, /^gnome-keyring-daemon\0/);
  const watch = (): void => {
    for (const pid of ownDaemons()) daemons.add(pid);
  };
  watch();
  /** Runs a program in the session. @returns its stdout */
  const run = async (program: string, args: readonly string[], input = ''): Promise<string> => {
    const running = promisify(execFile)(program, args, {env: inside});
    // Most programs do not read it.
    running.child.stdin!.on('error', () => {}).end(input);
    return (await running).stdout;
  };
  /** Signals the daemon. @returns the number of daemons */
  const signalDaemon = (signal: NodeJS.Signals | 0): number => {
    const found = ownDaemons();
    for (const pid of found) process.kill(pid, signal);
    return found.length;
  };
  /** Restarts the daemon with the password. */
  const restart = async (): Promise<void> => {
    forget();
    for (const pid of processesOf(home, /gnome-keyring-daemon\0/)) endProcess(pid);
    await run('bash', ['-c', UNLOCK]);
    watch();
  };
  return {
    environment: inside as Readonly<Record<string, string>>,
    run,
    lock: () =>
      run('dbus-send', [
        ...['--session', '--print-reply', '--dest=org.freedesktop.secrets', '/org/freedesktop/secrets'],
        ...['org.freedesktop.Secret.Service.Lock', 'array:objpath:/org/freedesktop/secrets/collection/login'],
      ]),
    restart,
    /** Restarts the daemon if it died. */
    revive: async (): Promise<void> => {
      if (ownDaemons().length === 0) await restart();
    },
    signalDaemon,
  };
}

/** A bus that accepts connections and never answers: callers wait forever. */
export async function silentBus(done: (clean: () => Promise<void> | void) => unknown = onTestFinished) {
  const environment = privateEnvironment(done);
  const path = join(environment.XDG_RUNTIME_DIR!, 'bus');
  // A killed process does not say goodbye.
  const server = createServer((socket) => socket.on('error', () => {})).listen(path);
  await once(server, 'listening');
  done(() => void server.close());
  return {
    environment: {...environment, DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}`},
    /** The next one to arrive. */
    arrival: () => once(server, 'connection'),
  };
}

/** Ids of processes with this home and this command line: words, each followed by a NUL. */
export function processesOf(home: string, pattern: RegExp): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const shown = processShows(pid);
      return shown !== undefined && `\0${shown.environ}`.includes(`\0HOME=${home}\0`) && pattern.test(shown.cmdline);
    });
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

/** What any user can see of a process; undefined when it has ended. */
export function processShows(pid: number): {cmdline: string; environ: string} | undefined {
  try {
    const [cmdline, environ] = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'latin1'));
    return environ ? {cmdline: cmdline!, environ} : undefined;
  } catch {
    return undefined;
  }
}

/** Processes that centavo started to read the keychain, by their home. */
export const askingProcesses = (environment: Readonly<Record<string, string>>): number[] =>
  processesOf(environment.HOME!, /keychain-child\.js\0/);
