// `billing-statements link` and `open`: the link in a pipe, on the clipboard, as a QR code and in a message.

import {execFileSync, spawnSync} from 'node:child_process';
import {chmodSync, mkdirSync, readFileSync, writeFileSync, existsSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {cli, temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {Merchant} from '../../support/scenarios/merchant.js';
import {screenInProcess, terminalInProcess} from '../../support/in-process.js';
import {loaded} from '../../support/terminal.js';
import {SOON} from '../../support/far-limits.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
const link = (...words: string[]) => run(['billing-statements', 'link', ...words]);
let merchant: Merchant;
let id: string;
let url: string;
let states: Readonly<Record<string, string>>;

const DUE = Date.parse('2031-12-15T23:59:59+08:00') / 1000;

beforeAll(async () => {
  merchant = new Merchant(directory);
  const customer = (
    await merchant.customer({name: 'Ana Reyes', email: 'ana@example.com', billing_statement_prefix: 'REYES'})
  ).id as string;
  const draft = await merchant.draft({customer_id: customer});
  await merchant.call('PUT', `/billing_statements/${draft.id}`, {due_at: DUE});
  const open = await merchant.call('POST', `/billing_statements/${draft.id}/finalize`);
  [id, url] = [open.id, open.url];
  const [paid, voided] = [await merchant.open({customer_id: customer}), await merchant.open({customer_id: customer})];
  controlOf(merchant.sandbox).pay(paid.id as string, {});
  await merchant.call('POST', `/billing_statements/${voided.id}/void`);
  states = {draft: (await merchant.draft({customer_id: customer})).id, paid: paid.id, void: voided.id};
});
afterAll(() => merchant.close());

/** A folder with a program that writes its stdin or arguments to a file. */
function program(name: string, script: string): string {
  const folder = join(temporaryDirectory(), 'bin');
  mkdirSync(folder);
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return folder;
}

describe('link', () => {
  test('prints only the link in a pipe', async () => {
    expect(await link(id)).toMatchObject({status: 0, stdout: `${url}\n`, stderr: ''});
  });

  test('prints JSON with customer, amount and due date', async () => {
    expect((await link(id, '--json')).json()).toEqual({
      id,
      number: 'REYES-0001',
      customer: 'Ana Reyes',
      amount: 150_000,
      due_at: DUE,
      url,
      message: null,
      mode: 'sandbox',
    });
    expect((await link(id, '--json', '--jq', '.url')).stdout).toBe(`${url}\n`);
  });

  test.each([
    ['draft', 'REYES-0004 is a draft.', 'Finalize it: centavo billing-statements finalize'],
    ['paid', 'REYES-0002 was paid on ', 'See it: centavo billing-statements get'],
    ['void', 'REYES-0003 is void.', 'Bill the same items again: centavo duplicate'],
  ])('refuses a statement that is %s: exit 5, with the next command', async (state, message, hint) => {
    const {status, stdout, stderr} = await link(states[state]!);
    expect({status, stdout}).toEqual({status: 5, stdout: ''});
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });

  test('a message in English and in Filipino', async () => {
    expect((await link(id, '--message', 'en')).stdout).toBe(
      `Hello Ana Reyes! Here is your billing statement REYES-0001 for ₱1,500.00. It is due on Monday, 15 December 2031. You can pay here:\n${url}\nThank you!\n`,
    );
    expect((await link(id, '--message', 'fil')).stdout).toBe(
      `Magandang araw po, Ana Reyes! Narito po ang billing statement ninyo, REYES-0001, na nagkakahalaga ng ₱1,500.00. Pakibayaran po hanggang Lunes, ika-15 ng Disyembre 2031 sa link na ito:\n${url}\nMaraming salamat po!\n`,
    );
  });

  test('--dry-run shows the request', async () => {
    expect((await link(id, '--dry-run')).stdout).toMatch(/^GET http/);
  });
});

describe('the clipboard', () => {
  test.each([
    ['pbcopy', {}],
    ['wl-copy', {WAYLAND_DISPLAY: 'wayland-0'}],
    ['xclip', {DISPLAY: ':0'}],
    ['xsel', {DISPLAY: ':0'}],
    ['clip.exe', {}],
  ])('copies the link with %s and says so', async (name, env) => {
    const folder = program(name, 'cat > "$0.got"');
    const own = cli(directory, {env: {...env, PATH: `${folder}:/bin`}});
    const {status, stdout, stderr} = await own(['billing-statements', 'link', id, '--copy']);
    expect({status, stdout, stderr}).toEqual({
      status: 0,
      stdout: `${url}\n`,
      stderr: `Copied the link with ${name}.\n`,
    });
    expect(readFileSync(join(folder, `${name}.got`), 'utf8')).toBe(url);
  });

  test('copies the message if one is requested', async () => {
    const folder = program('pbcopy', 'cat > "$0.got"');
    const own = commandsIn(directory, {env: {PATH: `${folder}:/bin`}});
    const {stdout} = await own(['billing-statements', 'link', id, '--message', 'fil', '--copy']);
    expect(readFileSync(join(folder, 'pbcopy.got'), 'utf8')).toBe(stdout);
  });

  test('skips a program that needs a display', async () => {
    const folder = program('xclip', 'cat > "$0.got"');
    const {status} = await commandsIn(directory, {env: {PATH: folder}})(['billing-statements', 'link', id, '--copy']);
    expect(status).toBe(15);
    expect(existsSync(join(folder, 'xclip.got'))).toBe(false);
  });

  test('names a program that fails, and still prints the link', async () => {
    const folder = program('pbcopy', 'exit 3');
    const own = commandsIn(directory, {env: {PATH: folder}});
    const {status, stdout, stderr} = await own(['billing-statements', 'link', id, '--copy']);
    expect({status, stdout}).toEqual({status: 15, stdout: `${url}\n`});
    expect(stderr).toContain('pbcopy ended with status 3.');
  });

  test.runIf(loaded.pty)('uses the terminal without a program', async () => {
    const desk = terminalInProcess(directory, ['billing-statements', 'link', id, '--copy'], {env: {PATH: '/nowhere'}});
    expect(await desk.ended).toBe(0);
    const asked = `\u001B]52;c;${Buffer.from(url).toString('base64')}\u0007`;
    expect(desk.raw()).toContain(asked);
    expect(desk.text()).toContain("Sent the link to the terminal's clipboard.");
  });
});

/** Renders half-block lines as a picture, dark on light. @param scale pixels per module */
function picture(lines: readonly string[], scale = 4): Buffer {
  const width = Math.max(...lines.map((line) => line.length));
  const pixels: number[] = [];
  for (const line of lines)
    for (const half of [0, 1])
      for (let y = 0; y < scale; y++)
        for (let x = 0; x < width * scale; x++) {
          const block = line[Math.floor(x / scale)] ?? ' ';
          const dark = block === '█' || block === (half === 0 ? '▀' : '▄');
          pixels.push(dark ? 0 : 255);
        }
  return Buffer.concat([Buffer.from(`P5\n${width * scale} ${lines.length * 2 * scale}\n255\n`), Buffer.from(pixels)]);
}

function readBack(lines: readonly string[]): string {
  const file = join(temporaryDirectory(), 'code.pgm');
  writeFileSync(file, picture(lines));
  return execFileSync('zbarimg', ['--quiet', '--raw', file], {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']});
}

describe('the QR code', () => {
  const noReader = spawnSync('zbarimg', ['--version']).status === 0 ? undefined : 'skipped: zbarimg is not installed';

  test.skipIf(noReader)(`goes to stderr in a pipe, and a reader decodes it${noReader ?? ''}`, async () => {
    const {stdout, stderr} = await link(id, '--qr');
    expect(stdout).toBe(`${url}\n`);
    // Readers need the quiet zone, so trailing blanks matter.
    const lines = stderr.split('\n').slice(0, -1);
    const width = Math.max(...lines.map((line) => line.length)) + 4;
    expect(readBack(lines.map((line) => line.padEnd(width)))).toBe(`${url}\n`);
  });

  test.skipIf(noReader || !loaded.pty)(
    'at a terminal of 60 columns it is dark on light, and a reader reads it',
    async () => {
      for (const env of [{}, {NO_COLOR: '1'}]) {
        const desk = terminalInProcess(directory, ['billing-statements', 'link', id, '--qr'], {columns: 60, env});
        expect(await desk.ended).toBe(0);
        // oxlint-disable-next-line no-control-regex
        const lines = [...desk.raw().matchAll(/\u001B\[38;5;16;48;5;231m([ ▀▄█]+)\u001B\[0m/g)].map(
          ([, line]) => line!,
        );
        expect(lines[0]!.trim()).toBe('');
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
        expect(readBack(lines)).toBe(`${url}\n`);
        expect(desk.text()).toContain(url.slice(0, 40));
      }
    },
  );

  test.runIf(loaded.pty)(
    'it fits 24 rows, and comes last; where there are fewer, it says how to pay without it',
    async () => {
      const open = (rows: number) =>
        screenInProcess(directory, ['billing-statements', 'link', id, '--qr'], {rows, now: null});
      const desk = open(24);
      expect(await desk.ended).toBe(0);
      const lines = (await desk.show()).split('\n');
      expect(lines.filter((line) => /[▀▄█]/.test(line)).length).toBeGreaterThan(18);
      expect(lines.findLast((line) => line.trim() !== '')).toMatch(/[▀▄█]/);
      const low = open(20);
      expect(await low.ended).toBe(2);
      expect(await low.text()).toMatch(
        /the QR code needs 2\d rows, and the terminal has 20\.[^]*centavo billing-statements open/,
      );
    },
  );

  test.runIf(loaded.pty)('is not drawn if it does not fit, with a note', async () => {
    const desk = terminalInProcess(directory, ['billing-statements', 'link', id, '--qr'], {columns: 30});
    expect(await desk.ended).toBe(2);
    expect(desk.text().replace(/\s+/g, ' ')).toMatch(/the QR code needs \d+ columns, and the terminal has 30/);
    expect(desk.text()).not.toContain('█');
  });
});

describe('open', () => {
  const open = (env: Readonly<Record<string, string>>, ...words: string[]) =>
    commandsIn(directory, {env})(['billing-statements', 'open', id, ...words]);

  test('opens the page with BROWSER, or with xdg-open on a display', async () => {
    const browser = program('my-browser', 'printf %s "$1" > "$0.got"');
    const chosen = await open({PATH: `${browser}:/bin`, BROWSER: 'my-browser', SSH_CONNECTION: '1'});
    expect(chosen).toMatchObject({status: 0, stdout: `${url}\n`});
    expect(chosen.stderr).toContain('Opened the payment page of REYES-0001 in the browser.');
    expect(readFileSync(join(browser, 'my-browser.got'), 'utf8')).toBe(url);
    const xdg = program('xdg-open', 'printf %s "$1" > "$0.got"');
    expect((await open({PATH: `${xdg}:/bin`, DISPLAY: ':0'}, '--json')).json()).toEqual({
      id,
      number: 'REYES-0001',
      url,
      opened: true,
      mode: 'sandbox',
    });
    expect(readFileSync(join(xdg, 'xdg-open.got'), 'utf8')).toBe(url);
  });

  test('does not wait for the browser to exit', async () => {
    const folder = program('xdg-open', 'exec sleep 60');
    const started = Date.now();
    expect((await open({PATH: `${folder}:/bin`, DISPLAY: ':0'}, '--json')).json()).toMatchObject({opened: true});
    expect(Date.now() - started).toBeLessThan(SOON);
  });

  test.each([
    ['over SSH', {SSH_CONNECTION: '1 2 3 4', DISPLAY: ':0'}, 'No browser found. Payment page of '],
    ['without a screen', {}, 'No browser found. Payment page of '],
  ])('%s it prints the link and the reason: exit 0', async (_where, env, why) => {
    const folder = program('xdg-open', 'printf %s "$1" > "$0.got"');
    const {status, stdout, stderr} = await open({PATH: folder, ...env});
    expect({status, stdout}).toEqual({status: 0, stdout: `${url}\n`});
    expect(stderr).toContain(why);
    expect(existsSync(join(folder, 'xdg-open.got'))).toBe(false);
  });

  test('reports a browser that fails', async () => {
    const folder = program('xdg-open', 'exit 4');
    const {status, stdout, stderr} = await open({PATH: folder, DISPLAY: ':0'});
    expect({status, stdout}).toEqual({status: 0, stdout: `${url}\n`});
    expect(stderr).toContain('xdg-open ended with status 4');
  });

  test('refuses a paid statement', async () => {
    expect((await run(['billing-statements', 'open', states.paid!])).status).toBe(5);
  });
});
