// The built keychain. It starts files beside it, so it cannot be tested from source.

import type {ProcessHost} from '../../../src/processes/child-program.js';

const load = <T>(path: string): Promise<T> =>
  import(String(new URL(`../../../dist/config/keys/${path}`, import.meta.url)));

export const {createKeychain} = await load<typeof import('../../../src/config/keys/keychain.js')>('keychain.js');

/** This process, for the starter of programs. */
export const hostOf = (env: ProcessHost['env']): ProcessHost => ({
  env,
  kill: (pid, signal) => process.kill(pid, signal),
});
