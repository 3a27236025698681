// `webhooks deliveries` and `webhooks replay`: received deliveries, their outcomes, and replays.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {timeOfDay} from '../../../src/common/manila.js';
import {processIdentityOf} from '../../../src/processes/process-identity.js';
import {inspectSignature} from '../../../src/webhooks/signature/signature.js';
import {openDeliveries, type DeliveryStore} from '../../../src/webhooks/store/deliveries.js';
import {readEventFacts, type Delivery} from '../../../src/webhooks/receive/delivery.js';
import {join} from 'node:path';
import {emptyList, temporaryDirectory} from '../../support/cli.js';
import {app} from '../../support/services/app.js';
import {eventBytes, SECRET, signatureOf, unixNow} from '../../support/scenarios/listening.js';
import {commandsIn} from '../../support/commands.js';
import {terminalInProcess} from '../../support/in-process.js';
import {loaded} from '../../support/terminal.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
const HOUR = 3_600_000;
let store: DeliveryStore;

/** Stores a delivery like a listener. @param ago milliseconds */
async function received(
  name: string,
  ago: number,
  fields: object,
  more: Partial<Delivery> = {},
  targets: string[] = [],
  into = store,
) {
  const receivedAt = Date.now() - ago;
  const body = eventBytes({id: `evt_${name}`, ...fields});
  const timestamp = Math.floor(receivedAt / 1000);
  const delivery: Delivery = {
    id: `dlv_${name}`,
    receivedAt,
    profile: 'sandbox',
    webhook: 'wh_1',
    path: '/?a=b',
    headers: [
      ['Content-Type', 'application/json'],
      ['Payrex-Signature', signatureOf(body, {timestamp})],
      ['X-Note', '\u009B2Jnote'],
    ],
    body,
    verdict: {genuine: true, mode: 'test', secretIndex: 0, timestamp},
    event: readEventFacts(body),
    ...more,
  };
  await into.record(delivery, targets);
  return delivery;
}

const TARGET = 'http://localhost:3000/hook';

/** The first attempt started when the delivery was stored. */
async function attempted(deliveryId: string, status: number, target = TARGET): Promise<void> {
  const response = {headers: [['x-app', 'shop']] as const, body: '{"error":"no order\u009B2J"}', cut: false};
  const attempt = {deliveryId, target, attempt: 1, startedAt: Date.now(), durationMs: 12, status, response};
  await store.forwards.recordAttempt(attempt, {settled: true});
}

beforeAll(async () => {
  store = openDeliveries(join(directory, 'deliveries.db'), {owner: {pid: process.pid, startedAt: 1}});
  const object = {id: 'bstm_1', resource: 'billing_statement', amount: 125_050};
  await received('old', 5 * HOUR, {
    type: 'billing_statement.finalized',
    data: {...object, status: 'open', paid: null, due_at: 0},
  });
  await received(
    'paid',
    2 * HOUR,
    {
      type: 'billing_statement.paid',
      data: {...object, status: 'paid', paid: {at: 1}, due_at: 1_774_357_865, fee: 3565},
    },
    {},
    [TARGET],
  );
  await attempted('dlv_paid', 500);
  await received('refund', HOUR, {type: 'refund.created', data: {id: 're_1', resource: 'refund'}}, {}, [TARGET]);
  await attempted('dlv_refund', 200);
  const forged = {genuine: false, reason: 'no_match'} as const;
  await received('forged', HOUR / 2, {type: 'refund.updated'}, {verdict: forged}, [TARGET]);
  await attempted('dlv_forged', 503);
});
afterAll(() => store.close());

const list = async (...words: string[]): Promise<string[]> => {
  const result = await run(['webhooks', 'deliveries', 'list', '--json', ...words]);
  expect(result, result.stderr).toMatchObject({status: 0});
  return result.json().data.map(({id}: {id: string}) => id);
};

