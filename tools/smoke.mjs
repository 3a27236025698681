// A short test of the built program under the current Node: start, state, HTTP and output.
// node smoke.mjs [bin/run.js of an installed package]; without it, the clone's.

import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, readdirSync, rmSync} from 'node:fs';
import * as module from 'node:module';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const program = resolve(process.argv[2] ?? fileURLToPath(new URL('../bin/run.js', import.meta.url)));
// Windows has no file modes, and ends a program at once.
const windows = process.platform === 'win32';
const data = mkdtempSync(join(tmpdir(), 'centavo-smoke-'));
const env = {
  ...{PATH: process.env.PATH, HOME: data, CENTAVO_DATA_DIR: data},
  // Without them, Windows starts nothing.
  ...(windows && {SystemRoot: process.env.SystemRoot, USERPROFILE: data, APPDATA: data, LOCALAPPDATA: data}),
};
const run = (args, extra = {}, cwd = undefined) =>
  execFileSync(process.execPath, [program, ...args], {
    cwd,
    encoding: 'utf8',
    env: {...env, ...extra},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
let passed = 0;
const step = async (name, work) => {
  await work();
  passed++;
  console.log(`ok  ${name}`);
};

try {
  await step('prints its version', () => assert.match(run(['--version']), /^centavo\/\d/));
  await step('shows help', () => assert.match(run(['billing-statements', 'create', '--help']), /EXAMPLES/));
  await step('does the main job', () => assert.match(run(['sandbox', 'demo']), /Paid\./));
  await step('keeps its state', () =>
    assert.equal(JSON.parse(run(['billing-statements', 'list', '--status', 'paid', '--json'])).data.length, 1),
  );
  await step('seeds a merchant', () => assert.equal(JSON.parse(run(['sandbox', 'seed', '--json'])).customer, 25));
  await step('creates, finalizes and sends a statement', () => {
    const [customer] = JSON.parse(run(['customers', 'list', '--limit', '1', '--json'])).data;
    const words = [
      '--customer',
      customer.id,
      '--item',
      'Web design x2 @ 15,000',
      '--due',
      '+30d',
      '--finalize',
      '--send',
    ];
    const sent = JSON.parse(run(['billing-statements', 'create', ...words, '--json']));
    assert.deepEqual([sent.status, sent.amount], ['open', 3_000_000]);
  });
  await step('loads the keychain module', () =>
    assert.equal(typeof module.createRequire(program)('@napi-rs/keyring').Entry, 'function'),
  );
  await step('writes only data to stdout, and nothing to stderr', () => {
    const page = JSON.parse(run(['customers', 'list', '--limit', '3', '--json']));
    assert.equal(page.data.length, 3);
  });
  await step('speaks HTTP to a served sandbox', async () => {
    const server = spawn(process.execPath, [program, 'sandbox', 'serve', '--port', '0', '--json'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await new Promise((resolve) =>
      server.stdout.once('data', (chunk) => resolve(String(chunk).split('\n'))),
    );
    const ready = JSON.parse(line);
    const remote = {CENTAVO_BASE_URL: ready.url, CENTAVO_SECRET_KEY: ready.secret_key};
    const customer = JSON.parse(
      run(['customers', 'create', '--name', 'Ñ', '--email', 'n@example.com', '--json'], remote),
    );
    assert.equal(JSON.parse(run(['customers', 'get', customer.id, '--json'])).name, 'Ñ');
    server.kill('SIGTERM');
    assert.equal(await new Promise((resolve) => server.once('close', resolve)), windows ? null : 143);
  });
  if ('enableCompileCache' in module)
    await step('keeps compiled code in the user’s cache folder, and nowhere else', () => {
      const temporary = join(data, 'temporary');
      mkdirSync(temporary);
      run(['status'], {TMPDIR: temporary});
      assert.ok(readdirSync(join(data, '.cache', 'centavo'), {recursive: true}).length > 5);
      const other = join(data, 'other');
      run(['status'], {TMPDIR: temporary, XDG_CACHE_HOME: other});
      assert.ok(readdirSync(join(other, 'centavo'), {recursive: true}).length > 5);
      // A relative folder would depend on the working directory, which others may have made.
      for (const HOME of ['', 'relative'])
        run(['status'], {TMPDIR: temporary, HOME, CENTAVO_CONFIG_DIR: data}, temporary);
      assert.deepEqual(readdirSync(temporary), []);
    });
  console.log(`${passed} passed, 0 failed`);
} finally {
  rmSync(data, {recursive: true, force: true});
}
