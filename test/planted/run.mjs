// Plants the bugs of planted.mjs one at a time in a copy of this folder, and prints if their tests find them.
//   node test/planted/run.mjs [--only <word>] [--third]

import {spawn, spawnSync} from 'node:child_process';
import {cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {transformSync} from 'rolldown/utils';
import {PLANTED} from './planted.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Copies that work in parallel. */
const LANES = 2;
/** Milliseconds for tests that hang because of a bug. On an idle machine they take seconds. */
const TEST_TIMEOUT = 600_000;

const {only = '', third} = parseArgs({options: {only: {type: 'string'}, third: {type: 'boolean'}}}).values;
const wanted = PLANTED.filter(
  ({harm, file, tests}, index) =>
    [harm, file, ...tests].some((text) => text.toLowerCase().includes(only.toLowerCase())) &&
    (!third || index % 3 === 0),
);
if (wanted.length === 0) {
  console.error(`No planted bug has ${only} in its sentence or its files.`);
  process.exit(1);
}

// Build before the copy.
const {status} = spawnSync(process.execPath, [join(root, 'tools/setup.mjs')], {stdio: 'inherit'});
if (status !== 0) process.exit(1);

const folder = mkdtempSync(join(tmpdir(), 'centavo-planted-'));
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill();
  rmSync(folder, {recursive: true, force: true});
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** Copies this folder with its build, and links its packages. */
function copyTo(copy) {
  cpSync(root, copy, {
    recursive: true,
    filter: (path) => !['node_modules', '.git'].includes(basename(path)),
  });
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  // Planted files are built below: the compiler is slow, and rejects unused code. The bundle stays unplanted.
  writeFileSync(join(copy, 'tools/setup.mjs'), '');
  return copy;
}

/** Without settings of the soak, which makes tests run longer. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CENTAVO_')));

/** @returns the output if the program failed or was killed */
const run = (copy, args, timeout) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, {cwd: copy, timeout, env: {...env, NO_COLOR: '1'}});
    running.add(child);
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
    child.on('close', (status) => {
      running.delete(child);
      resolve(status === 0 ? undefined : printed);
    });
  });

/** Runs the tests of these files. @param options `title` is a part of their titles */
async function testsOf(copy, files, {title, timeout}) {
  const report = join(copy, 'report.json');
  rmSync(report, {force: true});
  const config = ['--config', 'vitest.planted.config.ts'];
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...config, '--maxWorkers=1', '--reporter=json'];
  const named = title === undefined ? [] : ['-t', title];
  const printed = await run(copy, [...vitest, `--outputFile=${report}`, ...files, ...named], timeout);
  let results = [];
  try {
    results = JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {}
  const tests = results.flatMap(({name, assertionResults}) =>
    assertionResults
      .filter(({status}) => status === 'passed' || status === 'failed')
      .map(({fullName, status, failureMessages}) => ({
        file: files.find((file) => name.endsWith(file)),
        name: fullName,
        hasFailed: status === 'failed',
        message: failureMessages.join('\n'),
      })),
  );
  // Messages of files that could not be loaded.
  const broken = results.map(({message}) => message).filter(Boolean);
  return {tests, printed: printed && [printed, ...broken].join('\n')};
}

const countIn = (tests, file) => tests.filter((test) => test.file === file).length;

/** True if an expectation failed or the test threw; false for an error of the program or a timeout. */
const isFound = (copy, {hasFailed, message}) => {
  // The first stack frame in a file.
  const thrownIn = /^\s+at (?:.*\()?(?:file:\/\/)?(\/.*?):\d+:\d+\)?$/m.exec(message)?.[1] ?? '';
  const isOwn = thrownIn.startsWith(join(copy, 'test')) && !/ timed out in /.test(message);
  return hasFailed && (isOwn || /AssertionError|Property failed after|Snapshot .* mismatched/.test(message));
};

