// Which variables hold secrets, and the environment without them.

import {expect, test} from 'vitest';
import {holdsSecret, childEnvironment} from '../../src/common/environment.js';

test.each([
  'CENTAVO_SECRET_KEY',
  'CENTAVO_WEBHOOK_SECRET',
  'centavo_secret_key',
  'CENTAVO_LIVE_SECRET_KEY',
  'CENTAVO_KEY_2',
])('%s holds one', (name) => {
  expect(holdsSecret(name)).toBe(true);
});

test.each([
  'CENTAVO_PROFILE',
  'CENTAVO_BASE_URL',
  'CENTAVO_DATA_DIR',
  'CENTAVO_KEYBOARD',
  'PAYREX_WEBHOOK_SECRET',
  'PATH',
])('%s holds none of ours', (name) => {
  expect(holdsSecret(name)).toBe(false);
});

test('keeps all other variables unchanged', () => {
  const environment = {
    PATH: '/bin',
    CENTAVO_PROFILE: 'shop',
    CENTAVO_SECRET_KEY: 'a',
    MINE: 'b',
    EMPTY: '',
    NONE: undefined,
  };
  expect(childEnvironment(environment)).toEqual({
    PATH: '/bin',
    CENTAVO_PROFILE: 'shop',
    MINE: 'b',
    EMPTY: '',
    NONE: undefined,
  });
});
