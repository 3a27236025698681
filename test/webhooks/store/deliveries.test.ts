// The store of deliveries: durability, duplicates and pruning.

import {randomBytes} from 'node:crypto';
import {chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {CentavoError} from '../../../src/common/errors.js';
import {openDatabase} from '../../../src/storage/sqlite.js';
import {RETENTION, type DeliveryStore} from '../../../src/webhooks/store/deliveries.js';
import {KEPT_RESPONSES} from '../../../src/webhooks/store/forward-log.js';
import {
  deliveryIds,
  readEventFacts,
  type Delivery,
  type ForwardAttempt,
} from '../../../src/webhooks/receive/delivery.js';
import {eventBody} from '../../support/webhooks/events.js';
import {temporaryDirectory} from '../../support/cli.js';
import {newId, openStore, OWNER} from '../../support/webhooks/listener.js';

let at: string;
let file: string;
let store: DeliveryStore;
let clock: number;

beforeEach(() => {
  at = temporaryDirectory();
  file = join(at, 'kept', 'deliveries.db');
  clock = 1_800_000_000_000;
  store = openStore(file);
});

afterEach(() => {
  store.close();
});

test('a store in memory makes no file', () => {
  rmSync(':memory:', {force: true});
  openStore(':memory:').close();
  expect(existsSync(':memory:')).toBe(false);
});

const reopen = (owner = OWNER): void => {
  store.close();
  store = openStore(file, owner);
};

const delivery = (options: Parameters<typeof eventBody>[0] = {}, more: Partial<Delivery> = {}): Delivery => {
  const body = more.body ?? eventBody(options);
  return {
    id: newId(),
    receivedAt: clock,
    profile: 'test',
    webhook: 'wh_1',
    path: '/?a=1',
    headers: [
      ['Payrex-Signature', 't=1'],
      ['X-Twice', 'one'],
      ['x-twice', 'tw\u00F6'],
    ],
    body,
    verdict: {genuine: true, mode: 'test', secretIndex: 0, timestamp: 1},
    event: readEventFacts(body),
    ...more,
  };
};

const attempt = (deliveryId: string, more: Partial<ForwardAttempt> = {}): ForwardAttempt => ({
  deliveryId,
  target: 'http://localhost:3000/',
  attempt: 1,
  startedAt: clock,
  durationMs: 12,
  ...more,
});

describe('keeping', () => {
  test('returns a delivery unchanged, also after a restart', async () => {
    const bytes = Buffer.from([0, 13, 10, 255, 254, 128, 0, 123, 125]);
    const given = delivery({}, {body: bytes, event: {}});
    await store.record(given);
    reopen();
    const {body, ...rest} = store.get(given.id)!;
    expect(Buffer.from(body).equals(bytes)).toBe(true);
    const {body: _, ...wanted} = given;
    expect(rest).toEqual(wanted);
    expect(store.get('dlv_nobody')).toBeUndefined();
  });

  test('keeps an empty body', async () => {
    const given = delivery({}, {body: Buffer.alloc(0), event: {}});
    await store.record(given);
    expect(store.get(given.id)!.body).toHaveLength(0);
  });

  test('keeps simultaneous deliveries in order', async () => {
    const all = Array.from({length: 300}, (_, index) => delivery({id: `evt_${index}`}));
    await Promise.all(all.map((one) => store.record(one)));
    expect(store.list({limit: 1000}).map(({id}) => id)).toEqual(all.map(({id}) => id).reverse());
  });

  test('rejects a group with a failing write, and writes the next group', async () => {
    const [first, second] = [delivery({id: 'evt_1'}), delivery({id: 'evt_2'})];
    const results = await Promise.allSettled([
      store.record(second),
      store.record(first),
      store.record({...delivery({id: 'evt_3'}), id: first.id}),
    ]);
    expect(results.map(({status}) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect((results[0] as PromiseRejectedResult).reason).toBeInstanceOf(CentavoError);
    expect(store.list({limit: 10})).toEqual([]);
    await store.record(first);
    expect(store.get(first.id)).toBeDefined();
  });

  test('writes queued deliveries on close', async () => {
    const one = delivery();
    const recorded = store.record(one);
    reopen();
    await recorded;
    expect(store.get(one.id)).toBeDefined();
  });

  test('creates folder and file for the owner only', () => {
    expect(statSync(join(at, 'kept')).mode & 0o777).toBe(0o700);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('makes an existing file private, and leaves the folder alone', () => {
    const shared = join(at, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o755);
    openStore(join(shared, 'd.db')).close();
    chmodSync(join(shared, 'd.db'), 0o644);
    openStore(join(shared, 'd.db')).close();
    expect(statSync(shared).mode & 0o777).toBe(0o755);
    expect(statSync(join(shared, 'd.db')).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['removed', () => rmSync(join(at, 'kept'), {recursive: true})],
    ['moved', () => renameSync(join(at, 'kept'), join(at, 'elsewhere'))],
  ])('writes nothing into a file that was %s', async (_, change) => {
    await store.record(delivery({id: 'evt_1'}));
    change();
    await expect(store.record(delivery({id: 'evt_2'}))).rejects.toMatchObject({kind: 'local_io'});
  });

  test('writes again once a moved file is back', async () => {
    renameSync(join(at, 'kept'), join(at, 'elsewhere'));
    await expect(store.record(delivery())).rejects.toThrow(CentavoError);
    renameSync(join(at, 'elsewhere'), join(at, 'kept'));
    await store.record(delivery());
    expect(store.list({limit: 10})).toHaveLength(1);
  });

  test('distinguishes another version or another file from a bug', () => {
    const other = openDatabase(join(at, 'other.db'));
    other.exec('PRAGMA user_version = 99');
    other.close();
    expect(() => openStore(join(at, 'other.db'))).toThrow(/another version/);
    expect(() => openStore(join(at, 'kept'))).toThrow(CentavoError);
  });
});

test('ids are ordered by time and unique across processes', () => {
  let now = 1_790_000_000_000;
  const token = (length: number) => randomBytes(length).toString('hex').slice(0, length);
  const [one, other] = [deliveryIds(() => now, token), deliveryIds(() => now, token)];
  const ids = Array.from({length: 3000}, (_, index) => {
    if (index % 7 === 0) now += 1;
    return one();
  });
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set([...ids, other()]).size).toBe(3001);
  for (const id of ids) expect(id).toMatch(/^dlv_[a-z0-9]{24}$/);
});

describe('duplicates', () => {
  test('an event with the same bytes is a duplicate of the first', async () => {
    const [first, second, third] = [delivery(), delivery(), delivery()];
    expect(await store.record(first)).toEqual({});
    expect(await store.record(second)).toEqual({duplicateOf: first.id});
    reopen();
    expect(await store.record(third)).toEqual({duplicateOf: first.id});
    expect(store.get(third.id)!.duplicateOf).toBe(first.id);
    expect(store.list({limit: 10}).every(({body}) => Buffer.from(body).equals(eventBody()))).toBe(true);
  });

  test("ignores the service's delivery fields, and keeps the received bytes", async () => {
    const sent = (pending: number, updated: number) => {
      const event = JSON.parse(eventBody().toString('utf8')) as object;
      const body = Buffer.from(JSON.stringify({...event, pending_webhooks: pending, updated_at: updated}));
      return delivery({}, {body});
    };
    const [first, second, third] = [sent(2, 1), sent(1, 7), sent(2, 1)];
    for (const [each, answer] of [
      [first, {}],
      [second, {duplicateOf: first.id}],
      [third, {duplicateOf: first.id}],
    ] as const)
      expect(await store.record(each)).toEqual(answer);
    reopen();
    for (const {id, body} of [first, second, third]) expect(Buffer.from(store.get(id)!.body)).toEqual(body);
    const unsigned = sent(0, 1);
    const verdict = {genuine: false, reason: 'no_match'} as const;
    await store.record({...first, id: newId(), verdict});
    expect(await store.record({...unsigned, verdict})).toEqual({});
  });

  test('a thousand duplicates take little space', async () => {
    const body = eventBody({description: 'x'.repeat(100_000)});
    const [first, ...others] = Array.from({length: 1000}, () => delivery({}, {body}));
    await store.record(first!);
    await Promise.all(others.map((one) => store.record(one)));
    expect(statSync(file).size).toBeLessThan(2_000_000);
    expect(store.get(others[998]!.id)!.body).toHaveLength(body.length);
  });

  test('within one group commit', async () => {
    const [first, second] = [delivery(), delivery()];
    expect(await Promise.all([store.record(first), store.record(second)])).toEqual([{}, {duplicateOf: first.id}]);
  });

  test.each<[string, Parameters<typeof eventBody>[0], Partial<Delivery>]>([
    ['another event', {id: 'evt_2'}, {}],
    ['other content', {description: 'changed'}, {}],
    ['another profile', {}, {profile: 'other'}],
    ['another webhook', {}, {webhook: 'wh_2'}],
    ['a webhook that is not known', {}, {webhook: undefined}],
    ['one that is not genuine', {}, {verdict: {genuine: false, reason: 'no_match'}}],
  ])('%s is not a duplicate', async (_, options, more) => {
    await store.record(delivery());
    expect(await store.record(delivery(options, more))).toEqual({});
  });

  test('events without an id are never duplicates', async () => {
    const body = Buffer.from('{}');
    await store.record(delivery({}, {body, event: {}}));
    expect(await store.record(delivery({}, {body, event: {}}))).toEqual({});
  });

  test('are recognized for seven days after the last one', async () => {
    const first = delivery();
    await store.record(first);
    clock += RETENTION;
    await store.prune(clock);
    expect(await store.record(delivery())).toEqual({duplicateOf: first.id});
    clock += RETENTION;
    await store.prune(clock);
    expect(store.get(first.id)).toBeDefined();
    clock += 1;
    await store.prune(clock);
    expect(store.list({limit: 10})).toEqual([]);
    expect(await store.record(delivery())).toEqual({});
  });
});

describe('pruning', () => {
  const [ONE, TWO] = ['http://localhost:3000/', 'http://localhost:3001/'];
  const kept = () => store.list({limit: 100}).map(({id}) => id);

  test('removes only deliveries that no target still needs', async () => {
    const names = ['none', 'taken', 'half', 'given_up', 'pending', 'repeated'] as const;
    for (const name of names)
      await store.record(delivery({id: `evt_${name}`}, {id: `dlv_${name}`}), name === 'none' ? [] : [ONE, TWO]);
    await store.record(delivery({id: 'evt_repeated'}, {id: 'dlv_repeat'}), [ONE, TWO]);
    for (const id of ['dlv_taken', 'dlv_half', 'dlv_given_up'])
      await store.forwards.recordAttempt(attempt(id, {target: ONE, status: 204}), {settled: true});
    await store.forwards.recordAttempt(attempt('dlv_taken', {target: TWO, status: 200}), {settled: true});
    await store.forwards.recordAttempt(attempt('dlv_given_up', {target: TWO, status: 404}), {settled: true});
    clock += 100 * RETENTION;
    await store.prune(clock);
    expect(kept()).toEqual(['dlv_repeat', 'dlv_repeated', 'dlv_pending', 'dlv_given_up', 'dlv_half']);
    expect(store.forwards.attempts('dlv_taken')).toEqual([]);
    expect(store.forwards.attempts('dlv_half')).toHaveLength(1);
    await store.forwards.recordAttempt(attempt('dlv_half', {target: TWO, attempt: 2, status: 200}), {settled: true});
    for (const target of [ONE, TWO])
      await store.forwards.recordAttempt(attempt('dlv_repeated', {target, status: 200}), {settled: true});
    await store.prune(clock);
    expect(kept()).toEqual(['dlv_pending', 'dlv_given_up']);
  });

  test('does not happen on opening', async () => {
    await store.record(delivery());
    clock += 100 * RETENTION;
    reopen();
    expect(store.list({limit: 10})).toHaveLength(1);
  });
});

test('leaves no payer data in the file', async () => {
  await store.record(delivery({description: 'A-PAYER-BY-NAME'}));
  clock += RETENTION + 1;
  await store.prune(clock);
  store.close();
  expect(readFileSync(file).includes('A-PAYER-BY-NAME')).toBe(false);
  store = openStore(file);
});

describe('lists', () => {
  beforeEach(async () => {
    for (const [index, type] of ['payment.failed', 'billing_statement.paid', 'billing_statement.created'].entries()) {
      clock += 1000;
      await store.record(delivery({id: `evt_${index}`, type}, {id: `dlv_${index}`}), ['http://localhost:3000/']);
    }
  });
  const ids = (query: object) => store.list({limit: 10, ...query}).map(({id}) => id);

  test('the newest first, in pages', () => {
    expect(ids({})).toEqual(['dlv_2', 'dlv_1', 'dlv_0']);
    expect(ids({limit: 1})).toEqual(['dlv_2']);
    expect(ids({before: 'dlv_2'})).toEqual(['dlv_1', 'dlv_0']);
    expect(ids({before: 'dlv_nobody'})).toEqual([]);
  });

  test('by type and time', () => {
    expect(ids({type: 'payment.failed'})).toEqual(['dlv_0']);
    expect(ids({type: 'billing_statement.*'})).toEqual(['dlv_2', 'dlv_1']);
    expect(ids({type: '[b]illing_statement.*'})).toEqual([]);
    expect(ids({type: 'payment?failed'})).toEqual([]);
    expect(ids({since: clock - 1000})).toEqual(['dlv_2', 'dlv_1']);
    expect(ids({type: '*.paid'})).toEqual(['dlv_1']);
  });

  test('by failed deliveries', async () => {
    await store.forwards.recordAttempt(attempt('dlv_0', {status: 204}), {settled: true});
    await store.forwards.recordAttempt(attempt('dlv_1', {status: 404}), {settled: true});
    expect(ids({failed: true})).toEqual(['dlv_2', 'dlv_1']);
  });
});

describe('attempts', () => {
  const TARGET = 'http://localhost:3000/';

  test('are returned in order for any delivery of the event', async () => {
    const [first, second] = [delivery(), delivery()];
    await store.record(first, [TARGET]);
    await store.record(second, [TARGET]);
    const made = [
      attempt(first.id, {error: 'the connection was refused (ECONNREFUSED)'}),
      attempt(first.id, {attempt: 2, status: 500}),
      attempt(first.id, {attempt: 3, status: 200, replay: true}),
    ];
    for (const each of made) {
      await store.forwards.recordAttempt(each, {settled: each.replay === true});
      if (each.attempt < 3) expect(await store.forwards.beginAttempt(first.id, TARGET)).toBe(each.attempt + 1);
    }
    reopen();
    expect(store.forwards.attempts(first.id)).toMatchObject(made);
    expect(store.forwards.attempts(second.id)).toMatchObject(made);
    expect(store.forwards.state(first.id, TARGET)).toBe('delivered');
  });

  test("have the app's response; only the newest are kept", async () => {
    const {id} = delivery({id: 'dlv_busy'});
    await store.record(delivery({id}), [TARGET]);
    const response = {headers: [['x-a', 'b']] as const, body: '{"error":"it broke"}', cut: false};
    const recorded = Array.from({length: KEPT_RESPONSES + 2}, (_, index) =>
      store.forwards.recordAttempt(attempt(id, {attempt: index + 1, status: 500, response}), {settled: true}),
    );
    await Promise.all(recorded);
    const attempts = store.forwards.attempts(id);
    expect(attempts).toHaveLength(KEPT_RESPONSES + 2);
    expect(attempts.filter((one) => one.response)).toEqual(attempts.slice(2));
    expect(attempts[1]).not.toHaveProperty('response');
    expect(attempts[2]).toMatchObject({
      response,
      excerpt: 'it broke',
      likelyCause: expect.stringContaining('see its log'),
    });
  });

  test('store their number before they start', async () => {
    const first = delivery();
    await store.record(first, [TARGET]);
    reopen();
    expect(await store.forwards.beginAttempt(first.id, TARGET)).toBe(2);
    expect(await store.forwards.beginAttempt(first.id, TARGET)).toBe(3);
    expect(await store.forwards.beginAttempt(first.id, 'http://localhost:4000/')).toBe(1);
  });

  test('a failed replay changes no state', async () => {
    const first = delivery();
    await store.record(first, [TARGET]);
    await store.forwards.recordAttempt(attempt(first.id, {status: 200}), {settled: true});
    expect(await store.forwards.beginAttempt(first.id, TARGET, {replay: true})).toBe(2);
    await store.forwards.recordAttempt(attempt(first.id, {attempt: 2, status: 500, replay: true}), {settled: true});
    expect(store.forwards.state(first.id, TARGET)).toBe('delivered');
  });

  test('a successful replay ends a pending event', async () => {
    const first = delivery();
    await store.record(first, [TARGET]);
    await store.forwards.beginAttempt(first.id, TARGET, {replay: true});
    await store.forwards.recordAttempt(attempt(first.id, {attempt: 2, status: 500, replay: true}), {settled: true});
    expect(store.forwards.state(first.id, TARGET)).toBe('pending');
    await store.forwards.recordAttempt(attempt(first.id, {attempt: 3, status: 200, replay: true}), {settled: true});
    expect(store.forwards.state(first.id, TARGET)).toBe('delivered');
  });

  test('adopts events of ended processes once, in order, never of living ones', async () => {
    const [one, two, three] = [1, 2, 3].map((n) => delivery({id: `evt_${n}`}));
    for (const each of [one!, two!, three!]) await store.record(each, [TARGET]);
    await store.record(delivery({id: 'evt_4'}, {profile: 'other'}), [TARGET]);
    await store.record(delivery({id: 'evt_5'}), ['http://localhost:4000/']);
    await store.forwards.recordAttempt(attempt(one!.id, {status: 500}), {settled: false, next: 9000});
    await store.forwards.recordAttempt(attempt(two!.id, {status: 200}), {settled: true});
    expect(store.forwards.adopt(TARGET, 'test', () => false)).toEqual([]);
    reopen({pid: OWNER.pid, startedAt: 2});
    expect(store.forwards.adopt(TARGET, 'test', () => true)).toEqual([]);
    expect(store.forwards.waitingFor(one!, () => true, 0)).toEqual({nextAttemptAt: 9000});
    expect(store.forwards.adopt(TARGET, 'test', () => false)).toEqual([one!.id, three!.id]);
    expect(store.forwards.waitingFor(one!, () => true, 0)).toEqual({nextAttemptAt: 0});
    expect(store.forwards.adopt(TARGET, 'test', () => false)).toEqual([]);
  });
});

describe('leases', () => {
  const lease = {id: 'l1', account: 'test', url: 'https://x.example/abc', pid: 12, startedAt: 34};

  test('are stored when the call returns, until removed', () => {
    store.endpoints.addLease(lease);
    const other = openStore(file);
    expect(other.endpoints.deadLeases('test', () => false)).toEqual([lease]);
    store.endpoints.confirmLease('l1', 'wh_1');
    expect(other.endpoints.deadLeases('test', () => false)).toEqual([{...lease, webhookId: 'wh_1'}]);
    store.endpoints.removeLease('l1');
    expect(other.endpoints.deadLeases('test', () => false)).toEqual([]);
    other.close();
  });

  test('are dead with their process, also if its pid was reused', () => {
    store.endpoints.addLease(lease);
    expect(store.endpoints.deadLeases('other', () => false)).toEqual([]);
    expect(store.endpoints.deadLeases('test', (pid) => pid === 12)).toEqual([]);
    expect(store.endpoints.deadLeases('test', (pid, startedAt) => pid === 12 && startedAt === 99)).toHaveLength(1);
  });
});

test.for([
  ['of one webhook write at the same time, and see each other’s events', 'wh_1', 100],
  ['of two webhooks do not take each other’s', 'wh_2', 0],
] as const)('two listeners on one store %s', async ([, webhook, seen]) => {
  const other = openStore(file, {pid: OWNER.pid, startedAt: 2});
  const writes = Array.from({length: 100}, (_, index) => [
    store.record(delivery({id: `evt_${index}`})),
    other.record(delivery({id: `evt_${index}`}, {webhook})),
  ]);
  const duplicates = (await Promise.all(writes.flat())).filter(({duplicateOf}) => duplicateOf !== undefined);
  expect(duplicates).toHaveLength(seen);
  expect(store.list({limit: 1000})).toHaveLength(200);
  other.close();
  expect(existsSync(file)).toBe(true);
});
