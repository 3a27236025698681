// This machine's clock is set while deliveries are kept and retried: none is lost, and none waits longer than its own delay.

import {describe, expect, onTestFinished, test} from 'vitest';
import {everyEvent} from '../../../src/input/event-filter.js';
import {startListener} from '../../../src/webhooks/listen/listener.js';
import type {ListenRecord} from '../../../src/webhooks/listen/listen-record.js';
import type {Delivery} from '../../../src/webhooks/receive/delivery.js';
import {RETENTION} from '../../../src/webhooks/store/deliveries.js';
import {MAX_DELAY} from '../../../src/webhooks/store/forward-log.js';
import {directProvider} from '../../../src/webhooks/tunnels/tunnel.js';
import {post} from '../../support/scenarios/listening.js';
import {eventBody, SECRET, signatureOf} from '../../support/webhooks/events.js';
import {forwarding, openStore, OWNER, TOKEN, until} from '../../support/webhooks/listener.js';
import {OK, rawApp} from '../../support/webhooks/sockets.js';
import {some} from '../../support/test-size.js';

const DAY = 86_400_000;
const JUMPS = [-40 * DAY, -DAY, -DAY / 24, DAY / 24, DAY, 40 * DAY];
const FAILS = 'HTTP/1.1 500 Status\r\nContent-Length: 0\r\n\r\n';

const delivery = (id: string, receivedAt: number): Delivery => ({
  ...{id, receivedAt, profile: 'test', path: '/', headers: [], body: eventBody({id}), event: {id}},
  verdict: {genuine: true, mode: 'test', secretIndex: 0, timestamp: Math.floor(receivedAt / 1000)},
});

describe.each([0, ...some(JUMPS, 2)])('with a clock that is %i ms wrong', (wrongBy) => {
  test.each([false, true])(
    'a listener removes only what is older than seven days; the service known: %s',
    async (isKnown) => {
      const store = openStore(':memory:');
      onTestFinished(() => store.close());
      await store.record(delivery('dlv_old', Date.now() - RETENTION - 2 * DAY));
      await store.record(delivery('dlv_kept', Date.now() - RETENTION / 2));
      const records: ListenRecord[] = [];
      const ending = new AbortController();
      const {done} = await startListener({
        ...{store, owner: OWNER, isAlive: () => false, profile: 'test', mode: 'test', verify: true},
        // As the context says it.
        allowsPruning: () => isKnown && Math.abs(wrongBy) <= DAY,
        endpoint: {profile: 'test', mode: 'test', name: 'listening', isNamed: true, keep: false},
        signing: {secret: SECRET},
        provider: directProvider(),
        accepts: everyEvent,
        targets: [],
        report: (record) => records.push(record),
        signal: ending.signal,
        now: () => Date.now() + wrongBy,
        random: Math.random,
        token: (length) => TOKEN.slice(0, length),
        sleep: () => new Promise(() => {}),
      });
      const ready = () => records.find((record) => record.type === 'ready');
      await until(() => ready() !== undefined);
      const kept = () => store.list({limit: 9}).flatMap(({id}) => (/old|kept/.test(id) ? [id] : []));
      const all = ['dlv_kept', 'dlv_old'];
      const atStart = isKnown && Math.abs(wrongBy) <= DAY ? ['dlv_kept'] : all;
      expect(kept()).toEqual(atStart);
      const body = eventBody();
      await post(ready()!.url, body, {signature: signatureOf(body)});
      if (wrongBy === 0) await until(() => kept().length === 1);
      expect(kept()).toEqual(wrongBy === 0 ? ['dlv_kept'] : atStart);
      ending.abort();
      await done;
    },
  );
});

test.each(some(JUMPS, 2))('a retry comes after its own delay if the clock is set by %i ms before it', async (jump) => {
  let wrongBy = 0;
  const target = await rawApp((_, count) => (count === 1 ? FAILS : OK));
  onTestFinished(() => target.close());
  const store = openStore(':memory:');
  const record = store.forwards.recordAttempt.bind(store.forwards);
  store.forwards.recordAttempt = (...args) => {
    wrongBy = jump;
    return record(...args);
  };
  const retry = {first: 20, maxDelay: 40};
  const {post: send, close, forwarder} = await forwarding(store, target.url, {retry, now: () => Date.now() + wrongBy});
  onTestFinished(close);
  await send(eventBody());
  await until(() => forwarder.pending() === 0);
  expect(target.seen).toHaveLength(2);
  expect(store.forwards.attempts(store.list({limit: 1})[0]!.id)).toEqual([
    expect.objectContaining({status: 500, durationMs: expect.closeTo(0, -4)}),
    expect.objectContaining({status: 200, durationMs: expect.closeTo(0, -4)}),
  ]);
});

test.each(JUMPS)('the next attempt is told within the longest delay if the clock was set by %i ms', async (jump) => {
  const store = openStore(':memory:');
  onTestFinished(() => store.close());
  const [target, now] = ['http://127.0.0.1:1/', 1_900_000_000_000];
  const one = delivery('dlv_1', now);
  await store.record(one, [target]);
  const attempt = {deliveryId: 'dlv_1', target, attempt: 1, startedAt: now, durationMs: 1, status: 500};
  await store.forwards.recordAttempt(attempt, {settled: false, next: now + 9000});
  const {nextAttemptAt} = store.forwards.waitingFor(one, () => true, now + jump)!;
  expect(nextAttemptAt).toBe(jump > 0 ? 0 : now + jump + MAX_DELAY);
});
