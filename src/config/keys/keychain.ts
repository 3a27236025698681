// The keychain of the system: macOS’s, Windows’s, or whatever provides org.freedesktop.secrets.

import {dirname} from 'node:path';
import {fileURLToPath} from 'node:url';
import {CentavoError} from '../../errors.js';
import {askProgram, type Answer} from '../../programs/ask.js';
import {endWords, type ProgramHost} from '../../programs/program.js';
import {codeOf, nameOf} from '../../system-errors.js';
import type {KeychainAnswer, KeychainRequest} from './keychain-child.js';
import {keychainError, type KeychainFailure} from './keychain-errors.js';
import {checkEntryName, waysOut, type KeyStore} from './key-store.js';

const CHILD = fileURLToPath(new URL('./keychain-child.js', import.meta.url));

/** Bytes. Windows allows 2560; this fits into every keychain. */
const LONGEST_SECRET = 2048;
/** Bytes of an answer: the secret, of which JSON may make six times as much, or a message. */
const LONGEST_ANSWER = 64 * 1024;
/** Milliseconds. A keychain answers in a few. A person who has to unlock it takes longer, and runs the command again. */
const DEFAULT_TIMEOUT = 3000;

/** The entry by which a keychain is tried out. */
const TRIAL = 'probe/trial';

/** What is needed to start Node, to find the keychain and to show its dialog. Nothing that changes Node, and nothing of centavo. */
const PASSED = new Set([
  ...['PATH', 'LD_LIBRARY_PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TMPDIR'],
  ...['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'XDG_DATA_HOME', 'XDG_DATA_DIRS', 'XDG_CURRENT_DESKTOP'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY'],
  ...['SECURITYSESSIONID', '__CF_USER_TEXT_ENCODING'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'TEMP', 'TMP', 'USERPROFILE', 'USERNAME', 'USERDOMAIN'],
  ...['APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'HOMEDRIVE', 'HOMEPATH'],
]);

export interface KeychainOptions {
  readonly host: ProgramHost;
  /** The program that runs this. */
  readonly node: string;
  /** Letters and digits that cannot be guessed; they are what a trial entry holds. */
  readonly token: () => string;
  /** Milliseconds that each call may take. */
  readonly timeout?: number;
}

/**
 * Keys in the keychain, as entries of the service `centavo`. Each call is a process of its own, which is killed when it
 * takes too long. All four throw CentavoError kind `keychain`.
 */
export function createKeychain({host, node, token, timeout = DEFAULT_TIMEOUT}: KeychainOptions): KeyStore {
  const env = Object.fromEntries(Object.entries(host.env).filter(([name]) => PASSED.has(name.toUpperCase())));
  const ask = async (operation: KeychainRequest['operation'], name: string, secret?: string) => {
    const request: KeychainRequest = {operation, name: checkEntryName(name), secret};
    const answer = await askProgram([node, CHILD], {
      host: {...host, env},
      // The working directory may have been removed.
      cwd: dirname(CHILD),
      input: `${JSON.stringify(request)}\n`,
      timeout,
      longest: LONGEST_ANSWER,
    });
    const outcome = outcomeOf(answer);
    if (outcome.outcome === 'done') return outcome.secret ?? undefined;
    throw keychainError(outcome, {limit: timeout, changes: operation === 'write' || operation === 'remove'});
  };
  return {
    probe: async () => void (await ask('probe', TRIAL, token())),
    read: (name) => ask('read', name),
    write: async (name, secret) => {
      const bytes = Buffer.byteLength(secret);
      if (bytes > LONGEST_SECRET)
        throw new CentavoError(
          'keychain',
          `this secret has ${bytes} bytes; a keychain holds at most ${LONGEST_SECRET}.`,
          {
            code: 'secret_too_long',
            hint: waysOut(),
            applied: 'no',
          },
        );
      await ask('write', name, secret);
    },
    remove: async (name) => void (await ask('remove', name)),
  };
}

function outcomeOf(answer: Answer): KeychainAnswer | KeychainFailure {
  if (answer.how === 'late') return {outcome: 'silent'};
  if (answer.how !== 'ended') return {outcome: 'broken', how: 'printed too much'};
  const {output, notStarted} = answer;
  const end = output.indexOf('\n');
  if (end >= 0) return JSON.parse(output.toString('utf8', 0, end)) as KeychainAnswer;
  if (notStarted === undefined) return {outcome: 'broken', how: endWords(answer)};
  return {outcome: 'broken', how: `could not be started (${codeOf(notStarted) ?? nameOf(notStarted)})`};
}
