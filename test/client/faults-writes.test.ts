// Every fault under every kind of write: sent once, settled by a read if possible, else reported as unknown.

import {describe, expect, test} from 'vitest';
import type {Client} from '../../src/client/client.js';
import {
  attempt,
  expectError,
  settlement,
  SETTLED,
  SHORT,
  STATEMENT,
  UNSETTLED,
  WRITES,
  type Call,
  type Outcome,
  type Settled,
  type Settlement,
} from '../support/client/calls.js';
import {
  ANOTHER_OBJECT,
  CUTS,
  EMPTY_BODY,
  GARBAGE,
  RESET,
  RESET_AT_FIRST_BYTES,
  SILENCES,
  WRONG_ANSWERS,
  WRONG_OBJECTS,
  type Fault,
} from '../support/client/faults.js';
import {keptAnswer, type Script} from '../support/services/sockets.js';
import {some} from '../support/test-size.js';

const ERRORS: readonly Fault[] = [500, 502, 503, 504, 501, 520].map((status) => ({
  title: `a ${status}`,
  read: 'lost',
  script: () => ({answer: (socket) => void socket.write(keptAnswer(status, {errors: []}))}),
}));

const FAULTS = [...CUTS, ...SILENCES, ...GARBAGE, ...WRONG_ANSWERS, ...WRONG_OBJECTS, ...ERRORS];

/** The fault for the write, and a good response to every later read. */
function onlyForTheWrite(fault: Fault, call: Settled, shown: Settlement): Script {
  const {connect, begin, answer} = fault.script(call.good);
  let connections = 0;
  return {
    // A write has a connection of its own, and comes first.
    connect: (socket) => void (++connections === 1 && connect?.(socket)),
    begin: (socket) => connections === 1 && (begin?.(socket) ?? false),
    answer: (socket, request, count) =>
      request.method === 'GET' ? void socket.write(settlement(call, shown)) : answer?.(socket, request, count),
  };
}

const timeoutFor = (fault: Fault, limit = SHORT) => ({timeout: fault.read === 'silent' ? limit : undefined});
/** Milliseconds, also for the read afterwards on a busy machine. */
const WITH_READ = 10 * SHORT;
const writesSeen = ({requests}: Outcome) => requests.filter(({method}) => method !== 'GET').length;
const readsSeen = ({requests}: Outcome) => requests.filter(({method}) => method === 'GET').length;

/** `send` returns nothing, a deletion may return nothing, and the id of a created object is not known before. */
const isNoFault = (fault: Fault, call: Call): boolean =>
  (call.name.endsWith('.create') && fault === ANOTHER_OBJECT) ||
  (call.name.endsWith('.send') && WRONG_OBJECTS.includes(fault)) ||
  (/delete/.test(call.name) && fault === EMPTY_BODY);

describe.each(some(UNSETTLED, 2))('$name', (call) => {
  test.concurrent.each(FAULTS.filter((fault) => !isNoFault(fault, call)))(
    'after $title centavo could not confirm whether the call was applied, and nothing is sent again',
    async (fault) => {
      const outcome = await attempt(call, fault.script(call.good), timeoutFor(fault));
      expect(outcome.error?.kind).toBe('outcome_unknown');
      expect(outcome.error?.details).toMatchObject({applied: 'unknown'});
      expect(outcome.error?.details.retryable ?? false).toBe(false);
      expect(outcome.connections).toBe(1);
      expect(outcome.requests.length).toBeLessThanOrEqual(1);
    },
  );
});

describe.each(some(SETTLED, 2))('$name', (call) => {
  const faults = FAULTS.filter((fault) => !isNoFault(fault, call));

  test.concurrent.each(faults)('after $title, a get that shows it applied makes it a success', async (fault) => {
    const outcome = await attempt(call, onlyForTheWrite(fault, call, 'applied'), timeoutFor(fault, WITH_READ));
    expect(outcome.error).toBeUndefined();
    expect(outcome.result).toEqual(call.applied === 404 ? call.good : call.applied);
    expect([writesSeen(outcome), readsSeen(outcome)]).toEqual([fault === RESET_AT_FIRST_BYTES ? 0 : 1, 1]);
  });

  test.concurrent.each(faults)('after $title, a get that does not show it applied settles nothing', async (fault) => {
    const outcome = await attempt(call, onlyForTheWrite(fault, call, 'untouched'), timeoutFor(fault, WITH_READ));
    expect(outcome.error?.kind).toBe('outcome_unknown');
    expect(outcome.error?.details.applied).toBe('unknown');
    expect([writesSeen(outcome), readsSeen(outcome)]).toEqual([fault === RESET_AT_FIRST_BYTES ? 0 : 1, 1]);
  });

  test.concurrent.each(faults)('after $title, a get that fails leaves it unknown', async (fault) => {
    // Without the time of the machine, whether a read is repeated depends on the waits alone.
    const options = {...timeoutFor(fault, WITH_READ), now: () => 0};
    const outcome = await attempt(call, onlyForTheWrite(fault, call, 'unreadable'), options);
    expect(outcome.error?.kind).toBe('outcome_unknown');
    expect(outcome.error?.details.applied).toBe('unknown');
    expect([writesSeen(outcome), readsSeen(outcome)]).toEqual([fault === RESET_AT_FIRST_BYTES ? 0 : 1, 3]);
  });
});

