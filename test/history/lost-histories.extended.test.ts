// Every data folder that lost a file after a send.

import {test} from 'vitest';
import {LOST_HISTORIES, remindAfterLoss} from '../support/scenarios/lost-histories.js';

test.each(LOST_HISTORIES)('%s, then %s (%s, clock %j)', (...each) => remindAfterLoss(each));
