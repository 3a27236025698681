// The ssh tunnel against a real sshd on loopback: bodies arrive byte-exact, a lost server is noticed, errors have words.

import {setTimeout as pause} from 'node:timers/promises';
import {randomBytes} from 'node:crypto';
import {chmodSync, copyFileSync, readFileSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {devNull} from 'node:os';
import {describe, expect, onTestFinished, test} from 'vitest';
import {valid} from '../../../src/input/fault.js';
import {readTunnel} from '../../../src/webhooks/tunnels/providers.js';
import {provePath} from '../../../src/webhooks/tunnels/ping.js';
import {keepTunnel, type TunnelState} from '../../../src/webhooks/tunnels/supervisor.js';
import type {ProgramHost} from '../../../src/programs/program.js';
import type {TunnelProvider} from '../../../src/webhooks/tunnels/tunnel.js';
import {isRunning, rejection} from '../../support/tunnels/programs.js';
import {digest, receiver, SECRET, sign} from '../../support/tunnels/receiver.js';
import {freePort} from '../../support/free-port.js';
import {privateSshd, sshdMissing, type Sshd} from '../../support/tunnels/sshd.js';

const missing = sshdMissing();
const host: ProgramHost = {env: process.env, kill: (pid, signal) => process.kill(pid, signal)};

test('there is an sshd, or the rest is skipped and says why; in CI that is a failure', () => {
  if (missing) console.log(`The tests of tunnels by ssh are skipped: ${missing}.`);
  expect(missing === undefined || !process.env.CI).toBe(true);
});

type Settings = Readonly<Record<string, string | number>>;

function provider(sshd: Sshd, settings: Settings = {}, publicUrl?: string): TunnelProvider {
  const query = Object.entries({config: devNull, identity: sshd.identity, 'known-hosts': sshd.knownHosts, ...settings})
    .map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
    .join('&');
  return valid(readTunnel(`ssh:${sshd.user}@127.0.0.1:${sshd.port}?${query}`, {host, publicUrl}));
}

function stopper(): AbortController {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  return controller;
}

const failure = (provider: TunnelProvider) => rejection(provider.open({localPort: 9, signal: stopper().signal}));

describe.skipIf(missing !== undefined)('a tunnel by ssh', () => {
  test('50 parallel bodies of 20 KB arrive byte-exact, with valid signatures', async () => {
    const sshd = await privateSshd();
    const {port, received} = await receiver();
    const tunnel = await provider(sshd).open({localPort: port, signal: stopper().signal});
    expect(tunnel.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);

    const bodies = Array.from({length: 50}, (_, index) =>
      Buffer.from(
        JSON.stringify({id: `evt_${index}`, livemode: false, text: `₱ ñ ${randomBytes(14_976).toString('base64')}`}),
      ),
    );
    expect(bodies.every(({length}) => length > 20_000)).toBe(true);
    const answers = await Promise.all(
      bodies.map(async (body) => {
        const response = await fetch(tunnel.url, {method: 'POST', body, headers: {'payrex-signature': sign(body)}});
        return {status: response.status, digest: await response.text()};
      }),
    );
    expect(answers).toEqual(bodies.map((body) => ({status: 200, digest: digest(body)})));
    expect(received.map(({digest}) => digest).sort()).toEqual(bodies.map((body) => digest(body)).sort());
    expect(received.every(({genuine}) => genuine)).toBe(true);

    await tunnel.close();
    expect(await tunnel.closed).toBe('ssh was stopped');
    await expect(fetch(tunnel.url)).rejects.toThrow();
  });

  test('a server that dies is noticed; when it is back the tunnel is opened and proven again', async () => {
    const sshd = await privateSshd();
    const {port, received} = await receiver();
    const controller = stopper();
    const states: TunnelState[] = [];
    const delays: number[] = [];
    let pings = 0;
    await keepTunnel({
      provider: provider(sshd, {'remote-port': await freePort()}),
      localPort: port,
      signal: controller.signal,
      prove: (url, signal) =>
        provePath({
          url,
          nonce: `nonce-${++pings}`,
          secret: SECRET,
          mode: 'test',
          now: () => Math.floor(Date.now() / 1000),
          signal,
          deadline: 5000,
          sleep: (milliseconds, until) => pause(milliseconds, undefined, {signal: until}),
        }),
      onState: async (state) => {
        states.push(state);
        if (state.state === 'ready') await sshd.kill();
        if (state.state === 'reconnected') controller.abort();
      },
      random: () => 0.5,
      // The first attempt finds no server, the second does.
      sleep: async (milliseconds, signal) => {
        if (milliseconds > 60_000) return new Promise((_, reject) => signal.addEventListener('abort', reject));
        delays.push(milliseconds);
        if (delays.length === 2) await sshd.start();
      },
    });
    const url = states[0]!.url;
    expect(states).toEqual([
      {state: 'ready', url},
      {state: 'disconnected', url, why: expect.stringMatching(/lost|ended/)},
      {state: 'reconnected', url, urlChanged: false},
    ]);
    expect(delays).toEqual([500, 1000]);
    expect(received.map(({ping, genuine}) => ({ping, genuine}))).toEqual([
      {ping: 'nonce-1', genuine: true},
      {ping: 'nonce-2', genuine: true},
    ]);
  });

  test('a port that the server chooses anew is another URL', async () => {
    const sshd = await privateSshd();
    const {port} = await receiver();
    const controller = stopper();
    const states: TunnelState[] = [];
    await keepTunnel({
      provider: provider(sshd),
      localPort: port,
      signal: controller.signal,
      prove: async () => {},
      onState: async (state) => {
        states.push(state);
        if (state.state === 'ready') {
          await sshd.kill();
          // The old port is taken meanwhile, so that it cannot be chosen again.
          const squatter = createServer().listen(Number(new URL(state.url).port));
          onTestFinished(() => void squatter.close());
          await sshd.start();
        }
        if (state.state === 'reconnected') controller.abort();
      },
      random: () => 0,
      sleep: async () => {},
      heartbeat: 0,
    });
    expect(states.at(-1)).toMatchObject({state: 'reconnected', urlChanged: true});
  });

  test('with a public URL, that is where the tunnel is', async () => {
    const sshd = await privateSshd();
    const {port} = await receiver();
    const remotePort = await freePort();
    const tunnel = await provider(sshd, {'remote-port': remotePort}, 'https://hooks.example.com/dev/').open({
      localPort: port,
      signal: stopper().signal,
    });
    expect(tunnel.url).toBe('https://hooks.example.com/dev');
    const body = Buffer.from('{}');
    const response = await fetch(`http://127.0.0.1:${remotePort}`, {
      method: 'POST',
      body,
      headers: {'payrex-signature': sign(body)},
    });
    expect(response.status).toBe(200);
    await tunnel.close();
  });

  test('a service tells its URL in a session, among others that are not meant', async () => {
    const greeting = String.raw`Welcome to localhost.run!\nFollow us at [https://example.social/us].\nhttps://localhost.run/docs/\n\033[32mab12cd.lhr.life tunneled with tls termination, https://ab12cd.lhr.life\033[0m\n`;
    const sshd = await privateSshd([`ForceCommand printf '${greeting}'; exec cat`]);
    const controller = stopper();
    const tunnel = await provider(sshd, {session: 'yes'}).open({localPort: 9, signal: controller.signal});
    expect(tunnel.url).toBe('https://ab12cd.lhr.life');
    controller.abort();
    expect(await tunnel.closed).toBe('ssh was stopped');
  });

  test('errors have clear words, and a next step', async () => {
    const sshd = await privateSshd();
    const occupied = createServer();
    // At every address: sshd is content with one of its loopback addresses.
    await new Promise<void>((resolve) => occupied.listen(0, resolve));
    onTestFinished(() => void occupied.close());
    const taken = (occupied.address() as {port: number}).port;
    const nobody = {...sshd, port: await freePort()};

    // Another key than the one that was known for this address.
    const changed = `${sshd.knownHosts}-changed`;
    const other = readFileSync(`${sshd.stranger}.pub`, 'utf8').split(' ').slice(0, 2).join(' ');
    writeFileSync(changed, `[127.0.0.1]:${sshd.port} ${other}\n`);
    const open = `${sshd.identity}-open`;
    copyFileSync(sshd.identity, open);
    chmodSync(open, 0o644);

    const [denied, readable, unknown, moved, refused, busy] = await Promise.all([
      failure(provider(sshd, {identity: sshd.stranger})),
      failure(provider(sshd, {identity: open})),
      failure(provider(sshd, {'known-hosts': devNull})),
      failure(provider(sshd, {'known-hosts': changed})),
      failure(provider(nobody)),
      failure(provider(sshd, {'remote-port': taken})),
    ]);
    expect(denied).toMatchObject({
      kind: 'unavailable',
      code: 'tunnel_denied',
      message: '127.0.0.1 did not accept any of your keys.',
    });
    expect(denied.details).toMatchObject({
      retryable: false,
      why: expect.stringContaining('Permission denied (publickey'),
    });
    expect(denied.details.hint).toContain(`ssh -o BatchMode=yes -p ${sshd.port} ${sshd.user}@127.0.0.1`);
    expect(readable).toMatchObject({
      code: 'tunnel_denied',
      message: expect.stringContaining('other users can read its file'),
    });
    expect(unknown).toMatchObject({
      code: 'tunnel_host_key',
      message: 'the host key of 127.0.0.1 is not known on this machine.',
    });
    expect(moved).toMatchObject({
      code: 'tunnel_host_key',
      message: expect.stringContaining('a different host key than before'),
    });
    expect(refused).toMatchObject({
      code: 'tunnel_refused',
      message: '127.0.0.1 refused the ssh connection at this port.',
    });
    expect(refused.details).toMatchObject({retryable: true, hint: expect.stringContaining('sshd')});
    expect(busy).toMatchObject({code: 'tunnel_port_taken', message: '127.0.0.1 does not forward the port.'});
    expect(busy.details).toMatchObject({retryable: true, hint: expect.stringContaining('remote-port=0')});
  });

  test('centavo dying takes the tunnel with it', async () => {
    const sshd = await privateSshd();
    const {port} = await receiver();
    let atExit: (() => void) | undefined;
    let pid = 0;
    const watched: ProgramHost = {
      env: process.env,
      kill: (group, signal) => {
        pid = -group;
        return process.kill(group, signal);
      },
      atExit: (cleanUp) => {
        atExit = cleanUp;
        return () => (atExit = undefined);
      },
    };
    const query = `config=${devNull}&identity=${encodeURIComponent(sshd.identity)}&known-hosts=${encodeURIComponent(sshd.knownHosts)}`;
    const tunnel = await valid(readTunnel(`ssh:${sshd.user}@127.0.0.1:${sshd.port}?${query}`, {host: watched})).open({
      localPort: port,
      signal: stopper().signal,
    });
    atExit!();
    expect(await tunnel.closed).toMatch(/^ssh was ended by SIGKILL\./);
    expect(atExit).toBeUndefined();
    expect(isRunning(pid)).toBe(false);
  });
});

test('without ssh, it says that it is not installed, before and when it is needed', async () => {
  const bare = valid(readTunnel('ssh:me@example.com', {host: {...host, env: {PATH: '/nowhere'}}}));
  expect(await bare.missing()).toMatch(/^ssh is not installed\. .*openssh-client/);
  const error = await failure(bare);
  expect(error).toMatchObject({code: 'tunnel_not_installed', message: 'ssh is not installed.'});
  expect(error.details).toMatchObject({retryable: false, hint: expect.stringContaining('apt install openssh-client')});
});
