// The sheets of docs/sheets.md and docs/cron.md: each gets the screen and the plan that the page shows.

import {spawnSync} from 'node:child_process';
import {mkdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {type PageSheet, pageSheets} from '../support/input/page-sheets.js';
import {cliEnvironment, RUN, temporaryDirectory} from '../support/cli.js';
import {screenInProcess} from '../support/in-process.js';
import {loaded} from '../support/terminal.js';

const read = (name: string): string => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');
const CRON = read('cron.md');

/** Types the answers of the page. @returns the screen, with the file as the page names it */
async function answered(directory: string, path: string, {file, csv, screen}: PageSheet, now?: null): Promise<string> {
  writeFileSync(path, csv);
  const words = screen.split('\n')[0]!.replace('$ centavo ', '').replace(file, path).split(' ');
  const shown = screenInProcess(directory, words, {rows: 60, now});
  await shown.until(/are they\?/);
  shown.type(`${/are they\? (.*)/.exec(screen)![1]!}\r`);
  expect(await shown.ended).toBe(0);
  return (await shown.show()).replaceAll(path, file);
}

describe.skipIf(!loaded.pty)('the screens of the pages', () => {
  test.each([...pageSheets(read('sheets.md')), ...pageSheets(CRON)])('$name', async (sheet) => {
    const directory = temporaryDirectory();
    const text = await answered(directory, join(directory, sheet.file), sheet);
    const [, ...lines] = sheet.screen.split('\n');
    // `…` is for lines that the page leaves out.
    for (const part of lines.join('\n').split(/^…$/m)) expect(text).toContain(part.trim());
  });

  test('the script for cron bills once, and prints only what a person must read', async () => {
    const home = temporaryDirectory();
    const [folder, bin] = [join(home, 'rent'), join(home, 'bin')];
    for (const each of [folder, bin]) mkdirSync(each);
    symlinkSync(RUN, join(bin, 'centavo'));
    const [sheet] = pageSheets(CRON);
    await answered(home, join(folder, 'rent.csv'), sheet!, null);
    // As the page says for the sandbox; and this test finds node by its own path.
    const [, script] = /^```text\n(#!\/bin\/sh\n.*?)^```$/ms.exec(CRON)!;
    writeFileSync(join(folder, 'rent.sh'), script!.replaceAll(/^export .*$| --profile shop --live/gm, ''));
    const env = cliEnvironment(home, {PATH: `${bin}:${process.env.PATH}`});
    const run = () => {
      const {status, stdout, stderr} = spawnSync('sh', [join(folder, 'rent.sh')], {env, encoding: 'utf8'});
      return {status, stderr, stdout, last: readFileSync(join(folder, 'last.json'), 'utf8')};
    };
    const silent = {status: 0, stdout: '', stderr: ''};
    const first = run();
    expect(first).toMatchObject(silent);
    expect(JSON.parse(first.last)).toMatchObject({created: 2, done: 2, already: false});
    const second = run();
    expect(second).toMatchObject(silent);
    expect(JSON.parse(second.last)).toMatchObject({created: 0, already: true});
    writeFileSync(join(folder, 'rent.csv'), sheet!.csv.replace('Moved out', 'Promised'));
    const asks = run();
    expect(asks).toMatchObject({status: 2, stderr: '', stdout: expect.stringContaining('unknown_column')});
    expect(asks.stdout).toContain('The rent roll ended with exit 2.');
  });
});
