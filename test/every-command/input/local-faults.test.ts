// Faults of local files: a full or read-only disk, damage, folders in place of files, other versions. Exit 15, with the fix.

import {spawnSync} from 'node:child_process';
import {cpSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import {serveSandbox} from '../../../src/sandbox/serve/sandbox-server.js';
import {openSandbox} from '../../../src/sandbox/sandbox.js';
import {openDatabase} from '../../../src/storage/sqlite.js';
import {command, commandsIn} from '../../support/commands.js';
import {listening} from '../../support/scenarios/listening.js';
import {cliEnvironment, RUN, temporaryDirectory, type CliResult} from '../../support/cli.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

const CREATE = ['customers', 'create', '--name', 'A', '--email', 'a@example.com'];
const SANDBOX = 'sandbox.db';

const seeded = temporaryDirectory(afterAll);
beforeAll(async () => {
  expect((await command(seeded, ['sandbox', 'seed'])).status).toBe(0);
});

/** A folder with a used sandbox. */
function used(): {directory: string; path: string; run: ReturnType<typeof commandsIn>} {
  const directory = temporaryDirectory();
  cpSync(seeded, directory, {recursive: true});
  return {directory, path: join(directory, SANDBOX), run: commandsIn(directory)};
}

/** A text with the fix, and never a report of a bug. */
function expectFault({status, stdout, stderr}: CliResult, ...mention: (RegExp | string)[]): void {
  expect(status, stderr).toBe(15);
  expect(stdout).toBe('');
  expect(stderr.split('\n').filter((line) => line && !line.startsWith('→')).length).toBeLessThanOrEqual(3);
  expect(stderr).not.toMatch(/\bbug\b|HTTP 500| at .*\.js:/);
  for (const each of mention) expect(stderr).toMatch(each);
}

/** Overwrites every page but the first: the file is a database with invalid content. */
function damage(path: string): void {
  const bytes = readFileSync(path);
  bytes.fill(0xa5, 4096);
  // The change counter, so that a process with the open file reads it again.
  bytes[27]! ^= 1;
  // In place, so that a concurrent reader never finds an empty file.
  writeFileSync(path, bytes, {flag: 'r+'});
}

const DAMAGES: readonly [string, (path: string) => void, RegExp][] = [
  ['is something else', (path) => writeFileSync(path, 'This is not a database. '.repeat(500)), /is not a database/],
  ['is damaged', damage, /file is damaged/],
  ['was cut short', (path) => writeFileSync(path, readFileSync(path).subarray(0, 9000)), /file is damaged/],
  [
    'is of a later version',
    (path) => {
      const database = openDatabase(path);
      database.exec("UPDATE settings SET value = '999' WHERE name = 'version'");
      database.close();
    },
    /another version/,
  ],
  ...['CREATE TABLE objects (a)', 'CREATE TABLE settings (a)', 'CREATE TABLE invoices (a)'].map(
    (sql): (typeof DAMAGES)[number] => [
      `is of another program: ${sql}`,
      (path) => {
        rmSync(path);
        const database = openDatabase(path);
        database.exec(sql);
        database.close();
      },
      /database of another program/,
    ],
  ),
];

describe.each(DAMAGES)('a sandbox file that %s', (_, harm, why) => {
  test('exits 15 with the command that replaces it, which keeps the old file', async () => {
    const {directory, path, run} = used();
    harm(path);
    const harmed = readFileSync(path);
    expectFault(await run(['customers', 'list']), path, why, 'centavo sandbox reset');
    const asJson = (await run([...CREATE, '--json'])).error();
    expect(asJson).toMatchObject({exit_code: 15, applied: 'no', hint: expect.stringContaining('sandbox reset')});
    expect(['damaged_file', 'foreign_file', 'other_version']).toContain(asJson.code);
    expect(readFileSync(path).equals(harmed)).toBe(true);

    const dry = await run(['sandbox', 'reset', '--dry-run']);
    expect(dry).toMatchObject({status: 0, stderr: expect.stringContaining('would replace')});
    expect(readFileSync(path).equals(harmed)).toBe(true);

    const reset = await run(['sandbox', 'reset', '--yes']);
    expect(reset.status, reset.stderr).toBe(0);
    expect(reset.stderr).toContain(`${path}.old-1`);
    expect(reset.stderr).toContain('Restart sandbox serve and webhooks listen if they still use the old sandbox.');
    expect(readFileSync(`${path}.old-1`).equals(harmed)).toBe(true);
    expect((await run(['customers', 'list', '--json'])).json()).toMatchObject({data: []});
    expect((await command(directory, CREATE)).status).toBe(0);
  });
});

test('a second replaced file does not overwrite the first', async () => {
  const {path, run} = used();
  for (const number of [1, 2]) {
    writeFileSync(path, `damaged ${number} `.repeat(200));
    const {status, stdout} = await run(['sandbox', 'reset', '--json']);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({reset: true, old_file: `${path}.old-${number}`});
  }
  expect(readFileSync(`${path}.old-1`, 'utf8')).toContain('damaged 1');
});

test('resetting an intact sandbox keeps its keys and its file', async () => {
  const {path, run} = used();
  const {stdout} = await run(['sandbox', 'reset', '--yes', '--json']);
  expect(JSON.parse(stdout)).toEqual({reset: true});
  expect((await run(['customers', 'list', '--json'])).json()).toMatchObject({data: []});
  expect(() => readFileSync(`${path}.old-1`)).toThrow('ENOENT');
});

test.each([
  ['the sandbox', SANDBOX, ['customers', 'list']],
  ['the deliveries', 'deliveries.db', ['webhooks', 'deliveries', 'list']],
  ['the history', 'history.db', ['history']],
])('a folder instead of %s exits 15 and is named', async (_, name, words) => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, name));
  expectFault(await command(directory, words), join(directory, name), /It is (a folder|not a file)/);
});

