// Keeping a tunnel open: what is reported, how long is waited, when it is given up, and that nothing is left behind.

import {expect, onTestFinished, test} from 'vitest';
import {CentavoError} from '../../../src/common/errors.js';
import {valueOrThrow} from '../../../src/input/invalid-input.js';
import {readTunnel} from '../../../src/webhooks/tunnels/providers.js';
import {
  keepTunnel,
  reconnectDelay,
  type KeepTunnelOptions,
  type TunnelState,
} from '../../../src/webhooks/tunnels/supervisor.js';
import {tunnelError, type TunnelProvider} from '../../../src/webhooks/tunnels/tunnel.js';
import {isRunning, rejection, standIns, type Running} from '../../support/tunnels/programs.js';

type Step = CentavoError | string;

interface Opened {
  readonly url: string;
  closed: boolean;
  readonly lose: (why: string) => void;
}

/** A provider that opens these URLs, or fails with these errors, one after the other. */
function scripted(...steps: Step[]): {provider: TunnelProvider; opened: Opened[]} {
  const opened: Opened[] = [];
  const provider: TunnelProvider = {
    name: 'scripted',
    missing: () => Promise.resolve(undefined),
    open: ({signal}) => {
      const step = steps.shift();
      if (typeof step !== 'string') return Promise.reject(step ?? new Error('opened too often'));
      let end: (why: string) => void;
      const closed = new Promise<string>((resolve) => (end = resolve));
      const one: Opened = {url: step, closed: false, lose: (why) => end(why)};
      opened.push(one);
      const close = (): Promise<void> => {
        one.closed = true;
        end('it was closed');
        return Promise.resolve();
      };
      signal.addEventListener('abort', () => void close());
      return Promise.resolve({url: step, closed, close});
    },
  };
  return {provider, opened};
}

const A = 'https://a.example';
const B = 'https://b.example';
const failed = (): CentavoError => tunnelError('tunnel_failed', 'failed');
const denied = (): CentavoError => tunnelError('tunnel_denied', 'denied', {retryable: false});

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(new Error('aborted'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, {once: true});
  });

/** Keeps a tunnel; pauses take no time and are written down, and heartbeats come only when asked for. */
function keep(
  provider: TunnelProvider,
  options: Partial<KeepTunnelOptions> & {onState?: (state: TunnelState) => unknown} = {},
) {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const states: TunnelState[] = [];
  const delays: number[] = [];
  const proven: string[] = [];
  const {onState, ...rest} = options;
  const kept = keepTunnel({
    provider,
    localPort: 4000,
    signal: controller.signal,
    verify: async (url) => void proven.push(url),
    random: () => 1,
    sleep: async (milliseconds) => void delays.push(milliseconds),
    heartbeat: 0,
    onState: (state) => {
      states.push(state);
      return onState?.(state);
    },
    ...rest,
  });
  kept.catch(() => {});
  return {kept, controller, states, delays, proven};
}

test('the delay is random below a bound that doubles up to 30 s', () => {
  const bounds = Array.from({length: 8}, (_, index) => reconnectDelay(index + 1, 1));
  expect(bounds).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  expect(reconnectDelay(2000, 1)).toBe(30_000);
  for (const [index, bound] of bounds.entries()) {
    expect(reconnectDelay(index + 1, 0)).toBe(0);
    expect(reconnectDelay(index + 1, 0.5)).toBe(bound / 2);
  }
});

test('reports each change once, with a new URL', async () => {
  const {provider, opened} = scripted(A, failed(), failed(), B, B);
  let changes = 0;
  const {kept, controller, states, delays, proven} = keep(provider, {
    onState: ({state}) => {
      changes++;
      if (changes === 1 || changes === 3) opened.at(-1)!.lose('gone');
      if (changes === 5) controller.abort();
      return state;
    },
  });
  await kept;
  expect(states).toEqual([
    {state: 'ready', url: A},
    {state: 'disconnected', url: A, why: 'gone'},
    {state: 'reconnected', url: B, urlChanged: true},
    {state: 'disconnected', url: B, why: 'gone'},
    {state: 'reconnected', url: B, urlChanged: false},
  ]);
  expect(proven).toEqual([A, B, B]);
  // A tunnel that has not stayed does not make the next wait shorter.
  expect(delays).toEqual([1000, 2000, 4000, 8000]);
  expect(opened.every(({closed}) => closed)).toBe(true);
});

