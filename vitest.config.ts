import {defineConfig} from 'vitest/config';

/** Too slow for `npm test`, or about the machine more than about a change: `npm run test:extended` runs these. */
export const SECOND_TIER = [
  'test/billing/import/outage.test.ts',
  'test/billing/import/schedules.test.ts',
  'test/billing/reports/month-report.test.ts',
  'test/cli/lists/cut-lists.test.ts',
  'test/client/faults-writes.test.ts',
  'test/commands/billing-statements/import/processes.test.ts',
  'test/commands/billing-statements/import/progress.test.ts',
  'test/commands/billing-statements/import/two-imports.test.ts',
  'test/commands/completion/shells.test.ts',
  'test/commands/dev/dev.test.ts',
  'test/commands/doctor.test.ts',
  'test/commands/login/keychain.test.ts',
  'test/commands/webhooks/listen/lifecycle.test.ts',
  'test/commands/webhooks/listen/lost.test.ts',
  'test/commands/webhooks/listen/programs.test.ts',
  'test/commands/webhooks/listen/restarts.test.ts',
  'test/config/keys/keychain-failures.test.ts',
  'test/config/keys/keychain-processes.test.ts',
  'test/config/keys/keychain.test.ts',
  'test/every-command/accounts/own-machine.test.ts',
  'test/every-command/accounts/secrets-environment.test.ts',
  'test/every-command/changes/money-matrix.test.ts',
  'test/every-command/changes/processes.test.ts',
  'test/every-command/input/deep-json.test.ts',
  'test/every-command/input/user-files.test.ts',
  'test/every-command/input/zone-and-locale.test.ts',
  'test/every-command/output/bounded-texts.test.ts',
  'test/every-command/output/colour.test.ts',
  'test/every-command/output/csv-of-lists.test.ts',
  'test/every-command/output/recorded-views.test.ts',
  'test/every-command/output/schemas.test.ts',
  'test/every-command/output/streams.test.ts',
  'test/every-command/output/terminal.test.ts',
  'test/guard/agent-processes.test.ts',
  'test/guard/agent-sequences.test.ts',
  'test/output/tables/tables.test.ts',
  'test/release.test.ts',
  'test/sandbox/delivery/outbox.test.ts',
  'test/sandbox/delivery/processes.test.ts',
  'test/screens/import.test.ts',
  'test/sessions/sessions.test.ts',
  'test/storage/doctor-agrees.test.ts',
  'test/webhooks/conformance/conformance.test.ts',
  'test/webhooks/signature/odd-input.test.ts',
];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.extended.test.ts', 'test/soak/**', ...SECOND_TIER],
    globalSetup: 'test/support/built.ts',
    setupFiles: 'test/support/fixed-seed.ts',
    // Two cores, and tests that now and then wait: two more workers use the idle time.
    maxWorkers: 4,
    // A process for each file would load everything again for each of them.
    isolate: false,
    // Limits for what hangs: on a busy machine everything else takes long, too.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: {poll: {timeout: 30_000}},
    // What was transformed is kept in node_modules until it changes.
    experimental: {fsModuleCache: true},
  },
});
