// Prepares a release: checks the clone, raises the version, dates the changelog, runs `npm test`, packs, and checks the package.
// It never commits, tags, pushes or publishes; it prints the next steps for a maintainer.
// node tools/release.mjs 0.7.0 [--no-tests]; node tools/release.mjs --pack [FOLDER] only packs and checks the package.

import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join, relative, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');
/** The files that a release changes. */
const CHANGED = ['package.json', 'package-lock.json', 'CHANGELOG.md'];

class Refusal extends Error {}
const refuse = (message) => {
  throw new Refusal(message);
};

/** @param shown prints the output to the terminal instead of returning it */
function run(shown, program, ...words) {
  const shell = process.platform === 'win32';
  const stdio = ['ignore', shown ? 'inherit' : 'pipe', shown ? 'inherit' : 'pipe'];
  const {status, stdout, stderr, error} = spawnSync(program, words, {cwd: root, encoding: 'utf8', stdio, shell});
  if (status !== 0) refuse(`${program} ${words.join(' ')} failed. ${error?.message ?? stderr ?? ''}`.trim());
  return stdout;
}

/** Packs and checks the package. @returns its path, number of files, size and checksum */
function pack(folder) {
  // npm packs file modes, so they must not depend on this umask.
  process.umask(0o022);
  rmSync(join(root, 'release'), {recursive: true, force: true});
  mkdirSync(folder, {recursive: true});
  // Newer versions of npm return an object by name, older ones a list.
  const [{filename, files, size, integrity}] = Object.values(
    // The relative path has no spaces, which a shell would split at.
    JSON.parse(run(false, 'npm', 'pack', '--json', '--loglevel=error', '--pack-destination', relative(root, folder))),
  );
  const tracked = new Set(run(false, 'git', 'ls-files').split('\n'));
  const wrong = files.filter(({path, mode}) => {
    const built = /^bundle\/(?!code-)/.test(path);
    return !(built || tracked.has(path)) || /^(src|test|tools|bench)\//.test(path) || ![0o644, 0o755].includes(mode);
  });
  if (wrong.length > 0) {
    const names = wrong.map(({path, mode}) => `${path} (${mode.toString(8)})`);
    refuse(`the package has what it should not, or with another mode than 644 and 755: ${names.join(', ')}.`);
  }
  const needed = ['bin/run.js', 'bundle/entry.js', 'bundle/LICENSES.txt', 'bundle/sbom.cdx.json', 'SECURITY.md'];
  const missing = needed.filter((path) => !files.some((each) => each.path === path));
  if (missing.length > 0) refuse(`the package lacks ${missing.join(', ')}.`);
  const path = join(folder, filename);
  const sum = createHash('sha512').update(readFileSync(path));
  if (`sha512-${sum.copy().digest('base64')}` !== integrity) refuse(`${path} is not what npm says it packed.`);
  return {path, files: files.length, size, checksum: sum.digest('hex')};
}

/** @returns the changelog with this version instead of "Unreleased" */
function closedChangelog(version) {
  const changelog = read('CHANGELOG.md');
  const [, part] = /^## Unreleased\n([^]*?)(?=^## |(?![^]))/m.exec(changelog) ?? [];
  if (!/^- \S/m.test(part ?? ''))
    refuse('CHANGELOG.md has nothing under "## Unreleased": say there what users will notice.');
  return changelog.replace('## Unreleased\n', `## ${version} (${new Date().toISOString().slice(0, 10)})\n`);
}

function checkVersion(version) {
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(version ?? ''))
    refuse(`"${version ?? ''}" is not a version of three numbers, such as 0.7.0.`);
  const last = JSON.parse(read('package.json')).version;
  const [one, other] = [version, last].map((each) => each.split('.').map(Number));
  const differing = one.findIndex((number, index) => number !== other[index]);
  if (differing < 0 || one[differing] < other[differing])
    refuse(`${version} is not greater than ${last}, the last version.`);
}

function release(version, tests) {
  checkVersion(version);
  if (run(false, 'git', 'status', '--porcelain') !== '')
    refuse('the clone has changes that are not committed (git status).');
  const branch = run(false, 'git', 'branch', '--show-current').trim();
  if (branch !== 'main') refuse(`releases are made of main, and this is ${branch || 'no branch'}.`);
  const changelog = closedChangelog(version);
  const before = CHANGED.map((path) => [path, read(path)]);
  try {
    writeFileSync(join(root, 'CHANGELOG.md'), changelog);
    run(false, 'npm', 'version', version, '--no-git-tag-version', '--ignore-scripts');
    if (tests) run(true, 'npm', 'test');
    printNextSteps(version, pack(join(root, 'release')), tests);
  } catch (error) {
    for (const [path, text] of before) writeFileSync(join(root, path), text);
    throw error;
  }
}

function printNextSteps(version, packed, tests) {
  console.log(`centavo ${version} is ready; nothing was committed, tagged, pushed or published.
${tests ? 'All checks of npm test passed.' : 'The checks did NOT run (--no-tests).'}

${packageSummary(packed)}

Next, once you have read git diff:
  git commit --all --message 'Release ${version}'
  git tag --annotate v${version} --message 'centavo ${version}'
  git push origin main v${version}

The tag starts .github/workflows/release.yml: it packs again, and publishes to npm with provenance. The checksum that it prints
is the one above if it uses the same Node and npm (here ${process.version} and ${run(false, 'npm', '--version').trim()}). To undo all this: git restore ${CHANGED.join(' ')}`);
}

const packageSummary = ({path, files, size, checksum}) =>
  `${relative(process.cwd(), path)}: ${files} files, ${size} bytes; licences and SBOM are in its bundle folder
sha512 ${checksum}`;

try {
  const [first, second, ...others] = process.argv.slice(2);
  if (others.length > 0 || (first !== '--pack' && ![undefined, '--no-tests'].includes(second)))
    refuse('usage: node tools/release.mjs VERSION [--no-tests], or --pack [FOLDER].');
  if (first === '--pack') console.log(packageSummary(pack(resolve(second ?? join(root, 'release')))));
  else release(first, second !== '--no-tests');
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}
