// Local actions of a listener when its webhook gets another secret.

import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {Automation} from '../../../src/webhooks/listen/automation.js';
import {temporaryDirectory} from '../../support/cli.js';
import {until} from '../../support/webhooks/listener.js';

test('writes a new secret to the env file and restarts the app; ignores the same secret', async () => {
  const path = temporaryDirectory();
  const [env, log, program] = [join(path, '.env.local'), join(path, 'log'), join(path, 'app.cjs')];
  writeFileSync(log, '');
  writeFileSync(
    program,
    `require('node:fs').appendFileSync(${JSON.stringify(log)}, process.env.PAYREX_WEBHOOK_SECRET + ';'); setInterval(() => {}, 1e6);`,
  );
  const started = (): string => readFileSync(log, 'utf8');
  let restarts = 0;
  const automation = new Automation({
    verb: 'webhooks listen',
    app: [process.execPath, program],
    quiet: true,
    host: {env: process.env, kill: process.kill.bind(process)},
    sharesTerminal: false,
    signal: new AbortController().signal,
    stop: () => {},
    onNotice: () => {},
    onRestart: () => restarts++,
    token: (length) => 'x'.repeat(length),
    envFile: {
      file: {path: env, real: env, isStream: false, write: () => Promise.resolve()},
      variable: 'PAYREX_WEBHOOK_SECRET',
    },
  });
  const place = {public_url: 'http://127.0.0.1:1/x', webhook_id: 'wh_1'};
  automation.handle({
    type: 'ready',
    url: place.public_url,
    ...place,
    secret_source: 'registered',
    secret_command: null,
    secret: 'whsk_first',
    mode: 'test',
    targets: [],
  });
  await until(() => started() === 'whsk_first;');
  automation.handle({type: 'reconnected', message: 'again', ...place});
  expect(restarts).toBe(0);
  automation.handle({type: 'reconnected', message: 'again', ...place, secret: 'whsk_second'});
  await until(() => started() === 'whsk_first;whsk_second;');
  expect(restarts).toBe(1);
  expect(readFileSync(env, 'utf8')).toBe("PAYREX_WEBHOOK_SECRET='whsk_second'\n");
  await automation.end();
});
