// Data folders with one damaged file, after each change.

import {test} from 'vitest';
import {continueDamaged, DAMAGED_FOLDERS} from '../support/scenarios/damaged-folders.js';

/** A third of all, with every fault of every file after every change. */
const SHOWN = DAMAGED_FOLDERS.filter((_, index) => index % 3 === 0);

test.each(SHOWN)('%s, then %s %s: %s', (...each) => continueDamaged(each));
