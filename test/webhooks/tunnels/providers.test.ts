// Tunnels made by programs, with stand-ins that print what cloudflared and ngrok print: ready late, never, or dying.

import {describe, expect, onTestFinished, test} from 'vitest';
import {valueOrThrow} from '../../../src/input/invalid-input.js';
import {readTunnel, type TunnelOptions} from '../../../src/webhooks/tunnels/providers.js';
import type {ProcessHost} from '../../../src/processes/child-program.js';
import type {Tunnel, TunnelProvider} from '../../../src/webhooks/tunnels/tunnel.js';
import {isRunning, isSettled, rejection, standIns, untilGone, type Programs} from '../../support/tunnels/programs.js';

const CREATED = `2026-11-20T03:00:00Z INF Thank you for trying Cloudflare Tunnel. See https://developers.cloudflare.com/cloudflare-one
2026-11-20T03:00:00Z INF Requesting new quick Tunnel on trycloudflare.com...
2026-11-20T03:00:02Z INF +--------------------------------------------------------------------------------------+
2026-11-20T03:00:02Z INF |  Your quick Tunnel has been created! Visit it at (it may take some time to be reachable):  |
2026-11-20T03:00:02Z INF |  https://quiet-river-plain-stone.trycloudflare.com                                      |
2026-11-20T03:00:02Z INF +--------------------------------------------------------------------------------------+
`;
const REGISTERED =
  '2026-11-20T03:00:03Z INF Registered tunnel connection connIndex=0 connection=8f2b ip=198.51.100.7 location=mnl01 protocol=quic\n';
const STARTED =
  '{"addr":"http://127.0.0.1:4000","lvl":"info","msg":"started tunnel","name":"command_line","obj":"tunnels","t":"2026-11-20T03:00:00Z","url":"https://ab12-198-51-100-7.ngrok-free.app"}\n';

function opening(
  programs: Programs,
  text: string,
  options: Omit<TunnelOptions, 'host'> = {},
): {provider: TunnelProvider; opened: Promise<Tunnel>; controller: AbortController} {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const provider = valueOrThrow(readTunnel(text, {host: programs.host, ...options}));
  const opened = provider.open({localPort: 4000, signal: controller.signal});
  // Each test looks at it in its own time.
  opened.catch(() => {});
  return {provider, opened, controller};
}

describe('cloudflared', () => {
  test('is ready once a connection is registered, not when the URL is printed', async () => {
    const programs = await standIns('cloudflared');
    const {provider, opened} = opening(programs, 'cloudflared');
    expect(await provider.missing()).toBeUndefined();
    const running = await programs.next();
    expect(running.args).toEqual('tunnel --config /dev/null --url http://127.0.0.1:4000 --no-autoupdate'.split(' '));
    await running.err(CREATED);
    expect(await isSettled(opened)).toBe(false);
    await running.err(REGISTERED);
    const tunnel = await opened;
    expect(tunnel.url).toBe('https://quiet-river-plain-stone.trycloudflare.com');

    await tunnel.close();
    expect(isRunning(running.pid)).toBe(false);
    expect(await tunnel.closed).toBe('cloudflared was stopped');
    await tunnel.close();
  });

  test('reports its last output without secrets when it dies', async () => {
    const programs = await standIns('cloudflared');
    const {opened} = opening(programs, 'cloudflared');
    const running = await programs.next();
    await running.err(CREATED + REGISTERED);
    const tunnel = await opened;
    await running.err(
      '2026-11-20T04:00:00Z \u001B[31mERR\u001B[0m Unauthorized: token=eyJhIjoiZjAwZjAwZjAwIn0 is not valid\nINF Tunnel server stopped\n',
    );
    running.exit(1);
    expect(await tunnel.closed).toBe(
      'cloudflared ended with status 1. It printed: 2026-11-20T04:00:00Z ERR Unauthorized: token=… is not valid',
    );
  });

  test('that ends at once is an error with its output', async () => {
    const programs = await standIns('cloudflared');
    const {opened} = opening(programs, 'cloudflared');
    const running = await programs.next();
    await running.err(
      '2026-11-20T03:00:01Z ERR failed to request quick Tunnel: Post "https://api.trycloudflare.com/tunnel": dial tcp: no such host\n',
    );
    running.exit(1);
    const error = await rejection(opened);
    expect(error).toMatchObject({
      kind: 'unavailable',
      code: 'tunnel_failed',
      message: 'cloudflared ended with status 1 before its tunnel was ready.',
    });
    expect(error.details.why).toContain('It printed: 2026-11-20T03:00:01Z ERR failed to request quick Tunnel');
  });

  test('that is rate limited has its own error', async () => {
    const programs = await standIns('cloudflared');
    const {opened} = opening(programs, 'cloudflared');
    const running = await programs.next();
    await running.err(
      'ERR Error unmarshaling QuickTunnel response: error code: 1015 status_code="429 Too Many Requests"\n',
    );
    running.exit(1);
    expect(await rejection(opened)).toMatchObject({code: 'tunnel_rate_limited'});
  });

  test('that is never ready is stopped at the deadline', async () => {
    const programs = await standIns('cloudflared');
    const ended: number[] = [];
    const host: ProcessHost = {
      ...programs.host,
      kill: (group, signal) => {
        ended.push(-group);
        return process.kill(group, signal);
      },
    };
    const provider = valueOrThrow(readTunnel('cloudflared', {host, readyTimeout: 100}));
    const error = await rejection(provider.open({localPort: 4000, signal: new AbortController().signal}));
    expect(error).toMatchObject({
      code: 'tunnel_not_ready',
      message: 'the cloudflared tunnel was not ready after 0.1 s.',
    });
    expect(error.details).toMatchObject({why: 'It printed nothing.', retryable: true});
    expect(ended.length).toBeGreaterThan(0);
    expect(ended.filter(isRunning)).toEqual([]);
  });
});

