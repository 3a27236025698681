// The first screen and spreadsheet errors, at three widths.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {shownDirectory} from '../support/cli.js';
import {corpus} from '../fixtures/spreadsheets/corpus.js';
import {screenInProcess} from '../support/in-process.js';
import {loaded} from '../support/terminal.js';
import {widths} from '../support/test-size.js';

const directory = temporaryDirectory(afterAll);

describe.runIf(loaded.pty)('at a terminal', () => {
  describe.each(widths([60, 80, 100]))('of %i columns', (columns) => {
    const shows = async (name: string, words: readonly string[], status: number): Promise<void> => {
      const desk = screenInProcess(directory, words, {columns, rows: 50});
      expect(await desk.ended).toBe(status);
      const text = (await desk.show()).replace(/centavo-test-\w{6}/g, 'centavo-test-XXXXXX');
      await expect(text).toMatchFileSnapshot(`texts/${name}-${columns}.txt`);
    };

    test('the first screen suggests the next step', () => shows('first', [], 0));

    test('prints one line per error of a spreadsheet', async () => {
      const file = join(shownDirectory(), 'june.csv');
      writeFileSync(file, await corpus['prices-refused.csv']!());
      await shows('spreadsheet-faults', ['bill', '--customer', 'cus_2mQ8', '--items', file], 2);
    });
  });
});
