// The account's time, for comparisons with recorded times: that of the service, never of this machine.

import {CentavoError} from '../common/errors.js';
import {DAY} from '../common/manila.js';
import type {EmbeddedSandbox} from '../sandbox/embedded.js';
import type {Accounts} from './accounts.js';

interface ClockContext extends Pick<Accounts, 'client' | 'clockSkew' | 'connection'> {
  readonly signal: AbortSignal;
  readonly sandbox: () => Promise<EmbeddedSandbox>;
  /** Unix seconds. */
  readonly now: () => number;
  /** Seconds to add for the service's time. */
  readonly offset: () => number;
}

export function accountClock({client, clockSkew, connection, now, offset, sandbox, signal}: ClockContext) {
  /** Returns the embedded sandbox if the command uses it; otherwise makes sure that the service has answered. */
  async function ready(): Promise<EmbeddedSandbox | undefined> {
    if ((await connection()).mode === 'sandbox') return sandbox();
    if (clockSkew() !== undefined) return undefined;
    try {
      await (await client()).customers.list({limit: 1}, {signal});
    } catch (error) {
      // A refusal has the time, too.
      if (clockSkew() === undefined || !(error instanceof CentavoError)) throw error;
    }
    return undefined;
  }
  return {
    serviceNow: async (): Promise<number> => (await ready())?.now() ?? now() + offset(),
    /** @param options.reads false to send nothing: the answer is then false until the service has answered */
    allowsPruning: async ({reads = true} = {}): Promise<boolean> => {
      const embedded = reads || (await connection()).mode === 'sandbox' ? await ready() : undefined;
      return (
        (embedded !== undefined || clockSkew() !== undefined) &&
        Math.abs(embedded ? embedded.clock().ahead : offset()) <= DAY
      );
    },
  };
}
