// Delivery by several processes, by ending ones, and after one is killed.

import {execFile, spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir, uptime} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {fileURLToPath} from 'node:url';
import {expect, onTestFinished, test} from 'vitest';
import type {DeliveryAttempt} from '../../../src/sandbox/delivery/attempts.js';
import {LEASE_SECONDS} from '../../../src/sandbox/delivery/outbox.js';
import type {SandboxOptions} from '../../../src/sandbox/sandbox.js';
import {waitingTime} from '../../support/far-limits.js';
import {receiver, verdictOf, webhook} from '../../support/sandbox/receiver.js';
import {START, world, type World} from '../../support/sandbox/world.js';

const DELIVERER = fileURLToPath(new URL('../../support/sandbox/deliverer.mjs', import.meta.url));
const CREATED = 'billing_statement.created';
const seconds = (): number => Math.floor(Date.now() / 1000);

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'centavo-outbox-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  return join(folder, 'sandbox.db');
}

function opened(path: string, options: SandboxOptions = {now: seconds}): World {
  const w = world({path, ...options});
  onTestFinished(() => w.sandbox.close());
  return w;
}

const emit = (w: World, customer: string, count: number): void =>
  w.sandbox.perform((work) => {
    const record = work.get('cus_', customer);
    for (let index = 0; index < count; index += 1) work.emit('refund.updated', {...record, index});
  });

test('two processes at once send each event once, in order', async () => {
  const path = newFile();
  const w = opened(path);
  const hooks = await Promise.all([receiver(), receiver(), receiver()]);
  for (const {url} of hooks) await webhook(w, url, 'refund.updated');
  emit(w, (await w.customer()).id, 100);
  const run = promisify(execFile);
  const outputs = await Promise.all([1, 2].map(() => run(process.execPath, [DELIVERER, path, 'once'])));
  const indices = Array.from({length: 100}, (_, index) => index);
  for (const {arrivals} of hooks) expect(arrivals.map(({event}) => event.data.index)).toEqual(indices);
  const lines = outputs.flatMap(({stdout}) => stdout.trim().split('\n').filter(Boolean));
  const told = lines.map((line) => JSON.parse(line) as DeliveryAttempt);
  expect(told).toHaveLength(300);
  expect(told.every(({attempt, outcome}) => attempt === 1 && outcome === 'delivered')).toBe(true);
});

test('after a process is killed while sending, another sends once the lease expired', async () => {
  const path = newFile();
  const w = opened(path);
  const hook = await receiver('hang');
  const {secret_key: secret} = await webhook(w, hook.url, CREATED);
  const child = spawn(process.execPath, [DELIVERER, path, 'stay'], {stdio: 'ignore'});
  const ended = new Promise((resolve) => child.on('close', resolve));
  await w.draft();
  await hook.until(1);
  child.kill('SIGKILL');
  await ended;

  hook.answer = 200;
  const soon = w.sandbox.startDelivery();
  await w.sandbox.deliverDue({totalTimeout: 300});
  await soon.stop();
  expect(hook.arrivals).toHaveLength(1);

  const later = () => seconds() + LEASE_SECONDS;
  const delivery = opened(path, {now: later, uptime: () => uptime() + LEASE_SECONDS}).sandbox.startDelivery();
  await hook.until(2);
  await delivery.stop();
  const [first, second] = hook.arrivals;
  expect(second!.event.id).toBe(first!.event.id);
  expect(verdictOf(second!, secret, later())).toMatchObject({genuine: true});
  const attempts = w.sandbox.perform((work) => work.store.attempts.ofEvent(second!.event.id as string));
  expect(attempts).toMatchObject([{attempt: 2, outcome: 'delivered'}]);
});

test('an idle process that is killed delays no delivery', async () => {
  const path = newFile();
  const w = opened(path);
  const hook = await receiver();
  await webhook(w, hook.url, CREATED);
  const child = spawn(process.execPath, [DELIVERER, path, 'stay'], {stdio: 'ignore'});
  const ended = new Promise((resolve) => child.on('close', resolve));
  await w.draft();
  await hook.until(1);
  // Resolves when the other process recorded its attempts.
  await w.sandbox.deliverDue();
  child.kill('SIGKILL');
  await ended;
  await w.draft();
  const delivery = opened(path).sandbox.startDelivery();
  await hook.until(2);
  await delivery.stop();
});

