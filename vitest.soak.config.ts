import {defineConfig} from 'vitest/config';

// For `npm run soak`: any test, those of the second tier too.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.extended.test.ts'],
    globalSetup: 'test/support/built.ts',
    setupFiles: 'test/support/fixed-seed.ts',
    maxWorkers: 2,
    // Limits for what hangs: on a busy machine everything else takes long, too.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: {poll: {timeout: 120_000}},
  },
});
