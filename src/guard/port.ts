// What the guard needs of the program around it.

import type {Audit} from '../audit/audit.js';
import type {Client} from '../client/client.js';
import type {Connection} from '../config/resolve.js';

/** The parts of the context that the guard needs. */
export interface GuardPort {
  /** Which account the command speaks to. @throws CentavoError kind `config` or `auth` */
  readonly connection: () => Promise<Connection>;
  /** Reads what a change is about. @throws CentavoError when there is no key */
  readonly client: () => Promise<Pick<Client, 'perform'>>;
  readonly signal: AbortSignal;
  /** A person at a terminal, and what is said to them. */
  readonly io: {
    readonly canAsk: boolean;
    readonly note: (line: string, options?: {readonly style?: 'dim' | 'red' | 'yellow'}) => void;
    readonly settings: {readonly quiet?: boolean};
  };
  readonly prompt: {readonly confirm: (question: string) => Promise<boolean>};
  /** Records what is about to be changed. @throws CentavoError kind `local_io` or `config` */
  readonly audit: () => Promise<Pick<Audit, 'begin'>>;
}
