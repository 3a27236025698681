// A current folder that is gone, and a file whose name begins with a dash: real processes, and their commands pasted.

import {execFileSync, spawnSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {cliEnvironment, RUN, temporaryDirectory} from '../../support/cli.js';

test.each([
  [['webhooks', 'secret']],
  [['webhooks', 'listen', '--count', '1']],
  [['dev']],
  [['import', 'a.csv']],
  [['import', '--dry-run', './a.csv']],
])('in a folder that is gone, %j says so with exit 15', (words) => {
  const data = temporaryDirectory();
  const folder = join(data, 'gone');
  mkdirSync(folder);
  const script = 'cd "$1" && rmdir "$1" && shift && exec "$@"';
  const argv = ['-c', script, 'sh', folder, process.execPath, RUN, ...words];
  const {status, stderr} = spawnSync('sh', argv, {env: cliEnvironment(data), encoding: 'utf8'});
  expect(stderr).toContain('the current folder cannot be used.');
  expect(stderr).toContain('cd ~');
  expect(stderr).not.toContain('bug');
  expect(status).toBe(15);
});

test('a command that needs no folder works in one that is gone', () => {
  const data = temporaryDirectory();
  const folder = join(data, 'gone');
  mkdirSync(folder);
  const script = 'rmdir "$1" && shift && exec "$@"';
  const argv = ['-c', script, 'sh', folder, process.execPath, RUN, 'customers', 'list', '--json'];
  const {status, stdout} = spawnSync('sh', argv, {cwd: folder, env: cliEnvironment(data), encoding: 'utf8'});
  expect(JSON.parse(stdout)).toMatchObject({data: []});
  expect(status).toBe(0);
});

test('the command that an import proposes for a file with a dash sends it', () => {
  const data = temporaryDirectory();
  const sheet = 'Invoice No,Email,Name,Item,Qty,Unit Price,Due Date\nP-1,ana@example.com,Ana Reyes,Rent,1,"1,500.00",';
  writeFileSync(join(data, '-june.csv'), `${sheet}2031-01-15\n`);
  const options = {cwd: data, env: cliEnvironment(data), encoding: 'utf8'} as const;
  const {stderr} = spawnSync(process.execPath, [RUN, 'import', '--dry-run', '--', '-june.csv'], options);
  const [, proposed] = /To send them: centavo (.*)/.exec(stderr)!;
  expect(proposed).toMatch(/--send -- -june\.csv$/);
  const pasted = `"$0" "$1" ${proposed!.replace('--send', '--send --yes --json')}`;
  const sent = JSON.parse(execFileSync('sh', ['-c', pasted, process.execPath, RUN], options));
  expect(sent).toMatchObject({data: [{status: 'open'}]});
});
