// The program of `webhooks listen -- program`: when it was started again with a new secret, that is told.

import {expect, test} from 'vitest';
import {Automation} from '../../src/webhooks/listen/automation.js';
import {until} from '../support/webhooks/listener.js';

test('the app is started again with the new secret, and then what waits may be tried', async () => {
  const notices: string[] = [];
  let restarts = 0;
  const automation = new Automation({
    app: [process.execPath, '-e', 'setInterval(() => {}, 1000)'],
    quiet: true,
    host: {env: process.env, kill: (pid, signal) => process.kill(pid, signal)},
    sharesTerminal: false,
    signal: new AbortController().signal,
    stop: () => {},
    notice: (message) => notices.push(message),
    onRestart: () => restarts++,
    token: () => 'x',
  });
  const common = {webhook_id: 'wh_1', public_url: 'http://127.0.0.1:1/'};
  const ready = {type: 'ready', url: 'http://127.0.0.1:1/', secret_source: 'registered', mode: 'test'} as const;
  automation.handle({...ready, ...common, targets: [], secret: 'whsk_one_of_them'});
  automation.handle({type: 'reconnected', message: 'registered anew', ...common});
  expect([restarts, notices]).toEqual([0, []]);
  automation.handle({type: 'reconnected', message: 'registered anew', ...common, secret: 'whsk_another_one'});
  await until(() => restarts === 1);
  expect(notices).toEqual([expect.stringContaining('with the new secret')]);
  await automation.end();
});
