import {defineConfig} from 'vitest/config';

// What takes longer than `npm test` has time for.
export default defineConfig({
  test: {
    include: ['test/soak/**/*.test.ts'],
    globalSetup: 'test/support/built.ts',
    setupFiles: 'test/support/fixed-seed.ts',
    maxWorkers: 2,
    // Limits for what hangs: on a busy machine everything else takes long, too.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: {poll: {timeout: 120_000}},
  },
});