test('deliveries that are not a database exit 15, with a fix', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'deliveries.db'), 'no database '.repeat(100), {mode: 0o600});
  expectFault(
    await command(directory, ['webhooks', 'deliveries', 'list']),
    'deliveries.db',
    /not a database/,
    /Move the file/,
  );
});

test('deliveries of another program exit 15, unchanged', async () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'deliveries.db');
  const database = openDatabase(path);
  database.exec('CREATE TABLE deliveries (a)');
  database.close();
  const before = readFileSync(path);
  expectFault(await command(directory, ['webhooks', 'deliveries', 'list']), path, /another program/, /Move the file/);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a history that cannot be written stops a change before it is sent', async () => {
  const {directory, run} = used();
  rmSync(join(directory, 'history.db'), {force: true});
  mkdirSync(join(directory, 'history.db'));
  const before = (await run(['customers', 'list', '--json'])).json().data.length;
  expectFault(await run(CREATE), 'nothing was sent', /It is a folder/);
  expect((await run(['customers', 'list', '--json'])).json().data).toHaveLength(before);
});

test.each([
  ['--data', ['customers', 'update', 'cus_2mQ8', '--data', '@{dir}']],
  ['--items', ['billing-statements', 'create', '--customer', 'cus_2mQ8', '--items', '{dir}']],
])('a folder where %s takes a file exits 2', async (_, words) => {
  const directory = temporaryDirectory();
  const result = await command(
    directory,
    words.map((word) => word.replace('{dir}', directory)),
  );
  expect(result).toMatchObject({status: 2, stdout: '', stderr: expect.stringContaining('It is a folder.')});
});

test('a served sandbox with a damaged file answers 500; the details stay on the server', async () => {
  const path = join(temporaryDirectory(), SANDBOX);
  // Closing moves the log into the file. SQLite would read the pages of a log instead of the damaged ones.
  openSandbox({path}).close();
  const sandbox = openSandbox({path});
  const faults: unknown[] = [];
  const server = await serveSandbox(controlOf(sandbox), {port: 0, onFault: (error) => faults.push(error)});
  onTestFinished(async () => {
    await server.close();
    sandbox.close();
  });
  damage(path);
  const response = await fetch(`${server.url}/customers`, {
    headers: {authorization: `Basic ${btoa(`${sandbox.keys.secret}:`)}`},
  });
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({errors: [{code: 'internal_system_error', detail: 'The sandbox failed.'}]});
  for (const page of ['b/test_bstm_a_secret_b', 'studio/events']) {
    const shown = await fetch(`${server.url}/${page}`);
    expect(shown.status).toBe(500);
    expect(await shown.text()).toContain('The sandbox’s file cannot be used. The file is damaged.');
  }
  const fault = {kind: 'local_io', code: 'damaged_file', message: expect.stringContaining(path)};
  expect(faults).toMatchObject([fault, fault, fault]);
});

test('a listener on a damaged sandbox prints the reason, and that the webhook remains', async () => {
  const {directory, path} = used();
  const running = listening(directory, ['--count', '1', '--timeout', '3s']);
  const {webhook_id} = await running.next('ready');
  damage(path);
  const message = expect.stringContaining(`${path} cannot be used. The file is damaged.`);
  expect(await running.next('notice')).toMatchObject({message});
  expect(await running.ended).toMatchObject({status: 9});
  expect(running.records().at(-2)).toMatchObject({type: 'notice', message});
  expect(running.records().at(-2)!.message).toContain(`${webhook_id} could not be removed`);
  expect(running.records().at(-1)).toMatchObject({type: 'summary', webhook_left: true});
  expect(JSON.parse(running.stderr()).error).toMatchObject({
    applied: 'yes',
    message: expect.stringContaining('Its webhook still exists. The next run reuses or removes it.'),
  });
});

/** A small private disk for one script, removed with the script. */
const onADisk = (directory: string, script: string): [string, string[]] => [
  'unshare',
  [
    '--map-root-user',
    '--mount',
    'sh',
    '-c',
    `mount -t tmpfs -o size=512k,mode=700 tmpfs "$1"; ${script}`,
    'sh',
    directory,
  ],
];
const trial = spawnSync(...onADisk('/mnt', 'true'), {encoding: 'utf8'});
const noDisk = trial.status === 0 && !trial.stderr ? undefined : (trial.error?.message ?? trial.stderr.trim());
if (noDisk) console.warn(`Skipped, for want of leave to mount a disk: ${noDisk}`);

