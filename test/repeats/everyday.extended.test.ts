// Sixty everyday commands, each killed at some of its requests and run again; and two processes with one key.

import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {askTwiceAtOnce} from '../support/repeats/at-once.js';
import {EVERYDAY} from '../support/scenarios/everyday.js';
import {machine} from '../support/scenarios/killed.js';
import {interruptAll} from '../support/scenarios/interrupted.js';
import {SEED} from '../support/seed.js';

const UNKNOWN = readFileSync(new URL('../fixtures/unknown-outcomes.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

test(`nothing is done twice, whatever interrupts it (CENTAVO_SEED=${SEED})`, {timeout: 300_000}, async () => {
  expect(EVERYDAY).toHaveLength(60);
  const {tried, wrong, unknown} = await interruptAll(SEED, 0.06);
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(30);
  expect(unknown.filter((each) => !UNKNOWN.includes(each))).toEqual([]);
});

test('two processes with one key make one object', {timeout: 300_000}, async () => {
  await askTwiceAtOnce(50);
});

test.each([true, false])(
  'a process that is killed at its request (applied: %s) leaves what the next needs',
  async (applied) => {
    const own = await machine();
    const kill = {at: /^POST/, is: 'kill', applied} as const;
    const create = [
      'customers',
      'create',
      '--name',
      'Ana',
      '--email',
      'a@example.com',
      '--idempotency-key',
      'k-1',
      '--json',
    ];
    await own.runAndKill(create, kill);
    const made = (await own.run(create))!.json();
    expect(made).toMatchObject(applied ? {name: 'Ana', already: true} : {name: 'Ana'});
    expect(own.applied).toEqual(['POST /customers']);

    const payment = (await own.merchant.payment()).id as string;
    const refund = ['refunds', 'create', '--payment', payment, '--amount', '100', '--reason', 'others', '--json'];
    await own.runAndKill([...refund, '--idempotency-key', 'k-2'], kill);
    expect((await own.run([...refund, '--idempotency-key', 'k-2']))!.status).toBe(10);
    expect((await own.run(refund))!.status).toBe(12);
    expect(own.applied).toHaveLength(applied ? 2 : 1);
  },
);
