// The pictures of the documents show what the program shows now: tools/pictures.mjs draws them again, and they are compared.

import {spawnSync} from 'node:child_process';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {temporaryDirectory} from './support/cli.js';
import {loaded} from './support/terminal.js';
import {whyNoBrowser} from './sandbox/pages/browser.js';

const ROOT = join(import.meta.dirname, '..');
const DRAWN = join(ROOT, 'docs/pictures');
const why = loaded.reason ?? whyNoBrowser;

/** What can be read on a picture of a page. How long something took differs, so its bytes are not compared. */
const READ: Readonly<Record<string, readonly string[]>> = {
  payment: [
    'Sandbox: no money moves',
    'Pay Habi Studio',
    '₱90,850.00',
    'How do you want to pay?',
    'Card number',
    'GCash',
  ],
  studio: ['Paid in 7 days', '₱450,400.00', 'Happening now', 'answered 500', 'no order for this refund', '1 failing'],
  timeline: ['LAKBAY-0003', 'amount received', 'accepted it', 'answered 500', 'again in ', 'will_be_due'],
};

test.skipIf(why)(`what is drawn now is what is in docs/pictures${why ? ` (${why})` : ''}`, () => {
  const folder = temporaryDirectory();
  const {status, stdout, stderr} = spawnSync(process.execPath, ['tools/pictures.mjs', folder], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect({status, stderr}).toEqual({status: 0, stderr: ''});
  const names = readdirSync(folder);
  expect(names).toEqual(readdirSync(DRAWN));
  const svg = (from: string) =>
    names.filter((name) => name.endsWith('.svg')).map((name) => readFileSync(join(from, name), 'utf8'));
  expect(svg(folder)).toEqual(svg(DRAWN));
  const texts = JSON.parse(stdout) as Record<string, string>;
  for (const [name, sentences] of Object.entries(READ))
    for (const sentence of sentences) expect(texts[name]).toContain(sentence);
});
