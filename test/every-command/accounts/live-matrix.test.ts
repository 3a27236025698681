// A live key changes something only with --live, and a yes or --yes. A command of every sort; test/soak has all of them.

import {expect, test} from 'vitest';
import {liveMatrix, ROWS} from '../../support/scenarios/live-matrix.js';

const SOME = ['billing-statements:finalize', 'composite'];

test('the representative rows exist', () => {
  expect(SOME.filter((id) => !ROWS.some((row) => row.id === id))).toEqual([]);
});

liveMatrix(ROWS.filter(({id}) => SOME.includes(id)));