describe('ngrok', () => {
  test('gets its URL from the log, among garbage', async () => {
    const programs = await standIns('ngrok');
    const {opened} = opening(programs, 'ngrok');
    const running = await programs.next();
    expect(running.args).toEqual(['http', '127.0.0.1:4000', '--log', 'stdout', '--log-format', 'json']);
    await running.out(
      'null\n[1]\n{"msg":"started tunnel"}\n{"msg":"started tunnel","url":7}\n{"msg":"started tunnel","url":"tcp://x:1"}\n',
    );
    await running.out(
      '{"lvl":"info","msg":"client session established","url":"https://not-this.example"}\n\u0007\u001B[31m{"broken\n',
    );
    await running.out('x'.repeat(100_000));
    await running.out(`\n${STARTED.slice(0, 40)}`);
    expect(await isSettled(opened)).toBe(false);
    await running.out(STARTED.slice(40));
    const tunnel = await opened;
    expect(tunnel.url).toBe('https://ab12-198-51-100-7.ngrok-free.app');
    await tunnel.close();
  });

  test.each([
    ['ERR_NGROK_4018', 'ngrok has no authtoken.', false],
    ['ERR_NGROK_105', 'ngrok refused your authtoken.', false],
    ['ERR_NGROK_108', 'your ngrok account does not allow another session.', true],
  ])('%s has a clear message', async (number, message, retryable) => {
    const programs = await standIns('ngrok');
    const {opened} = opening(programs, 'ngrok');
    const running = await programs.next();
    await running.out(
      `{"err":"authentication failed: no.\\n\\n${number}","lvl":"eror","msg":"failed to reconnect session"}\n`,
    );
    running.exit(1);
    const error = await rejection(opened);
    expect(error).toMatchObject({kind: 'unavailable', message});
    expect(error.details).toMatchObject({
      retryable,
      why: `ngrok reported ${number}.`,
      hint: expect.any(String),
    });
  });

  test('quotes other errors without the token', async () => {
    const programs = await standIns('ngrok');
    const {opened} = opening(programs, 'ngrok');
    const running = await programs.next();
    await running.out(
      '{"err":"the authtoken 2abcDEF0123456789abcdefGHIJ_4kLmNopQrStUvWxYz is odd","lvl":"eror"}\n{"err":"<nil>","lvl":"info"}\n',
    );
    running.exit(1);
    const {details} = await rejection(opened);
    expect(details.why).toBe('It printed: the authtoken 2abc… is odd');
  });

  test('requests a reserved URL', async () => {
    const programs = await standIns('ngrok');
    opening(programs, 'ngrok', {publicUrl: 'https://mine.ngrok.app'});
    expect((await programs.next()).args.at(-1)).toBe('--url=https://mine.ngrok.app');
  });
});

