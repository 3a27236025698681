// The whole check: formatting, lint, types, dead code, packaging, generated documents, tests. Says how long each took.

import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name, path) => [process.execPath, join(root, 'node_modules', name, path)];

const STEPS = [
  [
    'format',
    [
      ...bin('prettier', 'bin/prettier.cjs'),
      '--check',
      '--log-level',
      'warn',
      'src',
      'test',
      'tools',
      'bin',
      'examples',
    ],
  ],
  ['lint', [...bin('oxlint', 'bin/oxlint'), '--quiet']],
  ['types', [...bin('typescript', 'bin/tsc'), '-p', 'tsconfig.test.json']],
  ['dead code', bin('knip', 'bin/knip.js')],
  ['packaging', [...bin('publint', 'src/cli.js'), '--strict']],
  ['documents', [process.execPath, 'tools/documents.mjs', '--check']],
];

const started = Date.now();
let failed = 0;
for (const [name, command] of STEPS) {
  const from = Date.now();
  const result = spawnSync(command[0], command.slice(1), {cwd: root, encoding: 'utf8'});
  const time = `${((Date.now() - from) / 1000).toFixed(1)} s`;
  if (result.status === 0) console.log(`ok      ${name} (${time})`);
  else {
    failed++;
    console.log(`FAILED  ${name} (${time})\n${result.stdout}${result.stderr}`);
  }
}

const directory = mkdtempSync(join(tmpdir(), 'centavo-check-'));
const report = join(directory, 'report.json');
const tests = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  {cwd: root, stdio: 'inherit'},
);
let counts = {numPassedTests: 0, numFailedTests: 0, numPendingTests: 0};
try {
  counts = JSON.parse(readFileSync(report, 'utf8'));
} catch {
  failed++;
}
rmSync(directory, {recursive: true, force: true});
if (tests.status !== 0) failed++;
// What cannot be run here is skipped on a user's machine, and is a failure in CI.
if (process.env.CI && counts.numPendingTests > 0) failed++;
console.log(`\n${counts.numPassedTests} passed, ${counts.numFailedTests} failed, ${counts.numPendingTests} skipped`);
console.log(`${failed === 0 ? 'All well' : 'NOT well'} after ${((Date.now() - started) / 1000).toFixed(0)} s.`);
process.exit(failed === 0 ? 0 : 1);
