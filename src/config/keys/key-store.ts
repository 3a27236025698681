// Key stores: their interface, how one is opened, and what a person can do without a keychain.

import {join} from 'node:path';
import type {ProgramHost} from '../../programs/program.js';
import {configDirectory} from '../paths.js';

/** A store that centavo writes to. The other kind is a program of the user's that prints the key. */
export type OwnStore = 'file' | 'keychain';

/** Where a key is kept: in one of our stores, or by a program that prints it. */
export type StoreChoice = OwnStore | {readonly command: readonly string[]};

/** A store of keys by name. Names are `<profile's id>/<slot>`: letters, digits, `-`, `_` and one `/`. */
export interface KeyStore {
  /**
   * Proves that a key could be kept here, by writing, reading back and removing a trial entry.
   * @throws CentavoError kind `keychain`, `config` or `local_io`; nothing was stored
   */
  probe(): Promise<void>;
  /** @returns undefined when there is none of this name. @throws CentavoError kind `keychain` or `config` */
  read(name: string): Promise<string | undefined>;
  /**
   * Keeps the secret, in place of one of the same name, and reads it back.
   * @throws CentavoError kind `keychain`, `config` or `local_io`; what was there before is there still, unless `applied` is `unknown`
   */
  write(name: string, secret: string): Promise<void>;
  /** Forgets it; that there is none is no error. @throws CentavoError kind `keychain`, `config` or `local_io` */
  remove(name: string): Promise<void>;
}

/** All the stores. */
export interface KeyStores {
  /** Opens one of our stores. Most commands need none. */
  readonly open: (store: OwnStore) => Promise<KeyStore>;
  /** Runs a program of the user's and returns what it prints. @throws CentavoError kind `keychain` */
  readonly run: (words: readonly string[]) => Promise<string>;
}

/** What the stores need of the process. */
export interface KeyStoresHost extends ProgramHost {
  readonly platform: NodeJS.Platform;
  /** Id of the user this process runs as; undefined where files have no owner. */
  readonly user: number | undefined;
  readonly signal: AbortSignal;
  /** What starts this program: Node and its entry. */
  readonly self: readonly string[];
}

/** How a program may use the terminal. Known once the command line has been parsed. */
export interface TerminalUse {
  /** Whether a person can be asked for a password. */
  readonly canAsk: boolean;
  /** Receives what the program writes to stderr when there is no terminal. */
  readonly say: (line: string) => void;
}

/** @param token names files and trial entries */
export const openKeyStores = (host: KeyStoresHost, terminal: () => TerminalUse, token: () => string): KeyStores => ({
  open: async (store) => {
    if (store === 'keychain') {
      const {createKeychain} = await import('./keychain.js');
      return createKeychain({host, node: host.self[0]!, token});
    }
    const {createKeyFiles} = await import('./key-files.js');
    const {env, platform, user} = host;
    return createKeyFiles({directory: join(configDirectory(env, platform), 'keys'), user, token});
  },
  run: async (words) => {
    const {readFromCommand} = await import('./credential-command.js');
    const {canAsk, say} = terminal();
    return readFromCommand(words, {host, signal: host.signal, terminal: canAsk, say});
  },
});

/** Checks a name before it becomes part of a path. @throws TypeError for an invalid name, which is a bug */
export function checkEntryName(name: string): string {
  if (/^[A-Za-z0-9_-]+\/[A-Za-z0-9_-]+$/.test(name)) return name;
  throw new TypeError(`${JSON.stringify(name)} cannot be the name of an entry`);
}

export interface WaysOut {
  /** The login command with its profile and address; without them the key would be stored for another account. */
  readonly login?: string;
  /** Environment variables that replace a login. */
  readonly variables?: string;
  /** Whether it is a live key: it goes into a file only with `--insecure-storage=live`. */
  readonly live?: boolean;
}

/**
 * The hint of an error about the keychain: three ways to do without one.
 * No comma or full stop follows a command directly, because it would be copied with it.
 */
export const waysOut = ({
  login = 'centavo login',
  variables = 'CENTAVO_SECRET_KEY',
  live = false,
}: WaysOut = {}): string =>
  `You can use ${variables}, or ${login} --credential-command "pass show centavo" or ${login} --insecure-storage${live ? '=live' : ''}`;
