// A list with more rows says so in every format, with a command for the rest; JSON has `has_more` instead.

import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {openDeliveries} from '../../../src/webhooks/store/deliveries.js';
import {readEventFacts} from '../../../src/webhooks/receive/delivery.js';
import {temporaryDirectory} from '../../support/cli.js';
import {app} from '../../support/services/app.js';
import {commandsIn} from '../../support/commands.js';
import {eventBytes} from '../../support/scenarios/listening.js';
import {Merchant} from '../../support/scenarios/merchant.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);

const FORMATS: readonly string[][] = [
  [],
  ['-o', 'csv'],
  ['-o', 'jsonl'],
  ['--fields', 'id'],
  ['--jq', '.data[] | .id'],
];

/** Splits a line for a shell, in which only some words are quoted. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);

/** The suggested command, without the program's name. */
function saidIn(stderr: string): string[] {
  const [, command] = /^(?:More|\d+ more): centavo (.*)$/m.exec(stderr) ?? [];
  expect(command, stderr).toBeDefined();
  return wordsOf(command!);
}

const idsIn = (text: string, prefix: string): string[] => [
  ...new Set(text.match(new RegExp(`\\b${prefix}[A-Za-z0-9]{3,}`, 'g'))),
];

beforeAll(async () => {
  const merchant = new Merchant(directory);
  await merchant.call('POST', '/webhooks', {url: 'http://localhost:1/', events: ['billing_statement.created']});
  for (let made = 0; made < 13; made++) await merchant.draft();
  merchant.close();
  for (const name of ['Ana', 'Ben', 'Carla'])
    await run(['customers', 'create', '--name', name, '--email', 'same@example.com']);
  const store = openDeliveries(join(directory, 'deliveries.db'), {owner: {pid: process.pid, startedAt: 1}});
  for (let at = 0; at < 23; at++) {
    const body = eventBytes({id: `evt_${at}`});
    const verdict = {genuine: true, mode: 'test', secretIndex: 0, timestamp: 1} as const;
    const event = readEventFacts(body);
    const id = `dlv_${String(at).padStart(3, '0')}`;
    await store.record(
      {
        id,
        receivedAt: Date.now() - 60_000 + at,
        profile: 'sandbox',
        webhook: 'wh_1',
        path: '/',
        headers: [],
        body,
        verdict,
        event,
      },
      [],
    );
  }
  store.close();
});

describe('every format of', () => {
  test.for([
    ['ten of the API', ['billing-statements', 'list'], 'bstm_', 13],
    ['as many as were asked for', ['billing-statements', 'list', '--limit=5'], 'bstm_', 13],
    ['those that are filtered here', ['billing-statements', 'list', '--status', 'draft', '--limit', '4'], 'bstm_', 13],
    ['a page before another', ['billing-statements', 'list', '--limit', '3', '--before', 'LAST'], 'bstm_', 12],
    ['the deliveries', ['webhooks', 'deliveries', 'list'], 'dlv_', 23],
    ['the events of the sandbox', ['sandbox', 'events', 'list', '--limit', '2'], 'evt_', undefined],
    ['the history', ['history', '--limit', '1'], 'cus_', 3],
    ['a request that lists', ['api', 'GET', '/billing_statements', '-d', 'limit=6'], 'bstm_', 13],
  ] as const)('%s', async ([, typed, prefix, count]) => {
    const all = await run(['billing-statements', 'list', '--all', '--fields', 'id']);
    const words = typed.map((word) => word.replace('LAST', idsIn(all.stdout, 'bstm_').at(-1)!));
    const expected = count ?? idsIn((await run(['sandbox', 'events', 'list', '--all'])).stdout, prefix).length;
    for (const format of FORMATS) {
      if (prefix === 'cus_' && format.some((word) => word.includes('id'))) continue;
      if (words[0] === 'api' && format.length === 0) continue;
      const found = new Set<string>();
      let command = [...words, ...format];
      for (let left = 12; left > 0; left--) {
        const {status, stdout, stderr} = await run(command, {env: {COLUMNS: '300'}});
        expect({command, status}).toEqual({command, status: 0});
        for (const id of idsIn(stdout, prefix)) found.add(id);
        if (!/more: /i.test(stderr)) break;
        command = saidIn(stderr);
        // The typed words stay.
        for (const word of format) expect(command).toContain(word);
      }
      expect({format, count: found.size}).toEqual({format, count: expected});
    }
  });
});

test.for([
  ['with --quiet', ['billing-statements', 'list', '-o', 'csv', '--quiet']],
  ['with everything in it', ['billing-statements', 'list', '--all', '-o', 'jsonl']],
  ['with exactly as many as there are', ['billing-statements', 'list', '--limit', '13', '-o', 'csv']],
  [
    'with exactly as many as are kept',
    ['billing-statements', 'list', '--status', 'draft', '--limit', '13', '-o', 'csv'],
  ],
  ['whose JSON says it', ['billing-statements', 'list', '--json']],
  ['whose JSON says it, with some of the fields', ['billing-statements', 'list', '--json', '--fields', 'id']],
  ['of the history whose JSON says it', ['history', '--limit', '1', '--json']],
  ['with exactly as many deliveries', ['webhooks', 'deliveries', 'list', '--limit', '23', '-o', 'csv']],
] as const)('prints no note for a list %s', async ([, words]) => {
  const {status, stdout, stderr} = await run(words);
  expect({status, stderr}).toEqual({status: 0, stderr: ''});
  if (words.includes('--json' as never)) expect(JSON.parse(stdout)).toMatchObject({has_more: true});
});

test('a bulk resend names the older deliveries; a repeated id is sent once and printed twice', async () => {
  const target = await app();
  const forwarding = ['--forward-to', String(target.port), '--json'];
  const cut = await run(['webhooks', 'replay', '--since', 'yesterday', '--limit', '4', ...forwarding]);
  expect(cut).toMatchObject({
    status: 0,
    stderr:
      'Only the newest 4 are resent. To list older deliveries: centavo webhooks deliveries list --before dlv_019\n',
  });
  expect(target.hits).toHaveLength(4);
  const named = await run(['webhooks', 'replay', 'dlv_002', 'dlv_001', 'dlv_002', ...forwarding]);
  expect(named.rows().map(({delivery}: {delivery: string}) => delivery)).toEqual(['dlv_002', 'dlv_001', 'dlv_002']);
  expect(target.hits).toHaveLength(6);
});
