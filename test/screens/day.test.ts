// Screens of a merchant's day, at three widths.

import {afterAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {loaded} from '../support/terminal.js';
import {screen} from '../support/screen.js';

const directory = temporaryDirectory(afterAll);

describe.runIf(loaded.pty)('at a terminal', () => {
  test('uses the given clock', async () => {
    const desk = screen(directory, [
      'billing-statements',
      'create',
      '--customer',
      'cus_x',
      '--due',
      '+1d',
      '--dry-run',
    ]);
    expect(await desk.ended).toBe(0);
    expect(await desk.text()).toContain('due: Wednesday, 16 December 2026 in Manila, tomorrow');
  });
});
