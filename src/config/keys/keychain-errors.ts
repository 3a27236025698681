// Errors of keychains: what happened, why, and what to do without one.

import {CentavoError, type Applied} from '../../errors.js';
import type {KeychainAnswer} from './keychain-child.js';
import {waysOut} from './key-store.js';

export type KeychainFailure =
  | Extract<KeychainAnswer, {outcome: 'failed'}>
  /** There was no answer, and the process that asks it was killed. */
  | {readonly outcome: 'silent'}
  /** That process ended without an answer, or did not start. */
  | {readonly outcome: 'broken'; readonly how: string};

interface Words {
  readonly code: string;
  readonly message: string;
  readonly why: string;
}

interface Known extends Words {
  readonly pattern: RegExp;
}

const SILENT = {
  code: 'keychain_silent',
  why: 'It may be asking for its password in another window, or it may be stuck. Unlock it, then try again.',
};

/** In order: the first that fits. The texts are those of libdbus, the Secret Service, macOS and Windows. */
const KNOWN: readonly Known[] = [
  {
    pattern: /autolaunch|Unable to determine the address of the message bus/i,
    code: 'no_session_bus',
    message: 'this session has no keychain.',
    why: 'There is no D-Bus session here, as is common over SSH, in containers and in scheduled jobs.',
  },
  {
    pattern: /Failed to connect to socket|Connection refused|\baddress\b/i,
    code: 'no_session_bus',
    message: 'the keychain cannot be reached.',
    why: 'No D-Bus session answers at DBUS_SESSION_BUS_ADDRESS.',
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

const LONGEST_QUOTE = 200;

/** The message of Node about a package that it cannot load. It has paths in it, and no secrets. */
const quote = (text: string): string => {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return `${line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line.replace(/\.$/, '')}.`;
};

/** Names and numbers by which an error can be looked up. The message itself is not shown: it may quote what the keychain holds. */
const CODES =
  /\borg(?:\.[A-Za-z]\w{0,60}){2,8}|\b(?:ERR_[A-Z_]{3,40}|E[A-Z]{3,12}|MODULE_NOT_FOUND)\b|-\d{3,6}\b|\b0x[0-9A-Fa-f]{8}\b/g;

function report(text: string): string {
  const codes = [...new Set(text.match(CODES))].slice(0, 3);
  return codes.length > 0 ? `It reported ${codes.join(', ')}.` : 'It gave no known reason.';
}

/**
 * The error for an outcome that is no answer.
 * @param limit milliseconds that the keychain was given
 * @param changes whether something was to be changed
 */
export function keychainError(
  failure: KeychainFailure,
  {limit, changes}: {limit: number; changes: boolean},
): CentavoError {
  const intact = !changes || (failure.outcome === 'failed' && failure.intact);
  const {code, message, why} = explain(failure, limit);
  const applied: Applied = intact ? 'no' : 'unknown';
  return new CentavoError('keychain', message, {code, why, hint: waysOut(), applied});
}

function explain(failure: KeychainFailure, limit: number): Words {
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
      why: `The optional package @napi-rs/keyring cannot be loaded: ${quote(failure.message)}`,
    };
  if (failure.stage === 'compare')
    return {
      code: 'keychain_failed',
      message: 'the keychain returned a different value than was stored.',
      why: 'Another program may have written to it at the same time.',
    };
  return (
    KNOWN.find(({pattern}) => pattern.test(failure.message)) ?? {
      code: 'keychain_failed',
      message: 'the keychain failed.',
      why: report(failure.message),
    }
  );
}
