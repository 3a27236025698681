// Stores keys in the keychain of macOS or Windows, or of any program that provides org.freedesktop.secrets.

import {dirname} from 'node:path';
import {fileURLToPath} from 'node:url';
import {CentavoError, type Applied} from '../../common/errors.js';
import {codeOf, errorName} from '../../common/system-errors.js';
import {captureOutput, type CapturedOutput} from '../../processes/capture-output.js';
import {describeExit, type ProcessHost} from '../../processes/child-program.js';
import {checkEntryName, keychainHints, type KeyStore} from './key-store.js';
import type {KeychainAnswer, KeychainRequest} from './keychain-child.js';

const CHILD = fileURLToPath(new URL('./keychain-child.js', import.meta.url));

/** Bytes. Windows allows 2560; this limit fits every keychain. */
const MAX_SECRET_BYTES = 2048;
/** Bytes. Fits a secret, which JSON escapes may make six times as long, or an error message. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Milliseconds. Keychains answer within a few. Unlocking takes longer; the user then runs the command again. */
const KEYCHAIN_TIMEOUT = 3000;

const TRIAL = 'probe/trial';

/** Variables that Node, the keychain and its dialog need. Excludes centavo's, and any that change Node's behaviour. */
const PASSED_VARIABLES = new Set([
  ...['PATH', 'LD_LIBRARY_PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TMPDIR'],
  ...['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'XDG_DATA_HOME', 'XDG_DATA_DIRS', 'XDG_CURRENT_DESKTOP'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY'],
  ...['SECURITYSESSIONID', '__CF_USER_TEXT_ENCODING'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'TEMP', 'TMP', 'USERPROFILE', 'USERNAME', 'USERDOMAIN'],
  ...['APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'HOMEDRIVE', 'HOMEPATH'],
]);

export interface KeychainOptions {
  readonly host: ProcessHost;
  readonly node: string;
  readonly token: () => string;
  readonly timeout?: number;
}

/** Stores entries of the service `centavo`. Each call runs in a process that is killed at the time limit. */
export function createKeychain({host, node, token, timeout = KEYCHAIN_TIMEOUT}: KeychainOptions): KeyStore {
  const env = Object.fromEntries(Object.entries(host.env).filter(([name]) => PASSED_VARIABLES.has(name.toUpperCase())));
  const ask = async (operation: KeychainRequest['operation'], name: string, secret?: string) => {
    const request: KeychainRequest = {operation, name: checkEntryName(name), secret};
    const answer = await captureOutput([node, CHILD], {
      host: {...host, env},
      // The working directory may have been removed.
      cwd: dirname(CHILD),
      input: `${JSON.stringify(request)}\n`,
      timeout,
      maxBytes: MAX_ANSWER_BYTES,
    });
    const outcome = outcomeOfChild(answer);
    if (outcome.outcome === 'done') return outcome.secret ?? undefined;
    throw keychainError(outcome, {limit: timeout, changes: operation === 'write' || operation === 'remove'});
  };
  return {
    probe: async () => void (await ask('probe', TRIAL, token())),
    read: (name) => ask('read', name),
    write: async (name, secret) => {
      const bytes = Buffer.byteLength(secret);
      if (bytes > MAX_SECRET_BYTES)
        throw new CentavoError(
          'keychain',
          `this secret has ${bytes} bytes; a keychain holds at most ${MAX_SECRET_BYTES}.`,
          {
            code: 'secret_too_long',
            hint: keychainHints(),
          },
        );
      await ask('write', name, secret);
    },
    remove: async (name) => void (await ask('remove', name)),
  };
}

function outcomeOfChild(answer: CapturedOutput): KeychainAnswer | KeychainFailure {
  if (answer.how === 'late') return {outcome: 'silent'};
  if (answer.how !== 'ended') return {outcome: 'broken', how: 'printed too much'};
  const {output, notStarted} = answer;
  const end = output.indexOf('\n');
  if (end >= 0) return JSON.parse(output.toString('utf8', 0, end)) as KeychainAnswer;
  if (notStarted === undefined) return {outcome: 'broken', how: describeExit(answer)};
  return {outcome: 'broken', how: `could not be started (${codeOf(notStarted) ?? errorName(notStarted)})`};
}

type KeychainFailure =
  | Extract<KeychainAnswer, {outcome: 'failed'}>
  | {readonly outcome: 'silent'}
  /** The process ended without an answer, or did not start. */
  | {readonly outcome: 'broken'; readonly how: string};

interface FailureText {
  readonly code: string;
  readonly message: string;
  readonly why: string;
}

const SILENT = {
  code: 'keychain_silent',
  why: 'It may be asking for its password in another window, or it may be stuck. Unlock it, then try again.',
};

/** The first match counts. Patterns match texts of libdbus, the Secret Service, macOS and Windows. */
const KEYCHAIN_FAILURES: readonly (FailureText & {readonly pattern: RegExp})[] = [
  {
    pattern: /autolaunch|Failed to connect to socket|Connection refused|\baddress\b/i,
    code: 'no_session_bus',
    message: 'this session has no keychain.',
    why: 'No D-Bus session answers, as is common over SSH, in containers and in scheduled jobs.',
  },
  {
    pattern: /was not provided by any \.service files|ServiceUnknown|NameHasNoOwner|No DBus session or Secret Service/i,
    code: 'no_keychain_service',
    message: 'no keychain runs in this session.',
    why: 'No program here provides org.freedesktop.secrets, such as gnome-keyring, KWallet or KeePassXC.',
  },
  {
    pattern: /NO_SUCH_LOGON_SESSION|logon session does not exist/i,
    code: 'no_keychain_service',
    message: 'no keychain runs in this session.',
    why: 'Windows Credential Manager is available only when you log in at the desktop, not over SSH.',
  },
  {
    pattern:
      /no result found|Object does not exist at path|default keychain could not be found|No keychain is available/i,
    code: 'no_collection',
    message: 'the keychain has no keyring to store a key in yet.',
    why: 'The default keyring is created when you first log in at the desktop. You can also create it in your password manager.',
  },
  {
    pattern: /User interaction is not allowed|passphrase you entered is not correct|User canceled the operation/i,
    code: 'keychain_locked',
    message: 'the keychain is locked.',
    why: 'macOS locks it for logins over SSH. Unlock it with security unlock-keychain, then try again.',
  },
  {
    pattern: /prompt dismissed|prompt was dismissed|IsLocked|object locked|locked (?:object|collection)/i,
    code: 'keychain_locked',
    message: 'the keychain is locked.',
    why: 'The password prompt was closed, or cannot be shown here. Unlock the keychain, then try again.',
  },
  {
    pattern: /Couldn['’]t (?:set item secret|create new item)/i,
    code: 'keychain_failed',
    message: 'the keychain could not store the key.',
    why: 'Its disk may be full or read-only.',
  },
  {pattern: /Did not receive a reply|NoReply/i, message: 'the keychain did not answer.', ...SILENT},
];

const MAX_MESSAGE_LENGTH = 200;

/** Returns one line of Node's message about an unloadable package. The message has paths, but no secrets. */
const quoteMessage = (text: string): string => {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return `${line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH)}…` : line.replace(/\.$/, '')}.`;
};

/** Codes by which a user can look up an error. The message is not shown, because it may quote a secret. */
const ERROR_CODES =
  /\borg(?:\.[A-Za-z]\w{0,60}){2,8}|\b(?:ERR_[A-Z_]{3,40}|E[A-Z]{3,12}|MODULE_NOT_FOUND)\b|-\d{3,6}\b|\b0x[0-9A-Fa-f]{8}\b/g;

function report(text: string): string {
  const codes = [...new Set(text.match(ERROR_CODES))].slice(0, 3);
  return codes.length > 0 ? `It reported ${codes.join(', ')}.` : 'It gave no known reason.';
}

export function keychainError(
  failure: KeychainFailure,
  {limit, changes}: {limit: number; changes: boolean},
): CentavoError {
  const intact = !changes || (failure.outcome === 'failed' && failure.intact);
  const {code, message, why} = explain(failure, limit);
  const applied: Applied = intact ? 'no' : 'unknown';
  return new CentavoError('keychain', message, {code, why, hint: keychainHints(), applied});
}

function explain(failure: KeychainFailure, limit: number): FailureText {
  if (failure.outcome === 'silent')
    return {message: `the keychain did not answer within ${limit / 1000} s.`, ...SILENT};
  if (failure.outcome === 'broken')
    return {
      code: 'keychain_failed',
      message: 'the keychain could not be reached.',
      why: `The process that reads it ${failure.how}.`,
    };
  if (failure.stage === 'load')
    return {
      code: 'keychain_missing',
      message: 'keychain support is not installed.',
      why: `The optional package @napi-rs/keyring cannot be loaded: ${quoteMessage(failure.message)}`,
    };
  if (failure.stage === 'compare')
    return {
      code: 'keychain_failed',
      message: 'the keychain returned a different value than was stored.',
      why: 'Another program may have written to it at the same time.',
    };
  return (
    KEYCHAIN_FAILURES.find(({pattern}) => pattern.test(failure.message)) ?? {
      code: 'keychain_failed',
      message: 'the keychain failed.',
      why: report(failure.message),
    }
  );
}