test('two running processes send each event once, in order; one continues when the other stops', async () => {
  const path = newFile();
  const [first, second] = [opened(path), opened(path)];
  const hook = await receiver();
  await webhook(first, hook.url, 'refund.updated');
  const customer = (await first.customer()).id;
  const attempts: DeliveryAttempt[] = [];
  const onAttempt = (attempt: DeliveryAttempt) => attempts.push(attempt);
  const one = first.sandbox.startDelivery({onAttempt});
  const other = second.sandbox.startDelivery({onAttempt});
  for (const w of [first, second, first, second]) emit(w, customer, 10);
  await hook.until(40);
  await one.stop();
  emit(first, customer, 10);
  await hook.until(50);
  await other.stop();
  const indices = Array.from({length: 50}, (_, index) => index % 10);
  expect(hook.arrivals.map(({event}) => event.data.index)).toEqual(indices);
  expect(attempts).toHaveLength(50);
  expect(attempts.every(({attempt, outcome}) => attempt === 1 && outcome === 'delivered')).toBe(true);
});

test('events of timers are delivered without a request', async () => {
  let now = START;
  const w = world({now: () => now});
  const hook = await receiver();
  await webhook(w, hook.url, 'checkout_session.expired');
  const delivery = w.sandbox.startDelivery();
  await w.session();
  now += 86_400;
  await hook.until(1);
  await delivery.stop();
  expect(hook.types()).toEqual(['checkout_session.expired']);
});

test('an API response does not wait for a receiver', async () => {
  const w = world();
  const hook = await receiver('hang');
  await webhook(w, hook.url, CREATED);
  const delivery = w.sandbox.startDelivery();
  await w.draft();
  await hook.until(1);
  expect((await w.ok('GET', '/billing_statements')).data).toHaveLength(1);
  await delivery.stop();
  const [attempt] = w.sandbox.perform((work) => work.store.attempts.ofEvent(hook.arrivals[0]!.event.id as string));
  expect(attempt).toMatchObject({outcome: 'retrying', error: 'stopped before it responded'});
});

test('a stopped delivery sends nothing, and its timer does not keep the process alive', async () => {
  const w = world();
  const hook = await receiver();
  await webhook(w, hook.url, CREATED);
  const delivery = w.sandbox.startDelivery();
  await delivery.stop();
  await delivery.stop();
  await w.draft();
  await w.sandbox.deliverChanges();
  expect(hook.arrivals).toHaveLength(1);
});

test('an ending process delivers its own events within the limit, and nothing without any', async () => {
  const path = newFile();
  const w = opened(path);
  const hook = await receiver('hang');
  await webhook(w, hook.url, CREATED);
  await w.draft();
  const waited = waitingTime();
  await w.sandbox.deliverChanges({totalTimeout: 1000});
  expect(waited()).toBeLessThan(5000);
  expect(hook.arrivals).toHaveLength(1);
  const [stopped] = w.sandbox.perform((work) => work.store.attempts.ofEvent(hook.arrivals[0]!.event.id as string));
  // The limit of one attempt is longer.
  expect(stopped).toMatchObject({outcome: 'retrying', error: 'stopped before it responded'});

  hook.answer = 200;
  const reader = opened(path, {now: () => seconds() + 3600});
  await reader.ok('GET', '/billing_statements');
  await reader.sandbox.deliverChanges();
  expect(hook.arrivals).toHaveLength(1);

  const ended = opened(path);
  await ended.draft();
  await ended.sandbox.deliverChanges();
  await hook.until(2);
  const told = ended.events().filter(({type}) => type === CREATED);
  expect(told.map(({pending_webhooks: pending}) => pending)).toEqual([1, 0]);
});

test('closing the file while events are sent throws nothing', async () => {
  const w = world();
  const hook = await receiver();
  await webhook(w, hook.url, CREATED);
  await w.draft();
  const delivery = w.sandbox.startDelivery();
  w.sandbox.close();
  await hook.until(1);
  await delivery.stop();
});
