// Output files that a user names: replaced, written through, or refused before anything is sent.

import {spawn, spawnSync} from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory, type CliResult} from '../../support/cli.js';
import {HANDLER_SECRET, startHandler} from '../../webhooks/fixtures/handler.js';
import {commandsIn, type CommandOptions} from '../../support/commands.js';
import {listening, listeningProcess, listeningWithSecret, said, SECRET} from '../../support/scenarios/listening.js';
import {watch} from '../../support/processes.js';
import {loaded, read} from '../../support/terminal.js';

const ENV = {CENTAVO_WEBHOOK_SECRET: HANDLER_SECRET, NO_COLOR: '1'};
const SHEET = 'external_id,customer_email,customer_name,item,quantity,unit_price\n';

/** A folder with the input of commands that write a file. */
async function stage() {
  const directory = temporaryDirectory();
  const run = commandsIn(directory, {env: ENV});
  const {url, app} = await startHandler();
  const at = (name: string): string => join(directory, name);
  let made = 0;
  const sheet = (): string => {
    const path = at(`sheet-${++made}.csv`);
    writeFileSync(path, `${SHEET}K${made},juan@example.com,Juan,Rice,1,100\n`);
    return path;
  };
  const importing = (path: string): string[] => ['billing-statements', 'import', sheet(), '--yes', '--result', path];
  expect((await run(importing(at('first-result.csv')))).status).toBe(0);
  const [job] = readdirSync(at('jobs')).map((name) => name.replace(/\.db.*$/, ''));
  /** Each command that writes a file, with the start of its content and the flag for another file. */
  const writers: readonly [string, (path: string) => string[], string][] = [
    ['--result', importing, '\uFEFFexternal_id,'],
    ['--result', (path) => ['jobs', 'resume', job!, '--yes', '--result', path], '\uFEFFexternal_id,'],
    ['--file', (path) => ['billing-statements', 'export', '--file', path], '\uFEFFexternal_id,'],
    ['--file', (path) => ['month', '--file', path], '\uFEFFnumber,'],
    ['--file', (path) => ['history', '--file', path], '\uFEFFat,'],
    [
      '--report-file',
      (path) => ['webhooks', 'test', url, '--only', 'valid', '--report', 'junit', '--report-file', path],
      '<?xml ',
    ],
  ];
  /** The number of requests to the account and to the handler. */
  const sent = async (): Promise<unknown> => [
    (await run(['billing-statements', 'list', '--json', '--all'])).json().data.length,
    app.effects,
  ];
  return {directory, run, at, sheet, writers, sent};
}

type Stage = Awaited<ReturnType<typeof stage>>;

function expectRefusal({status, stderr}: CliResult, expected: number, flag: string, why: RegExp | string): void {
  expect(status, stderr).toBe(expected);
  expect(stderr).toMatch(why);
  expect(stderr).toMatch(/Nothing was (changed|sent)\./);
  expect(stderr.toLowerCase()).toContain(`name another file with ${flag}`);
  expect(stderr.split('\n').filter((line) => line && !line.startsWith('→')).length).toBeLessThanOrEqual(3);
}

/** Runs the file checks of all commands in one folder. */
const withEach = async (
  check: (stage: Stage, writer: Stage['writers'][number], number: number) => Promise<void>,
): Promise<void> => {
  const staged = await stage();
  for (const [at, writer] of staged.writers.entries()) await check(staged, writer, at);
};

test('no text is written into a file that is named like a workbook', () =>
  withEach(async ({run, at, sent}, [flag, words], number) => {
    const path = at(`book-${number}.xlsx`);
    const before = await sent();
    const hint = `Name another file with ${flag}.`;
    expect((await run([...words(path), '--json'])).error()).toMatchObject({code: 'invalid_flag', exit_code: 2, hint});
    expect(existsSync(path)).toBe(false);
    expect(await sent()).toEqual(before);
  }));