test('notices a dead tunnel, and resets the delay after a healthy one', async () => {
  const {provider, opened} = scripted(A, failed(), A);
  let proofs = 0;
  const delays: number[] = [];
  const {kept, states, controller} = keep(provider, {
    heartbeat: 77,
    // At start, by the heart once, then no more; after reconnecting, by the heart once.
    verify: async () => {
      if (++proofs === 3) throw tunnelError('tunnel_unproven', 'no ping came back');
    },
    sleep: async (milliseconds) => {
      if (milliseconds !== 77) delays.push(milliseconds);
      else if (proofs === 5) opened.at(-1)!.lose('gone');
      if (delays.length === 3) controller.abort();
    },
  });
  await kept;
  expect(states.map(({state}) => state)).toEqual(['ready', 'disconnected', 'reconnected', 'disconnected']);
  expect(states[1]).toEqual({state: 'disconnected', url: A, why: 'no ping came back'});
  expect(delays).toEqual([1000, 2000, 1000]);
  expect(opened.every(({closed}) => closed)).toBe(true);
});

test('does not retry a failed start, and leaves nothing open', async () => {
  expect(await rejection(keep(scripted(failed()).provider).kept)).toMatchObject({code: 'tunnel_failed'});

  const {provider, opened} = scripted(A);
  const unproven = tunnelError('tunnel_unproven', 'no ping came back');
  const {kept, states} = keep(provider, {verify: () => Promise.reject(unproven)});
  expect(await rejection(kept)).toBe(unproven);
  expect(states).toEqual([]);
  expect(opened.map(({closed}) => closed)).toEqual([true]);
});

test('reports a tunnel lost during verification at once', async () => {
  const {provider, opened} = scripted(A);
  const {kept} = keep(provider, {
    verify: (_, signal) => {
      opened[0]!.lose('the server hung up');
      return untilAborted(signal);
    },
  });
  expect(await rejection(kept)).toMatchObject({code: 'tunnel_lost', details: {why: 'The server hung up.'}});
});

test('stops for good after a permanent error or a bug', async () => {
  for (const last of [denied(), new TypeError('a bug') as unknown as CentavoError]) {
    const {provider, opened} = scripted(A, failed(), last);
    const {kept, states} = keep(provider, {onState: ({state}) => void (state === 'ready' && opened[0]!.lose('gone'))});
    expect(await rejection(kept)).toBe(last);
    expect(states.map(({state}) => state)).toEqual(['ready', 'disconnected']);
  }
});

test('ends when onState throws, and leaves nothing open', async () => {
  const {provider, opened} = scripted(A);
  const rejected = new CentavoError('rejected', 'the webhook could not be registered');
  expect(await rejection(keep(provider, {onState: () => Promise.reject(rejected)}).kept)).toBe(rejected);
  expect(opened.map(({closed}) => closed)).toEqual([true]);
});

test.each(['opening', 'proving', 'telling', 'ready', 'waiting', 'opening again', 'proving again'])(
  'stopped while %s, it ends in order and no process is left',
  async (moment) => {
    const programs = await standIns('ngrok');
    const started: Running[] = [];
    const controller = new AbortController();
    const at = (now: string): void => {
      if (now === moment) controller.abort();
    };
    const provider = valueOrThrow(readTunnel('ngrok', {host: programs.host}));
    const again = (): string => (started.length > 1 ? ' again' : '');
    const watched: TunnelProvider = {
      ...provider,
      open: async (options) => {
        const opened = provider.open(options);
        opened.catch(() => {});
        const running = await programs.next();
        started.push(running);
        at(`opening${again()}`);
        if (!controller.signal.aborted) await running.out('{"msg":"started tunnel","url":"https://a.example"}\n');
        return opened;
      },
    };
    const states: string[] = [];
    const {kept} = keep(watched, {
      signal: controller.signal,
      verify: async () => at(`proving${again()}`),
      onState: ({state}) => {
        states.push(state);
        at('telling');
        if (state !== 'ready') return;
        if (moment === 'ready') setImmediate(() => at('ready'));
        else if (!controller.signal.aborted) started[0]!.exit(1);
      },
      sleep: async () => at('waiting'),
    });
    await kept;
    const first = ['opening', 'proving'].includes(moment);
    const second = ['waiting', 'opening again', 'proving again'].includes(moment);
    expect(states).toEqual(first ? [] : second ? ['ready', 'disconnected'] : ['ready']);
    expect(started).toHaveLength(moment.endsWith('again') ? 2 : 1);
    expect(started.filter(({pid}) => isRunning(pid))).toEqual([]);
  },
);
