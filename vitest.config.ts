import {defineConfig} from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // `npm run test:extended` and `npm run soak` run these.
    exclude: ['test/**/*.extended.test.ts', 'test/soak/**'],
    globalSetup: 'test/support/built.ts',
    // Two cores, and tests that now and then wait: a third worker uses the idle time.
    maxWorkers: 3,
    // A process for each file would load everything again for each of them.
    isolate: false,
    // Limits for what hangs: on a busy machine everything else takes long, too.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: {poll: {timeout: 120_000}},
    // What was transformed is kept in node_modules until it changes.
    experimental: {fsModuleCache: true},
  },
});
