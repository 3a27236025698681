// The webhook of a listener against a service that fails in between: nothing is made twice, nothing is left behind, and each thing is said once.

import {afterEach, beforeEach, expect, test} from 'vitest';
import {CentavoError} from '../../../src/common/errors.js';
import {openEndpoint} from '../../../src/webhooks/listen/endpoint.js';
import type {DeliveryStore} from '../../../src/webhooks/store/deliveries.js';
import type {ListenRecord} from '../../../src/webhooks/listen/listen-record.js';
import {
  WebhookRegistration,
  removeDeadLeases,
  type WebhookRegistrar,
} from '../../../src/webhooks/listen/registration.js';
import {openStore, OWNER, until} from '../../support/webhooks/listener.js';

const FIRST = 'http://127.0.0.1:1/first';
const SECOND = 'http://127.0.0.1:2/second';
const PLACE = {profile: 'shop', mode: 'test', name: 'hooks'} as const;

const failure = (kind: 'auth' | 'outcome_unknown' | 'rejected' | 'unavailable'): CentavoError =>
  new CentavoError(kind, `the service said ${kind}.`);
const missing = (): CentavoError => new CentavoError('not_found', 'no such webhook.');

interface Webhook {
  url: string;
  description: string;
  status: 'disabled' | 'enabled';
}

let store: DeliveryStore;
let service: Map<string, Webhook>;
/** Errors of the next calls of a kind, thrown after the call or instead of it. */
let faults: {call: string; error: CentavoError; applied?: boolean}[];
let calls: string[];
let records: ListenRecord[];
let ending: AbortController;
let theRegistrar: WebhookRegistrar;
let registration: WebhookRegistration;
let make: (keep?: boolean) => WebhookRegistration;
/** The length of each sleep; waking it starts a check. */
let sleeps: number[];
let wake: (() => void) | undefined;
let onPause: (() => void) | undefined;

const LOOKS = 30_000;

beforeEach(() => {
  store = openStore(':memory:');
  wake = onPause = undefined;
  [service, faults, calls, records, sleeps] = [new Map(), [], [], [], []];
  ending = new AbortController();
  let made = 0;
  const call = async <T>(name: string, work: () => T): Promise<T> => {
    calls.push(name);
    const at = faults.findIndex((fault) => fault.call === name);
    const [fault] = at < 0 ? [] : faults.splice(at, 1);
    const result = !fault || fault.applied ? work() : undefined;
    if (fault) throw fault.error;
    return result as T;
  };
  const known = (id: string): Webhook => {
    const webhook = service.get(id);
    if (!webhook) throw missing();
    return webhook;
  };
  const registrar: WebhookRegistrar = (theRegistrar = {
    account: 'test',
    allowsSecret: false,
    queuedEvents: () => [],
    interval: LOOKS,
    register: (url, description) =>
      call('register', () => {
        const id = `wh_${++made}`;
        service.set(id, {url, description, status: 'enabled'});
        return {id, secret: `secret of ${id}`};
      }),
    resume: (id, url) =>
      call('resume', () => {
        const webhook = service.get(id);
        if (webhook) Object.assign(webhook, {url, status: 'enabled'});
        return webhook !== undefined;
      }),
    disable: (id) => call('disable', () => void (known(id).status = 'disabled')),
    update: (id, url) => call('update', () => void (known(id).url = url)),
    enable: (id) => call('enable', () => void (known(id).status = 'enabled')),
    remove: (id) => call('remove', () => void service.delete(id)),
    find: (description) =>
      call('find', () => [...service].flatMap(([id, webhook]) => (webhook.description === description ? [id] : []))),
    statusOf: (id) => call('look', () => service.get(id)?.status ?? 'gone'),
  });
  let token = 0;
  make = (keep = false) =>
    new WebhookRegistration({
      registrar,
      endpoints: store.endpoints,
      isUndelivered: () => false,
      endpoint: openEndpoint(store.endpoints, {
        endpoint: {...PLACE, isNamed: true, keep},
        owner: OWNER,
        isAlive: () => false,
        token: (length) => 'x'.repeat(length),
        report: (record) => records.push(record),
      }),
      owner: OWNER,
      report: (record) => records.push(record),
      token: () => `lease${++token}`,
      sleep: (milliseconds, signal) =>
        new Promise((resolve, reject) => {
          sleeps.push(milliseconds);
          if (milliseconds !== LOOKS) {
            onPause?.();
            return signal.aborted ? reject(signal.reason as Error) : resolve(undefined);
          }
          wake = () => resolve(undefined);
          signal.addEventListener('abort', () => reject(signal.reason as Error), {once: true});
        }),
      signal: ending.signal,
    });
  registration = make();
});