describe.skipIf(noDisk)('on a separate disk', () => {
  const scripted = (script: string): {stdout: string; stderr: string} => {
    const directory = temporaryDirectory();
    const result = spawnSync(
      ...onADisk(directory, `cd "$1"; centavo() { "$NODE" "$RUN" "$@"; echo "exit $?" >&2; }; ${script}`),
      {
        encoding: 'utf8',
        env: {...cliEnvironment(directory), NODE: process.execPath, RUN},
      },
    );
    expect(result.stderr).not.toMatch(/\bbug\b|HTTP 500| at .*\.js:/);
    return result;
  };
  const fill = 'head -c 600000 /dev/zero > filler 2>/dev/null';

  test('that is full, a change is refused before it is sent or rolled back, and reads work', () => {
    const {stderr, stdout} = scripted(
      `centavo customers create --name Juan --email juan@example.com >/dev/null; ${fill}; centavo ${CREATE.join(' ')}; centavo sandbox seed; centavo customers list --json; rm filler; centavo ${CREATE.join(' ')} >/dev/null`,
    );
    expect(stderr.match(/exit \d+/g)).toEqual(['exit 0', 'exit 15', 'exit 15', 'exit 0', 'exit 0']);
    expect(stderr.match(/The disk is full\. Nothing was changed\./g)).toHaveLength(2);
    expect(stderr).toMatch(/sandbox\.db cannot be used|nothing was sent/);
    expect(stderr).toContain('Free up disk space');
    expect(JSON.parse(stdout).data).toMatchObject([{name: 'Juan'}]);
  });

  test('that is full or read-only from the start, commands say so', () => {
    const full = scripted(`${fill}; centavo customers list`);
    expect(full.stderr).toMatch(/sandbox\.db cannot be \w+\.\n {2}The disk is full\.[^]*exit 15/);
    const readOnly = scripted(
      `mount -o remount,bind,ro "$1"; centavo customers list; centavo webhooks deliveries list`,
    );
    expect(readOnly.stderr.match(/exit 15/g)).toHaveLength(2);
    expect(readOnly.stderr).toMatch(/read-only|cannot be written/);
  });

  test('that is read-only, a sandbox is not served, and the command ends', () => {
    const {stderr, stdout} = scripted(
      'centavo customers list; mount -o remount,bind,ro "$1"; timeout 20 "$NODE" "$RUN" sandbox serve --port 0; echo "exit $?" >&2',
    );
    expect(stderr).toMatch(/sandbox\.db cannot be used\.\n {2}It is read-only\.[^]*exit 15\n$/);
    expect(stdout).not.toContain('ready');
  });

  test('that is full, a served sandbox answers 500 with an error, and says why on its own stderr', () => {
    const client = `const [url, key] = process.argv.slice(1);
      const response = await fetch(url + '/customers', {method: 'POST', headers: {authorization: 'Basic ' + btoa(key + ':')}, body: new URLSearchParams({name: 'x'.repeat(200000), email: 'a@example.com', currency: 'PHP'})});
      console.log(JSON.stringify({status: response.status, body: await response.json()}));`;
    const {stdout, stderr} = scripted(
      `mkfifo ready; "$NODE" "$RUN" sandbox serve --port 0 --json > ready & read -r line < ready; ${fill};
       "$NODE" --input-type=module -e '${client.replaceAll("'", String.raw`'\''`)}' $(echo "$line" | sed 's/.*"url":"\\([^"]*\\)".*"secret_key":"\\([^"]*\\)".*/\\1 \\2/'); kill -INT $!; kill -TERM $!; wait`,
    );
    const {status, body} = JSON.parse(stdout);
    expect(status).toBe(500);
    expect(body).toEqual({errors: [{code: 'internal_system_error', detail: 'The sandbox failed.'}]});
    expect(JSON.parse(stderr.split('\n')[0]!).error).toMatchObject({
      code: 'disk_full',
      exit_code: 15,
      applied: 'no',
      message: expect.stringMatching(/sandbox\.db cannot be used\. The disk is full\./),
    });
  });
});

test.each([
  ['an import', ['billing-statements', 'import', '-', '--send', '--yes']],
  ['a customer', CREATE],
])('%s: a disk that fails before a send leaves no unknown outcome', (_, words) => {
  const {status, stderr} = spawnSync(
    '/bin/sh',
    ['-c', `trap '' XFSZ; ulimit -f 1; exec "$@"`, '-', process.execPath, RUN, ...words],
    {
      env: cliEnvironment(temporaryDirectory()),
      encoding: 'utf8',
      input: 'External ID,Customer Email,Description,Quantity,Unit Price,Due\nA-1,a@example.com,Web,1,500,2031-01-01\n',
    },
  );
  expect({status, stderr}).toEqual({status: 15, stderr: expect.stringMatching(/cannot be used/)});
  expect(stderr).not.toMatch(/not known/);
});
