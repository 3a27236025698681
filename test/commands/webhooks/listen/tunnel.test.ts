// `webhooks listen --tunnel` end to end: a test program stands in for ngrok, and forwards real requests.

import {existsSync, mkdirSync, watch, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../../../support/cli.js';
import {freePort} from '../../../support/free-port.js';
import {listening, post, eventBytes, signatureOf, listeningWithSecret} from '../../../support/scenarios/listening.js';
import {Merchant} from '../../../support/scenarios/merchant.js';
import type {WatchOptions} from '../../../support/processes.js';
import {controlOf} from '../../../../src/sandbox/control/control.js';

/** Forwards requests from a given or free port, and exits on a request to /die. */
const TUNNEL = `
const http = require('node:http');
const [, , , to, from] = process.argv;
const [host, port] = to.split(':');
const server = http.createServer((request, response) => {
  if (request.url === '/die') { response.end(); server.close(); return process.exit(4); }
  const {url: path, method, headers} = request;
  const onward = http.request({host, port, path, method, headers}, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.writeHead(502).end());
  request.pipe(onward);
});
server.listen(Number(from) || 0, '127.0.0.1', () =>
  console.log(JSON.stringify({msg: 'started tunnel', url: 'http://127.0.0.1:' + server.address().port})));
`;

/** An environment with this ngrok on its PATH. */
function ngrokIn(directory: string, source = TUNNEL): WatchOptions {
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'ngrok'), `#!${process.execPath}\n${source}`, {mode: 0o755});
  return {env: {PATH: `${bin}:${process.env.PATH}`}};
}

const NGROK = ['--tunnel', 'ngrok'];

const originOf = (url: string): string => new URL(url).origin;

describe('through a tunnel', () => {
  test('receives events; reopens a dead tunnel, and moves the webhook with its secret unchanged', async () => {
    const directory = temporaryDirectory();
    const merchant = new Merchant(directory);
    const running = listening(directory, [...NGROK, '--print-secret'], ngrokIn(directory));
    const ready = await running.next('ready');
    expect(originOf(ready.public_url)).not.toBe(originOf(ready.url));
    const registered = await merchant.call('GET', `/webhooks/${ready.webhook_id}`);
    expect(registered.url).toBe(ready.public_url);
    const first = controlOf(merchant.sandbox).trigger('payment_intent.succeeded', {});
    const delivery = await running.next('delivery', ({event_id}) => event_id === first.id);
    const [, host] = (delivery.headers as [string, string][]).find(([name]) => name.toLowerCase() === 'host')!;
    expect(host).toBe(new URL(ready.public_url).host);

    await post(`${originOf(ready.public_url)}/die`).catch(() => {});
    expect((await running.next('disconnected')).message).toContain('status 4');
    const again = await running.next('reconnected');
    expect(originOf(again.public_url)).not.toBe(originOf(ready.public_url));
    expect(await merchant.call('GET', `/webhooks/${ready.webhook_id}`)).toMatchObject({
      url: again.public_url,
      secret_key: ready.secret,
      status: 'enabled',
    });
    const second = controlOf(merchant.sandbox).trigger('refund.created', {});
    expect(await running.next('delivery', ({event_id}) => event_id === second.id)).toMatchObject({verdict: 'genuine'});
    await running.stop();
    expect((await merchant.call('GET', '/webhooks')).data).toEqual([]);
    await expect(post(again.public_url)).rejects.toThrow();
    expect(running.records().filter(({type}) => type === 'refused')).toEqual([]);
    merchant.close();
  });

  test('of any program with a given secret: registers nothing, and accepts signed requests at the public URL', async () => {
    const directory = temporaryDirectory();
    const port = await freePort();
    const words = [
      '--tunnel',
      `command:ngrok http 127.0.0.1:{port} ${port}`,
      '--public-url',
      `http://127.0.0.1:${port}`,
    ];
    const running = listeningWithSecret(directory, words, ngrokIn(directory));
    const {public_url, webhook_id} = await running.next('ready');
    expect(webhook_id).toBeNull();
    expect(originOf(public_url)).toBe(`http://127.0.0.1:${port}`);
    const body = eventBytes();
    expect((await post(public_url, body, {signature: signatureOf(body)})).status).toBe(200);
    expect((await post(public_url, body, {signature: ''})).status).toBe(401);

    await post(`${originOf(public_url)}/die`).catch(() => {});
    expect((await running.next('reconnected')).public_url).toBe(public_url);
    expect((await post(public_url, body, {signature: signatureOf(body)})).status).toBe(200);
    await running.stop();
  });

  test('that leads elsewhere is never ready: registers nothing', async () => {
    const directory = temporaryDirectory();
    const merchant = new Merchant(directory);
    const elsewhere = TUNNEL.replace(
      'http.createServer(',
      'http.createServer((request, response) => response.writeHead(301, {location: "https://example.com/"}).end()); void (',
    );
    const running = listening(directory, NGROK, ngrokIn(directory, elsewhere));
    expect(await running.ended).toMatchObject({status: 8});
    expect(JSON.parse(running.stderr()).error).toMatchObject({code: 'tunnel_unproven'});
    expect(running.records().map(({type}) => type)).toEqual(['summary']);
    expect((await merchant.call('GET', '/webhooks')).data).toEqual([]);
    merchant.close();
  });

  test('that is not installed is exit 2, and says what is missing', async () => {
    const directory = temporaryDirectory();
    const running = listening(directory, [
      '--tunnel',
      'command:/no/such/tunnel {port}',
      '--public-url',
      'http://127.0.0.1:9',
    ]);
    expect(await running.ended).toMatchObject({status: 2});
    expect(running.stderr()).toContain('/no/such/tunnel');
    expect(running.stdout()).toBe('');
  });

  test('of any program needs --public-url: exit 2 without it, and starts no program', async () => {
    const directory = temporaryDirectory();
    const started = join(directory, 'started');
    const running = listening(directory, ['--tunnel', `command:touch '${started}'`]);
    expect(await running.ended).toMatchObject({status: 2});
    expect(JSON.parse(running.stderr()).error).toMatchObject({message: '--tunnel command: needs --public-url.'});
    expect(existsSync(started)).toBe(false);
    expect(running.stdout()).toBe('');
  });
});

test('ends cleanly at Ctrl-C while the tunnel opens', async () => {
  const directory = temporaryDirectory();
  const silent =
    'console.error("up"); require("node:fs").writeFileSync(__dirname + "/up", ""); setInterval(() => {}, 1e6);';
  const options = ngrokIn(directory, silent);
  const bin = join(directory, 'bin');
  const started = new Promise<void>((resolve) => {
    const watcher = watch(bin, () => {
      if (!existsSync(join(bin, 'up'))) return;
      watcher.close();
      resolve();
    });
  });
  const running = listening(directory, NGROK, options);
  await started;
  expect(await running.stop()).toBe(130);
  expect(running.records().map(({type}) => type)).toEqual(['summary']);
});
