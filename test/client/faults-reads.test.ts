// Reads over faulty connections and responses: retried if that may help, never past the deadline.

import {describe, expect, test} from 'vitest';
import {attempt, CUSTOMER, expectError, READS, SHORT} from '../support/client/calls.js';
import {
  CUTS,
  GARBAGE,
  RESET,
  RESET_AT_FIRST_BYTES,
  SILENCES,
  WRONG_ANSWERS,
  WRONG_OBJECTS,
  type ReadEnding,
} from '../support/client/faults.js';
import {keptAnswer} from '../support/services/sockets.js';

const ATTEMPTS: Record<ReadEnding, number> = {lost: 3, cut: 3, torn: 3, garbled: 1, silent: 1};
const CODES: Record<ReadEnding, readonly string[]> = {
  lost: ['unavailable'],
  cut: ['unusable_answer'],
  torn: ['unavailable', 'unusable_answer'],
  garbled: ['unusable_answer'],
  silent: ['unavailable'],
};

const [GET, LIST] = READS;

describe.each(READS)('$name', (call) => {
  test.concurrent.each([...CUTS, ...SILENCES, ...GARBAGE, ...WRONG_ANSWERS, ...WRONG_OBJECTS])(
    '$title is unavailable, after as many attempts as may help',
    async (fault) => {
      const {error, requests, connections} = await attempt(call, fault.script(call.good), {
        timeout: fault.read === 'silent' ? SHORT : undefined,
      });
      expect(error?.kind).toBe('unavailable');
      expect(CODES[fault.read]).toContain(error!.code);
      expect(error!.details.applied).toBeUndefined();
      expect(connections).toBe(ATTEMPTS[fault.read]);
      // After a reset before reading, no whole request has arrived.
      if (fault !== RESET_AT_FIRST_BYTES) expect(requests).toHaveLength(ATTEMPTS[fault.read]);
    },
  );

  test('makes three attempts when each connection is reset at once', async () => {
    const {error, connections} = await attempt(call, {connect: RESET});
    expect(error?.kind).toBe('unavailable');
    expect(connections).toBe(3);
  });

  test('succeeds after one 503 and one wait', async () => {
    const outcome = await attempt(call, {
      answer: (socket, _request, count) => socket.write(count === 1 ? keptAnswer(503, '') : keptAnswer(200, call.good)),
    });
    expect(outcome).toMatchObject({result: call.good, waits: [500]});
    expect(outcome.requests).toHaveLength(2);
  });

  test('accepts a byte order mark', async () => {
    const {result} = await attempt(call, {
      answer: (socket) => socket.write(keptAnswer(200, `\uFEFF${JSON.stringify(call.good)}`)),
    });
    expect(result).toMatchObject(call.good);
  });

  test('accepts two thousand headers', async () => {
    const many = Object.fromEntries(Array.from({length: 2000}, (_, index) => [`h${index.toString(36)}`, '']));
    const {result} = await attempt(call, {answer: (socket) => socket.write(keptAnswer(200, call.good, many))});
    expect(result).toMatchObject(call.good);
  });
});

const answered = (body: unknown) => ({
  answer: (socket: {write(text: string): unknown}) => void socket.write(keptAnswer(200, body)),
});

test('unknown fields and values pass through unchanged', async () => {
  const strange = {...CUSTOMER, mood: {of: ['the', 'day']}, currency: 'USD'};
  expect((await attempt(GET!, answered(strange))).result).toEqual(strange);
});

test('accepts an object without optional fields of the contract', async () => {
  expect((await attempt(GET!, answered({id: 'cus_2mQ8'}))).result).toEqual({id: 'cus_2mQ8'});
});

test.each(['9007199254740993', '1e400', '12.5', '"2000"'])(
  'an amount of %s is refused, not rounded',
  async (amount) => {
    const statement = {name: '', good: {}, run: (client) => client.billingStatements.get('bstm_7Hq2')} as typeof LIST;
    const outcome = await attempt(statement!, answered(`{"id":"bstm_7Hq2","amount":${amount}}`));
    expectError(outcome, {kind: 'unavailable', code: 'unusable_answer', requests: 1});
  },
);

test('refuses a page of more than a hundred objects', async () => {
  const data = Array.from({length: 5000}, (_, index) => ({id: `cus_${index}`}));
  const outcome = await attempt(LIST!, answered({resource: 'list', has_more: false, data}));
  expectError(outcome, {kind: 'unavailable', code: 'unusable_answer', requests: 1});
});

test.each([{data: [CUSTOMER]}, {has_more: false}, {has_more: false, data: {}}, {has_more: 'no', data: []}])(
  'a page that is none is refused: %j',
  async (page) => {
    expectError(await attempt(LIST!, answered(page)), {kind: 'unavailable', code: 'unusable_answer', requests: 1});
  },
);

test('does not use bytes after a response as the next response', async () => {
  const twice = {
    name: 'two reads',
    good: {},
    run: async (client) => [await client.customers.get('cus_2mQ8'), await client.customers.get('cus_9Xy1')],
  } as typeof GET;
  const poison = keptAnswer(200, {...CUSTOMER, id: 'cus_9Xy1', name: 'Mallory'});
  const {result} = await attempt(twice!, {
    answer: (socket, request) =>
      void socket.write(
        request.path.endsWith('cus_2mQ8')
          ? keptAnswer(200, CUSTOMER) + poison
          : keptAnswer(200, {...CUSTOMER, id: 'cus_9Xy1', name: 'Maria'}),
      ),
  });
  expect(result).toEqual([CUSTOMER, {...CUSTOMER, id: 'cus_9Xy1', name: 'Maria'}]);
});

test('retries a read whose kept connection has ended', async () => {
  const fifty = {
    name: 'fifty reads',
    good: {},
    run: async (client) => {
      for (let count = 0; count < 50; count++) await client.customers.get('cus_2mQ8');
      return 'all';
    },
  } as typeof GET;
  const {result} = await attempt(fifty!, {
    answer: (socket) => {
      socket.write(keptAnswer(200, CUSTOMER));
      setImmediate(() => socket.end());
    },
  });
  expect(result).toBe('all');
});
