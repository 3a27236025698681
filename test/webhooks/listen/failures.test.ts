// A listener reports failures of forwarding: a bug, and a store that cannot be written.

import {expect, onTestFinished, test} from 'vitest';
import {CentavoError} from '../../../src/common/errors.js';
import {everyEvent} from '../../../src/input/event-filter.js';
import {startListener} from '../../../src/webhooks/listen/listener.js';
import type {ListenRecord} from '../../../src/webhooks/listen/listen-record.js';
import {directProvider} from '../../../src/webhooks/tunnels/tunnel.js';
import {post} from '../../support/scenarios/listening.js';
import {eventBody, SECRET, signatureOf} from '../../support/webhooks/events.js';
import {openStore, OWNER, TOKEN, until} from '../../support/webhooks/listener.js';
import {rawApp} from '../../support/webhooks/sockets.js';

test.for([
  ['a bug', new TypeError('words that quote a payer'), 'a bug in centavo (TypeError)'],
  [
    'a full disk',
    new CentavoError('local_io', 'cannot write to the delivery database.', {why: 'The disk is full.'}),
    'a forwarding attempt could not be recorded, and may be repeated: cannot write to the delivery database. The disk is full.',
  ],
] as const)('%s in recording an attempt is said, and the app has the event', async ([, fault, message]) => {
  const store = openStore(':memory:');
  onTestFinished(() => store.close());
  const app = await rawApp();
  // Only the recording of an attempt fails.
  store.forwards.recordAttempt = () => Promise.reject(fault);
  const records: ListenRecord[] = [];
  const ending = new AbortController();
  const {done} = await startListener({
    store,
    owner: OWNER,
    isAlive: () => false,
    allowsPruning: () => true,
    endpoint: {profile: 'test', mode: 'test', name: 'failing', isNamed: true, keep: false},
    profile: 'test',
    mode: 'test',
    verify: true,
    signing: {secret: SECRET},
    provider: directProvider(),
    accepts: everyEvent,
    targets: [{url: app.url, accepts: everyEvent}],
    report: (record) => records.push(record),
    signal: ending.signal,
    now: Date.now,
    random: Math.random,
    token: (length) => TOKEN.slice(0, length),
    sleep: () => new Promise(() => {}),
  });
  const notices = () => records.flatMap((record) => (record.type === 'notice' ? [record.message] : []));
  const ready = () => records.find((record) => record.type === 'ready');
  await until(() => ready() !== undefined);
  const body = eventBody();
  expect((await post(ready()!.url, body, {signature: signatureOf(body)})).status).toBe(200);
  await until(() => notices().length > 0);
  expect(notices()).toEqual([message]);
  expect(app.seen).toHaveLength(1);
  ending.abort();
  expect(await done).toMatchObject({genuine: 1, forwarded: 1});
  await app.close();
});
