// Opens the store that holds a key: the keychain, files, or a credential command.

import {join} from 'node:path';
import type {ProcessHost} from '../../processes/child-program.js';
import {configDirectory} from '../paths.js';
import type {TerminalUse, KeyStores} from './key-store.js';

export const openKeyStores = (host: KeyStoresHost, terminal: () => TerminalUse, token: () => string): KeyStores => ({
  open: async (store) => {
    if (store === 'keychain') {
      const {createKeychain} = await import('./keychain.js');
      return createKeychain({host, node: host.self[0]!, token, timeout: host.keychainTimeout});
    }
    const {createKeyFiles} = await import('./key-files.js');
    const {env, platform, user} = host;
    return createKeyFiles({directory: join(configDirectory(env, platform), 'keys'), user, token});
  },
  run: async (words) => {
    const {readFromCommand} = await import('./credential-command.js');
    const {canAsk, onStderr} = terminal();
    return readFromCommand(words, {host, signal: host.signal, terminal: canAsk, onStderr});
  },
});

export interface KeyStoresHost extends ProcessHost {
  readonly platform: NodeJS.Platform;
  /** Id of the user of this process; undefined where files have no owner. */
  readonly user: number | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds that a keychain may take; 3000 by default. */
  readonly keychainTimeout?: number;
  /** Paths of Node and of the entry file of centavo. */
  readonly self: readonly string[];
}
