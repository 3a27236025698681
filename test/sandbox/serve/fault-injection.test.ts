// Injected faults: the effect of each on the client and the sandbox.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {faultSequence, type RequestFault, webhookFaultSequence} from '../../../src/sandbox/serve/fault-injection.js';
import {FAULTS, parseFaults} from '../../../src/sandbox/serve/parse-fault-flags.js';
import {serveSandbox} from '../../../src/sandbox/serve/sandbox-server.js';
import {world} from '../../support/sandbox/world.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

describe('parseFaults', () => {
  test('parses all faults', () => {
    expect(
      parseFaults('latency=200, rate-limit=0.1,unavailable=0.05,reset-before=0.02,reset-after=0.02,error-after=0.02'),
    ).toEqual({
      latency: 200,
      rates: {'rate-limit': 0.1, unavailable: 0.05, 'reset-before': 0.02, 'reset-after': 0.02, 'error-after': 0.02},
    });
    expect(parseFaults('')).toEqual({rates: {}});
    expect(parseFaults(FAULTS.map((name) => `${name}=0.2`).join(','))).toMatchObject({rates: {unavailable: 0.2}});
  });

  test.each([
    'nonsense=1',
    'latency',
    'latency=',
    'latency=-1',
    'latency=70000',
    'rate-limit=1.1',
    'rate-limit=NaN',
    'unavailable=1e-3',
    'unavailable=0.7,rate-limit=0.4',
    '__proto__=1',
  ])('%s is refused', (text) => {
    expect(() => parseFaults(text)).toThrow(expect.objectContaining({kind: 'usage'}));
  });
});

describe('the sequence', () => {
  const rates = {'rate-limit': 0.2, 'reset-after': 0.1};
  const first = (seed: number, count: number) => {
    const next = faultSequence({rates}, seed);
    return Array.from({length: count}, () => next());
  };

  test('depends only on the seed', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        expect(first(seed, 50)).toEqual(first(seed, 50));
      }),
    );
    expect(first(1, 50)).not.toEqual(first(2, 50));
  });

  test('does not change from one version to the next', () => {
    expect(first(7, 12).map((fault) => fault ?? '-')).toMatchInlineSnapshot(`
      [
        "rate-limit",
        "rate-limit",
        "-",
        "-",
        "-",
        "-",
        "-",
        "reset-after",
        "-",
        "-",
        "reset-after",
        "rate-limit",
      ]
    `);
  });

  test('has the given rates', () => {
    const told = first(42, 20_000);
    const share = (fault: RequestFault | undefined) => told.filter((other) => other === fault).length / told.length;
    expect(share('rate-limit')).toBeCloseTo(0.2, 1);
    expect(share('reset-after')).toBeCloseTo(0.1, 1);
    expect(share(undefined)).toBeCloseTo(0.7, 1);
    expect(share('unavailable')).toBe(0);
  });
});

test.each<[object, string, string?]>([
  [{'rate-limit': 7}, 'the fault rate rate-limit: 7 is not from 0 to 1.'],
  [{'error-after': -0.1}, 'the fault rate error-after: -0.1 is not from 0 to 1.'],
  [{unavailable: '0.5x'}, 'the fault rate unavailable: 0.5x is not from 0 to 1.'],
  [{'rate-limit': 0.7, unavailable: 0.4}, 'the fault rates add up to more than 1.', 'They add up to 1.1.'],
])('the rates %j are refused', (rates, message, why) => {
  const refusal = expect.objectContaining({kind: 'usage', message, details: expect.objectContaining(why ? {why} : {})});
  expect(() => faultSequence({rates}, 1)).toThrow(refusal);
});

test('rates of webhooks are refused by the sandbox, and a server does not start with those of requests', async () => {
  const {sandbox} = world();
  expect(() => webhookFaultSequence({rates: {'late-webhook': 2}}, 1)).toThrow('late-webhook: 2 is not from 0 to 1');
  const started = serveSandbox(controlOf(sandbox), {port: 0, faults: {rates: {'rate-limit': 7}}});
  await expect(started).rejects.toThrow('rate-limit: 7 is not from 0 to 1');
});

describe('on a port', () => {
  async function create(
    fault: RequestFault,
  ): Promise<{status: number | 'reset'; retryAfter: string | null; made: number}> {
    const w = world();
    const server = await serveSandbox(controlOf(w.sandbox), {port: 0, faults: {rates: {[fault]: 1}}, seed: 3});
    const response = await fetch(`${server.url}/customers`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${w.sandbox.keys.secret}:`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({name: 'A', email: 'a@b.co', currency: 'PHP'}),
    }).catch(() => undefined);
    const errors = response && ((await response.json()) as {errors: unknown[]}).errors;
    if (response) expect(errors).toHaveLength(1);
    await server.close();
    return {
      status: response?.status ?? 'reset',
      retryAfter: response?.headers.get('retry-after') ?? null,
      made: (await w.ok('GET', '/customers')).data.length,
    };
  }

  test.each<[RequestFault, number | 'reset', number]>([
    ['rate-limit', 429, 0],
    ['unavailable', 503, 0],
    ['reset-before', 'reset', 0],
    ['reset-after', 'reset', 1],
    ['error-after', 500, 1],
  ])('%s gives %s, and %i customer', async (fault, status, made) => {
    expect(await create(fault)).toEqual({status, made, retryAfter: fault === 'rate-limit' ? '1' : null});
  });

  test('latency delays the response', async () => {
    const w = world();
    const server = await serveSandbox(controlOf(w.sandbox), {port: 0, faults: {latency: 120}});
    const start = performance.now();
    expect((await fetch(`${server.url}/customers`)).status).toBe(401);
    expect(performance.now() - start).toBeGreaterThanOrEqual(119);
    await server.close();
  });
});
