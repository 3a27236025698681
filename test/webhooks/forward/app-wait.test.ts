// An app that never accepts connections: what is said, how often it is looked for, and when the wait begins anew.

import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {AppWait} from '../../../src/webhooks/forward/app-wait.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the wait ends after ten seconds, and begins anew when the app has accepted a connection', async () => {
  const notices: string[] = [];
  let looks = 0;
  const wait = new AppWait({
    host: 'localhost:3000',
    isReachable: () => Promise.resolve(++looks > 103),
    onNotice: (message) => notices.push(message),
    signal: new AbortController().signal,
  });
  const both = [wait.whenReachable(), wait.whenReachable()];
  await vi.advanceTimersByTimeAsync(9900);
  expect(notices).toEqual(['waiting for the app on localhost:3000']);
  await vi.advanceTimersByTimeAsync(100);
  expect(await Promise.all(both)).toEqual([false, false]);
  expect(await wait.whenReachable()).toBe(false);
  expect(notices.slice(1)).toEqual([
    'the app does not accept connections on localhost:3000. Deliveries will be retried.',
  ]);
  expect(looks).toBe(100);
  wait.reset();
  const again = wait.whenReachable();
  await vi.advanceTimersByTimeAsync(300);
  expect(await again).toBe(true);
});
