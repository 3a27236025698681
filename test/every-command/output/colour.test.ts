// No meaning by colour alone: the text is the same without colour, and differs wherever the colour differs.

import {afterAll, beforeAll, expect, test} from 'vitest';
import {recordLine} from '../../../src/commands/webhooks/shared/delivery-lines.js';
import {seed} from '../../../src/sandbox/seed/seed-account.js';
import type {ListenRecord} from '../../../src/webhooks/listen/listen-record.js';
import {desk} from '../../sandbox/studio/desk.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {unpainted} from '../../support/output/recorded-terminal.js';
import {serve, SHOP} from '../../support/scenarios/accounts.js';
import {LIVE_KEY, TEST_KEY} from '../../support/services/servers.js';

const directory = temporaryDirectory(afterAll);
const NOW = Date.parse('2026-12-15T10:00:00+08:00');

beforeAll(async () => {
  await commandsIn(directory, {now: () => NOW})(['sandbox', 'seed']);
});

// oxlint-disable-next-line no-control-regex
const COLOURED = /\u001B\[(3\d)m(.*?)\u001B\[39m/g;

test('tables, objects and results have the same text with and without colour, and one colour for each status', async () => {
  const run = commandsIn(directory, {columns: 100, now: () => NOW});
  const colours = new Map<string, Set<string>>();
  for (const words of [
    ...['billing-statements', 'payment-intents', 'payments', 'refunds', 'checkout-sessions', 'payouts', 'webhooks'].map(
      (topic) => [topic, 'list', '--limit', '100'],
    ),
    ...['open', 'paid', 'void', 'draft', 'uncollectible'].map((status) => [
      'billing-statements',
      'list',
      '--status',
      status,
    ]),
    ...[['owed'], ['month', '2026-11'], ['paid', '--since', '60d'], ['customers', 'list'], ['status'], ['history']],
    ['get', 'JEEPNEY-0003'],
    ['billing-statements', 'void', 'ZUNIGA-0001', '--dry-run'],
  ]) {
    const [painted, plain] = [await run(words, {env: {FORCE_COLOR: '1'}}), await run(words, {env: {NO_COLOR: '1'}})];
    for (const stream of ['stdout', 'stderr'] as const)
      expect(unpainted(painted[stream]), words.join(' ')).toBe(plain[stream]);
    for (const [, colour, text] of painted.stdout.matchAll(COLOURED))
      colours.set(text!.trim(), (colours.get(text!.trim()) ?? new Set()).add(colour!));
  }
  expect([...colours.keys()].join(' ')).toMatch(/(?=.*overdue)(?=.*paid)(?=.*open)(?=.*uncollectible)/);
  for (const [text, found] of colours) expect([...found], text).toHaveLength(1);
});

test('a live account is named in text', async () => {
  const api = await serve({[TEST_KEY]: SHOP, [LIVE_KEY]: SHOP}, afterAll);
  const run = commandsIn(temporaryDirectory(), {columns: 100, env: {CENTAVO_BASE_URL: api.url, NO_COLOR: '1'}});
  const status = async (key: string) =>
    (await run(['status'], {env: {CENTAVO_SECRET_KEY: key}})).stdout.match(/^(Mode|Destination) .*$/gm);
  const [test, live] = [await status(TEST_KEY), await status(LIVE_KEY)];
  expect(test!.join()).toMatch(/Mode +test,Destination +test/);
  expect(live!.join()).toMatch(/Mode +live,Destination +LIVE/);
});

test('listener lines for signatures, responses and its own notes', () => {
  const delivery = {
    id: 'dlv_1',
    event: {id: 'evt_1', type: 'billing_statement.paid'},
    receivedAt: NOW,
    verdict: {genuine: true},
  };
  const attempt = {deliveryId: 'dlv_1', target: 'http://localhost:3000/x', attempt: 1, startedAt: NOW, durationMs: 5};
  const {event} = delivery;
  const records = [
    {type: 'delivery', delivery},
    {type: 'delivery', delivery: {...delivery, verdict: {genuine: false, reason: 'mismatch'}}},
    {type: 'forward', event, attempt: {...attempt, status: 200}},
    {type: 'forward', event, attempt: {...attempt, status: 404}},
    {type: 'forward', event, attempt: {...attempt, error: 'connection refused'}},
    {type: 'refused', reason: 'not JSON', status: 400},
  ] as unknown as ListenRecord[];
  const texts = records.map((record) => recordLine(record, NOW, () => 'the signature is of other bytes')!.text);
  expect(texts).toEqual([
    expect.stringContaining('genuine'),
    expect.stringContaining('NOT GENUINE (mismatch): the signature is of other bytes'),
    expect.stringContaining('<-- 200 '),
    expect.stringContaining('<-- 404 '),
    expect.stringContaining('<-- connection refused '),
    expect.stringContaining('--- refused: not JSON (400)'),
  ]);
});

test('studio badges have text, and one colour for each text', async () => {
  const d = await desk();
  d.sandbox.perform(seed);
  const statement = await d.open();
  d.pay(statement.id, {fail: 'funds_insufficient'});
  await d.sandbox.deliverDue();
  const colours = new Map<string, Set<string>>();
  const kinds = ['statements', 'checkouts', 'intents', 'payments', 'refunds', 'customers', 'payouts', 'webhooks'];
  for (const page of ['', 'events', 'requests', 'mail', ...kinds, statement.id as string]) {
    const {html, status} = await d.see(page);
    expect(status, page).toBe(200);
    for (const [, colour, words] of html.matchAll(/<span class="badge([^"]*)">([^]*?)<\/span>/g))
      colours.set(words!.trim(), (colours.get(words!.trim()) ?? new Set()).add(colour!.trim()));
    for (const [, inner] of html.matchAll(/<li class="(?:event|hook|cause)[^"]*">([^]*?)<\/li>/g))
      expect(inner!.replaceAll(/<[^>]*>|\s/g, ''), page).not.toBe('');
  }
  expect([...colours.keys()]).toEqual(expect.arrayContaining(['Open', 'Paid', 'Overdue', 'Failed']));
  for (const [words, found] of colours) {
    expect(words).not.toBe('');
    expect([...found], words).toHaveLength(1);
  }
});
