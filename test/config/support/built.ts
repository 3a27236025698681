// The built keychain and what goes with it: it starts files that are beside it, so it cannot be tested from source.

const load = <T>(path: string): Promise<T> =>
  import(String(new URL(`../../../dist/config/keys/${path}`, import.meta.url)));

export const {createKeychain} = await load<typeof import('../../../src/config/keys/keychain.js')>('keychain.js');
