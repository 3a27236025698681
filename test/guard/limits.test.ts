// Limits of a profile: one refusal of each kind, and one allowed change; test/soak has all of them.

import {limitTests, LIMIT_ROWS} from '../support/scenarios/limits.js';

limitTests(LIMIT_ROWS.filter(({often}) => often));
