// A fresh clone, installed in each way that there is: the package that comes of it has code that runs. Two clones make the same package, and a release one of the next version.

import {execFileSync, spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {cliEnvironment, temporaryDirectory} from '../support/cli.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LONGEST = 300_000;

const directory = temporaryDirectory((clean) => afterAll(clean, LONGEST));
const below = (name: string): string => join(directory, name);
// npm's own settings for its parent are not for these; what was downloaded once is not downloaded again.
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
};

const clone = (name: string): string => {
  // Its history is not needed, and neither is what is not committed.
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, below(name)], {stdio: 'pipe'});
  return below(name);
};

function npm(folder: string, ...words: string[]): void {
  const {status, stderr, stdout} = spawnSync('npm', words, {cwd: folder, env, encoding: 'utf8'});
  expect(status, stdout + stderr).toBe(0);
}

/** A folder of somebody who uses centavo. */
function project(name: string): string {
  mkdirSync(below(name));
  writeFileSync(join(below(name), 'package.json'), '{"private": true, "type": "module"}');
  return below(name);
}

function expectRuns(program: string): void {
  const words = ['customers', 'create', '--name', 'A', '--email', 'a@example.com', '--json'];
  const data = join(directory, `data-${readdirSync(directory).length}`);
  const {status, stdout, stderr} = spawnSync(program, words, {env: cliEnvironment(data), encoding: 'utf8'});
  expect(status, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({resource: 'customer', name: 'A'});
}

describe('from a fresh clone', {timeout: LONGEST}, () => {
  let origin: string;
  beforeAll(() => void (origin = clone('origin')));

  test('npm install -g .', () => {
    npm(clone('global'), 'install', '-g', '.', '--prefix', below('prefix'));
    expectRuns(below('prefix/bin/centavo'));
  });

  let tarball: string;
  test('npm pack, and the tarball', () => {
    npm(clone('packing'), 'pack', '--pack-destination', directory);
    tarball = below(readdirSync(directory).find((name) => name.endsWith('.tgz'))!);
    const folder = project('of-a-tarball');
    npm(folder, 'install', tarball);
    expectRuns(join(folder, 'node_modules/.bin/centavo'));
  });

  test('the same tarball from a clone elsewhere, later, with other permissions for new files; and a release', () => {
    mkdirSync(below('a longer path'));
    const folder = clone('a longer path/to it');
    const script = (...words: string[]) =>
      spawnSync('sh', ['-c', 'umask 077; exec "$@"', 'sh', process.execPath, 'tools/release.mjs', ...words], {
        ...{cwd: folder, encoding: 'utf8'},
        env: {...env, TZ: 'Asia/Manila', LANG: 'C'},
      });
    const packed = script('--pack');
    expect(packed.status, packed.stderr).toBe(0);
    expect(packed.stdout).toContain(createHash('sha512').update(readFileSync(tarball)).digest('hex'));

    const git = (...words: string[]): string => execFileSync('git', words, {cwd: folder, encoding: 'utf8'});
    git('switch', '--quiet', '--force-create', 'main');
    const changelog = join(folder, 'CHANGELOG.md');
    const before = readFileSync(changelog, 'utf8');
    // After a release there is no such part until something is added.
    const part = before.includes('## Unreleased\n') ? '## ' : '## Unreleased\n\n- New.\n\n## ';
    writeFileSync(changelog, before.replace(/^## /m, part));
    git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qam', 'All', '--allow-empty');
    const made = script('999.0.0', '--no-tests');
    expect(made.status, made.stderr).toBe(0);
    expect(made.stdout).toContain('release/centavo-999.0.0.tgz');
    expect(readFileSync(changelog, 'utf8')).toMatch(/^## 999\.0\.0 \(\d{4}-\d\d-\d\d\)\n\n/m);
    const changed = git('status', '--porcelain');
    expect(changed).toBe(' M CHANGELOG.md\n M package-lock.json\n M package.json\n');
    expect(git('diff', '--shortstat', '--', 'package.json', 'package-lock.json')).toMatch(
      / 3 insertions.*, 3 deletions/,
    );
    expect(git('tag')).toBe('');
    const user = project('of-a-release');
    npm(user, 'install', '--ignore-scripts', join(folder, 'release/centavo-999.0.0.tgz'));
    expectRuns(join(user, 'node_modules/.bin/centavo'));
  });

  test('a git dependency, its program and its library', () => {
    const folder = project('of-git');
    npm(folder, 'install', `git+file://${origin}`);
    expectRuns(join(folder, 'node_modules/.bin/centavo'));
    const program =
      'import {createSandbox} from "centavo"; const sandbox = await createSandbox(); console.log(sandbox.keys.secret);';
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    expect(printed).toMatch(/^sk_test_/);
  });

  test('npm ci', () => {
    const folder = clone('ci');
    npm(folder, 'ci');
    expectRuns(join(folder, 'bin/run.js'));
  });
});
