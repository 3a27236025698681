// The bundle under node:test, in plain JavaScript: nothing keeps the process running after close.

import {spawnSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';

const LIBRARY = new URL('../../bundle/index.mjs', import.meta.url).href;

const SUITE = `
import assert from 'node:assert/strict';
import {after, before, beforeEach, test} from 'node:test';
import {constructEvent, createSandbox} from ${JSON.stringify(LIBRARY)};

let sandbox, webhook, empty, events;

before(async () => {
  sandbox = await createSandbox({at: '2031-01-15T09:00:00+08:00', random: 7});
  webhook = await sandbox.deliverTo(async (request) => {
    const event = constructEvent(await request.text(), request.headers.get('payrex-signature'), webhook.secret);
    events.push(event.type);
    return new Response('ok');
  });
  empty = await sandbox.snapshot();
});
beforeEach(async () => {
  events = [];
  await sandbox.restore(empty);
});
after(() => sandbox.close());

test('a payment', async () => {
  const intent = await sandbox.client.paymentIntents.create({amount: 45000, currency: 'PHP', payment_methods: ['card']});
  const {outcome} = await sandbox.pay(intent);
  assert.deepEqual([outcome, events], ['paid', ['payment_intent.succeeded']]);
});

test('another sandbox, served and with a clock that runs', async () => {
  const other = await createSandbox({running: true});
  const {url} = await other.serve();
  assert.equal((await fetch(url + '/_centavo/health')).status, 200);
  await other.deliverTo(() => new Response(''));
  await other.trigger('refund.created');
  other.failNext({delay: 50, operation: 'customers.get'});
  const late = assert.rejects(other.client.customers.get('cus_none'));
  await other.close();
  await late;
});

test('nothing is left of it', async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  const left = process.getActiveResourcesInfo().filter((name) => /Timeout|TCP/.test(name));
  assert.deepEqual(left, []);
});
`;

test('a suite passes and ends', () => {
  const file = join(temporaryDirectory(), 'shop.test.mjs');
  writeFileSync(file, SUITE);
  const {VITEST: _, NODE_OPTIONS: __, ...env} = process.env;
  const args = ['--test', '--test-reporter=tap', file];
  const {status, stdout} = spawnSync(process.execPath, args, {encoding: 'utf8', env, timeout: 30_000});
  expect(stdout).toContain('# pass 3');
  expect(status).toBe(0);
});
