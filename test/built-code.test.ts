// Compiled code that is made with the bundle is used, and never in place of code that has changed since.

import {execFileSync, spawnSync} from 'node:child_process';
import {readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {beforeEach, expect, test} from 'vitest';
import {temporaryDirectory} from './support/cli.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CODE = readdirSync(join(ROOT, 'bundle')).find((name) => name.startsWith('code-'))!;
const USED = 'CENTAVO_TEST_USED:';

/** A copy of the package, in which files can be changed. */
let copy: string;
beforeEach(() => {
  copy = temporaryDirectory();
  // With the times of the files, to the last digit.
  execFileSync('cp', ['-a', ...['bin', 'bundle', 'package.json'].map((name) => join(ROOT, name)), copy]);
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  writeFileSync(
    join(copy, 'hook.cjs'),
    `const vm = require('node:vm');
    const used = {};
    const {Script} = vm;
    vm.Script = class extends Script {
      constructor(source, options) {
        super(source, options);
        if (options.cachedData) used[require('node:path').basename(options.filename)] = !this.cachedDataRejected;
      }
    };
    process.on('exit', () => require('node:fs').writeSync(2, '\\n${USED}' + JSON.stringify(used)));`,
  );
});

function run(...words: readonly string[]) {
  const home = temporaryDirectory();
  const {status, stdout, stderr} = spawnSync(
    process.execPath,
    ['--require', join(copy, 'hook.cjs'), join(copy, 'bin/run.js'), ...words],
    {encoding: 'utf8', env: {PATH: process.env.PATH, HOME: home}},
  );
  const [, used = ''] = stderr.split(USED);
  return {status, stdout, stderr, used: JSON.parse(used) as Record<string, boolean>};
}

test('each file of the bundle is loaded with it, and V8 takes all of it', () => {
  const {status, used} = run('customers', 'list', '--json');
  expect(status).toBe(0);
  expect(Object.keys(used)).toEqual(expect.arrayContaining(['program.js', 'client.js', 'sandbox.js']));
  expect(Object.values(used)).not.toContain(false);
});

test('a file that was changed since runs as it is now, though V8 would take the code of before', () => {
  const path = join(copy, 'bundle/program.js');
  const before = 'there is no profile';
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(before, before.toUpperCase()));
  const changed = run('status', '--profile', 'nobody');
  expect(changed.stderr).toContain('THERE IS NO PROFILE');
  expect(changed.used).toHaveProperty(['rolldown-runtime.js'], true);
  expect(changed.used).not.toHaveProperty(['program.js']);
});

test.each([0, 3, 1000, 100_000])('a file that ends after %i bytes is not used', (size) => {
  truncateSync(join(copy, 'bundle', CODE), size);
  const {status, stdout, used} = run('customers', 'list', '--json');
  expect({status, list: JSON.parse(stdout)}).toMatchObject({status: 0, list: {resource: 'list'}});
  expect(used).toEqual({});
});

test('another build does not find it', () => {
  const entry = join(copy, 'bundle/entry.js');
  const text = readFileSync(entry, 'utf8');
  const [, build] = /^code-(\w+)-/.exec(CODE)!;
  writeFileSync(entry, text.replaceAll(build!, '0'.repeat(16)));
  expect(run('customers', 'list', '--json')).toMatchObject({status: 0, used: {}});
});
