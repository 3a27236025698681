// Deadlines and interruptions: a call ends in time whatever the server does, and reports what is known.

import {describe, expect, test} from 'vitest';
import {attempt, clientOf, READS, SETTLED, settlement, SHORT, UNSETTLED, type Call} from '../support/client/calls.js';
import {SILENCES} from '../support/client/faults.js';
import {keptAnswer, socketServer, type Script} from '../support/services/sockets.js';
import type {CentavoError} from '../../src/common/errors.js';
import {FAR, SOON} from '../support/far-limits.js';

const [GET, LIST] = READS;
const [CREATE] = UNSETTLED;
const [FINALIZE] = SETTLED;

/** The call, aborted as soon as the server has seen its request. */
async function abortedCall(call: Call, script: Script, settle = ''): Promise<{error: CentavoError; requests: number}> {
  const controller = new AbortController();
  const server = await socketServer({
    ...script,
    answer: (socket, request, count) => {
      if (request.method === 'GET' && settle) socket.write(settle);
      else script.answer?.(socket, request, count);
      controller.abort();
    },
  });
  const {client} = clientOf(server.url);
  const error = (await call
    .run(client, {signal: controller.signal})
    .catch((thrown: unknown) => thrown)) as CentavoError;
  await client.close();
  await server.close();
  return {error, requests: server.requests.length};
}

describe('an abort', () => {
  test.each([GET!, LIST!])('of $name is an interruption, and nothing was changed', async (call) => {
    const {error, requests} = await abortedCall(call, {});
    expect(error).toMatchObject({kind: 'interrupted', details: {applied: 'no'}});
    expect(requests).toBe(1);
  });

  test.each([...UNSETTLED, ...SETTLED])('of $name that was sent leaves its outcome unknown', async (call) => {
    const {error, requests} = await abortedCall(call, {});
    expect(error).toMatchObject({kind: 'interrupted', details: {applied: 'unknown'}});
    expect(requests).toBe(1);
  });

  test('before anything was sent is an interruption without a request', async () => {
    const server = await socketServer({});
    const {client} = clientOf(server.url);
    for (const call of [GET!, CREATE!]) {
      const error = await call.run(client, {signal: AbortSignal.abort()}).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({kind: 'interrupted', details: {applied: 'no'}});
    }
    await client.close();
    await server.close();
    expect(server.requests).toHaveLength(0);
  });

  test('with a custom reason is an interruption too', async () => {
    const controller = new AbortController();
    const server = await socketServer({answer: () => controller.abort(new Error('enough'))});
    const {client} = clientOf(server.url);
    const error = await GET!.run(client, {signal: controller.signal}).catch((thrown: unknown) => thrown);
    await client.close();
    await server.close();
    expect(error).toMatchObject({kind: 'interrupted'});
  });

  test.each([GET!, CREATE!])('ends the wait before a retry of $name', async (call) => {
    const controller = new AbortController();
    const server = await socketServer({
      answer: (socket) => {
        socket.write(keptAnswer(429, '', {'retry-after': String(FAR / 1000)}));
      },
    });
    const {client} = clientOf(server.url, {
      timeout: 2 * FAR,
      // The real wait of the client.
      sleep: undefined,
      onAttempt: () => setImmediate(() => controller.abort()),
    });
    const started = performance.now();
    const error = await call.run(client, {signal: controller.signal}).catch((thrown: unknown) => thrown);
    expect(performance.now() - started).toBeLessThan(SOON);
    await client.close();
    await server.close();
    // A 429 means that nothing was applied.
    expect(error).toMatchObject({kind: 'interrupted', details: {applied: 'no'}});
    expect(server.requests).toHaveLength(1);
  });

  test('during the check of a write of unknown outcome leaves the outcome unknown', async () => {
    const controller = new AbortController();
    const server = await socketServer({
      answer: (socket, request) => {
        if (request.method === 'GET') controller.abort();
        else socket.resetAndDestroy();
      },
    });
    const {client} = clientOf(server.url);
    const error = await FINALIZE!.run(client, {signal: controller.signal}).catch((thrown: unknown) => thrown);
    await client.close();
    await server.close();
    expect(error).toMatchObject({kind: 'interrupted', details: {applied: 'unknown'}});
  });
});

describe('a deadline', () => {
  test.each(SILENCES)('ends $title, for a read and for a write', async (fault) => {
    for (const call of [GET!, CREATE!]) {
      const started = performance.now();
      const {error} = await attempt(call, fault.script(call.good), {timeout: SHORT});
      expect(performance.now() - started).toBeGreaterThan(SHORT - 20);
      expect(error?.kind).toBe(call === GET ? 'unavailable' : 'outcome_unknown');
      expect(error?.details.why).toMatch(/no response in time/i);
    }
  });

  test('that ends before the server has applied a write is settled by a read', async () => {
    const {result, requests} = await attempt(
      FINALIZE!,
      {
        answer: (socket, request) =>
          request.method === 'GET' ? void socket.write(settlement(FINALIZE!, 'applied')) : undefined,
      },
      {timeout: SHORT},
    );
    expect(result).toEqual(FINALIZE!.applied);
    expect(requests).toHaveLength(2);
  });

  test('covers all attempts together', async () => {
    let now = 1_000_000;
    const {client, waits} = clientOf('http://127.0.0.1:1', {
      timeout: 1200,
      now: () => now,
      transport: async () => {
        now += 400;
        return {status: 503, headers: {}, body: new Uint8Array()};
      },
      sleep: async (milliseconds) => {
        waits.push(milliseconds);
        now += milliseconds;
      },
    });
    await expect(GET!.run(client)).rejects.toMatchObject({kind: 'unavailable'});
    // 400 ms, then 500 ms of waiting, then 400 ms: the next wait would begin after the deadline.
    expect(waits).toEqual([500]);
  });

  test('a clock that jumps does not make a call wait longer', async () => {
    let now = 1_000_000_000;
    const {client, waits} = clientOf('http://127.0.0.1:1', {
      now: () => (now -= 3_600_000),
      transport: async () => ({status: 503, headers: {}, body: new Uint8Array()}),
    });
    await expect(GET!.run(client)).rejects.toMatchObject({kind: 'unavailable'});
    expect(waits).toEqual([500, 1000]);
  });

  test('of a month is not treated as zero', async () => {
    const {result} = await attempt(
      GET!,
      {answer: (socket) => void setImmediate(() => socket.write(keptAnswer(200, GET!.good)))},
      {timeout: 30 * 86_400_000},
    );
    expect(result).toEqual(GET!.good);
  });
});
