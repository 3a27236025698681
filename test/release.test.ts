// The release: the script refuses invalid states without changes, and the hosted workflows call existing scripts.
// test/soak/installing.test.ts makes one.

import {execFileSync, spawnSync} from 'node:child_process';
import {cpSync, existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {temporaryDirectory} from './support/cli.js';

const ROOT = join(import.meta.dirname, '..');
const FILES = ['tools/release.mjs', 'package.json', 'package-lock.json', 'CHANGELOG.md'];

const git = (folder: string, ...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words], {
    cwd: folder,
    encoding: 'utf8',
  });

/** A repository for the script, at version 1.2.3, on main. */
function repository(): {folder: string; edit: (path: string, change: (text: string) => string) => void} {
  const folder = temporaryDirectory();
  for (const path of FILES) cpSync(join(ROOT, path), join(folder, path));
  const edit = (path: string, change: (text: string) => string): void => {
    writeFileSync(join(folder, path), change(readFileSync(join(folder, path), 'utf8')));
  };
  edit('package.json', (text) => text.replace(/"version": "[^"]*"/, '"version": "1.2.3"'));
  edit('CHANGELOG.md', () => '# Changelog\n\n## Unreleased\n\n- New.\n\n## 1.2.3\n\n- Old.\n');
  git(folder, 'init', '--quiet', '--initial-branch', 'main');
  commit(folder);
  return {folder, edit};
}

function commit(folder: string): void {
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'All');
}

function release(folder: string, ...words: string[]) {
  const {status, stdout, stderr} = spawnSync(process.execPath, [join(folder, 'tools/release.mjs'), ...words], {
    cwd: folder,
    encoding: 'utf8',
  });
  return {status, stdout, stderr};
}

describe('a release is refused with one sentence, and nothing changes', () => {
  test.each([
    ['1.2.3', 'release: 1.2.3 is not greater than 1.2.3, the last version.\n'],
    ['1.2.2', 'release: 1.2.2 is not greater than 1.2.3, the last version.\n'],
    ['0.9.9', 'release: 0.9.9 is not greater than 1.2.3, the last version.\n'],
    ['1.3', 'release: "1.3" is not a version of three numbers, such as 0.7.0.\n'],
    ['v1.3.0', 'release: "v1.3.0" is not a version of three numbers, such as 0.7.0.\n'],
    ['1.03.0', 'release: "1.03.0" is not a version of three numbers, such as 0.7.0.\n'],
    ['1.3.0 --no-test', 'release: usage: node tools/release.mjs VERSION [--no-tests], or --pack [FOLDER].\n'],
  ])('%s', (words, stderr) => {
    const {folder} = repository();
    expect(release(folder, ...words.split(' '))).toEqual({status: 1, stdout: '', stderr});
    expect(git(folder, 'status', '--porcelain')).toBe('');
  });

  test('on another branch', () => {
    const {folder} = repository();
    git(folder, 'switch', '--quiet', '--create', 'other');
    const stderr = 'release: releases are made of main, and this is other.\n';
    expect(release(folder, '1.3.0')).toEqual({status: 1, stdout: '', stderr});
  });

  test('with uncommitted changes', () => {
    const {folder} = repository();
    writeFileSync(join(folder, 'new.txt'), '');
    const stderr = 'release: the clone has changes that are not committed (git status).\n';
    expect(release(folder, '1.3.0')).toEqual({status: 1, stdout: '', stderr});
  });

  test('without changelog entries', () => {
    const {folder, edit} = repository();
    const stderr = 'release: CHANGELOG.md has nothing under "## Unreleased": say there what users will notice.\n';
    for (const none of ['', '## Unreleased\n\n']) {
      edit('CHANGELOG.md', () => `# Changelog\n\n${none}## 1.2.3\n\n- Old.\n`);
      commit(folder);
      expect(release(folder, '1.3.0')).toEqual({status: 1, stdout: '', stderr});
    }
  });

  test('when a check fails', () => {
    const {folder, edit} = repository();
    edit('package.json', (text) => text.replace(/"test": "[^"]*"/, '"test": "exit 1"'));
    commit(folder);
    const {status, stderr} = release(folder, '1.3.0');
    expect({status, last: stderr.trim().split('\n').at(-1)}).toEqual({status: 1, last: 'release: npm test failed.'});
    expect(git(folder, 'status', '--porcelain')).toBe('');
  });
});

const PATH = /^(?:\.ci|node_modules|test|tools)\//;
const READS = 'permissions:\n  contents: read\n';

describe('the hosted workflows', () => {
  const folder = join(ROOT, '.github/workflows');
  test.each(readdirSync(folder))('%s calls existing scripts, with minimal permissions', (name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const valuesOf = (key: string): string[] =>
      [...text.matchAll(new RegExp(`^ *(?:- )?${key}:(.*)$`, 'gm'))].map(([, value]) => value!.trim());
    // The default shell of steps has no value.
    const runs = valuesOf('run').filter(Boolean);
    for (const run of runs) expect(run).toMatch(/^[^|>]/);
    const paths = runs.flatMap((run) => run.split(' ')).filter((word) => PATH.test(word));
    expect(paths.length).toBeGreaterThan(1);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const {scripts} = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {scripts: object};
    const npm = runs.flatMap((run) => [...run.matchAll(/\bnpm (?:run )?([\w:]+)/g)].map(([, word]) => word!));
    expect(npm.filter((word) => !['audit', 'ci', 'install', 'publish', 'root'].includes(word))).toEqual(
      npm.filter((word) => word in scripts),
    );
    for (const uses of valuesOf('uses')) expect(uses).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v[\d.]+$/);
    const permissions = [...text.matchAll(/^( *)permissions:.*\n((?:\1 +.*\n)*)/gm)].map(([block]) => block);
    expect(permissions).toEqual(
      name === 'release.yml' ? [READS, `    permissions:\n      contents: read\n      id-token: write\n`] : [READS],
    );
    expect(text.split('permissions')).toHaveLength(permissions.length + 1);
    if (name === 'release.yml') expect(text.slice(text.indexOf(permissions[1]!)).match(/^  \w+:$/gm)).toBeNull();
  });
});
