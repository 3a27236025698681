// The folders of the configuration and the data: never dependent on the working directory.

import {userInfo} from 'node:os';
import {isAbsolute, join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {configDirectory, dataDirectory} from '../../src/config/paths.js';

const {homedir} = userInfo();

describe.each(['linux', 'darwin'] as const)('on %s', (platform) => {
  test.each([[{}], [{HOME: ''}], [{HOME: 'here'}], [{HOME: '.'}]])('%j means the home of the user', (env) => {
    for (const directory of [configDirectory(env, platform), dataDirectory(env, platform)]) {
      expect(isAbsolute(directory)).toBe(true);
      expect(directory.startsWith(join(homedir, '/'))).toBe(true);
    }
  });

  test('an absolute HOME is the home folder', () => {
    expect(configDirectory({HOME: '/home/juan'}, platform)).toMatch(/^\/home\/juan\/.*centavo$/);
    expect(dataDirectory({HOME: '/home/juan'}, platform)).toMatch(/^\/home\/juan\/.*centavo$/);
  });
});
