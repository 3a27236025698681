// Where keys are kept. This file: what every such place can do; the keychain, private files and programs that print a key are others.

/** Which place holds a key; a profile remembers it. */
export type Store = 'command' | 'file' | 'keychain';

/** A place for secrets by name. Names are `<profile's id>/<slot>`: letters, digits, `-`, `_` and one `/`. */
export interface CredentialStore {
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

/** Guards what becomes part of a path. @throws TypeError for a name of another form, which is a bug of the caller's */
export function checkCredentialName(name: string): string {
  if (/^[A-Za-z0-9_-]+\/[A-Za-z0-9_-]+$/.test(name)) return name;
  throw new TypeError(`${JSON.stringify(name)} cannot be the name of a credential`);
}
