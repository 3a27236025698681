// What a person can do whose key no keychain keeps. There are three ways, and each can be pasted as it is printed.

export interface WaysOut {
  /** The login that is meant, with its profile and address: without them the key would be another account's. */
  readonly login?: string;
  /** Variables that do instead. */
  readonly variables?: string;
  /** A file is for a live key only where that is asked for in so many words. */
  readonly live?: boolean;
}

/** The third line of such an error. No comma or full stop touches a command: it would be pasted with it. */
export const waysOut = ({
  login = 'centavo login',
  variables = 'CENTAVO_SECRET_KEY',
  live = false,
}: WaysOut = {}): string =>
  `Ways out: ${variables}; or ${login} --credential-command "pass show centavo" or ${login} --insecure-storage${live ? '=live' : ''}`;