test('a foreign or changed file is replaced only with --force', () =>
  withEach(async ({run, at, sent}, [flag, words, begins], number) => {
    const path = at(`foreign-${number}.txt`);
    writeFileSync(path, 'precious');
    chmodSync(path, 0o640);
    const before = await sent();
    expectRefusal(await run(words(path)), 12, flag, /already exists\.\n {2}centavo has no record of writing it\./);
    expect((await run([...words(path), '--json'])).error()).toMatchObject({code: 'file_exists', applied: 'no'});
    expect(readFileSync(path, 'utf8')).toBe('precious');
    expect(await sent()).toEqual(before);

    const written: string[] = [];
    for (const more of [['--force'], [], []]) {
      const result = await run([...words(path), ...more]);
      expect(result.status, result.stderr).toBe(0);
      expect(readFileSync(path, 'utf8').startsWith(begins)).toBe(true);
      expect(statSync(path).mode & 0o777).toBe(0o640);
      written.push(readFileSync(path, 'utf8'));
    }
    // As after a kill between the record of the next content and its write.
    writeFileSync(path, written.at(-2)!);
    expect((await run(words(path))).status).toBe(0);
    writeFileSync(path, 'a note of mine', {flag: 'a'});
    expectRefusal(await run(words(path)), 12, flag, /It was changed after centavo wrote it\./);
    expect(readFileSync(path, 'utf8')).toMatch(/a note of mine$/);
  }));

test('a link stays, even if dangling; its target is replaced like a named file', () =>
  withEach(async ({run, at}, [flag, words, begins], number) => {
    const [near, link, target] = ['near', 'link', 'target'].map((name) => at(`${name}-${number}`));
    symlinkSync(target!, link!);
    symlinkSync(link!, near!);
    for (const path of [near!, target!, link!]) {
      const result = await run(words(path));
      expect(result.status, result.stderr).toBe(0);
      expect([near, link].every((each) => lstatSync(each!).isSymbolicLink())).toBe(true);
      expect(lstatSync(target!).isFile()).toBe(true);
      expect(readFileSync(target!, 'utf8').startsWith(begins)).toBe(true);
    }
    writeFileSync(target!, 'precious');
    expectRefusal(await run(words(link!)), 12, flag, 'already exists');
  }));

test('refuses an unwritable file before anything is sent, even with --force', () =>
  withEach(async ({directory, run, at, sent}, [flag, words]) => {
    const locked = at('locked');
    // The owner of a locked file can remove it, but only root can write it again.
    rmSync(locked, {force: true});
    writeFileSync(locked, 'precious');
    chmodSync(locked, 0o444);
    const before = await sent();
    const cases: [string, RegExp][] = [
      [directory, /It is a folder\./],
      [at('no/such/file'), /Its folder does not exist\./],
      [join(locked, 'file'), /Part of the path is a file instead of a folder\./],
      [locked, /Permission was denied\./],
    ];
    for (const [path, why] of cases) expectRefusal(await run([...words(path), '--force']), 15, flag, why);
    expect(readFileSync(locked, 'utf8')).toBe('precious');
    expect(await sent()).toEqual(before);
  }));

test('never writes the input or output file, whatever its name', async () => {
  const {directory, run, at, sheet} = await stage();
  const [source, link] = [sheet(), at('link.csv')];
  symlinkSync(source, link);
  const text = readFileSync(source, 'utf8');
  for (const path of [source, link])
    expectRefusal(
      await run(['billing-statements', 'import', source, '--result', path, '--yes', '--force']),
      2,
      '--result',
      /is the file that this command reads\./,
    );
  const importing = ['billing-statements', 'import', '-', '--yes', '--force', '--result'];
  const fromStdin = watch(directory, [...importing, source], {stdio: [openSync(source, 'r'), 'pipe', 'pipe']});
  expect((await fromStdin.ended).status).toBe(2);
  expect(readFileSync(source, 'utf8')).toBe(text);
  const exporting = ['billing-statements', 'export', '--force', '--file', at('out')];
  const printing = watch(directory, exporting, {stdio: ['ignore', openSync(at('out'), 'w'), 'pipe']});
  expect((await printing.ended).status).toBe(2);
  expect(printing.stderr()).toContain('is the file that this command prints to.');
});