describe('deliveries list', () => {
  test('lists the newest first, filtered by type, time, failure and start', async () => {
    expect((await list()).slice(0, 4)).toEqual(['dlv_forged', 'dlv_refund', 'dlv_paid', 'dlv_old']);
    expect(await list('--type', 'billing_statement.*')).toEqual(['dlv_paid', 'dlv_old']);
    expect(await list('--failed')).toEqual(['dlv_forged', 'dlv_paid']);
    expect(await list('--since', new Date(Date.now() - 1.5 * HOUR).toISOString())).toEqual([
      'dlv_forged',
      'dlv_refund',
    ]);
    expect(await list('--since', '90m')).toEqual(['dlv_forged', 'dlv_refund']);
    expect(await list('--before', 'dlv_paid')).toEqual(['dlv_old']);
    expect(await list('--limit', '1')).toEqual(['dlv_forged']);
  });

  test('prints everything with --json, and a row for each in a pipe', async () => {
    const [row] = (await run(['webhooks', 'deliveries', 'list', '--json', '--type', 'billing_statement.paid'])).json()
      .data;
    expect(row).toMatchObject({
      id: 'dlv_paid',
      event_id: 'evt_paid',
      object_id: 'bstm_1',
      webhook: 'wh_1',
      verdict: 'genuine',
      forwarded: '500',
      attempts: [
        {
          target: TARGET,
          attempt: 1,
          status: 500,
          duration_ms: 12,
          replay: false,
          response: {headers: [['x-app', 'shop']], body: '{"error":"no order\u009B2J"}', cut: false},
          likely_cause: expect.stringContaining('Your app failed'),
        },
      ],
      held_by: null,
      next_attempt_at: null,
      path: '/?a=b',
    });
    expect(Buffer.from(row.body_base64, 'base64').equals(store.get('dlv_paid')!.body)).toBe(true);
    const rows = (await run(['webhooks', 'deliveries', 'list'])).stdout.trimEnd().split('\n');
    expect(rows[1]).toMatch(/^dlv_refund\trefund\.created\t200\t/);
  });

  test('reports an empty list with exit 0, and invalid flags with exit 2', async () => {
    const empty = await commandsIn(temporaryDirectory())(['webhooks', 'deliveries', 'list', '--json']);
    expect(empty).toMatchObject({status: 0});
    expect(empty.json().data).toEqual([]);
    for (const words of [
      ['--limit', '0'],
      ['--since', 'soon'],
    ])
      expect((await run(['webhooks', 'deliveries', 'list', ...words])).status, words.join(' ')).toBe(2);
  });
});

test.runIf(loaded.pty)('says that no delivery matches instead of that none was received', async () => {
  const list = ['webhooks', 'deliveries', 'list'];
  await terminalInProcess(directory, [...list, '--type', 'payout.*']).until(/No deliveries found\./);
  await terminalInProcess(temporaryDirectory(), list).until(/No deliveries yet/);
});

test('keeps all deliveries on reads; listening removes old ones, except those not accepted', async () => {
  const other = temporaryDirectory();
  const old = openDeliveries(join(other, 'deliveries.db'), {owner: {pid: process.pid, startedAt: 1}});
  await received('waiting', 1000 * HOUR, {type: 'refund.created'}, {}, [TARGET], old);
  await received('shown', 1000 * HOUR, {type: 'refund.updated'}, {}, [], old);
  old.close();
  const commands = commandsIn(other);
  const ids = async () =>
    (await commands(['webhooks', 'deliveries', 'list', '--json'])).json().data.map(({id}: {id: string}) => id);
  expect(await ids()).toEqual(['dlv_shown', 'dlv_waiting']);
  await commands(['webhooks', 'deliveries', 'get', 'dlv_shown']);
  await commands(['webhooks', 'replay', '--failed', '--forward-to', '1', '--dry-run']);
  await commands(['status']);
  expect(await ids()).toEqual(['dlv_shown', 'dlv_waiting']);
  await commands(['webhooks', 'listen', '--count', '1', '--timeout', '1s', '--json']);
  expect(await ids()).toEqual(['dlv_waiting']);
});

