// When `webhooks listen` ends, and the program that it runs.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {commandsIn} from '../../../support/commands.js';
import {temporaryDirectory} from '../../../support/cli.js';
import {
  eventBytes,
  listening,
  listeningProcess,
  listeningWithSecret,
  post,
  said,
  SECRET,
  signatureOf,
  unixNow,
} from '../../../support/scenarios/listening.js';
import {webhooksLeft} from '../../../support/scenarios/merchant.js';
import {watch, watchCommand} from '../../../support/processes.js';

/** A Node program in its own file, as arguments. */
function program(directory: string, source: string): string[] {
  const file = join(directory, `program ${Math.random().toString(36).slice(2)}.cjs`);
  writeFileSync(file, source);
  return [process.execPath, file];
}

const NOT_STARTED: readonly (readonly [program: string, why: string])[] = [
  ['/no/such/program', 'It does not exist.'],
  ['/etc/passwd/program', 'Part of the path is a file instead of a folder.'],
  ['/etc/passwd', 'Permission was denied.'],
];

describe('ending', () => {
  test('after --count genuine events', async () => {
    const counting = listeningWithSecret(temporaryDirectory(), ['--count', '2']);
    const {url} = await counting.next('ready');
    const body = eventBytes();
    await post(url, body);
    await post(url, body);
    await post(url, eventBytes(), {signature: ''});
    await post(url, eventBytes());
    expect(await counting.ended).toMatchObject({status: 0});
    expect(counting.records().at(-1)).toMatchObject({genuine: 3, duplicates: 1, not_genuine: 1});
  });

  test('with exit 9 and the number of events if --timeout comes first', async () => {
    const directory = temporaryDirectory();
    const result = await commandsIn(directory)(['webhooks', 'listen', '--count', '1', '--timeout', '1s', '--json']);
    expect(result.status).toBe(9);
    expect(result.error()).toMatchObject({
      exit_code: 9,
      message: 'the expected events did not arrive in time. Genuine events received: 0. Nothing was changed.',
      applied: 'no',
    });
    const {data} = (await commandsIn(directory)(['history', '--json'])).json();
    expect(data).toMatchObject([{command: 'webhooks listen', result: 'timed_out', applied: 'no'}]);
    expect(await webhooksLeft(directory)).toBe(0);
  });
});

describe('-- program', () => {
  const PRINTS = 'console.log(`got ${process.env.PAYREX_WEBHOOK_SECRET} and ${process.env.CENTAVO_SECRET_KEY}`);';

  test('gets the secret in its environment, prints outside the records, and ends with the listener', async () => {
    const directory = temporaryDirectory();
    const source = `${PRINTS} console.log('pid=' + process.pid); setInterval(() => {}, 1e6);`;
    const running = listeningProcess(directory, ['--print-secret', '--', ...program(directory, source)]);
    const {secret} = await running.next('ready');
    const [, pid] = await running.said(/pid=(\d+)\n/);
    expect(running.stderr()).toContain(`got ${secret} and undefined`);
    expect(await running.stop()).toBe(130);
    expect(() => process.kill(Number(pid), 0)).toThrow();
    expect(running.records().at(-1)).toMatchObject({type: 'summary'});
  });

  test('ends with its child processes', async () => {
    const directory = temporaryDirectory();
    const source = `
      require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], {stdio: 'inherit'});
      console.log('up'); setInterval(() => {}, 1e6);`;
    const running = listeningWithSecret(directory, ['--', ...program(directory, source)], {isProcess: true});
    await running.said(/up/);
    // Streams end with the last process that holds them.
    expect(await running.stop('SIGTERM')).toBe(143);
  });

  test.for([
    [0, 0],
    [7, 6],
  ])('that ends with %i ends listening with %i', async ([own, status]) => {
    const directory = temporaryDirectory();
    const words = program(directory, `process.exit(${own})`);
    const running = listening(directory, ['--', ...words]);
    expect(await running.ended).toMatchObject({status});
    expect(running.records().map(({type}) => type)).toEqual(['ready', 'notice', 'summary']);
    expect((await running.next('notice')).message).toBe(`${process.execPath} ended with status ${own}: stopping`);
    if (own)
      expect(JSON.parse(running.stderr()).error).toMatchObject({
        applied: 'no',
        message: expect.stringContaining('status 7'),
      });
    expect(await webhooksLeft(directory)).toBe(0);
  });

  test('ends without failure after --count events', async () => {
    const directory = temporaryDirectory();
    const words = program(directory, 'console.log("up"); setInterval(() => {}, 1e6)');
    const running = listeningWithSecret(directory, ['--count', '1', '--', ...words], {isProcess: true});
    await running.said(/up/);
    await post((await running.next('ready')).url);
    expect(await running.ended).toMatchObject({status: 0});
  });

  test.for(NOT_STARTED)(
    '%s cannot be started: exit 2, which names it and says why, and no webhook is left',
    async ([app, why]) => {
      const directory = temporaryDirectory();
      const result = await commandsIn(directory)(['webhooks', 'listen', '--json', '--', app]);
      expect(result.status, result.stderr).toBe(2);
      expect(result.error()).toMatchObject({
        code: 'program_not_started',
        message: `the program "${app}" cannot be started. ${why} Nothing was changed.`,
        applied: 'no',
      });
      expect(await webhooksLeft(directory)).toBe(0);
    },
  );
});

