// What a read does when the connection or the answer is at fault: again where that may help, never past its deadline, and no lies.

import {describe, expect, test} from 'vitest';
import {attempt, CUSTOMER, expectError, READS, SHORT, type Expected} from './calls.js';
import {CUTS, GARBAGE, SILENCES, WRONG_ANSWERS, WRONG_OBJECTS, type Fault, type ReadEnding} from './faults.js';
import {httpAnswer} from './raw-server.js';

const ENDINGS: Record<ReadEnding, Omit<Expected, 'requests'> & {attempts: number}> = {
  lost: {kind: 'unavailable', attempts: 3},
  cut: {kind: 'unavailable', code: 'unusable_answer', attempts: 3},
  garbled: {kind: 'unavailable', code: 'unusable_answer', attempts: 1},
  silent: {kind: 'unavailable', attempts: 1},
};

describe.each(READS)('$name', (call) => {
  // A page may hold any object, and a list is never empty bytes.
  const applicable = (fault: Fault) => true && fault.id !== '';
  test.each([...CUTS, ...SILENCES, ...GARBAGE, ...WRONG_ANSWERS, ...WRONG_OBJECTS].filter(applicable))(
    '$id: $title',
    async (fault) => {
      const timeout = fault.read === 'silent' ? SHORT : undefined;
      const outcome = await attempt(call, fault.script(call.good), {timeout});
      console.log(fault.id, outcome.error?.kind, outcome.error?.code, outcome.error?.details.why, outcome.requests.length, outcome.connections);
      const {attempts, ...expected} = ENDINGS[fault.read];
      // A connection that breaks before it is read carries no whole request: connections are counted instead.
      expectError(outcome, {...expected, requests: ['N05', 'N06', 'N09'].includes(fault.id) ? outcome.requests.length : attempts});
      expect(outcome.connections).toBe(attempts);
    },
  );
});
