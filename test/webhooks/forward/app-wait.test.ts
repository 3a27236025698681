// An app that never accepts connections: what is said, how often it is looked for, and when the wait begins anew.

import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {appWait} from '../../../src/webhooks/forward/app-wait.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the wait ends after ten seconds, and begins anew when the app has accepted a connection', async () => {
  const notices: string[] = [];
  let looks = 0;
  const isReachable = () => Promise.resolve(++looks > 103);
  const say = (message: string) => notices.push(message);
  const wait = appWait('localhost:3000', isReachable, say, new AbortController().signal);
  let ended = 0;
  const both = [1, 2].map(() => wait.untilReachable().then(() => ended++));
  await vi.advanceTimersByTimeAsync(9900);
  expect(notices).toEqual(['waiting for the app on localhost:3000']);
  expect(ended).toBe(0);
  await vi.advanceTimersByTimeAsync(100);
  await Promise.all([...both, wait.untilReachable()]);
  expect(notices.slice(1)).toEqual([
    'the app does not accept connections on localhost:3000. Deliveries will be retried.',
  ]);
  expect(looks).toBe(100);
  wait.reset();
  const again = wait.untilReachable();
  await vi.advanceTimersByTimeAsync(300);
  await again;
  expect(looks).toBe(104);
  expect(notices).toHaveLength(3);
});
