// What is packed: everything that the packed documents link to, code that runs, and nothing that runs by itself when somebody installs it.

import {spawnSync} from 'node:child_process';
import {cpSync, readFileSync} from 'node:fs';
import {dirname, join, normalize} from 'node:path';
import {fileURLToPath} from 'node:url';
import {beforeAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from './helpers/cli.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

let packed: ReadonlySet<string>;
beforeAll(() => {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'];
  const {stdout, stderr} = spawnSync('npm', words, {cwd: ROOT, encoding: 'utf8', shell: process.platform === 'win32'});
  expect(stdout, stderr).toContain('[');
  const [pack] = JSON.parse(stdout) as {files: {path: string}[]}[];
  packed = new Set(pack!.files.map(({path}) => path));
});

test('it has the program, the library, its types and its manifest, and neither sources nor tests', () => {
  for (const path of ['bin/run.js', 'bundle/main.js', 'dist/index.js', 'dist/index.d.ts', 'oclif.manifest.json'])
    expect(packed).toContain(path);
  expect([...packed].filter((path) => /^(src|test|tools)\/|node_modules/.test(path))).toEqual([]);
});

describe('every relative link of a packed document leads to a packed file', () => {
  test.each(['README.md', 'REFERENCE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'examples/README.md'])(
    '%s',
    (document) => {
      expect(packed).toContain(document);
      const links = [...read(document).matchAll(/\]\((?!https?:|mailto:)([^)\s]*)\)/g)].map(([, link]) => link!);
      const broken = links.filter((link) => {
        const [path, anchor] = link.split('#');
        const target = path === '' ? document : normalize(join(dirname(document), decodeURIComponent(path!)));
        if (!packed.has(target) && ![...packed].some((each) => each.startsWith(`${target}/`))) return true;
        return anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).has(anchor);
      });
      expect(broken).toEqual([]);
    },
  );
});

/** The anchors of a document's headings, as they are made of their texts. */
const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

test('nothing of what a user installs runs a script by itself', () => {
  const {scripts} = JSON.parse(read('package.json')) as {scripts: Record<string, string>};
  expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
  const {packages} = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, {dev?: boolean; hasInstallScript?: boolean}>;
  };
  const withScript = Object.entries(packages).filter(([, {dev, hasInstallScript}]) => !dev && hasInstallScript);
  expect(withScript.map(([path]) => path)).toEqual([]);
});

describe('a copy that is not built', () => {
  test.each([
    ['of a clone names what builds it', ['bin', 'package.json', 'tools'], /Run: node '.*setup\.mjs'\n$/],
    [
      'of a package says to install it again',
      ['bin', 'package.json'],
      /Install it again, without --ignore-scripts\.\n$/,
    ],
  ])('%s, in one line', (_, parts, next) => {
    const directory = temporaryDirectory();
    for (const part of parts) cpSync(join(ROOT, part), join(directory, part), {recursive: true});
    const run = (word: string) =>
      spawnSync(process.execPath, [join(directory, 'bin/run.js'), word], {encoding: 'utf8', env: {}});
    const {status, stdout, stderr} = run('status');
    expect({status, stdout}).toEqual({status: 1, stdout: ''});
    expect(stderr).toMatch(next);
    expect(stderr.split('\n')).toHaveLength(2);
    expect(run('--version')).toMatchObject({status: 0, stderr: ''});
  });
});
