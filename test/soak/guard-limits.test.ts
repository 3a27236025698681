// What a profile does not allow: each limit at its bound, one over it and absent, by every way in which a change can be asked for.

import {limitTests, LIMIT_ROWS} from '../support/scenarios/limits.js';

limitTests(LIMIT_ROWS);
