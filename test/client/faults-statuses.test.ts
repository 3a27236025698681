// Error statuses: the error for each, its message, and that neither an error nor a redirect is followed.

import {describe, expect, test} from 'vitest';
import {errorLines, errorObject} from '../../src/cli/dispatch/print-error.js';
import {CentavoError, type ErrorKind} from '../../src/common/errors.js';
import {redact} from '../../src/output/redaction/patterns.js';
import {attempt, clientOf, expectError, KEY, READS, SETTLED, UNSETTLED, type Call} from '../support/client/calls.js';
import {keptAnswer, socketServer} from '../support/services/sockets.js';

const [CREATE] = UNSETTLED;
const [FINALIZE] = SETTLED;
const [GET] = READS;

const answering = (bytes: string) => ({answer: (socket: {write(text: string): unknown}) => void socket.write(bytes)});

const REFUSALS: readonly [status: number, kind: ErrorKind][] = [
  [400, 'rejected'],
  [401, 'auth'],
  [402, 'rejected'],
  [403, 'auth'],
  [404, 'not_found'],
  [405, 'rejected'],
  [409, 'rejected'],
  [410, 'rejected'],
  [413, 'rejected'],
  [414, 'rejected'],
  [415, 'rejected'],
  [422, 'rejected'],
  [431, 'rejected'],
  [451, 'rejected'],
];

describe.each([GET!, CREATE!, FINALIZE!])('$name', (call) => {
  test.each(REFUSALS)('a %i is %s at once, with nothing applied', async (status, kind) => {
    const outcome = await attempt(call, answering(keptAnswer(status, {errors: [{code: 'a_code', detail: 'Why.'}]})));
    expectError(outcome, {kind, code: 'a_code', applied: call === GET ? undefined : 'no', requests: 1});
    expect(outcome.error?.details).toMatchObject({status, apiErrors: [{code: 'a_code', detail: 'Why.'}]});
  });

  test.each(REFUSALS)('a %i without the API’s own errors is %s too', async (status, kind) => {
    const bodies = ['', '<html></html>', 'null', '[]', '{"errors":"x"}', '{"errors":[null,1]}', '\u00ff\u0000'];
    for (const body of bodies)
      expectError(await attempt(call, answering(keptAnswer(status, body))), {
        kind,
        applied: call === GET ? undefined : 'no',
        requests: 1,
      });
  });
});

test.each([408, 425])('a %i to a read is retried, then unavailable', async (status) => {
  const outcome = await attempt(GET!, answering(keptAnswer(status, '')));
  expectError(outcome, {kind: 'unavailable', requests: 3});
});

test('a 425 to a write is not retried', async () => {
  const outcome = await attempt(CREATE!, answering(keptAnswer(425, '')));
  expectError(outcome, {kind: 'unavailable', applied: 'no', requests: 1});
});

test('a 408 to a write leaves its outcome unknown: a gateway may have forwarded it', async () => {
  const outcome = await attempt(CREATE!, answering(keptAnswer(408, '')));
  expectError(outcome, {kind: 'outcome_unknown', applied: 'unknown', requests: 1});
});

test.each([500, 502, 503, 504])('a %i to a read gets three attempts, with growing waits', async (status) => {
  const outcome = await attempt(GET!, answering(keptAnswer(status, '')));
  expectError(outcome, {kind: 'unavailable', requests: 3});
  expect(outcome.waits).toEqual([500, 1000]);
});

