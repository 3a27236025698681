import {defineConfig} from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // `npm run soak` runs these.
    exclude: ['test/soak/**'],
    globalSetup: 'test/helpers/built.ts',
    // Two cores, and tests that now and then wait: a third worker takes their turn.
    maxWorkers: 3,
    // A process for each file would load everything again, a hundred and fifty times.
    isolate: false,
    testTimeout: 40_000,
    hookTimeout: 40_000,
  },
});
