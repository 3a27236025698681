// An attempt that a listener refused is not called stored, even if a later attempt was stored.

import {expect, test} from 'vitest';
import {attemptOutcome} from '../../../src/sandbox/requests/timeline.js';

const APP = [{webhook_id: 'wh_1', app: {attempts: [{status: 500}]}}] as never;
const attempt = (status: number | null, error: string | null = null) =>
  ({webhook_id: 'wh_1', outcome: 'failed', status, error}) as never;

test.each([
  ['the status of the app', attempt(500, 'no order'), 'stored'],
  ['the words of the listener', attempt(502, 'Stored. The app cannot be reached.'), 'stored'],
  ['a refusal of the listener', attempt(503), 'failed'],
  ['no response', attempt(null, 'the connection was reset (ECONNRESET)'), 'failed'],
])('%s', (_, given, outcome) => expect(attemptOutcome(given, APP)).toBe(outcome));