describe.each([GET!, CREATE!, FINALIZE!])('429 to $name', (call) => {
  const applied = call === GET ? undefined : 'no';

  test('is retried until the deadline, then reported', async () => {
    const outcome = await attempt(call, answering(keptAnswer(429, {errors: []})));
    expectError(outcome, {kind: 'rate_limited', applied, requests: 4});
    expect(outcome.error?.details.retryable).toBe(true);
    expect(outcome.waits).toEqual([500, 1000, 2000]);
  });

  test('is retried for a minute when the deadline allows it', async () => {
    const outcome = await attempt(call, answering(keptAnswer(429, {errors: []}, {'retry-after': '25'})), {
      timeout: 60_000,
    });
    expectError(outcome, {kind: 'rate_limited', applied, requests: 3});
    expect(outcome.waits).toEqual([25_000, 25_000]);
  });

  test('waits the time that Retry-After asks for', async () => {
    const outcome = await attempt(call, {
      answer: (socket, _request, count) =>
        void socket.write(count === 1 ? keptAnswer(429, '', {'retry-after': '2'}) : keptAnswer(200, call.good)),
    });
    expect(outcome).toMatchObject({result: call.good, waits: [2000]});
  });

  test.each([
    '-1',
    'abc',
    '1e9',
    '',
    // Immediate retries would send thousands of requests.
    '0',
    'Sun, 06 Nov 1994 08:49:37 GMT',
  ])('Retry-After: %j means growing waits', async (header) => {
    const outcome = await attempt(call, answering(keptAnswer(429, '', {'retry-after': header})));
    expectError(outcome, {kind: 'rate_limited', applied, requests: 4});
    expect(outcome.waits).toEqual([500, 1000, 2000]);
  });

  test.each(['21', '999999999', 'Fri, 31 Dec 2100 23:59:59 GMT'])(
    'Retry-After: %s is longer than the deadline allows: the time is told instead',
    async (header) => {
      const outcome = await attempt(call, answering(keptAnswer(429, '', {'retry-after': header})));
      expectError(outcome, {kind: 'rate_limited', applied, requests: 1});
      expect(outcome.error?.details.why).toMatch(/asks to wait \d+ s/);
      expect(errorObject(outcome.error!)).toMatchObject({error: {retry_after: outcome.error!.details.retryAfter}});
      expect(outcome.error?.details.retryAfter).toBeGreaterThan(20);
      expect(outcome.waits).toEqual([]);
    },
  );

  test('does not begin a wait that would outlast the deadline', async () => {
    const outcome = await attempt(call, answering(keptAnswer(429, '', {'retry-after': '6'})), {timeout: 5000});
    expectError(outcome, {kind: 'rate_limited', applied, requests: 1});
    expect(outcome.waits).toEqual([]);
  });
});

test('reports a refusal for the object’s status, with the API’s text', async () => {
  const body = {errors: [{code: 'resource_invalid_state', detail: 'It is open.', parameter: 'id'}]};
  const outcome = await attempt(FINALIZE!, answering(keptAnswer(400, body)));
  expectError(outcome, {kind: 'rejected', code: 'resource_invalid_state', applied: 'no', requests: 1});
});

test('reports the deletion of a missing object as not found', async () => {
  const remove = SETTLED.find(({name}) => name === 'billingStatements.delete')!;
  const outcome = await attempt(remove, answering(keptAnswer(404, {errors: []})));
  expectError(outcome, {kind: 'not_found', applied: 'no', requests: 1});
});

test('sends an API that is down at most three requests for a read, and one for a write', async () => {
  const server = await socketServer(answering(keptAnswer(503, '')));
  const {client} = clientOf(server.url, {timeout: 600_000});
  const calls = Array.from({length: 40}, (_, index) => (index % 2 ? GET! : CREATE!));
  await Promise.allSettled(calls.map((call) => call.run(client)));
  await client.close();
  await server.close();
  expect(server.requests).toHaveLength(20 * 3 + 20);
});

const REDIRECTS = [301, 302, 303, 307, 308].flatMap((status) =>
  [GET!, CREATE!, FINALIZE!].map((call): [number, string, Call] => [status, call.name, call]),
);

test.each(REDIRECTS)(
  'does not follow a %i of %s to another origin, nor send the key there',
  async (status, _, call) => {
    const elsewhere = await socketServer(answering(keptAnswer(200, call.good)));
    const outcome = await attempt(call, {
      answer: (socket, request) =>
        void socket.write(
          request.method === 'GET' && call !== GET
            ? keptAnswer(503, '')
            : keptAnswer(status, '', {location: `${elsewhere.url}${request.path}`}),
        ),
    });
    await elsewhere.close();
    expect(elsewhere.connections()).toBe(0);
    expect(outcome.error?.kind).toBe(call === GET ? 'unavailable' : 'outcome_unknown');
    expect(outcome.error?.details.why).toContain('does not follow');
    expect(outcome.requests.filter(({method}) => call === GET || method !== 'GET')).toHaveLength(1);
  },
);

test('removes the key from a response that repeats it, wherever errors are printed', async () => {
  const echo = {errors: [{code: 'authentication_invalid', detail: `The API key\n${KEY} is not valid.`}]};
  const server = await socketServer(answering(keptAnswer(401, echo)));
  const {client} = clientOf(server.url);
  const error = await GET!.run(client).catch((thrown: unknown) => thrown);
  await client.close();
  await server.close();
  expect(error).toBeInstanceOf(CentavoError);
  for (const line of [...errorLines(error as CentavoError), JSON.stringify(errorObject(error as CentavoError))])
    expect(redact(line)).not.toContain(KEY.slice(8));
});
