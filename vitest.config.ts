import {defineConfig} from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // `npm run soak` runs these.
    exclude: ['test/soak/**', 'test/audit/processes.test.ts', 'test/output/secrets.test.ts'],
    globalSetup: 'test/helpers/built.ts',
    // Two cores: real processes are what takes the time, and more workers than cores only make each slower.
    maxWorkers: 2,
    // A process for each file would load everything again, a hundred and fifty times.
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
