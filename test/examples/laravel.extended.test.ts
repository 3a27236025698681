// The PHP example passes the conformance run, and its verification agrees with ours.

import {spawnSync} from 'node:child_process';
import {readdirSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {freePort} from '../support/free-port.js';
import {SIGNATURE_CASES} from '../webhooks/fixtures/signature-cases.js';
import {bytes, NOW, SECRET} from '../webhooks/fixtures/signing.js';
import {conformanceRun, ROOT, start} from '../support/examples.js';

const php = spawnSync('php', ['--version']).status === 0;

describe.skipIf(!php)('with php', () => {
  test('the front passes every case, with four workers at once', async () => {
    const orders = temporaryDirectory();
    const address = `127.0.0.1:${await freePort()}`;
    const server = ['-S', address, `${ROOT}/examples/laravel/plain/index.php`];
    const url = await start('php', server, {PHP_CLI_SERVER_WORKERS: '4', ORDERS: orders}, /\((http:[^)]+)\) started/);
    const result = await conformanceRun(
      `${url}/webhooks/payrex`,
      `php ${ROOT}/examples/laravel/plain/count.php ${orders}`,
    );
    expect(result.stderr).toBe('');
    expect(result.json()).toMatchObject({passed: 16, failed: 0, not_checked: 0});
  });

  test('every file is valid PHP', () => {
    const files = readdirSync(`${ROOT}/examples/laravel`, {recursive: true, encoding: 'utf8'})
      .filter((name) => name.endsWith('.php'))
      .map((name) => `${ROOT}/examples/laravel/${name}`);
    expect(files.length).toBeGreaterThan(5);
    for (const file of files)
      expect(spawnSync('php', ['-l', file], {encoding: 'utf8'}).stdout).toMatch(/^No syntax errors/);
  });

  test('verification accepts the same cases as ours', () => {
    const program = `
      require '${ROOT}/examples/laravel/app/Payrex/WebhookSignature.php';
      foreach (json_decode(stream_get_contents(STDIN), true) as $case) {
        $signature = new App\\Payrex\\WebhookSignature($case['secrets']);
        echo $signature->event(base64_decode($case['body']), $case['header'], ${NOW}) === null ? '-' : '+';
      }`;
    const input = JSON.stringify(
      SIGNATURE_CASES.map(({body, header, secrets = [SECRET]}) => ({
        body: bytes(body).toString('base64'),
        header: header.join(', '),
        secrets,
      })),
    );
    const {stdout, stderr} = spawnSync('php', ['-d', 'memory_limit=512M', '-r', program], {
      input,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    expect(stderr).toBe('');
    expect(stdout).toHaveLength(SIGNATURE_CASES.length);
    const different = SIGNATURE_CASES.filter(({ours}, index) => (ours === 'accept') !== (stdout[index] === '+'));
    expect(different.map(({id, title}) => `${id} ${title}`)).toEqual([
      // PHP's JSON parser refuses lone surrogates.
      'S009 escaped lone surrogate',
      // It always checks the time, and accepts both modes.
      'S080 3 days old, tolerance 0',
      'S093 a live delivery while listening in test mode',
      'S094 a test delivery while listening in live mode',
    ]);
  });
});
