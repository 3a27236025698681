import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {defineConfig} from 'vitest/config';
import base, {SECOND_TIER} from './vitest.config.js';

/** Those that do only a part of their work in `npm test`. */
const inPart = readdirSync('test', {recursive: true, encoding: 'utf8'})
  .map((name) => join('test', name))
  .filter((path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes("/support/test-size.js'"));

// What `npm test` has no time for: files that say so by their name, and again, with all of it, those that did a part.
export default defineConfig({
  test: {
    ...base.test,
    include: ['test/**/*.extended.test.ts', ...SECOND_TIER, ...inPart],
    exclude: ['test/soak/**'],
    env: {CENTAVO_TEST_RUNS: 'all'},
    // The whole of a test takes longer than its part.
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