test.each(WRITES)('$name, reset at once, reports no more than the server knows', async (call) => {
  const {error, requests, connections} = await attempt(call, {connect: RESET});
  // The kernel decides if the reset comes before or after the first byte; both must be reported correctly.
  if (error?.kind === 'outcome_unknown') expect(connections).toBeLessThanOrEqual(4);
  else
    expect({kind: error?.kind, applied: error?.details.applied, requests}).toEqual({
      kind: 'unavailable',
      applied: 'no',
      requests: [],
    });
});

test.each([200, 201, 202])('a created object with status %i is a success', async (status) => {
  const [create] = UNSETTLED;
  const {result} = await attempt(create!, {answer: (socket) => void socket.write(keptAnswer(status, create!.good))});
  expect(result).toEqual(create!.good);
});

test.each(UNSETTLED.filter(({name}) => name.endsWith('.create')))(
  '$name answered 204 is not known to be applied',
  async (call) => {
    const outcome = await attempt(call, {answer: (socket) => void socket.write('HTTP/1.1 204 No Content\r\n\r\n')});
    expectError(outcome, {kind: 'outcome_unknown', applied: 'unknown', requests: 1});
  },
);

test.each([...WRITES].filter(({name}) => /send|delete/.test(name)))('$name succeeds with a 204', async (call) => {
  const outcome = await attempt(call, {answer: (socket) => void socket.write('HTTP/1.1 204 No Content\r\n\r\n')});
  expect(outcome.error).toBeUndefined();
  expect(outcome.requests).toHaveLength(1);
});

test('a reset in the middle of a large body leaves the outcome unknown', async () => {
  const large: Call = {
    name: 'a large create',
    good: {},
    run: (client) => client.customers.create({name: 'x'.repeat(4_000_000), email: 'juan@example.com', currency: 'PHP'}),
  };
  const outcome = await attempt(large, {begin: (socket) => (RESET(socket), true)});
  expectError(outcome, {kind: 'outcome_unknown', applied: 'unknown', requests: 0});
  expect(outcome.connections).toBe(1);
});

test('refuses a response of a deletion that did not happen', async () => {
  const remove = SETTLED.find(({name}) => name === 'customers.delete')!;
  const outcome = await attempt(remove, {
    answer: (socket, request) =>
      void socket.write(
        request.method === 'GET' ? settlement(remove, 'untouched') : keptAnswer(200, {...remove.good, deleted: false}),
      ),
  });
  expect(outcome.error?.kind).toBe('outcome_unknown');
});

test('a get that returns another object settles nothing', async () => {
  const [finalize] = SETTLED;
  const outcome = await attempt(finalize!, {
    answer: (socket, request) =>
      void socket.write(
        request.method === 'GET' ? keptAnswer(200, {...finalize!.good, id: 'bstm_Other'}) : keptAnswer(500, ''),
      ),
  });
  expect(outcome.error?.kind).toBe('outcome_unknown');
});

/** Fields of a statement as asked by an update and as read after its lost response. */
const methods = (payment_methods: unknown) => ({payment_settings: {payment_methods}});
test.each<[asked: Record<string, unknown>, read: object, isApplied: boolean]>([
  [methods(['card', 'gcash']), methods(['card', 'gcash']), true],
  [methods(['card', 'gcash']), methods(['card', 'gcash', 'maya']), false],
  [methods(['card', 'gcash']), methods(['card']), false],
  [methods(['card', 'gcash']), methods(['gcash', 'card']), false],
  [methods(['card', 'gcash']), methods([]), false],
  [methods(['card', 'gcash']), methods(null), false],
  [methods(['card', 'gcash']), {}, false],
  // The metadata is replaced as a whole.
  [{metadata: {order: '17'}}, {metadata: {order: '17'}}, true],
  [{metadata: {order: '17'}}, {metadata: {order: '17', unit: '4B'}}, false],
  [{metadata: {order: '17'}}, {metadata: {}}, false],
  [{metadata: {order: '17'}}, {metadata: null}, false],
  [{metadata: {}}, {metadata: {order: '17'}}, false],
])('a lost update to %j that reads as %j counts as made: %s', async (asked, read, isApplied) => {
  const call = {
    name: 'update',
    run: (client: Client) => client.billingStatements.update(STATEMENT.id, asked),
    good: {},
  };
  const {error} = await attempt(call, {
    answer: (socket, {method}) =>
      void socket.write(method === 'GET' ? keptAnswer(200, {...STATEMENT, ...read}) : keptAnswer(502, '')),
  });
  expect(error?.kind).toBe(isApplied ? undefined : 'outcome_unknown');
});
