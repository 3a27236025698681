// The Express example passes the conformance run.

import {spawnSync} from 'node:child_process';
import {expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {conformanceRun, ROOT, start} from '../support/examples.js';

test('the handler passes every case', async () => {
  const orders = temporaryDirectory();
  const server = ['examples/express/server.js', orders];
  const url = await start(process.execPath, server, {PORT: '0'}, /(http:\S+)/);
  const result = await conformanceRun(url, `${process.execPath} ${ROOT}/examples/express/count.js ${orders}`);
  expect(result.stderr).toBe('');
  expect(result.json()).toMatchObject({passed: 16, failed: 0, not_checked: 0});
});

test('does not start without a secret', () => {
  const {status, stderr} = spawnSync(process.execPath, ['examples/express/server.js'], {
    cwd: ROOT,
    encoding: 'utf8',
    env: {PATH: process.env.PATH, PAYREX_WEBHOOK_SECRET: ''},
  });
  expect(status).toBe(2);
  expect(stderr).toContain('PAYREX_WEBHOOK_SECRET');
});
