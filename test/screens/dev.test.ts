// Screens of `centavo dev` with a shop: settings, requests, events, responses and the shop's output.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {commandsIn} from '../support/commands.js';
import {freePort} from '../support/free-port.js';
import {shop} from '../support/scenarios/shop.js';
import {FIXED_NOW, screen} from '../support/screen.js';
import {CTRL_C, loaded} from '../support/terminal.js';
import {widths} from '../support/test-size.js';

/** Masks keys, ports and times with text of the same length. */
const steady = (text: string, ports: readonly number[]): string =>
  ports
    .reduce((shown, port) => shown.replaceAll(String(port), '#####'), text)
    .replaceAll(/\b((?:[ps]k_test|whsk)_)(\w+)/g, (_, prefix: string, rest: string) => prefix + 'X'.repeat(rest.length))
    .replaceAll(/~(\w+)/g, (_, secret: string) => `~${'X'.repeat(secret.length)}`)
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, 'HH:MM:SS')
    .replaceAll(/\b\d+ ms\b/g, '## ms');

describe.runIf(loaded.pty)('at a terminal', () => {
  test.each(widths([60, 80, 100]))('shows a day of requests and events, at %i columns', async (columns) => {
    const directory = temporaryDirectory();
    const [own, port] = [await shop(), await freePort()];
    const words = ['dev', '--port', String(port), '--forward-to', `${own.port}/webhooks`, '--', 'node', own.file];
    const started = Date.now();
    const shown = screen(directory, words, {columns, env: own.env});
    await shown.until(/shop is open/);
    const {id, order} = await own.order();
    await shown.until(/<-> POST/);
    // The clock of the listener goes on: an event of before the webhook would not be sent to it.
    const run = commandsIn(directory, {now: () => FIXED_NOW * 1000 + Date.now() - started});
    expect(await run(['sandbox', 'pay', id, '--method', 'gcash'])).toMatchObject({status: 0});
    await shown.until(/<-- 200/);
    expect(await own.find(order)).toEqual({paid: true});
    shown.type(CTRL_C);
    expect(await shown.ended).toBe(130);
    const text = steady(await shown.show(), [own.port, port]);
    await expect(text).toMatchFileSnapshot(`texts/dev-${columns}.txt`);
  });

  test('keeps what was said when the app clears the screen, as watchers do, and the colours of the app', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'app.cjs');
    const clear = String.raw`process.stdout.write('\u001Bc\u001B[2J\u001B[H');`;
    writeFileSync(file, `console.log('first', {a: 1}); ${clear} console.log('second'); setInterval(() => {}, 1e6);`);
    const shown = screen(directory, ['dev', '--port', '0', '--', process.execPath, file], {now: null});
    await shown.until(/second/);
    shown.type(CTRL_C);
    await shown.ended;
    expect(await shown.text()).toMatch(/Sandbox ready at [\s\S]*first \{ a: 1 \}\s+second/);
    expect(shown.raw()).toContain('\u001B[33m1\u001B[39m');
  });
});
