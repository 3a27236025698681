// Doctor where the home folder cannot be used: its cure lies elsewhere, and works when pasted.

import {execFileSync, spawnSync} from 'node:child_process';
import {chmodSync, chownSync, mkdirSync, rmSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {RUN, temporaryDirectory} from '../support/cli.js';

/** A user without a home on this machine. Root may write everywhere, so the commands run as this user. */
const OTHER = 12_345;
const isRoot = process.getuid?.() === 0;
const user = {uid: OTHER, gid: OTHER};
const canRun = isRoot && spawnSync(process.execPath, [RUN, '--version'], user).status === 0;

interface Report {
  readonly healthy: boolean;
  readonly checks: readonly {readonly name: string; readonly status: string; readonly message: string; cure: string}[];
}

const HOMES: Readonly<Record<string, (folder: string) => string | undefined>> = {
  'that is /': () => '/',
  'that is not set': () => undefined,
  'that was deleted': () => '/nonexistent/home',
  'that is read-only': (folder) => {
    const home = join(folder, 'home');
    mkdirSync(home);
    chownSync(home, OTHER, OTHER);
    chmodSync(home, 0o555);
    return home;
  },
  'of another user': (folder) => {
    const home = join(folder, 'home');
    for (const each of ['.local/share/centavo', '.config/centavo']) mkdirSync(join(home, each), {recursive: true});
    execFileSync('chown', ['-R', `${OTHER + 1}`, home]);
    return home;
  },
};

test.skipIf(!canRun).for(Object.keys(HOMES))('a home %s', (name, {onTestFinished}) => {
  const folder = temporaryDirectory(onTestFinished);
  chmodSync(folder, 0o755);
  const home = HOMES[name]!(folder);
  const env = {PATH: `${dirname(process.execPath)}:${process.env.PATH}`, ...(home !== undefined && {HOME: home})};
  const shell = (cures: readonly string[], words: string) =>
    spawnSync('/bin/sh', ['-c', [...cures, `node '${RUN}' ${words}`].join('\n')], {
      ...user,
      env,
      cwd: '/',
      encoding: 'utf8',
    });
  const cures: string[] = [];
  // Without HOME, the second folder is checked only once the first is known.
  for (let round = 0; round < 2; round++) {
    const {healthy, checks} = JSON.parse(shell(cures, 'doctor --json').stdout) as Report;
    if (healthy) break;
    const problems = checks.filter(({status}) => status === 'problem');
    expect(problems.map(({name: each}) => each)).toEqual(
      home === undefined ? [round === 0 ? 'settings' : 'data'] : ['settings', 'data'],
    );
    for (const {cure} of problems) {
      const command = cure.slice(cure.lastIndexOf(': ') + 2);
      expect(command).toMatch(/^export CENTAVO_(?:CONFIG|DATA)_DIR=\S+$/);
      cures.push(command);
      const made = command.slice(command.indexOf('=') + 1);
      onTestFinished(() => rmSync(made, {recursive: true, force: true}));
    }
  }
  const doctor = shell(cures, 'doctor');
  expect(doctor.stderr).toMatch(/centavo works\.\n$/);
  expect(doctor.status).toBe(0);
  const change = shell(cures, 'customers create --name Ana --email ana@example.com --json');
  expect(change.status, change.stderr).toBe(0);
  expect(shell([], 'customers list').status).not.toBe(0);
});
