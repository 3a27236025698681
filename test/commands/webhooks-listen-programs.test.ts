// What `webhooks listen` does besides showing: when it ends, which programs it runs, and where the secret goes.

import {existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {cli, temporaryDirectory} from '../helpers/cli.js';
import {eventBytes, listening, listeningWithSecret, post, SECRET, signatureOf, unixNow} from './support/listening.js';
import {Merchant} from './support/merchant.js';
import {watch, watchCommand} from './support/processes.js';

const webhooksLeft = async (directory: string): Promise<number> => {
  const merchant = new Merchant(directory);
  const {data} = await merchant.call('GET', '/webhooks');
  merchant.close();
  return (data as unknown[]).length;
};

/** A Node program in a file of its own, as words of a command line. */
function program(directory: string, source: string): string[] {
  const file = join(directory, `program ${Math.random().toString(36).slice(2)}.cjs`);
  writeFileSync(file, source);
  return [process.execPath, file];
}

const quoted = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');

describe('it ends', () => {
  test('after --count genuine events, or with the one of --until', async () => {
    const counting = listeningWithSecret(temporaryDirectory(), ['--count', '2']);
    const waiting = listeningWithSecret(temporaryDirectory(), ['--until', 'refund.*']);
    const {url} = await counting.next('ready');
    const body = eventBytes();
    await post(url, body);
    await post(url, body);
    await post(url, eventBytes(), {signature: ''});
    await post(url, eventBytes());
    expect(await counting.ended).toMatchObject({status: 0});
    expect(counting.records().at(-1)).toMatchObject({genuine: 3, duplicates: 1, not_genuine: 1});
    const {url: other} = await waiting.next('ready');
    await post(other, eventBytes());
    expect((await post(other, eventBytes({type: 'refund.updated'}))).status).toBe(200);
    expect(await waiting.ended).toMatchObject({status: 0});
  });

  test('with exit 9 when --timeout comes first, and says how many came', async () => {
    const directory = temporaryDirectory();
    const result = await cli(directory)(['webhooks', 'listen', '--count', '1', '--timeout', '1s', '--json']);
    expect(result.status).toBe(9);
    expect(result.error()).toMatchObject({exit_code: 9, message: expect.stringContaining('0')});
    expect(await webhooksLeft(directory)).toBe(0);
  });
});

describe('--exec', () => {
  test('gets the body on stdin, facts in its environment, and arguments as they are: there is no shell', async () => {
    const directory = temporaryDirectory();
    const odd = ['two words', `it's "quoted"`, '$(touch owned)', '`id`', '; exit 3', '*'];
    const source = `
      const chunks = []; process.stdin.on('data', (c) => chunks.push(c)).on('end', () => {
        const {CENTAVO_EVENT_ID: id, CENTAVO_EVENT_TYPE: type, CENTAVO_OBJECT_ID: object, CENTAVO_DELIVERY_ID: delivery, CENTAVO_SECRET_KEY: key} = process.env;
        console.log('stdout is not for the program');
        require('node:fs').appendFileSync(process.argv[2], JSON.stringify({args: process.argv.slice(3), body: Buffer.concat(chunks).toString('base64'), id, type, object, delivery, key}) + '\\n');
      });`;
    const out = join(directory, 'out');
    const words = [...program(directory, source), out, ...odd];
    const running = listeningWithSecret(directory, ['--exec', quoted(words), '--count', '2']);
    const {url} = await running.next('ready');
    const bodies = [eventBytes(), eventBytes({type: 'refund.created'})];
    for (const body of bodies) await post(url, body);
    expect(await running.ended).toMatchObject({status: 0});
    const lines = readFileSync(out, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const deliveries = running.records().filter(({type}) => type === 'delivery');
    expect(lines).toEqual(
      deliveries.map(({event_id, event_type, delivery_id}, index) => ({
        args: odd,
        body: bodies[index]!.toString('base64'),
        id: event_id,
        type: event_type,
        object: 'pi_1',
        delivery: delivery_id,
      })),
    );
    expect(existsSync('owned')).toBe(false);
    expect(running.stderr()).toContain('stdout is not for the program');
  });

  test('that fails, or is not there, is noted; listening goes on', async () => {
    const directory = temporaryDirectory();
    const failing = listeningWithSecret(directory, ['--exec', quoted(program(directory, 'process.exit(3)'))]);
    const {url} = await failing.next('ready');
    const body = eventBytes({id: 'evt_noted'});
    expect((await post(url, body)).status).toBe(200);
    expect((await failing.next('notice')).message).toMatch(/status 3.*evt_noted/);
    expect((await post(url)).status).toBe(200);
    await failing.stop();
    const missing = listeningWithSecret(directory, ['--exec', '/no/such/program']);
    await post((await missing.next('ready')).url);
    expect((await missing.next('notice')).message).toContain('ENOENT');
    await missing.stop();
  });
});

describe('-- program', () => {
  const PRINTS = 'console.log(`got ${process.env.PAYREX_WEBHOOK_SECRET} and ${process.env.CENTAVO_SECRET_KEY}`);';

  test('gets the secret in its environment; its output stays off the records; it ends with the listener', async () => {
    const directory = temporaryDirectory();
    const source = `${PRINTS} console.log('pid=' + process.pid); setInterval(() => {}, 1e6);`;
    const running = listening(directory, ['--print-secret', '--', ...program(directory, source)]);
    const {secret} = await running.next('ready');
    await running.said(/pid=\d+/);
    expect(running.stderr()).toContain(`got ${secret} and undefined`);
    const pid = Number(/pid=(\d+)/.exec(running.stderr())![1]);
    expect(await running.stop()).toBe(130);
    expect(() => process.kill(pid, 0)).toThrow();
    expect(running.records().at(-1)).toMatchObject({type: 'summary'});
  });

  test('takes what it started with it', async () => {
    const directory = temporaryDirectory();
    const source = `
      const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], {stdio: 'ignore'});
      console.log('pid=' + child.pid); setInterval(() => {}, 1e6);`;
    const running = listeningWithSecret(directory, ['--', ...program(directory, source)]);
    await running.said(/pid=\d+/);
    const pid = Number(/pid=(\d+)/.exec(running.stderr())![1]);
    expect(await running.stop('SIGTERM')).toBe(143);
    expect(() => process.kill(pid, 0)).toThrow();
  });

  test.for([
    [0, 0],
    [7, 6],
  ])('that ends with %i ends listening with %i', async ([own, status]) => {
    const directory = temporaryDirectory();
    const words = program(directory, `process.exit(${own})`);
    const running = listening(directory, ['--', ...words]);
    expect(await running.ended).toMatchObject({status});
    expect(running.records().map(({type}) => type)).toEqual(['ready', 'summary']);
    if (own) expect(running.stderr()).toContain(`status ${own}`);
    expect(await webhooksLeft(directory)).toBe(0);
  });

  test('is ended, and is no failure, when what was waited for has come', async () => {
    const directory = temporaryDirectory();
    const words = program(directory, 'console.log("up"); setInterval(() => {}, 1e6)');
    const running = listeningWithSecret(directory, ['--count', '1', '--', ...words]);
    await running.said(/up/);
    await post((await running.next('ready')).url);
    expect(await running.ended).toMatchObject({status: 0});
  });

  test('that is not there is exit 6 and says so', async () => {
    const result = await cli(temporaryDirectory())(['webhooks', 'listen', '--', '/no/such/app']);
    expect(result.status).toBe(6);
    expect(result.stderr).toContain('ENOENT');
  });
});

describe('the secret', () => {
  test.for([
    ['is added at the end', 'A=1\nB="two words"', `A=1\nB="two words"\nPAYREX_WEBHOOK_SECRET='${SECRET}'\n`],
    [
      'replaces the one that is there, with export and CRLF kept',
      '# mine\r\nexport PAYREX_WEBHOOK_SECRET=old # note\r\nB=\xFF\r\n\r\n',
      `# mine\r\nexport PAYREX_WEBHOOK_SECRET='${SECRET}'\r\nB=\xFF\r\n\r\n`,
    ],
    [
      'leaves mixed ends of lines as they are',
      'A=1\r\nB=2\nC=3\r\n',
      `A=1\r\nB=2\nC=3\r\nPAYREX_WEBHOOK_SECRET='${SECRET}'\r\n`,
    ],
    [
      'is not put where a longer name stands',
      'OLD_PAYREX_WEBHOOK_SECRET=1\nPAYREX_WEBHOOK_SECRET_2=2\n',
      `OLD_PAYREX_WEBHOOK_SECRET=1\nPAYREX_WEBHOOK_SECRET_2=2\nPAYREX_WEBHOOK_SECRET='${SECRET}'\n`,
    ],
    ['makes the file', undefined, `PAYREX_WEBHOOK_SECRET='${SECRET}'\n`],
  ] as const)('in an env file %s; nobody else can read it', async ([, before, after]) => {
    const directory = temporaryDirectory();
    const file = join(directory, '.env.local');
    if (before !== undefined) writeFileSync(file, before, {encoding: 'latin1', mode: 0o644});
    const running = listeningWithSecret(directory, ['--write-env', file]);
    expect((await running.next('notice')).message).toContain(file);
    expect(readFileSync(file, 'latin1')).toBe(after);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await running.stop();
  });

  test('goes into the variable that is named, through a link that stays one', async () => {
    const directory = temporaryDirectory();
    const [file, link] = [join(directory, 'real'), join(directory, 'link')];
    writeFileSync(file, 'HOOK=old\n');
    symlinkSync(file, link);
    const running = listeningWithSecret(directory, ['--write-env', `${link}:HOOK`]);
    await running.next('notice');
    expect(readFileSync(file, 'utf8')).toBe(`HOOK='${SECRET}'\n`);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    await running.stop();
  });

  test('that cannot be written is exit 15, and nothing is left registered', async () => {
    const directory = temporaryDirectory();
    const result = await cli(directory)([
      'webhooks',
      'listen',
      '--json',
      '--write-env',
      join(directory, 'no/such/.env'),
    ]);
    expect(result.status).toBe(15);
    expect(result.error()).toMatchObject({exit_code: 15, message: expect.stringContaining('no/such/.env')});
    expect(await webhooksLeft(directory)).toBe(0);
  });

  test.for([
    ['nothing', ''],
    ['a blank line before', `\n${SECRET}`],
    ['two line breaks after', `${SECRET}\n\n`],
    ['spaces around', ` ${SECRET} `],
    ['two lines', `${SECRET}\nmore`],
    ['something short', 'whsk_1'],
  ])('from stdin with %s is exit 2, and nothing is registered', async ([, input]) => {
    const directory = temporaryDirectory();
    const result = await cli(directory)(['webhooks', 'listen', '--secret-stdin', '--json'], {input});
    expect(result.status).toBe(2);
    expect(result.error().message).toMatch(/stdin/);
    expect(result.stderr).not.toContain(SECRET);
    expect(await webhooksLeft(directory)).toBe(0);
  });

  test('from stdin may end its line; it is shown with --print-secret only', async () => {
    const directory = temporaryDirectory();
    const shown = watch(directory, ['webhooks', 'listen', '--secret-stdin', '--print-secret', '--count', '1']);
    shown.child.stdin!.end(`${SECRET}\n`);
    const hidden = listeningWithSecret(directory, ['--count', '1']);
    const {url} = await hidden.next('ready');
    await post(url);
    expect(await hidden.ended).toMatchObject({status: 0});
    expect(`${hidden.stdout()}${hidden.stderr()}`).not.toContain(SECRET);
    shown.child.stderr!.on('data', () => shown.stderr().includes('Secret: ') && shown.child.kill('SIGINT'));
    expect(await shown.ended).toMatchObject({status: 130});
    expect(shown.stderr()).toContain(`Secret: ${SECRET}`);
  });
});

test('lines for people tell verdict, amount and answer, and of a clock that is wrong', async () => {
  const directory = temporaryDirectory();
  const shown = watch(directory, ['webhooks', 'listen', '--secret-stdin', '--count', '1']);
  shown.child.stdin!.end(SECRET);
  const url = await new Promise<string>((resolve) => {
    shown.child.stderr!.on('data', () => {
      const [, found] = /arrive at (http:\S+)/.exec(shown.stderr()) ?? [];
      if (found) resolve(found);
    });
  });
  const body = eventBytes({id: 'evt_late'});
  await post(url, body, {signature: signatureOf(body, {timestamp: unixNow() - 600})});
  await shown.until(/NOT GENUINE \(too_old\): .*60\d s ago by this machine’s clock/);
  await post(url, eventBytes({id: 'evt_good', data: {id: 'pi_7', amount: 125_050, name: '\u001B[2J'}}));
  await shown.until(/\d\d:\d\d:\d\d --> payment_intent\.succeeded evt_good ₱1,250\.50 pi_7 genuine/);
  expect(await shown.ended).toMatchObject({status: 0});
  expect(shown.stderr()).toMatch(/1 genuine, 1 not genuine/);
});

test('flags that cannot be meant are exit 2 before anything is begun', async () => {
  const directory = temporaryDirectory();
  const run = cli(directory);
  const rows: [string[], RegExp][] = [
    [['--forward-to', 'http://example.com'], /./],
    [['--count', '0'], /--count/],
    [['--events', 'a b'], /pattern/],
    [['--route', 'refund.*'], /route/],
    [['--port', '70000'], /--port/],
    [['--tolerance', '-1'], /--tolerance/],
    [['--write-env', '.env:1X'], /variable/],
    [['--exec', ' '], /program/],
    [['-H', 'nothing'], /header/],
    [['--jq', '.'], /records/],
    [['--timeout', '5s'], /--timeout/],
    [['npm', 'run'], /--/],
  ];
  for (const [words, mention] of rows) {
    const result = await run(['webhooks', 'listen', ...words]);
    expect([2, 12], `${words.join(' ')}: ${result.stderr}`).toContain(result.status);
    expect(result.stderr).toMatch(mention);
    expect(result.stderr).toMatch(/Nothing was (sent|changed)/);
  }
  expect(await webhooksLeft(directory)).toBe(0);
});

test('a full disk ends it with exit 15 and leaves no webhook', async () => {
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
