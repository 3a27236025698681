// The interface of key stores, and the alternatives to suggest without a keychain.

/** A store that centavo writes to, unlike a credential command. */
export type WritableStore = 'file' | 'keychain';

export type StoreChoice = WritableStore | {readonly command: readonly string[]};

/** All methods throw CentavoError of kind `keychain`, `config` or `local_io`. Names are from `entryName`. */
export interface KeyStore {
  probe(): Promise<void>;
  read(name: string): Promise<string | undefined>;
  /** Replaces a secret, and reads it back. On an error, the old secret remains unless `applied` is `unknown`. */
  write(name: string, secret: string): Promise<void>;
  remove(name: string): Promise<void>;
}

export interface KeyStores {
  readonly open: (store: WritableStore) => Promise<KeyStore>;
  readonly run: (words: readonly string[]) => Promise<string>;
}

/** A credential command's use of the terminal, as decided by flags. */
export interface TerminalUse {
  readonly canAsk: boolean;
  /** Receives each line of stderr if the program has no terminal. */
  readonly onStderr: (line: string) => void;
}

export function checkEntryName(name: string): string {
  if (/^[A-Za-z0-9_-]+\/[A-Za-z0-9_-]+$/.test(name)) return name;
  throw new TypeError(`${JSON.stringify(name)} cannot be the name of an entry`);
}

export interface KeychainHints {
  /** Login command with profile and address. Without them, the key would be stored for another account. */
  readonly login?: string;
  readonly variables?: string;
}

/** Returns the hint of keychain errors. No punctuation follows a command, because users would copy it too. */
export const keychainHints = ({
  login = 'centavo login',
  variables = 'CENTAVO_SECRET_KEY',
}: KeychainHints = {}): string => `You can use ${variables}, or ${login} --credential-command "pass show centavo"`;
