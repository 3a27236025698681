// The check of `npm test`: lint, types, generated documents, tests. With `--extended` the one of `npm run test:extended`:
// formatting, dead code, packaging, and the slow tests. Prints the time of each.

import {spawn} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name, path) => [process.execPath, join(root, 'node_modules', name, path)];

const extended = process.argv[2] === '--extended';
const words = process.argv.slice(extended ? 3 : 2);

const STEPS = extended
  ? [
      [
        'format',
        [
          ...bin('prettier', 'bin/prettier.cjs'),
          '--check',
          // Unchanged files are not checked again. A full check takes a tenth of the time of all tests.
          ...['--cache', '--cache-strategy', 'content'],
          '--log-level',
          'warn',
          ...['src', 'test', 'tools', 'bench', 'bin', 'examples', '.github'],
        ],
      ],
      ['dead code', bin('knip', 'bin/knip.js')],
      ['packaging', [...bin('publint', 'src/cli.js'), '--strict']],
    ]
  : [
      ['lint', [...bin('oxlint', 'bin/oxlint'), '--quiet']],
      ['types', [...bin('typescript', 'bin/tsc'), '-p', 'tsconfig.test.json']],
      ['documents', [process.execPath, 'tools/documents.mjs', '--check']],
    ];

const started = Date.now();
let failed = 0;
const lines = [];

/** Runs one step; its output is shown only when it fails. */
const run = ([name, [command, ...args]]) =>
  new Promise((resolve) => {
    const from = Date.now();
    const child = spawn(command, args, {cwd: root});
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    child.on('error', (error) => (output += error.message));
    child.on('close', (status) => {
      const time = `${((Date.now() - from) / 1000).toFixed(1)} s`;
      if (status !== 0) failed++;
      lines.push(status === 0 ? `ok      ${name} (${time})` : `FAILED  ${name} (${time})\n${output}`);
      resolve();
    });
  });

const directory = mkdtempSync(join(tmpdir(), 'centavo-check-'));
const report = join(directory, 'report.json');
const tests = spawn(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...(extended ? ['--config', 'vitest.extended.config.ts'] : []),
    ...words,
  ],
  {cwd: root, stdio: 'inherit'},
);
// Tests wait now and then, so the other steps run beside them.
const [status] = await Promise.all([
  new Promise((resolve) => tests.on('close', resolve)),
  STEPS.reduce((before, step) => before.then(() => run(step)), Promise.resolve()),
]);
console.log(`\n${lines.join('\n')}`);
let counts = {numPassedTests: 0, numFailedTests: 0, numPendingTests: 0};
try {
  counts = JSON.parse(readFileSync(report, 'utf8'));
} catch {
  failed++;
}
rmSync(directory, {recursive: true, force: true});
if (status !== 0) failed++;
// A test that cannot run is skipped on a user's machine, and fails in CI.
if (process.env.CI && counts.numPendingTests > 0) failed++;
console.log(`\n${counts.numPassedTests} passed, ${counts.numFailedTests} failed, ${counts.numPendingTests} skipped`);
console.log(`${failed === 0 ? 'All well' : 'NOT well'} after ${((Date.now() - started) / 1000).toFixed(0)} s.`);
process.exit(failed === 0 ? 0 : 1);
