// The tests too long for `npm test`, with random input that is drawn anew each time. `--short` is for CI: fixed input, smaller sizes,
// a third of the planted bugs. Long, about an hour on two cores: fifteen thousand statements in virtual time, every derived
// command four ways, ten thousand secrets through every way of printing, a million forged signatures, random keys in a thousand
// guided flows, six hundred kills, hundreds of power cuts, two busy listeners, all planted bugs. CASES, CENTAVO_RUNS and the other
// variables of the tests make it longer. The limits of memory were measured on Node 20: Node 24 frees memory later, and exceeds
// three of them.

import {spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {fileURLToPath} from 'node:url';
import {join} from 'node:path';

const root = fileURLToPath(new URL('..', import.meta.url));
const VITEST = join(root, 'node_modules/vitest/vitest.mjs');
const SOAK = [VITEST, 'run', '--config', 'vitest.soak.config.ts'];
const TIMED = ['import-load', 'history-processes'].map((name) => `test/soak/${name}.test.ts`);
const isShort = process.argv.includes('--short');
const SEED = process.env.CENTAVO_SEED ?? (isShort ? '1' : String(Math.floor(Math.random() * 2 ** 28)));
const SIZES = isShort
  ? {
      CASES: '60',
      CENTAVO_RUNS: '40',
      CENTAVO_TRIALS: '6',
      CENTAVO_ROWS: '100',
      CENTAVO_SECRETS: '1000',
      CENTAVO_FUZZ: '50000',
    }
  : {CENTAVO_FUZZ: '1000000'};
/** The tests of both tiers with random input. */
const RANDOM = readdirSync(join(root, 'test'), {recursive: true, encoding: 'utf8'})
  .filter((name) => name.endsWith('.test.ts') && !name.startsWith('soak') && !name.includes('.extended.'))
  .map((name) => join('test', name))
  .filter((path) => /fast-check'|\/seed\.js'/.test(readFileSync(join(root, path), 'utf8')));
const STEPS = [
  [...SOAK, 'test/soak', ...TIMED.flatMap((path) => ['--exclude', path])],
  ...(isShort ? [] : [[...SOAK, ...RANDOM]]),
  // All widths, with the program in a pseudo-terminal; `npm test` mostly runs these without a process.
  [
    ...[...SOAK, 'test/guard/guard.test.ts', 'test/screens'],
    ...['billing-statements', 'history'].map((name) => `test/commands/${name}`),
    ...['output/control-characters', 'accounts/secrets', 'output/terminal'].map((name) => `test/every-command/${name}`),
  ],
  ['test/soak/receiver-crash.mjs', '--kills', isShort ? '40' : '200'],
  ['test/soak/log-crash.mjs', '--kills', isShort ? '40' : '400'],
  ...(isShort
    ? []
    : [
        // Each alone, since beside others they would get a fraction of the processor and disk.
        ...TIMED.map((path) => [...SOAK, path]),
        ['test/soak/receiver-power-cut.mjs'],
        ['test/soak/receiver-power-cut.mjs', '--failed-sync', '10'],
        // An hour of it was flat too.
        ['test/soak/listeners-memory.mjs', '--minutes', '4'],
      ]),
  // Checks that the tests find the planted bugs.
  ['test/planted/run.mjs', ...(isShort ? ['--third'] : [])],
];

const directory = mkdtempSync(join(tmpdir(), 'centavo-soak-'));
const report = join(directory, 'report.json');

/** The failures of a step, a line each, for the end of a long log. */
function failures(words) {
  if (!existsSync(report)) return [words.join(' ')];
  const {testResults} = JSON.parse(readFileSync(report, 'utf8'));
  const tests = testResults.flatMap(({name, status, assertionResults, message}) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (status === 'failed' && failed.length === 0) return [`${name}: ${message}`];
    return failed.map(({fullName, failureMessages}) => `${name}: ${fullName}\n${failureMessages.join('\n')}`);
  });
  return tests.length === 0 ? [words.join(' ')] : tests;
}

console.log(`CENTAVO_SEED=${SEED}`);
const failed = [];
for (const words of STEPS) {
  rmSync(report, {force: true});
  const reporters = words[0] === VITEST ? ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`] : [];
  const {status} = spawnSync(process.execPath, [...words, ...reporters], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...SIZES,
      ...process.env,
      CENTAVO_SEED: SEED,
      CENTAVO_TEST_RUNS: isShort ? '' : 'all',
      CENTAVO_TEST_TERMINALS: 'all',
    },
  });
  if (status !== 0) failed.push(...failures(words));
}
rmSync(directory, {recursive: true});
console.log(failed.length === 0 ? 'All well.' : `NOT well:\n${failed.join('\n')}`);
process.exit(failed.length === 0 ? 0 : 1);
