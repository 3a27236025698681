// What a profile does not allow: one refusal of every sort, and one that is let through; test/soak has all of them.

import {limitTests, LIMIT_ROWS} from '../support/scenarios/limits.js';

limitTests(LIMIT_ROWS.filter(({often}) => often));
