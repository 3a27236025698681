// Asks the keychain in a process that can be killed: it starts, answers one request, and is gone.

import {spawn} from 'node:child_process';
import {dirname} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {KeychainAnswer, KeychainRequest} from './keychain-protocol.js';
import type {Environment} from '../../secrets.js';
import {nameOf} from '../../thrown.js';

const CHILD = fileURLToPath(new URL('./keychain-child.js', import.meta.url));

/** Milliseconds by which the child's own limit is longer: it matters only when nobody is left to end it. */
const CHILD_GRACE = 200;

/** What Node needs to start, the keychain to be found, and its question to be shown. No settings of Node's, and nothing of centavo's. */
const PASSED = new Set([
  ...['PATH', 'LD_LIBRARY_PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TMPDIR'],
  ...['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'XDG_DATA_HOME', 'XDG_DATA_DIRS', 'XDG_CURRENT_DESKTOP'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY'],
  ...['SECURITYSESSIONID', '__CF_USER_TEXT_ENCODING'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'TEMP', 'TMP', 'USERPROFILE', 'USERNAME', 'USERDOMAIN'],
  ...['APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'HOMEDRIVE', 'HOMEPATH'],
]);

export interface KeychainHost {
  /** The program that runs this. */
  readonly node: string;
  readonly environment: Environment;
  /** Has this done if the process ends first. */
  readonly atExit?: (cleanUp: () => void) => () => void;
}

export type KeychainOutcome =
  | KeychainAnswer
  /** There was no answer, and the process was killed. */
  | {readonly outcome: 'silent'}
  /** The process ended without an answer, or did not start. */
  | {readonly outcome: 'broken'; readonly how: string};

/**
 * Resolves when the process is gone. Never rejects.
 * @param limit milliseconds
 */
export function askKeychain(
  request: Omit<KeychainRequest, 'limit'>,
  limit: number,
  host: KeychainHost,
): Promise<KeychainOutcome> {
  return new Promise((resolve) => {
    const child = spawn(host.node, [CHILD], {
      env: Object.fromEntries(Object.entries(host.environment).filter(([name]) => PASSED.has(name.toUpperCase()))),
      // The caller's may have been removed.
      cwd: dirname(CHILD),
      stdio: ['pipe', 'pipe', 'ignore'],
      // Ctrl-C in the terminal reaches centavo only: what is being stored is stored, or not, before it stops.
      detached: true,
      windowsHide: true,
    });
    let silent = false;
    let said = '';
    const kill = (): void => void child.kill('SIGKILL');
    const timer = setTimeout(() => {
      silent = true;
      kill();
    }, limit);
    const forget = host.atExit?.(kill);
    const settle = (outcome: KeychainOutcome): void => {
      clearTimeout(timer);
      forget?.();
      resolve(outcome);
    };
    child.once('error', (error: NodeJS.ErrnoException) =>
      settle({outcome: 'broken', how: `could not be started (${error.code ?? nameOf(error)})`}),
    );
    child.once('close', (status, signal) => {
      const line = said.indexOf('\n');
      if (line >= 0) settle(JSON.parse(said.slice(0, line)) as KeychainAnswer);
      else if (silent) settle({outcome: 'silent'});
      else
        settle({
          outcome: 'broken',
          how: signal === null ? `ended with status ${status}` : `was ended by ${signal}`,
        });
    });
    // A process that could not be started has no streams.
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
    child.stdin?.on('error', () => {});
    child.stdin?.write(`${JSON.stringify({...request, limit: limit + CHILD_GRACE} satisfies KeychainRequest)}\n`);
  });
}