/** @returns the reason why the tests did not find the bug; undefined if they did */
async function plant(copy, {file, find, replace, tests: files, title}, before) {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  const built = path.replace(join(copy, 'src'), join(copy, 'dist')).replace(/\.ts$/, '.js');
  const builtBefore = readFileSync(built);
  const planted = text.replace(find, () => replace);
  const {code, errors} = transformSync(path, planted, {lang: 'ts', typescript: {onlyRemoveTypeImports: true}});
  if (errors.length > 0) return `it cannot be compiled: ${errors[0].message}`;
  try {
    writeFileSync(path, planted);
    writeFileSync(built, code);
    const {tests, printed} = await testsOf(copy, files, {title, timeout: TEST_TIMEOUT});
    const crashed = files.find((name) => countIn(tests, name) !== countIn(before, name));
    if (crashed) return `${crashed} did not run all its tests:\n${printed ?? ''}`;
    if (tests.some((test) => isFound(copy, test))) return undefined;
    const other = tests.find(({hasFailed}) => hasFailed);
    return other
      ? `no assertion failed, but ${other.name} ended with an error:\n${other.message}`
      : 'every test passes.';
  } finally {
    writeFileSync(path, text);
    writeFileSync(built, builtBefore);
  }
}

/** Works on all items, one at a time in each lane. */
async function inLanes(items, work) {
  const remaining = [...items];
  const lane = async (copy) => {
    for (let item = remaining.shift(); item !== undefined; item = remaining.shift()) await work(copy, item);
  };
  await Promise.all(lanes.map(lane));
}

const stale = wanted.filter(({file, find}) => readFileSync(join(root, file), 'utf8').split(find).length !== 2);
for (const {file, find} of stale) console.error(`Not exactly once in ${file}: ${find}`);
if (stale.length > 0) process.exit(1);

const started = Date.now();
const seconds = (from) => `${((Date.now() - from) / 1000).toFixed(1)} s`;
const lanes = Array.from({length: Math.min(LANES, wanted.length)}, (_, lane) => copyTo(join(folder, String(lane))));

// Whole files are run together, split by lane: starting vitest takes most of the time.
const whole = [...new Set(wanted.filter(({title}) => title === undefined).flatMap(({tests}) => tests))];
const parts = [
  ...lanes.map((_, lane) => ({files: whole.filter((_, at) => at % lanes.length === lane)})),
  ...wanted.filter(({title}) => title !== undefined).map(({tests, title}) => ({files: tests, title})),
].filter(({files}) => files.length > 0);
/** Tests without a planted bug, by title filter. */
const unplanted = new Map();
await inLanes(parts, async (copy, {files, title}) => {
  const {tests, printed} = await testsOf(copy, files, {title});
  const failed = tests.filter(({hasFailed}) => hasFailed).map(({name, message}) => `${name}\n${message}`);
  const empty = files.filter((file) => countIn(tests, file) === 0).map((file) => `${file} runs no test.`);
  if (printed !== undefined || empty.length > 0) {
    console.error(['Without a bug planted, these do not pass:', ...failed, ...empty, printed ?? ''].join('\n'));
    process.exit(1);
  }
  unplanted.set(title, [...(unplanted.get(title) ?? []), ...tests]);
});
console.log(`With no bug planted all of their tests pass (${seconds(started)}).`);

let found = 0;
await inLanes(wanted, async (copy, bug) => {
  const from = Date.now();
  const why = await plant(copy, bug, unplanted.get(bug.title));
  if (why === undefined) found++;
  const line = `${why === undefined ? 'found   ' : 'SURVIVED'} ${seconds(from).padStart(7)}  ${bug.harm}`;
  console.log(why === undefined ? line : `${line}\n  ${bug.file}: ${bug.find}\n  ${why}`);
});
console.log(`${found} of ${wanted.length} (${seconds(started)})`);
process.exit(found === wanted.length ? 0 : 1);
