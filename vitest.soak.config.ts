import {defineConfig} from 'vitest/config';

// What takes longer than `npm test` has time for.
export default defineConfig({
  test: {
    include: ['test/soak/**/*.test.ts'],
    globalSetup: 'test/helpers/built.ts',
    maxWorkers: 2,
    testTimeout: 40_000,
    hookTimeout: 40_000,
  },
});
