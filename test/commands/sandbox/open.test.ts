// `sandbox open`, and the studio address that `sandbox serve` prints.

import {readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {watch} from '../../support/processes.js';

test('prints the address of the studio, and open leads there', async () => {
  const directory = temporaryDirectory();
  const run = commandsIn(directory);
  const server = watch(directory, ['sandbox', 'serve', '--port', '0']);
  const [, url, studio] = await server.until(/ready at (\S+)\n {2}studio +(\S+)\n/);
  expect(studio).toMatch(new RegExp(`^${url}/studio/~[A-Za-z0-9]{20}/$`));
  expect(await (await fetch(studio!)).text()).toContain('<h1 class="title">Today</h1>');

  // Without a browser, its address is printed with a note.
  const printed = await run(['sandbox', 'open'], {env: {SSH_CONNECTION: '1'}});
  expect(printed).toMatchObject({status: 0, stdout: `${studio}\n`});
  expect(printed.stderr).toContain('No browser found. Studio address:');

  // An id opens its page; words are searched, and an exact number leads to its page.
  const {id} = (
    await run(
      'customers create --name Juan --email juan@example.com --billing-statement-prefix JEEPNEY --json'.split(' '),
    )
  ).json() as {id: string};
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'my-browser'), '#!/bin/sh\nprintf %s "$1" > "$0.got"\n', {mode: 0o755});
  const env = {PATH: `${folder}:/bin`, BROWSER: 'my-browser'};
  const got = (): string => readFileSync(join(folder, 'my-browser.got'), 'utf8');
  for (const [words, path, status] of [
    [[id], id, 200],
    [['evt_gone'], 'evt_gone', 404],
    [['Juan dela'], 'search?q=Juan+dela', 200],
    [['../../customers'], 'search?q=..%2F..%2Fcustomers', 200],
    [['JEEPNEY-0002'], 'search?q=JEEPNEY-0002', 200],
  ] as const) {
    const opened = await run(['sandbox', 'open', ...words, '--json'], {env});
    expect(opened.json()).toEqual({url: studio + path, opened: true});
    expect(got()).toBe(studio + path);
    expect((await fetch(got())).status).toBe(status);
    rmSync(join(folder, 'my-browser.got'));
  }
  // A mistyped address is logged without its secret. A button writes the log to disk.
  const secret = /~(\w+)/.exec(studio!)![1]!;
  const mistyped = {headers: {'user-agent': studio!}};
  for (const path of [`//studio/~${secret}/`, `/studio%2F%7E${secret}`, `/b/~${secret}`, `/customers?from=${studio}`])
    await fetch(url + path, mistyped);
  // The action of a button is shown by name.
  const create = [
    'billing-statements',
    'create',
    '--customer',
    id,
    '--item',
    'Design @ 1500',
    '--due',
    '+7d',
    '--finalize',
    '--json',
  ];
  const {id: bill} = (await run(create)).json() as {id: string};
  // The page of a link is served, so nothing needs to be started.
  expect(await run(['link', bill], {columns: 80})).toMatchObject({status: 0, stderr: ''});
  const body = new URLSearchParams({id: bill});
  const pressed = await fetch(`${studio}act/pay`, {method: 'POST', body, headers: {origin: url!}, redirect: 'manual'});
  expect(pressed.status).toBe(303);
  expect((await run(['why', bill])).stdout).toMatch(/a button of the studio\n(.*\n)* +billing_statement\.paid/);

  expect((await run(['sandbox', 'open', '--dry-run'], {env})).status).toBe(0);
  expect(() => got()).toThrow('ENOENT');

  // The secret is in no log, no history, and no file that others can read.
  for (const words of [['sandbox', 'logs'], ['history'], ['sandbox'], ['status'], ['doctor'], ['config', 'list']]) {
    const {stdout, stderr} = await run(words);
    expect(stdout + stderr, words.join(' ')).not.toContain(secret);
    if (words[1] === 'logs') expect(stdout).toContain('//studio/~…');
  }
  expect(statSync(join(directory, 'sandbox.db')).mode & 0o777).toBe(0o600);

  server.child.kill('SIGINT');
  await server.ended;
  expect(server.stderr()).not.toContain(secret);
  const ended = await run(['sandbox', 'open', '--json'], {env});
  expect([ended.status, ended.error()]).toMatchObject([8, {code: 'not_served'}]);
  expect((await run(['sandbox', 'open'])).stderr).toBe(
    'Error: the sandbox is not being served.\n  To serve it, in another terminal: centavo sandbox serve\n',
  );
});

test('shows how to serve a sandbox that was never served', async () => {
  const {status, stdout, stderr} = await commandsIn(temporaryDirectory())(['sandbox', 'open', 'bstm_1']);
  expect([status, stdout]).toEqual([8, '']);
  expect(stderr).toContain('centavo sandbox serve');
});