describe('any program', () => {
  const publicUrl = 'https://mine.example';
  const COMMAND = `command:mytunnel -R 8080:127.0.0.1:{port} --name "two words" 'single \\' a\\ b $HOME;ls`;

  test("starts without a shell and without centavo's secrets, with the port", async () => {
    const programs = await standIns('mytunnel');
    opening(programs, COMMAND, {publicUrl});
    const running = await programs.next();
    expect(running.args).toEqual(['-R', '8080:127.0.0.1:4000', '--name', 'two words', 'single \\', 'a b', '$HOME;ls']);
    expect(Object.keys(running.environment).filter((name) => name.startsWith('CENTAVO_'))).toEqual([]);
    expect(running.environment.PATH).toBe(programs.folder);
  });

  test('is ready at the public URL once started', async () => {
    const programs = await standIns('mytunnel');
    const {opened} = opening(programs, 'command:mytunnel', {publicUrl: `${publicUrl}/dev/`});
    const tunnel = await opened;
    expect(tunnel.url).toBe(`${publicUrl}/dev`);
    const running = await programs.next();
    await tunnel.close();
    expect(isRunning(running.pid)).toBe(false);
  });

  test('without --public-url is refused', async () => {
    const {host} = await standIns('mytunnel');
    const refused = expect.objectContaining({kind: 'usage', message: '--tunnel command: needs --public-url.'});
    expect(() => valueOrThrow(readTunnel('command:mytunnel', {host}))).toThrow(refused);
  });

  test('ends its child processes when closed or dead', async () => {
    for (const end of ['close', 'die'] as const) {
      const programs = await standIns('mytunnel');
      const {opened} = opening(programs, 'command:mytunnel', {publicUrl});
      const running = await programs.next();
      const child = await running.child();
      expect(isRunning(child)).toBe(true);
      const tunnel = await opened;
      if (end === 'close') await tunnel.close();
      else running.exit(0);
      expect(await tunnel.closed).toBe(
        end === 'close' ? 'mytunnel was stopped' : 'mytunnel ended with status 0. It printed nothing.',
      );
      expect(isRunning(running.pid)).toBe(false);
      // It takes no notice of being asked, so that without force it would be there for ever.
      await untilGone([child]);
    }
  });

  test('kills a program that does not end within 2 s', async () => {
    const programs = await standIns('mytunnel');
    const {opened} = opening(programs, 'command:mytunnel', {publicUrl});
    const running = await programs.next();
    await running.stubborn();
    const tunnel = await opened;
    await Promise.all([tunnel.close(), tunnel.close()]);
    expect(isRunning(running.pid)).toBe(false);
    expect(await tunnel.closed).toBe('mytunnel was stopped');
  });

  test('ends on abort, while opening and later', async () => {
    const programs = await standIns('ngrok', 'mytunnel');
    const early = opening(programs, 'ngrok');
    const first = await programs.next();
    early.controller.abort();
    expect(await rejection(early.opened)).toMatchObject({kind: 'interrupted'});
    expect(isRunning(first.pid)).toBe(false);

    const late = opening(programs, 'command:mytunnel', {publicUrl});
    const tunnel = await late.opened;
    const second = await programs.next();
    late.controller.abort();
    expect(await tunnel.closed).toBe('mytunnel was stopped');
    expect(isRunning(second.pid)).toBe(false);

    const never = valueOrThrow(readTunnel('command:mytunnel', {host: programs.host, publicUrl}));
    expect(await rejection(never.open({localPort: 1, signal: AbortSignal.abort()}))).toMatchObject({
      kind: 'interrupted',
    });
  });
});

test.each(['cloudflared', 'ngrok', 'command:mytunnel'])(
  '%s that is not there is told before and when it is needed',
  async (text) => {
    const programs = await standIns();
    const name = text.replace('command:', '');
    const options = text === name ? {} : {publicUrl: 'https://mine.example'};
    const {provider, opened} = opening(programs, text, options);
    expect(await provider.missing()).toMatch(new RegExp(`^${name} is not installed\\. `));
    const error = await rejection(opened);
    expect(error).toMatchObject({
      kind: 'unavailable',
      code: 'tunnel_not_installed',
      message: `${name} is not installed.`,
    });
    expect(error.details).toMatchObject({retryable: false, hint: expect.any(String)});
  },
);