test('an empty file is replaced; the default import file is new; a job replaces its own', async () => {
  const {directory, run, at, sheet} = await stage();
  writeFileSync(at('empty'), '');
  expect((await run(['billing-statements', 'export', '--file', at('empty')])).status).toBe(0);
  const source = sheet();
  const own = source.replace('.csv', '-result.csv');
  symlinkSync('elsewhere.csv', own);
  expect((await run(['billing-statements', 'import', source, '--yes'])).status).toBe(0);
  expect(lstatSync(own).isSymbolicLink()).toBe(true);
  const result = readFileSync(at('elsewhere.csv'), 'utf8');
  const jobs = (await run(['jobs', 'list', '--json'])).rows<{id: string; source: string}>();
  const {id} = jobs.find((job) => job.source === source)!;
  expect((await run(['jobs', 'resume', id, '--yes'])).status).toBe(0);
  expect(readFileSync(at('elsewhere.csv'), 'utf8')).toBe(result);
  writeFileSync(own, 'mine now');
  expectRefusal(await run(['jobs', 'resume', id, '--yes']), 12, '--result', /-result\.csv already exists/);
  expect((await run(['jobs', 'resume', id, '--yes', '--force'])).status).toBe(0);
  expect(readFileSync(at('elsewhere.csv'), 'utf8')).toBe(result);
  expect(readdirSync(directory).filter((name) => name.startsWith('.') && name.includes('result'))).toEqual([]);
  // File writes are recorded besides the changes, and are not changes.
  const history = await run(['history', '--json']);
  expect(history).toMatchObject({status: 0, stderr: ''});
  const changes: string[] = history.json().data.map(({command}: {command: string}) => command);
  expect([...new Set(changes)]).toEqual(['billing-statements import']);
});

test('a file that appears during the command is not replaced', async () => {
  const {run, at} = await stage();
  const path = at('late.xml');
  const {url} = await startHandler();
  const state = `${process.execPath} -e "require('fs').writeFileSync(process.argv[1], 'late'); console.log(1)" ${path}`;
  const words = ['webhooks', 'test', url, '--only', 'wrong-mode', '--state-command', state];
  const result = await run([...words, '--report', 'json', '--report-file', path]);
  expect(result.status, result.stderr).toBe(15);
  expect(result.stderr).toContain('late.xml already exists');
  expect(result.stderr).not.toContain('Nothing was');
  expect(readFileSync(path, 'utf8')).toBe('late');
});

test('a write that cannot be recorded is reported, and the file exists', async () => {
  const {run, at} = await stage();
  const broken = at('broken');
  mkdirSync(join(broken, 'history.db'), {recursive: true});
  const env = {...ENV, CENTAVO_DATA_DIR: broken};
  const options: CommandOptions = {env};
  const result = await run(['billing-statements', 'export', '--file', at('out.csv')], options);
  expect(result, result.stderr).toMatchObject({status: 0, stderr: expect.stringContaining('could not be recorded')});
  expect(readFileSync(at('out.csv'), 'utf8')).toContain('external_id');
});

const hasFifos = spawnSync('mkfifo', ['--version']).error === undefined;