afterEach(() => store.close());

const said = (): string[] => records.map(({type}) => type);
const leases = () => store.endpoints.deadLeases('test', () => false).map(({webhookId}) => webhookId);

/** Starts one check, and resolves when it waits for the next. */
async function look(): Promise<void> {
  const before = sleeps.filter((one) => one === LOOKS).length;
  wake!();
  await until(() => sleeps.filter((one) => one === LOOKS).length > before);
}

async function begin(): Promise<Promise<void>> {
  await registration.start(FIRST);
  return registration.watch();
}

test('reports nothing while the webhook exists, with one call per check', async () => {
  const watching = begin();
  await until(() => wake !== undefined);
  for (let index = 0; index < 3; index += 1) await look();
  expect(calls).toEqual(['register', 'look', 'look', 'look']);
  expect(records).toEqual([]);
  ending.abort();
  await watching;
  await registration.end();
  expect([...service.keys()]).toEqual([]);
  expect(leases()).toEqual([]);
});

test('knows its secret once the response of the service has it, and again after a new registration', async () => {
  const known: (string | undefined)[] = [];
  const register = theRegistrar.register;
  // An event may be sent before the response.
  (theRegistrar as {register: typeof register}).register = (...args) => {
    queueMicrotask(() => void registration.secretKnown.then(() => known.push(registration.webhook?.secret)));
    return register(...args);
  };
  const first = registration.secretKnown.then(() => known.push(registration.webhook?.secret));
  const watching = begin();
  await until(() => wake !== undefined);
  await first;
  service.delete('wh_1');
  await look();
  expect(known).toEqual(['secret of wh_1', 'secret of wh_1', 'secret of wh_2']);
  ending.abort();
  await watching;
});

test('reports an unreachable service once', async () => {
  const watching = begin();
  await until(() => wake !== undefined);
  faults.push({call: 'look', error: failure('unavailable')}, {call: 'look', error: failure('auth')});
  await look();
  await look();
  expect(said()).toEqual(['notice']);
  await look();
  faults.push({call: 'look', error: failure('unavailable')});
  await look();
  expect(said()).toEqual(['notice', 'notice']);
  expect(registration.webhook).toEqual({id: 'wh_1', secret: 'secret of wh_1'});
  ending.abort();
  await watching;
});

test('removes a webhook of unknown id before registering another', async () => {
  const watching = begin();
  await until(() => wake !== undefined);
  service.delete('wh_1');
  faults.push(
    {call: 'register', error: failure('outcome_unknown'), applied: true},
    {call: 'register', error: failure('unavailable')},
  );
  await look();
  expect([...service]).toMatchObject([['wh_3', {url: FIRST}]]);
  expect(leases()).toEqual(['wh_3']);
  expect(registration.webhook).toEqual({id: 'wh_3', secret: 'secret of wh_3'});
  expect(said()).toEqual(['disconnected', 'notice', 'notice', 'reconnected']);
  expect(records.at(-1)).toMatchObject({webhook_id: 'wh_3', public_url: FIRST, secret: 'secret of wh_3'});
  ending.abort();
  await watching;
});

test('replaces a webhook that was deleted before it could be enabled', async () => {
  const watching = begin();
  await until(() => wake !== undefined);
  service.get('wh_1')!.status = 'disabled';
  faults.push({call: 'enable', error: missing()});
  await look();
  expect([...service]).toMatchObject([['wh_2', {status: 'enabled'}]]);
  expect(said()).toEqual(['disconnected', 'disconnected', 'reconnected']);
  ending.abort();
  await watching;
});

test("registers a new webhook if the old one is gone when the tunnel's URL changes", async () => {
  const watching = begin();
  await until(() => wake !== undefined);
  service.delete('wh_1');
  await registration.updateUrl(SECOND);
  expect([...service]).toMatchObject([['wh_2', {url: SECOND}]]);
  await look();
  expect(service.size).toBe(1);
  ending.abort();
  await watching;
});

test.for([
  ['refuses', failure('rejected'), 1],
  ['does not answer for half a minute', failure('unavailable'), 6],
] as const)('what a service %s ends it, and nothing is left behind', async ([, error, tries]) => {
  const watching = begin();
  await until(() => wake !== undefined);
  service.delete('wh_1');
  for (let index = 0; index < tries; index += 1) faults.push({call: 'register', error});
  wake!();
  await expect(watching).rejects.toBe(error);
  expect(sleeps.filter((one) => one !== LOOKS)).toEqual([1000, 2000, 4000, 8000, 16_000].slice(0, tries - 1));
  await registration.end();
  expect([...service.keys()]).toEqual([]);
  expect(leases()).toEqual([]);
});