describe('deliveries get', () => {
  test('shows verdict, changes, attempts, headers and body, without control characters', async () => {
    const {status, stdout} = await run(['webhooks', 'deliveries', 'get', 'dlv_paid']);
    const [attempt] = store.forwards.attempts('dlv_paid');
    expect(status).toBe(0);
    for (const words of [
      /^billing_statement\.paid {2}evt_paid$/m,
      /dlv_paid, received 2\d{3}-.*\+08:00: genuine/,
      // All times are in Manila.
      new RegExp(`^  ${timeOfDay(attempt!.startedAt + 12)} <-- 500`, 'm'),
      /Changed since billing_statement\.finalized/,
      /status: open → paid/,
      /due_at: nothing → 2026-03-24 21:11$/m,
      /fee: nothing → ₱35\.65$/m,
      /<-- 500 POST :3000\/hook 12 ms\n +no order\\x9b2J\n +Your app failed: see its log\.$/m,
      /^Response\n {2}x-app: shop\n\n {2}\{\n {4}"error": "no order/m,
      /Content-Type: application\/json/,
      /"description"|"amount": 125050/,
    ])
      expect(stdout).toMatch(words);
    // oxlint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u001B\u009B]/);
  });

  test('reports an attempt in progress', async () => {
    const directory = temporaryDirectory();
    const owner = processIdentityOf(process.pid, Math.round(performance.timeOrigin));
    const busy = openDeliveries(join(directory, 'deliveries.db'), {owner});
    await received('busy', 0, {}, {}, [TARGET], busy);
    busy.close();
    const get = commandsIn(directory);
    expect((await get(['webhooks', 'deliveries', 'get', 'dlv_busy'])).stdout).toContain(
      'Attempts\n  is being tried now\n',
    );
  });

  test('explains why a delivery is not genuine', async () => {
    const {stdout} = await run(['webhooks', 'deliveries', 'get', 'dlv_forged']);
    expect(stdout).toMatch(/NOT GENUINE \(no_match\)\n\s+the signature does not match any known secret/);
  });

  test('prints one object with --json', async () => {
    const object = (await run(['webhooks', 'deliveries', 'get', 'dlv_paid', '--json'])).json();
    expect(object).toMatchObject({id: 'dlv_paid', headers: expect.arrayContaining([['X-Note', '\u009B2Jnote']])});
  });

  test.for([
    ['dlv_nobody', 3],
    ['evt_nobody', 3],
    ['bstm_1', 2],
    [undefined, 2],
  ] as const)('of %s is exit %i, with the command that lists deliveries', async ([id, status]) => {
    const result = await run(['webhooks', 'deliveries', 'get', ...(id ? [id] : [])]);
    expect(result.status).toBe(status);
    expect(result.stderr).toContain('webhooks deliveries list');
  });
});

describe('replay', () => {
  test('sends the original bytes, and records it', async () => {
    const target = await app();
    const result = await run(['webhooks', 'replay', 'dlv_paid', '--forward-to', `${target.port}/again`, '--json']);
    expect(result, result.stderr).toMatchObject({status: 0});
    const kept = store.get('dlv_paid')!;
    const [hit] = target.hits;
    expect(hit!.body.equals(kept.body)).toBe(true);
    expect(hit!.headers['payrex-signature']).toBe(kept.headers[1]![1]);
    expect(hit!.url).toBe('/again?a=b');
    expect(result.rows()).toMatchObject([{delivery: 'dlv_paid', answer: 200, accepted: true}]);
    expect(store.forwards.attempts('dlv_paid').at(-1)).toMatchObject({status: 200, replay: true});
  });

  test('finds an event by its id, and shows the response of the app', async () => {
    const target = await app(() => ({status: 419, headers: {'x-app': 'shop'}, body: 'Page Expired'}));
    const words = ['webhooks', 'replay', 'evt_old', '--forward-to', `${target.port}/x`];
    const [told, json] = [await run(words), await run([...words, '--json'])];
    expect([told.status, json.status]).toEqual([6, 6]);
    expect(told.stderr).toContain('dlv_old: 419 “Page Expired”. CSRF protection is on: exclude this path from it.');
    expect(json.rows()).toMatchObject([
      {
        delivery: 'dlv_old',
        answer: 419,
        response: {body: 'Page Expired', cut: false},
        likely_cause: expect.stringContaining('CSRF'),
      },
    ]);
    // Without a target, it uses the last target.
    expect((await run(['webhooks', 'replay', 'evt_old'])).status).toBe(6);
    expect(target.hits.map(({body, url}) => `${url} ${JSON.parse(body.toString()).id}`)).toEqual(
      Array.from({length: 3}, () => '/x?a=b evt_old'),
    );
  });

  test('reads ids from stdin; none if it is empty', async () => {
    const target = await app();
    const words = ['webhooks', 'replay', '-', '--forward-to', String(target.port), '--json'];
    expect(await run(words, {input: ''})).toMatchObject({status: 0, stdout: emptyList(), stderr: ''});
    const {stdout: listed} = await run(['webhooks', 'deliveries', 'list', '--type', 'refund.created', '--json']);
    const given = JSON.parse(listed).data as {id: string}[];
    expect(given.length).toBeGreaterThan(0);
    const result = await run(words, {input: listed});
    expect(result.rows()).toMatchObject(given.map(({id}) => ({delivery: id, accepted: true})));
    expect(target.hits).toHaveLength(given.length);
    expect(await run([...words, '--signature', 'resign', '--secret-stdin'], {input: 'x'})).toMatchObject({status: 2});
  });

  test('signs again with --signature resign, so that an app that checks the time accepts it', async () => {
    const target = await app();
    const words = ['--forward-to', String(target.port), '--signature', 'resign', '--secret-stdin'];
    const result = await run(['webhooks', 'replay', 'dlv_old', ...words], {input: SECRET});
    expect(result, result.stderr).toMatchObject({status: 0});
    const [{body, headers}] = target.hits as [(typeof target.hits)[0]];
    const signed = {body, header: [String(headers['payrex-signature'])], secrets: [SECRET], now: unixNow()};
    expect(inspectSignature(signed)).toMatchObject({genuine: true, mode: 'test'});
  });

  test('sends everything since a time in order of arrival, and never what is not genuine', async () => {
    const target = await app();
    const since = ['--since', new Date(Date.now() - 3 * HOUR).toISOString()];
    const result = await run(['webhooks', 'replay', ...since, '--forward-to', String(target.port), '--json']);
    expect(result, result.stderr).toMatchObject({status: 0});
    expect(result.rows().map(({delivery}: {delivery: string}) => delivery)).toEqual(['dlv_paid', 'dlv_refund']);
    const ids = target.hits.map(({body}) => JSON.parse(body.toString()).id);
    expect(ids).toEqual(['evt_paid', 'evt_refund']);
    const forged = await run(['webhooks', 'replay', 'dlv_forged', '--forward-to', String(target.port), '--json']);
    expect(forged.status).toBe(12);
    expect(forged.error()).toMatchObject({code: 'not_genuine', applied: 'no'});
    expect(target.hits).toHaveLength(2);
  });

  test('resends failed ones: exit 6 if they fail again, none after they are accepted', async () => {
    const target = await app((_, count) => (count === 1 ? 503 : 200));
    const href = `http://localhost:${target.port}/hook`;
    await received('failing', 0, {type: 'payout.created'}, {}, [href]);
    await attempted('dlv_failing', 500, href);
    const words = ['webhooks', 'replay', '--failed', '--type', 'payout.*', '--json', '--forward-to', href];
    const gone = await run(words);
    expect(gone.status).toBe(6);
    expect(gone.rows()).toMatchObject([{delivery: 'dlv_failing', accepted: false}]);
    expect(gone.error()).toMatchObject({code: 'not_accepted', message: expect.stringContaining('1 of 1')});
    expect(await list('--failed', '--type', 'payout.*')).toEqual(['dlv_failing']);
    expect((await run(words)).status).toBe(0);
    expect(await list('--failed', '--type', 'payout.*')).toEqual([]);
    expect((await run(words)).rows()).toEqual([]);
  });

  test('sends a held delivery to its pending target, unless there are several', async () => {
    const target = await app();
    const href = `http://localhost:${target.port}/held`;
    await received('held', 0, {type: 'customer.updated'}, {}, [href]);
    await received('split', 0, {type: 'customer.deleted'}, {}, [href, TARGET]);
    const result = await run(['webhooks', 'replay', '--failed', '--type', 'customer.updated', '--json']);
    expect(result.rows()).toMatchObject([{delivery: 'dlv_held', target: href, accepted: true}]);
    const split = await run(['webhooks', 'replay', 'dlv_split']);
    expect(split.status).toBe(2);
    // The example is one of its own targets.
    expect(split.stderr).toContain(`For example: --forward-to ${TARGET.replace('http://localhost:', '')}\n`);
    expect(target.hits.map(({body}) => JSON.parse(body.toString()).id)).toEqual(['evt_held']);
  });

  test('--dry-run lists the replays, and sends nothing', async () => {
    const target = await app();
    const result = await run(['webhooks', 'replay', 'dlv_paid', '--dry-run', '--forward-to', String(target.port)]);
    expect(result.status).toBe(0);
    expect(result.stderr).toContain('dlv_paid');
    expect(target.hits).toHaveLength(0);
  });

  test('refuses incomplete arguments with exit 2', async () => {
    await received('new', 0, {type: 'customer.created'});
    const to = ['--forward-to', '3000'];
    const rows: [string[], RegExp][] = [
      [['dlv_new'], /--forward-to.*dlv_new was not forwarded before/s],
      [to, /--failed/],
      [['dlv_paid', '--failed', ...to], /ids/],
      [['dlv_paid', '--signature', 'resign', ...to], /--secret-stdin/],
      [['dlv_paid', '--secret-stdin', ...to], /--signature/],
      [['nonsense', ...to], /nonsense/],
    ];
    await Promise.all(
      rows.map(async ([words, mention]) => {
        const result = await run(['webhooks', 'replay', ...words]);
        expect(result.status, words.join(' ')).toBe(2);
        expect(result.stderr).toMatch(mention);
      }),
    );
    const {id} = (await run(['webhooks', 'trigger', 'refund.created', '--json'])).json<{id: string}>();
    expect((await run(['webhooks', 'replay', id, ...to, '--json'])).error()).toMatchObject({
      code: 'not_found',
      next: [
        ['sandbox', 'events', 'resend', id],
        ['webhooks', 'deliveries', 'list'],
      ],
    });
    const remote = await run(['webhooks', 'replay', 'dlv_paid', '--forward-to', 'https://example.com', '--json']);
    expect(remote.status).toBe(12);
  });
});

test('verify judges a stored delivery as of its arrival, by its id or its event id', async () => {
  const verify = (words: string[], secret = SECRET) =>
    run(['webhooks', 'verify', ...words, '--json'], {env: {CENTAVO_WEBHOOK_SECRET: secret}});
  for (const id of ['dlv_old', 'evt_old']) expect((await verify([id])).json()).toMatchObject({genuine: true});
  const other = await verify(['dlv_old'], 'whsk_somebodyelses00000000000000000000');
  expect(other.status).toBe(6);
  expect(other.json()).toMatchObject({reason: 'no_match'});
  expect((await verify(['dlv_nobody'])).status).toBe(3);
  expect((await verify(['dlv_old', '--body', 'x'])).error().message).toContain('combined with --body');
});
