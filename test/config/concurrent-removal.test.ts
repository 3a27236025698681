// A key is removed while another command replaces it or renames the profile: a keychain may take seconds.

import {expect, test} from 'vitest';
import {createKeyFiles} from '../../src/config/keys/key-files.js';
import {ProfileKeys} from '../../src/config/keys/profile-keys.js';
import {home, keyOf, type Home} from '../support/config/key-homes.js';

const [OLD, NEW] = [keyOf('sk_test_'), keyOf('sk_test_', 'two')];

/** Removes the key of `shop`; runs the given change after its store, before the configuration changes. */
const forget = ({keys: directory, configuration}: Home, meanwhile: () => Promise<unknown>) => {
  const files = createKeyFiles({directory, user: process.getuid?.(), token: () => 'later'});
  const remove = async (name: string): Promise<void> => {
    await files.remove(name);
    await meanwhile();
  };
  const run = (): never => expect.fail('no program is to be asked');
  return new ProfileKeys(configuration, {open: async () => ({...files, remove}), run}).remove('shop', ['test_secret']);
};

test('keeps a key that was stored in the meantime', async () => {
  const here = home();
  await here.keep(OLD);
  await forget(here, () => here.keep(NEW));
  expect(await here.use()).toBe(NEW);
  expect(here.holding(OLD)).toEqual([]);
});

test('does not recreate a profile that was renamed in the meantime', async () => {
  const here = home();
  await here.keep(OLD);
  await forget(here, () =>
    here.configuration.update(({profiles: {shop}, ...rest}) => ({...rest, profile: 'store', profiles: {store: shop!}})),
  );
  expect(Object.keys(here.configuration.read().profiles)).toEqual(['store']);
});