test('stops retrying at the end, and removes the new webhook', async () => {
  const watching = begin();
  await until(() => wake !== undefined);
  service.delete('wh_1');
  faults.push({call: 'register', error: failure('outcome_unknown'), applied: true});
  const registered = () => calls.filter((name) => name === 'register').length;
  onPause = () => ending.abort();
  wake!();
  await watching;
  await registration.end();
  expect(registered()).toBe(2);
  expect([...service.keys()]).toEqual([]);
  expect(leases()).toEqual([]);
});

test('reports a webhook that could not be removed, with the reason', async () => {
  const watching = begin();
  await until(() => wake !== undefined);
  faults.push({call: 'remove', error: failure('unavailable')});
  ending.abort();
  await watching;
  expect(await registration.end()).toBe(true);
  expect(records).toMatchObject([
    {type: 'notice', message: expect.stringMatching(/wh_1 could not be removed; .*: the service said unavailable\.$/)},
  ]);
  expect(leases()).toEqual(['wh_1']);
  expect(await registration.end()).toBe(false);
  expect(leases()).toEqual([]);
});

test('does not report a bug as a lost webhook', async () => {
  const watching = begin();
  await until(() => wake !== undefined);
  faults.push({call: 'look', error: new TypeError('a bug') as unknown as CentavoError});
  wake!();
  await expect(watching).rejects.toThrow('a bug');
  expect(records).toEqual([]);
});

async function run(url: string, keep?: boolean): Promise<WebhookRegistration> {
  const one = make(keep);
  await one.start(url);
  expect(await one.end()).toBe(false);
  return one;
}

test('disables a kept webhook at the end, and enables it again with the same secret', async () => {
  await run(FIRST, true);
  expect([...service]).toMatchObject([['wh_1', {url: FIRST, status: 'disabled'}]]);
  expect(store.endpoints.find(PLACE)).toMatchObject({webhookId: 'wh_1', secret: 'secret of wh_1'});
  // A run without --keep did not register it, and does not remove it.
  const second = make();
  await second.start(SECOND);
  expect(second.webhook).toEqual({id: 'wh_1', secret: 'secret of wh_1'});
  expect([...service]).toMatchObject([['wh_1', {url: SECOND, status: 'enabled'}]]);
  await second.end();
  expect([...service]).toMatchObject([['wh_1', {status: 'disabled'}]]);
  expect(records).toEqual([]);
  service.delete('wh_1');
  const third = await run(FIRST, true);
  expect(third.webhook).toEqual({id: 'wh_2', secret: 'secret of wh_2'});
  expect(records).toMatchObject([{type: 'notice', message: expect.stringMatching(/wh_1.*wh_2, with a new secret/)}]);
  service.delete('wh_2');
  await run(SECOND);
  expect([...service.keys()]).toEqual([]);
  expect(store.endpoints.find(PLACE)).toEqual({port: 0, token: expect.any(String)});
  expect(leases()).toEqual([]);
});

test.for([
  ['of this name is used', true, 'enabled'],
  ['of another name is disabled', false, 'disabled'],
] as const)('one that a crash left although it is kept: that %s', async ([, mine, status]) => {
  await make(true).start(FIRST);
  const {endpoints} = store;
  const endpoint = openEndpoint(endpoints, {
    endpoint: {...PLACE, name: mine ? PLACE.name : 'other', isNamed: true, keep: false},
    owner: OWNER,
    isAlive: () => false,
    token: () => 'x',
    report: () => {},
  });
  const options = {endpoint, endpoints, registrar: theRegistrar, report: () => {}};
  await removeDeadLeases({...options, isAlive: () => false});
  expect([...service]).toMatchObject([['wh_1', {status}]]);
  expect(leases()).toEqual([]);
});

test('leaves a kept webhook that could not be disabled to the next run', async () => {
  const one = make(true);
  await one.start(FIRST);
  faults.push({call: 'disable', error: failure('unavailable')});
  expect(await one.end()).toBe(true);
  expect(records).toMatchObject([{type: 'notice', message: expect.stringMatching(/wh_1 could not be disabled/)}]);
  expect(leases()).toEqual(['wh_1']);
});