test('prints verdict, amount and response in lines, and warns of a wrong clock', async () => {
  const directory = temporaryDirectory();
  const shown = watch(directory, ['webhooks', 'listen', '--secret-stdin', '--count', '1']);
  shown.child.stdin!.end(SECRET);
  const [, url = ''] = await said(shown, /events at (http:\S+)\n/);
  const body = eventBytes({id: 'evt_late'});
  await post(url, body, {signature: signatureOf(body, {timestamp: unixNow() - 600})});
  await shown.until(/NOT GENUINE \(too_old\): .*60\d s ago by this machine’s clock/);
  await post(url, eventBytes({id: 'evt_good', data: {id: 'pi_7', amount: 125_050, name: '\u001B[2J'}}));
  await shown.until(/\d\d:\d\d:\d\d --> payment_intent\.succeeded evt_good ₱1,250\.50 pi_7 genuine/);
  expect(await shown.ended).toMatchObject({status: 0});
  expect(shown.stderr()).toMatch(/1 genuine, 1 not genuine/);
});

test('refuses invalid flags with exit 2 before it starts anything', async () => {
  const directory = temporaryDirectory();
  const run = commandsIn(directory);
  const rows: [string[], RegExp][] = [
    [['--forward-to', 'http://example.com'], /./],
    [['--count', '0'], /--count/],
    [['--events', 'a b'], /pattern/],
    [['--route', 'refund.*'], /route/],
    [['--port', '70000'], /--port/],
    [['--tolerance', '-1'], /--tolerance/],
    [['--write-env', '.env:1X'], /variable/],
    [['--jq', '.'], /records/],
    [['-o', 'csv'], /records/],
    [['--timeout', '5s'], /--timeout/],
    [['npm', 'run'], /--/],
  ];
  await Promise.all(
    rows.map(async ([words, mention]) => {
      const result = await run(['webhooks', 'listen', ...words]);
      expect([2, 12], `${words.join(' ')}: ${result.stderr}`).toContain(result.status);
      expect(result.stderr).toMatch(mention);
      expect(result.stderr).toMatch(/Nothing was (sent|changed)|"applied":"no"/);
    }),
  );
  expect(await webhooksLeft(directory)).toBe(0);
});

test('ends with exit 15 on a full disk, and leaves no webhook', async () => {
  const directory = temporaryDirectory();
  const run = watchCommand(
    '/bin/sh',
    ['-c', '"$0" "$@" > /dev/full', process.execPath, 'bin/run.js', 'webhooks', 'listen', '--json'],
    {
      env: {PATH: process.env.PATH, HOME: directory, CENTAVO_DATA_DIR: directory},
    },
  );
  expect(await run.ended).toMatchObject({status: 15});
  expect(await webhooksLeft(directory)).toBe(0);
});
