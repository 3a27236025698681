// The next steps of the tour work when pasted, also in a clone where `centavo` is not on the path yet.

import {spawnSync} from 'node:child_process';
import {cpSync, mkdirSync, symlinkSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {cliEnvironment, RUN, temporaryDirectory} from '../../support/cli.js';

const NODE = dirname(process.execPath);

/** Runs the tour of a copy of centavo. @param script the npm script that runs it @returns its next steps */
function tourOf(run: string, path: string, script?: string): string[] {
  const home = temporaryDirectory();
  const env = cliEnvironment(home, {PATH: path, npm_lifecycle_event: script});
  const {stdout, stderr, status} = spawnSync(process.execPath, [run, 'sandbox', 'demo'], {env, encoding: 'utf8'});
  expect(status, stderr).toBe(0);
  return stdout.slice(stdout.indexOf('Next steps:')).trim().split(/\n +/).slice(1);
}

test('`npm start`: the first step puts centavo on the path, unless it is there; an installed package has no such step', () => {
  const folder = temporaryDirectory();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(RUN, join(bin, 'centavo'));
  const [install, ...steps] = tourOf(RUN, `${NODE}:/usr/bin:/bin`, 'start');
  expect(install).toMatch(/^npm install -g \. /);
  expect(tourOf(RUN, `${bin}:${NODE}:/usr/bin:/bin`, 'start')).toEqual(steps);

  // What the package has of a clone.
  const root = dirname(dirname(RUN));
  for (const each of ['bin', 'bundle', 'package.json'])
    cpSync(join(root, each), join(folder, 'package', each), {recursive: true});
  symlinkSync(join(root, 'node_modules'), join(folder, 'package', 'node_modules'));
  expect(tourOf(join(folder, 'package', 'bin', 'run.js'), `${NODE}:/usr/bin:/bin`)).toEqual(steps);

  // Each step is a command that this copy knows.
  const env = cliEnvironment(temporaryDirectory(), {PATH: `${bin}:${NODE}:/usr/bin:/bin`});
  for (const step of steps) {
    const [command = ''] = step.split(/ {2,}/);
    const {status, stderr} = spawnSync('/bin/sh', ['-c', `${command} --help`], {env, encoding: 'utf8'});
    expect(status, `${command}: ${stderr}`).toBe(0);
  }
});
