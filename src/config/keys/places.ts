// The places where keys are kept, opened when one is needed: most commands need one at most, and many none.

import type {KeyPlaces} from './reader.js';
import {configDirectory, keysDirectory} from '../paths.js';
import type {Environment} from '../../secrets.js';

/** What the places need of the process. */
export interface PlacesHost {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** Id of the user this process runs as; undefined where files have no owner. */
  readonly user: number | undefined;
  readonly signal: AbortSignal;
  /** What starts this program: Node and its entry. */
  readonly self: readonly string[];
  readonly atExit: (cleanUp: () => void) => () => void;
  readonly kill: (pid: number, signal: 0 | 'SIGKILL' | 'SIGTERM') => unknown;
}

/** How a program may use the terminal, known once the command line is read. */
export interface Desk {
  /** Whether a person sits at it who may be asked for a password. */
  readonly canAsk: boolean;
  /** Takes what a program complains of where nobody sits. */
  readonly say: (line: string) => void;
}

/**
 * @param token names files and trial entries
 */
export function openPlaces(host: PlacesHost, desk: () => Desk, token: () => string): KeyPlaces {
  const {env: environment, platform, user, atExit, kill, signal} = host;
  return {
    open: async (store) => {
      if (store === 'keychain') {
        const {createKeychain} = await import('./keychain.js');
        return createKeychain({node: host.self[0]!, environment, atExit, token});
      }
      const {createKeyFiles} = await import('./files.js');
      return createKeyFiles({directory: keysDirectory(configDirectory(environment, platform)), user, token});
    },
    run: async (words) => {
      const {readFromCommand} = await import('./credential-command.js');
      const {canAsk: terminal, say} = desk();
      return readFromCommand(words, {environment, signal, terminal, say, kill, atExit});
    },
  };
}
