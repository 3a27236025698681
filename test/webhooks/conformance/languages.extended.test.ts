// Handlers in Node, Python and PHP: `webhooks test` names the one planted bug of each, and blames nothing else.

import {describe, expect, test} from 'vitest';
import {mkdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {ConformanceReport} from '../../../src/webhooks/conformance/report.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {EXAMPLE_SECRET, start} from '../../support/examples.js';
import {freePort} from '../../support/free-port.js';

type Language = 'node' | 'php' | 'python';

const HANDLERS = 'test/webhooks/fixtures/handlers';

async function testHandler(language: Language, bug: string, {counted = false} = {}) {
  const orders = join(temporaryDirectory(), 'orders');
  mkdirSync(orders);
  const env = {BUG: bug, ORDERS: orders};
  const address = `127.0.0.1:${await freePort()}`;
  const url = await {
    node: () => start(process.execPath, [`${HANDLERS}/handler.mjs`], env, /(http:\S+)/),
    python: () => start('python3', [`${HANDLERS}/handler.py`], env, /(http:\S+)/),
    php: () =>
      start(
        'php',
        ['-S', address, `${HANDLERS}/handler.php`],
        {...env, PHP_CLI_SERVER_WORKERS: '4'},
        /\((http:[^)]+)\) started/,
      ),
  }[language]();
  const run = commandsIn(temporaryDirectory(), {env: {CENTAVO_WEBHOOK_SECRET: EXAMPLE_SECRET}});
  const counter = counted ? ['--state-command', `sh -c "ls '${orders}' | wc -l"`] : [];
  const file = join(orders, '../report.json');
  const report = ['--report', 'json', '--report-file', file];
  const {status, stderr} = await run(['webhooks', 'test', url, ...counter, ...report, '-o', 'table'], {
    env: {COLUMNS: '1000'},
  });
  const {cases} = JSON.parse(readFileSync(file, 'utf8')) as Pick<ConformanceReport, 'cases'>;
  const named = (result: string): string[] => cases.filter((each) => each.result === result).map((each) => each.case);
  return {status, lines: stderr.split('\n'), failed: named('failed'), cases, unchecked: named('not_checked')};
}

describe.each(['node', 'python', 'php'] as const)('a sound handler in %s', (language) => {
  test.each([
    ['x-acted', false],
    ['a state command', true],
  ])('passes every case, counted by %s', async (_, counted) => {
    const {status, lines, failed, unchecked} = await testHandler(language, '', {counted});
    expect({status, lines, failed, unchecked}).toEqual({status: 0, lines: [''], failed: [], unchecked: []});
  });
});

const PLANTED: readonly [Language, bug: string, failed: string, line: RegExp, cure: RegExp][] = [
  [
    'node',
    'stringify',
    'raw-body',
    /JSON that was written again in the form of JSON\.stringify/,
    /express\.raw.*raw_post/,
  ],
  ['node', 'no-verification', 'bad-signature', /your app does not verify: 200 for every/, /timingSafeEqual/],
  ['node', 'every-duplicate', 'duplicate', /your app acts on duplicates: acted on 3 times/, /unique column/],
  ['node', 'undo', 'out-of-order', /the earlier event undid the later one: the count fell by 1/, /newer state/],
  ['node', 'unknown-type', 'unknown-type', /500 “unknown type conformance_run\.happened”/, /New types will come/],
  ['node', 'body-limit', 'large', /413.*Too large for your app/, /MAX_CONTENT_LENGTH/],
  ['python', 'dumps', 'valid', /in the form of Python’s json\.dumps/, /Flask: request\.get_data\(\)\.$/],
  ['python', 'short-tolerance', 'tolerance', /too short: signed 10 s ago is refused/, /300 seconds/],
  ['python', 'live-slot', 'valid', /reads the signature of the other mode/, /te in test mode/],
  ['python', 'unknown-fields', 'unknown-fields', /the event: 500/, /New fields will come/],
  [
    'python',
    'simultaneous',
    'concurrent-duplicate',
    /your app acts on simultaneous duplicates: acted on [2-5] times/,
    /unique column/,
  ],
  ['php', 'json_encode', 'valid', /in the form of PHP’s json_encode/, /Laravel: \$request->getContent\(\)\.$/],
  ['php', 'no-tolerance', 'stale-signature', /too long: 200 for a signature made a week ago/, /300 seconds/],
  ['php', 'quoted-secret', 'valid', /your app has a secret with quotes around it/, /environment of your app/],
  ['php', 'acts-first', 'bad-signature', /your app acts before it verifies: acted on 2 times/, /before your app acts/],
];

test.each(PLANTED)('%s with the bug %s fails %s', async (language, bug, failed, line, cure) => {
  const counted = ['undo', 'acts-first'].includes(bug);
  const result = await testHandler(language, bug, {counted});
  expect(result).toMatchObject({status: 6, failed: [failed]});
  expect(result.lines[0]).toMatch(new RegExp(`^${failed}: .*${line.source}`));
  expect(result.lines[1]).toMatch(cure);
  for (const {result: outcome, reason} of result.cases)
    if (outcome === 'not_checked') expect(reason).toBe(`see ${failed}`);
});
