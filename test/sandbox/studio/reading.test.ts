// The cost of studio pages: no write lock, no full table scans, few bytes.

import {expect, test} from 'vitest';
import {seed} from '../../../src/sandbox/seed/seed-account.js';
import type {Sandbox} from '../../../src/sandbox/sandbox.js';
import {openDatabase} from '../../../src/storage/sqlite.js';
import {START} from '../../support/sandbox/world.js';
import {ask} from '../pages/visitor.js';
import {desk, newFile} from './desk.js';

const LISTS = [
  ...['', 'events', 'events?before=9', 'clock', 'mail', 'pulse'],
  ...['requests', 'requests?show=changes', 'requests?show=failed', 'search?q=a', 'search?q=X-0001', 'none'],
  ...[
    'statements',
    'statements?status=paid&before=99',
    'checkouts',
    'intents',
    'payments',
    'refunds',
    'customers',
    'payouts',
    'webhooks',
  ],
];

/** One page of each kind, and all lists. */
function pagesOf(sandbox: Sandbox): string[] {
  const kinds =
    'event billing_statement checkout_session payment_intent payment refund customer payout webhook payment_method billing_statement_line_item payout_transaction';
  const ids = sandbox.read(({store}) =>
    kinds.split(' ').flatMap((kind) => store.list(kind, {limit: 1}).data.map(({id}) => id)),
  );
  const request = sandbox.requests.database.get<{id: string}>('SELECT id FROM requests LIMIT 1');
  const mail = sandbox.read(
    ({store}) => store.list('event', {limit: 1, where: ({type}) => type === 'billing_statement.sent'}).data,
  );
  return [...LISTS, ...ids, request!.id, ...mail.map(({id}) => `mail/${id}`)];
}

async function seeded(path?: string) {
  const d = await desk({path});
  d.sandbox.perform(seed);
  await d.customer();
  return d;
}

test('every page is answered while another process writes, also payment pages', async () => {
  const path = newFile();
  const d = await seeded(path);
  const [statement, session] = [await d.open(), await d.session()];
  const other = openDatabase(path);
  other.exec('BEGIN IMMEDIATE');
  other.run('INSERT INTO settings VALUES (?, ?)', 'a', 'b');
  try {
    // A page that took the lock would block the server, then get a 500.
    for (const page of pagesOf(d.sandbox)) expect((await d.see(page)).status, page).toBeLessThan(405);
    for (const {url, amount} of [statement, session])
      for (const method of ['GET', 'HEAD']) {
        const {status, headers} = await ask(d.server.port, new URL(url as string).pathname, method);
        expect([status, headers['x-waiting']]).toEqual([200, String(amount)]);
      }
  } finally {
    other.exec('ROLLBACK');
    other.close();
  }
});

test('a viewed page is logged when the other process has written, and nothing waits for that', async () => {
  const path = newFile();
  const d = await desk({path});
  const page = new URL((await d.open()).url as string).pathname;
  const {requests} = d.sandbox;
  const append = requests.append.bind(requests);
  /** Resolves when the server has tried to write the log, with the error. */
  const nextTry = () =>
    new Promise((resolve) => {
      requests.append = (...given) => {
        try {
          append(...given);
          resolve(undefined);
        } catch (error) {
          resolve(error);
          throw error;
        }
      };
    });
  const logged = () => requests.database.get(`SELECT count(*) AS count FROM requests WHERE entry ->> 'method' = 'GET'`);
  const other = openDatabase(path);
  other.exec('BEGIN IMMEDIATE');
  let tried = nextTry();
  expect((await ask(d.server.port, page)).status).toBe(200);
  expect(await tried).toMatchObject({code: 'file_busy'});
  expect(logged()).toEqual({count: 0});
  tried = nextTry();
  other.exec('ROLLBACK');
  other.close();
  expect(await tried).toBeUndefined();
  expect(logged()).toEqual({count: 1});
});

test('a payment page runs due timers', async () => {
  const d = await desk();
  const {url} = await d.session();
  // Another process moves the clock.
  d.sandbox.read(({store}) => store.set('clock_offset', String(40 * 86_400)));
  expect((await ask(d.server.port, new URL(url as string).pathname)).words).toContain('This checkout has expired');
  expect(d.types()).toContain('checkout_session.expired');
});

test('each query of each page uses an index or reads a bounded table', async () => {
  const d = await seeded();
  const {database} = d.sandbox.requests;
  const asked = new Set<string>();
  const {run, get, all} = database;
  const noted =
    <Rest extends unknown[], Result>(call: (sql: string, ...rest: Rest) => Result) =>
    (sql: string, ...rest: Rest): Result => {
      asked.add(sql);
      return call(sql, ...rest);
    };
  Object.assign(database, {run: noted(run), get: noted(get), all: noted(all)});
  for (const page of pagesOf(d.sandbox)) await d.see(page);
  expect(asked.size).toBeGreaterThan(25);
  for (const sql of asked) {
    // `?1` may stand several times, and is one value.
    const values = new Set([...sql.matchAll(/\?(\d*)/g)].map(([, number], at) => number || `at ${at}`));
    const plan = all<{detail: string}>(`EXPLAIN QUERY PLAN ${sql}`, ...[...values].map(() => null));
    const used = plan.map(({detail}) => detail).join();
    if (sql.includes('parent = ?')) expect(used, sql).toContain('objects_by_parent');
    for (const {detail} of plan) {
      expect(detail, sql).not.toMatch(/^SCAN (objects|deliveries|timers)$/);
      if (/\bobjects\b.*LIMIT/s.test(sql) && !sql.includes(' IN ('))
        expect(detail, sql).not.toContain('TEMP B-TREE FOR ORDER BY');
    }
  }
});

test('a page with its stylesheet and script is less than 60 KB', async () => {
  const d = await seeded();
  await d.sandbox.deliverDue();
  const size = async (page: string): Promise<number> => Buffer.byteLength((await d.see(page)).html);
  const parts = (await size('style.css')) + (await size('live.js'));
  for (const page of pagesOf(d.sandbox)) expect((await size(page)) + parts, page).toBeLessThan(60 * 1024);
  expect(d.sandbox.now()).toBe(START);
});
