import {defineConfig} from 'vitest/config';
import {SLOW} from './vitest.config.ts';

// What takes longer than `npm test` has time for.
export default defineConfig({
  test: {
    include: ['test/soak/**/*.test.ts', 'test/webhooks/signature-fuzz.test.ts', ...SLOW],
    globalSetup: 'test/helpers/built.ts',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
