// The shop's tests in Node, as a user runs them: in a folder of their own with this package.

import {spawnSync} from 'node:child_process';
import {cpSync, mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {ROOT} from '../support/examples.js';

function project(): string {
  const folder = temporaryDirectory();
  cpSync(join(ROOT, 'examples/node'), folder, {recursive: true});
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/centavo'));
  symlinkSync(join(ROOT, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  return folder;
}

test.each([
  ['node:test', ['--test'], /# pass 6\n# fail 0/],
  ['Vitest', [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', 'shop.spec'], /Tests\s+6 passed \(6\)/],
])('they pass with %s', (_, args, passed) => {
  const env = {PATH: process.env.PATH, NO_COLOR: '1'};
  const {status, stdout, stderr} = spawnSync(process.execPath, args, {cwd: project(), env, encoding: 'utf8'});
  expect({status, output: stdout + stderr}).toEqual({status: 0, output: expect.stringMatching(passed)});
});