describe.runIf(hasFifos)('a FIFO', () => {
  const fifoIn = (directory: string): string => {
    const path = join(directory, 'fifo');
    expect(spawnSync('mkfifo', [path]).status).toBe(0);
    return path;
  };
  const reader = (path: string): Promise<string> => {
    const cat = spawn('cat', [path]);
    let text = '';
    cat.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
    onTestFinished(() => void cat.kill('SIGKILL'));
    return new Promise((resolve) => cat.on('close', () => resolve(text)));
  };

  test('is written through, and stays one', async () => {
    const {directory, run, writers} = await stage();
    const path = fifoIn(directory);
    for (const [, words, begins] of writers) {
      const text = reader(path);
      const result = await run(words(path));
      expect(result.status, result.stderr).toBe(0);
      expect((await text).startsWith(begins)).toBe(true);
      expect(lstatSync(path).isFIFO()).toBe(true);
    }
  });

  test('without a reader waits until a signal', async () => {
    const {directory, writers} = await stage();
    const path = fifoIn(directory);
    const waiting = writers.map(([, words]) => watch(directory, words(path), {env: ENV}));
    for (const each of waiting) {
      await said(each, /Waiting for a program to read .*fifo\./);
      each.child.kill('SIGINT');
      expect(await each.ended).toMatchObject({status: 130});
      expect(each.stderr()).not.toContain('Result:');
    }
    expect(lstatSync(path).isFIFO()).toBe(true);
  });

  test('is read once, to its end, and is in no command to repeat', async () => {
    const {directory, run} = await stage();
    const path = fifoIn(directory);
    const fill = (text: string) => spawn('sh', ['-c', 'printf %s "$1" > "$0"', path, text]);
    fill(`${SHEET}F1,ana@example.com,Ana,Rice,1,100\n`);
    const {status, stdout, stderr} = await run(['billing-statements', 'import', path, '--dry-run']);
    expect([status, stdout]).toEqual([0, expect.stringContaining('₱100.00')]);
    expect(stderr).not.toContain(path);
    fill('Item,Price\nRice,100\n');
    const bill = ['billing-statements', 'create', '--customer-email', 'juan@example.com', '--yes'];
    const items = await run([...bill, '--items', path]);
    expect([items.status, items.stdout], items.stderr).toEqual([0, expect.stringContaining('₱100.00')]);
  });

  test.runIf(existsSync('/proc/self/fd')).each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('without a writer ends on %s', async (signal, status) => {
    const directory = temporaryDirectory();
    const path = fifoIn(directory);
    const waiting = [
      ['billing-statements', 'import', path],
      ['billing-statements', 'create', '--customer-email', 'ana@example.com', '--items', path],
      ['customers', 'update', 'cus_2mQ8', '--data', `@${path}`],
    ].map((words) => watch(directory, words));
    for (const {child, ended, stderr} of waiting) {
      const folder = `/proc/${child.pid}/fd`;
      const files = () => readdirSync(folder).map((fd) => readlinkSync(join(folder, fd)));
      await expect.poll(files, {timeout: 20_000}).toContain(path);
      child.kill(signal);
      expect(await ended).toEqual({status, signal: null});
      expect(stderr()).toContain('stopped while reading ');
    }
  });

  test('receives the secret of webhooks listen for the started program', async () => {
    const directory = temporaryDirectory();
    const path = fifoIn(directory);
    const app = ['sh', '-c', 'cat "$1" >&2; exec sleep 60', 'sh', path];
    const running = listeningProcess(directory, ['--write-env', `${path}:HOOK`, '--', ...app]);
    await running.said(/^HOOK='whsk_\w+'$/m);
    expect(await running.stop()).toBe(130);
    const unread = listening(directory, ['--write-env', path]);
    await unread.next('notice', ({message}) => message.startsWith('Waiting for'));
    expect(await unread.stop()).toBe(130);
    expect(unread.records().at(-1)).toMatchObject({message: expect.stringContaining('no program read the secret')});
    expect(lstatSync(path).isFIFO()).toBe(true);
  });
});

test.runIf(loaded.pty)('a device is written through, and stays one', async () => {
  const {directory, run, at, writers} = await stage();
  const device = at('device');
  const shell = ['-c', 'stty -echo; tty; exec cat > /dev/null'];
  const pty = loaded.pty!.spawn('/bin/sh', shell, {cols: 500, env: {PATH: process.env.PATH}});
  onTestFinished(() => pty.kill('SIGKILL'));
  const shown = read(pty);
  await shown.until(/\/dev\/\S+\n/);
  // No file can be created beside it, so not even a fault could replace it.
  symlinkSync(/\/dev\/\S+/.exec(shown.text())![0], device);
  for (const [, words, begins] of writers) {
    const result = await run(words(device));
    expect(result.status, result.stderr).toBe(0);
    await shown.until(new RegExp(begins.replace('?', '\\?')));
  }
  const running = listeningWithSecret(directory, ['--write-env', device]);
  await shown.until(new RegExp(`PAYREX_WEBHOOK_SECRET='${SECRET}'`));
  expect(await running.stop()).toBe(130);
  expect(lstatSync(device).isSymbolicLink()).toBe(true);
  expect(statSync(device).isCharacterDevice()).toBe(true);
});

test('--write-env with a folder or a missing folder exits 15 before registration', async () => {
  const directory = temporaryDirectory();
  const run = commandsIn(directory);
  for (const path of [directory, join(directory, 'no/such/.env')])
    expectRefusal(await run(['webhooks', 'listen', '--write-env', path]), 15, '--write-env', /folder/);
  expect((await run(['history', '--json'])).json().data).toEqual([]);
});

beforeAll(() => {
  if (process.env.CI === 'true') expect([hasFifos, loaded.reason]).toEqual([true, undefined]);
});
