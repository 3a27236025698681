// Key stores: their interface, how to open one, and the alternatives without a keychain.

/** A store that centavo writes to. A credential command is not one. */
export type WritableStore = 'file' | 'keychain';

export type StoreChoice = WritableStore | {readonly command: readonly string[]};

/** All methods throw CentavoError, kind `keychain`, `config` or `local_io`. Names are `<id of the profile>/<slot>`. */
export interface KeyStore {
  probe(): Promise<void>;
  read(name: string): Promise<string | undefined>;
  /** Replaces a secret, and reads it back. If it throws, the old one remains, unless `applied` is `unknown`. */
  write(name: string, secret: string): Promise<void>;
  remove(name: string): Promise<void>;
}

export interface KeyStores {
  readonly open: (store: WritableStore) => Promise<KeyStore>;
  readonly run: (words: readonly string[]) => Promise<string>;
}

/** How a credential command may use the terminal, which the flags decide. */
export interface TerminalUse {
  readonly canAsk: boolean;
  /** Gets each line of stderr if the program has no terminal. */
  readonly onStderr: (line: string) => void;
}

export function checkEntryName(name: string): string {
  if (/^[A-Za-z0-9_-]+\/[A-Za-z0-9_-]+$/.test(name)) return name;
  throw new TypeError(`${JSON.stringify(name)} cannot be the name of an entry`);
}

export interface KeychainHints {
  /** With profile and address; without them the key would be stored for another account. */
  readonly login?: string;
  readonly variables?: string;
  readonly live?: boolean;
}

/** The hint of keychain errors. No comma or full stop follows a command: it would be copied with it. */
export const keychainHints = ({
  login = 'centavo login',
  variables = 'CENTAVO_SECRET_KEY',
  live = false,
}: KeychainHints = {}): string =>
  `You can use ${variables}, or ${login} --credential-command "pass show centavo" or ${login} --insecure-storage${live ? '=live' : ''}`;
