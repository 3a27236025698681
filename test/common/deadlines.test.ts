// Time limits fire whatever the garbage collector removes, and leave no listeners behind.

import {createServer} from 'node:http';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {beforeAll, beforeEach, afterEach, describe, expect, test} from 'vitest';
import {abortPromise, linkAbort, withDeadline} from '../../src/common/deadlines.js';
import {loadUndici} from '../../src/http/send-request.js';
import {chosenCases, runConformance} from '../../src/webhooks/conformance/conformance.js';
import {postSigned} from '../../src/webhooks/signature/synthetic.js';
import {verifyTunnelPath} from '../../src/webhooks/tunnels/verify-path.js';
import {clientOf} from '../support/client/calls.js';
import {listen} from '../support/services/sockets.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

describe('under a collector that runs all the time', () => {
  let url: string;
  let collecting: NodeJS.Timeout;
  beforeAll(async () => {
    // Loading it on a busy machine may take longer than the shortest limit, and nothing would be sent.
    await loadUndici();
    const silent = await listen(createServer(() => {}));
    url = silent.url;
    return silent.close;
  });
  beforeEach(() => {
    collecting = setInterval(collect, 20);
  });
  afterEach(() => clearInterval(collecting));

  const interruption = new AbortController();
  const {signal} = interruption;

  test('a request without a response ends in time', async () => {
    const {client} = clientOf(url, {timeout: 300});
    const creating = client.customers.create({name: 'Ana', email: 'ana@example.com', currency: 'PHP'}, {signal});
    await expect(creating).rejects.toMatchObject({kind: 'outcome_unknown'});
    await client.close();
  });

  test('the check of a path ends in time', async () => {
    const options = {
      url,
      nonce: 'n',
      secret: 'whsk_0123456789abcdef',
      secretName: 'the secret',
      otherSecrets: () => Promise.resolve([]),
      mode: 'test',
      now: () => 0,
      signal,
      deadline: 300,
    } as const;
    const proving = verifyTunnelPath({...options, sleep: (_, until) => abortPromise(until)});
    await expect(proving).rejects.toMatchObject({code: 'tunnel_unproven'});
  });

  test('a silent handler times out', async () => {
    const {cases} = await runConformance({
      url: new URL(url),
      secret: 'whsk_0123456789abcdef',
      secretName: 'the secret',
      otherSecrets: async () => [],
      mode: 'test',
      type: 'billing_statement.paid',
      data: {},
      cases: chosenCases(['valid']),
      timeout: 300,
      now: () => 0,
      token: () => 'token',
      signal,
    });
    expect(cases[0]!.faults).toEqual([
      'the event: no response within 0.3 s. Your app took too long: answer with 200 first, then do the work.',
    ]);
  });

  test('an event posted to a silent handler times out', async () => {
    const event = {body: Buffer.from('{}'), secret: 'whsk_0123456789abcdef', mode: 'test', timestamp: 0} as const;
    const sent = await postSigned(new URL(url), event, 300);
    expect(sent.error).toBe('no response within 0.3 s');
    expect(sent.milliseconds).toBeGreaterThan(250);
  });
});

const never = (signal: AbortSignal): Promise<never> => abortPromise(signal);

test('a time limit ends with a TimeoutError; an interruption keeps its reason', async () => {
  await expect(withDeadline(5, undefined, never)).rejects.toMatchObject({name: 'TimeoutError'});
  const outer = new AbortController();
  const waiting = withDeadline(60_000, outer.signal, never);
  outer.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(withDeadline(60_000, outer.signal, never)).rejects.toThrow('enough');
});

test('ten thousand limits leave no listener on a longer-lived signal', async () => {
  const added: string[] = [];
  const outer = new AbortController();
  const {signal} = outer;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...given: Parameters<typeof add>) => (added.push('one'), add(...given));
  signal.removeEventListener = (...given: Parameters<typeof remove>) => (added.pop(), remove(...given));
  for (let count = 0; count < 10_000; count++) await withDeadline(60_000, signal, () => Promise.resolve());
  await expect(withDeadline(60_000, signal, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(added).toEqual([]);
});

test('a released signal is no longer aborted', () => {
  const outer = new AbortController();
  const [kept, released] = [new AbortController(), new AbortController()];
  linkAbort(kept, outer.signal);
  linkAbort(released, outer.signal)();
  outer.abort('over');
  expect([kept.signal.reason, released.signal.aborted]).toEqual(['over', false]);
});

test('a limit beyond the maximum of a timer does not fire at once', async () => {
  const task = async (signal: AbortSignal): Promise<boolean> => {
    // Node turns too long a delay into one millisecond, which would fire before this.
    await new Promise((resolve) => setTimeout(resolve, 2));
    return signal.aborted;
  };
  for (const long of [2 ** 31, 30 * 86_400_000, Infinity])
    expect(await withDeadline(long, undefined, task)).toBe(false);
});
