// Makes a clone runnable: installs missing packages and builds if the sources changed. Plain Node, no packages.

import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {createHash} from 'node:crypto';
import {fileURLToPath} from 'node:url';
import {join} from 'node:path';

const root = fileURLToPath(new URL('..', import.meta.url));
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`centavo needs Node 20.19 or later; this is ${process.versions.node}.`);
  process.exit(1);
}

/** npm passes its own options to scripts: an inherited `--global` or `--omit` would change `npm ci`. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^npm_config_(global|prefix|location|omit|only|production|dry_run)$/i.test(name),
  ),
);

function run(what, command, args) {
  const result = spawnSync(command, args, {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    // npm is a script on Windows. A shell would split the path of Node, which is below "Program Files".
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (result.status === 0) return;
  console.error(`${what} failed:\n${result.stdout ?? ''}${result.stderr ?? ''}${result.error ?? ''}`);
  process.exit(1);
}

const hash = (paths) => {
  const sum = createHash('sha256');
  for (const path of paths) sum.update(path).update(readFileSync(join(root, path)));
  return sum.digest('hex');
};

const filesBelow = (folder) =>
  readdirSync(join(root, folder), {recursive: true})
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(join(root, path)).isFile())
    .sort();

/** Runs a step unless its inputs are unchanged and its output exists. */
function step(name, inputs, output, work) {
  const stamp = join(root, 'node_modules', `.centavo-${name}`);
  const now = hash(inputs);
  if (existsSync(join(root, output)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === now) return;
  console.error(`${name}…`);
  // A failed step runs again, even with the same inputs.
  rmSync(stamp, {force: true});
  work();
  mkdirSync(join(root, 'node_modules'), {recursive: true});
  writeFileSync(stamp, now);
}

// npm also runs this as `prepare` after an install: nothing more to install.
const installed =
  process.env.npm_lifecycle_event === 'prepare' && existsSync(join(root, 'node_modules/rolldown/package.json'));
if (!installed) {
  step('install', ['package-lock.json'], 'node_modules/@oclif/core/package.json', () => {
    // Packages need no install scripts; `prepare` would run this again.
    run('npm ci', 'npm', ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund']);
  });
}
step(
  'build',
  [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tools/bundle.mjs',
    'tools/declarations.mjs',
    'tools/sbom.mjs',
    ...filesBelow('tools/licenses'),
    ...filesBelow('src'),
  ],
  'bundle/contents.json',
  () => {
    // Writes over the old build, so that running commands keep working.
    run('The compiler', process.execPath, ['node_modules/typescript/bin/tsc']);
    for (const path of existsSync(join(root, 'dist')) ? filesBelow('dist') : []) {
      const source = path.replace(/^dist/, 'src').replace(/(\.d)?\.[jt]s$/, '.ts');
      if (!existsSync(join(root, source))) rmSync(join(root, path));
    }
    run('The bundler', process.execPath, ['tools/bundle.mjs']);
  },
);
