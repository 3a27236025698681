// Secrets that other processes could read while centavo runs: none on a command line, and none passed to a child.

import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {cli, temporaryDirectory} from '../../support/cli.js';
import {freePort} from '../../support/free-port.js';
import {startHandler, HANDLER_SECRET} from '../../webhooks/fixtures/handler.js';
import {CANARIES} from '../../support/scenarios/canaries.js';
import {listeningProcess} from '../../support/scenarios/listening.js';
import {watch} from '../../support/processes.js';

interface Seen {
  readonly parent: number;
  readonly commandLine: string;
  /** Lines of `NAME=value`. */
  environment: string;
}

const read = (pid: number | string, name: string): string =>
  readFileSync(`/proc/${pid}/${name}`, 'utf8').replaceAll('\0', '\n');

/** Scans every process below one until the test is done. */
function watchTree(root: number): Map<number, Seen> {
  const seen = new Map<number, Seen>();
  const look = (): void => {
    for (const pid of readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)) {
      try {
        const stat = read(pid, 'stat');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        if (pid !== root && !seen.has(parent)) continue;
        seen.set(pid, {parent, commandLine: read(pid, 'cmdline'), environment: read(pid, 'environ')});
      } catch {
        // It has gone.
      }
    }
  };
  look();
  const timer = setInterval(look, 2);
  onTestFinished(() => clearInterval(timer));
  return seen;
}

/** Forwards requests from the second port to the first. */
const TUNNEL = `
const http = require('node:http');
const server = http.createServer((request, response) => {
  const {url: path, method, headers} = request;
  const onward = http.request({host: '127.0.0.1', port: process.argv[2], path, method, headers}, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  request.pipe(onward);
});
server.listen(process.argv[3], '127.0.0.1');
setInterval(() => {}, 1e6);`;

/** Starts a child with the same environment. */
const APP = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], {stdio: 'ignore'});
setInterval(() => {}, 1e6);`;

/** Writes its environment to a file. */
const NOTES = `require('node:fs').appendFileSync(process.argv[2], JSON.stringify(process.env) + '\\n'); console.log(0);`;

function script(directory: string, name: string, source: string): string {
  const file = join(directory, `${name}.cjs`);
  writeFileSync(file, source);
  return file;
}

describe.skipIf(!existsSync('/proc/self/environ'))('listening with a tunnel and an app', () => {
  test('no process has a secret on its command line, and no child has the key in its environment', async () => {
    const directory = temporaryDirectory();
    const served = watch(directory, ['sandbox', 'serve', '--port', '0', '--json']);
    onTestFinished(() => void served.child.kill('SIGKILL'));
    const account = JSON.parse((await served.until(/^.*\n/))[0]) as {url: string; secret_key: string};
    const port = await freePort();
    const running = listeningProcess(
      temporaryDirectory(),
      [
        '--print-secret',
        '--tunnel',
        `command:'${process.execPath}' '${script(directory, 'tunnel', TUNNEL)}' {port} ${port}`,
        '--public-url',
        `http://127.0.0.1:${port}`,
        '--',
        process.execPath,
        script(directory, 'app', APP),
      ],
      {
        env: {
          CENTAVO_BASE_URL: account.url,
          CENTAVO_SECRET_KEY: account.secret_key,
          CENTAVO_WEBHOOK_SECRET: CANARIES.webhook.text,
          KEPT: 'kept',
        },
      },
    );
    const seen = watchTree(running.child.pid!);
    const {secret} = await running.next('ready');
    await cli(directory)(['webhooks', 'trigger', 'payment_intent.succeeded']);
    await running.next('delivery', ({event_type}) => event_type === 'payment_intent.succeeded');
    expect(await running.stop()).toBe(130);

    const children = [...seen].filter(([pid]) => pid !== running.child.pid);
    const named = (name: string): Seen[] =>
      children.map(([, each]) => each).filter(({commandLine}) => commandLine.includes(`${name}.cjs`));
    expect([named('tunnel').length, named('app').length]).toEqual([1, 1]);
    const hidden = [account.secret_key, CANARIES.webhook.text];
    expect(children.length).toBeGreaterThanOrEqual(3);
    for (const {commandLine} of seen.values())
      for (const each of [...hidden, secret]) expect(commandLine).not.toContain(each);
    for (const [, {environment, commandLine}] of children) {
      for (const each of hidden) expect(environment, commandLine).not.toContain(each);
      expect(environment).toMatch(/^KEPT=kept$/m);
    }
    // It is given to the app on purpose, and to no other.
    const given = children.filter(([, {environment}]) => environment.includes(secret));
    expect(
      given.every(([pid, {parent}]) => seen.get(pid) === named('app')[0] || seen.get(parent) === named('app')[0]),
    ).toBe(true);
    expect(named('app')[0]!.environment).toContain(`PAYREX_WEBHOOK_SECRET=${secret}\n`);
    console.log(
      `${seen.size} processes looked at: ${seen.size} command lines and ${children.length} environments without a secret.`,
    );
  });
});

test('the program of webhooks test has neither the key nor the secret', async () => {
  const directory = temporaryDirectory();
  const {url} = await startHandler();
  const out = join(directory, 'given');
  const words = ['webhooks', 'test', url, '--only', 'valid'];
  const env = {
    CENTAVO_SECRET_KEY: CANARIES.key.text,
    CENTAVO_WEBHOOK_SECRET: HANDLER_SECRET,
  };
  const command = `'${process.execPath}' '${script(directory, 'notes', NOTES)}' '${out}'`;
  await cli(directory, {env: {...env, KEPT: 'kept'}})([...words, '--state-command', command]);
  const given = readFileSync(out, 'utf8');
  expect(given).toContain('"KEPT":"kept"');
  for (const each of Object.values(env)) expect(given).not.toContain(each);
});
