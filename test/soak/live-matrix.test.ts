// A live key changes something only with --live, and a yes or --yes: every command that changes anything.

import {liveMatrix, ROWS} from '../support/scenarios/live-matrix.js';

liveMatrix(ROWS);
