// The sheets of docs/spreadsheets.md: each gets the screen and the plan that the page shows.

import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {pageSheets} from '../support/input/page-sheets.js';
import {temporaryDirectory} from '../support/cli.js';
import {screenInProcess} from '../support/in-process.js';
import {loaded} from '../support/terminal.js';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/spreadsheets.md'), 'utf8');

describe.skipIf(!loaded.pty)('the screens of the page', () => {
  test.each(pageSheets(PAGE))('$name', async ({file, csv, screen}) => {
    const directory = temporaryDirectory();
    const path = join(directory, file);
    writeFileSync(path, csv);
    const [command, ...lines] = screen.split('\n');
    const words = command!.replace('$ centavo ', '').replace(file, path).split(' ');
    const shown = screenInProcess(directory, words, {rows: 60});
    await shown.until(/are they\?/);
    shown.type(`${/are they\? (.*)/.exec(screen)![1]!}\r`);
    expect(await shown.ended).toBe(0);
    const text = (await shown.show()).replaceAll(path, file);
    // `…` is for lines that the page leaves out.
    for (const part of lines.join('\n').split(/^…$/m)) expect(text).toContain(part.trim());
  });
});
