// What an import reports while it waits: no response only while a call is open, and each pause with its reason and its end.

import {expect, test} from 'vitest';
import {RowWorkers} from '../../../src/billing/import/row-workers.js';
import {TransportError} from '../../../src/client/call-errors.js';
import type {ApiResponse} from '../../../src/api/wire.js';
import {createClient} from '../../../src/client/client.js';

test('reports no response while a call is open, and a pause with its reason and its end', async () => {
  let now = 0;
  const seen: unknown[] = [];
  const answers: ApiResponse[] = [
    {status: 429, headers: {'retry-after': '7'}, body: Buffer.from('{}')},
    {status: 200, headers: {}, body: Buffer.from('{"id":"cus_1","resource":"customer"}')},
  ];
  const transport = async () => {
    now += 100;
    const answer = answers.shift();
    if (!answer) throw new TransportError('the connection was refused', {sent: false});
    return answer;
  };
  const sleep = async (milliseconds: number) => void (now += milliseconds);
  const workers = new RowWorkers({
    ...{
      client: createClient({
        key: 'sk_test_1',
        transport,
        random: () => 1,
        retry: {attempts: 1, baseDelay: 1, maximumDelay: 1},
      }),
    },
    ...{concurrency: 1, sleep, now: () => now / 1000, nowMilliseconds: () => now},
    onNoResponse: (since) => seen.push(since === undefined ? 'no call is open' : `open since ${since}`),
    onWait: (until, why) => seen.push(`until ${until}, ${why}`),
  });
  const ask = async () => workers.client.customers.get('cus_1', {once: () => {}}).catch((error) => error);
  await ask();
  expect(seen.splice(0)).toEqual(['open since 0', 'until 7100, limited', 'no call is open', 'no call is open']);
  await workers.waitUntilReady();
  await ask();
  expect(seen.splice(0)).toEqual(['open since 7100', 'no call is open', 'no call is open']);
  for (let failed = 1; failed <= 4; failed++) workers.retryLater(await ask());
  // Every fourth failure in a row pauses all calls for a second.
  expect(seen.slice(-3)).toEqual(['open since 7500', 'no call is open', 'until 8600, unavailable']);
});
