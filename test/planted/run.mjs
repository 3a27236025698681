// Plants the bugs of planted.mjs one at a time, each in a copy of this folder, and says which of them the tests named with it find.
//   node test/planted/run.mjs [--only <word>]

import {spawn, spawnSync} from 'node:child_process';
import {cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {transformSync} from 'rolldown/utils';
import {PLANTED} from './planted.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Copies, in which bugs are planted beside each other. */
const LANES = 2;
/** Milliseconds after which tests that a bug keeps from ending are ended: on an idle machine they take some seconds. */
const LONGEST = 600_000;

const {only} = parseArgs({options: {only: {type: 'string'}}}).values;
const wanted = PLANTED.filter(({suffers, file, tests}) =>
  [suffers, file, ...tests].some((text) => text.toLowerCase().includes((only ?? '').toLowerCase())),
);
if (wanted.length === 0) {
  console.error(`No planted bug has ${only} in its sentence or its files.`);
  process.exit(1);
}

// What is copied is built.
const {status} = spawnSync(process.execPath, [join(root, 'tools/setup.mjs')], {stdio: 'inherit'});
if (status !== 0) process.exit(1);

const folder = mkdtempSync(join(tmpdir(), 'centavo-planted-'));
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill();
  rmSync(folder, {recursive: true, force: true});
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** A copy of this folder with its build. Its packages are links to those that are here. */
function copyTo(copy) {
  cpSync(root, copy, {
    recursive: true,
    filter: (path) => !['node_modules', '.git'].includes(basename(path)),
  });
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  // What is planted is built below: the compiler takes seconds, and refuses what a bug leaves unused. What is bundled stays without it.
  writeFileSync(join(copy, 'tools/setup.mjs'), '');
  return copy;
}

/** In the soak some tests run longer, or in processes of the program. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CENTAVO_')));

/** @returns what the program printed, when it failed or was ended */
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

/** Every test of these files that is not skipped: its file, its name, whether it passed, and what it said. @param options `title` has words that it has */
async function testsOf(copy, files, {title, timeout}) {
  const report = join(copy, 'report.json');
  rmSync(report, {force: true});
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--maxWorkers=1', '--reporter=json'];
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
        said: failureMessages.join('\n'),
      })),
  );
  // Of a file that could not be read.
  const broken = results.map(({message}) => message).filter(Boolean);
  return {tests, printed: printed && [printed, ...broken].join('\n')};
}

const countIn = (tests, file) => tests.filter((test) => test.file === file).length;

/** An expectation that did not hold, or an error that the tests threw: neither an error of the program nor a time limit. */
const isFound = (copy, {hasFailed, said}) => {
  // The first place that is a file.
  const thrownIn = /^\s+at (?:.*\()?(?:file:\/\/)?(\/.*?):\d+:\d+\)?$/m.exec(said)?.[1] ?? '';
  const isOwn = thrownIn.startsWith(join(copy, 'test')) && !/ timed out in /.test(said);
  return hasFailed && (isOwn || /AssertionError|Property failed after|Snapshot .* mismatched/.test(said));
};

/** @returns why the tests have not found the bug; undefined when they have */
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
    const {tests, printed} = await testsOf(copy, files, {title, timeout: LONGEST});
    const crashed = files.find((name) => countIn(tests, name) !== countIn(before, name));
    if (crashed) return `${crashed} did not run all its tests:\n${printed ?? ''}`;
    if (tests.some((test) => isFound(copy, test))) return undefined;
    const other = tests.find(({hasFailed}) => hasFailed);
    return other ? `no assertion failed, but ${other.name} ended with an error:\n${other.said}` : 'every test passes.';
  } finally {
    writeFileSync(path, text);
    writeFileSync(built, builtBefore);
  }
}

/** Does the work of every item, in each lane one after another. */
async function inLanes(items, work) {
  const left = [...items];
  const lane = async (copy) => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(copy, item);
  };
  await Promise.all(lanes.map(lane));
}

const stale = wanted.filter(({file, find}) => readFileSync(join(root, file), 'utf8').split(find).length !== 2);
for (const {file, find} of stale) console.error(`Not exactly once in ${file}: ${find}`);
if (stale.length > 0) process.exit(1);

const started = Date.now();
const seconds = (from) => `${((Date.now() - from) / 1000).toFixed(1)} s`;
const lanes = Array.from({length: Math.min(LANES, wanted.length)}, (_, lane) => copyTo(join(folder, String(lane))));

// Files of which all tests run are run in a part for each lane: most of the time of a short one is that of its start.
const whole = [...new Set(wanted.filter(({title}) => title === undefined).flatMap(({tests}) => tests))];
const parts = [
  ...lanes.map((_, lane) => ({files: whole.filter((_, at) => at % lanes.length === lane)})),
  ...wanted.filter(({title}) => title !== undefined).map(({tests, title}) => ({files: tests, title})),
].filter(({files}) => files.length > 0);
/** The tests with no bug planted, by the words of their titles. */
const unplanted = new Map();
await inLanes(parts, async (copy, {files, title}) => {
  const {tests, printed} = await testsOf(copy, files, {title});
  const failed = tests.filter(({hasFailed}) => hasFailed).map(({name, said}) => `${name}\n${said}`);
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
  const line = `${why === undefined ? 'found   ' : 'SURVIVED'} ${seconds(from).padStart(7)}  ${bug.suffers}`;
  console.log(why === undefined ? line : `${line}\n  ${bug.file}: ${bug.find}\n  ${why}`);
});
console.log(`${found} of ${wanted.length} (${seconds(started)})`);
process.exit(found === wanted.length ? 0 : 1);
