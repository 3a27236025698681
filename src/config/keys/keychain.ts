// The keychain of the system: macOS’s, Windows’s, or whatever provides org.freedesktop.secrets.

import {CentavoError} from '../../errors.js';
import {checkCredentialName, type CredentialStore} from './credentials.js';
import {keychainError} from './keychain-errors.js';
import {waysOut} from './ways-out.js';
import {askKeychain, type KeychainHost} from './keychain-call.js';
import type {KeychainRequest} from './keychain-protocol.js';

/** Windows takes 2560 bytes; what fits into one keychain fits into all. */
const LONGEST_SECRET = 2048;
/** Milliseconds. A keychain answers in a few; a person who is asked for its password takes longer, and then runs it again. */
const DEFAULT_TIMEOUT = 3000;

/** The entry by which a keychain is tried out. */
const TRIAL = 'probe/trial';

export interface KeychainOptions extends KeychainHost {
  /** Letters and digits that cannot be guessed; they are what a trial entry holds. */
  readonly token: () => string;
  /** Milliseconds that each call may take. */
  readonly timeout?: number;
}

/**
 * Keys in the keychain, as entries of the service `centavo`. Each call is a process of its own, which is killed when it
 * takes too long. All four throw CentavoError kind `keychain`.
 */
export function createKeychain({token, timeout = DEFAULT_TIMEOUT, ...host}: KeychainOptions): CredentialStore {
  const ask = async (operation: KeychainRequest['operation'], name: string, secret?: string) => {
    const outcome = await askKeychain({operation, name: checkCredentialName(name), secret}, timeout, host);
    if (outcome.outcome === 'done') return outcome.secret ?? undefined;
    throw keychainError(outcome, {limit: timeout, changes: operation === 'write' || operation === 'remove'});
  };
  return {
    probe: async () => void (await ask('probe', TRIAL, token())),
    read: (name) => ask('read', name),
    write: async (name, secret) => {
      const bytes = Buffer.byteLength(secret);
      if (bytes > LONGEST_SECRET)
        throw new CentavoError('keychain', `this secret has ${bytes} bytes; a keychain takes ${LONGEST_SECRET}.`, {
          code: 'secret_too_long',
          hint: waysOut(),
          applied: 'no',
        });
      await ask('write', name, secret);
    },
    remove: async (name) => void (await ask('remove', name)),
  };
}
