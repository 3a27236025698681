// The shops' tests in other languages, each over one served sandbox with fifty namespaces at once.

import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {cpSync} from 'node:fs';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {ROOT} from '../support/examples.js';
import {watch} from '../support/processes.js';

const runs = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

interface Language {
  readonly name: string;
  /** The reason why it cannot run; undefined if it can. */
  readonly missing: string | undefined;
  /** Processes at once, and the namespaces of each. */
  readonly processes: number;
  readonly namespaces: number;
  readonly prepare?: readonly string[];
  readonly command: readonly string[];
  /** In the output of each process. */
  readonly passed: RegExp;
}

const python = ['/usr/bin/python3', 'python3'].find((each) => runs(each, '-m', 'pytest', '--version'));
const LANGUAGES: readonly Language[] = [
  {
    name: 'php',
    missing: runs('phpunit', '--version') ? undefined : 'phpunit is not installed',
    ...{processes: 50, namespaces: 1},
    command: ['phpunit', '--do-not-cache-result', 'ShopTest.php'],
    passed: /OK \(6 tests/,
  },
  {
    name: 'python',
    missing: python ? undefined : 'pytest is not installed',
    ...{processes: 50, namespaces: 1},
    command: [python!, '-B', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'],
    passed: /6 passed/,
  },
  {
    name: 'ruby',
    missing: runs('ruby', '-e', 'require "minitest"') ? undefined : 'ruby with minitest is not installed',
    ...{processes: 50, namespaces: 1},
    command: ['ruby', 'test_shop.rb'],
    passed: /6 runs, \d+ assertions, 0 failures, 0 errors, 0 skips/,
  },
  {
    name: 'go',
    missing: runs('go', 'version') ? undefined : 'go is not installed',
    // Each test has a namespace of its own, and the six of a process run at once.
    ...{processes: 9, namespaces: 6},
    prepare: ['go', 'test', '-c', '-o', 'shop.test'],
    command: ['./shop.test', '-test.v', '-test.parallel', '6'],
    passed: /(?:--- PASS: Test[^]*){6}\nPASS/,
  },
];

describe.each(LANGUAGES)('$name', ({name, missing, processes, namespaces, prepare, command, passed}) => {
  test('every runtime is there in CI', () => {
    if (process.env.CI === 'true') expect(missing).toBeUndefined();
  });

  test.skipIf(missing)(`all pass at once${missing ? ` (skipped: ${missing})` : ''}`, async () => {
    const folder = join(temporaryDirectory(), name);
    cpSync(join(ROOT, 'examples', name), folder, {recursive: true});
    if (prepare) expect(await run(prepare, folder, process.env)).toMatchObject({status: 0});

    const serving = watch(temporaryDirectory(), ['sandbox', 'serve', '--port', '0', '--json']);
    const [ready] = await serving.until(/^\{.*\}$/m);
    const {url, secret_key: key} = JSON.parse(ready) as {url: string; secret_key: string};
    const results = await Promise.all(
      Array.from({length: processes}, (_, at) =>
        run(command, folder, {
          ...process.env,
          PAYREX_BASE_URL: url,
          PAYREX_SECRET_KEY: `sk_test_ns_${name}-${at}`,
        }),
      ),
    );
    for (const result of results) expect(result).toEqual({status: 0, output: expect.stringMatching(passed)});

    const headers = {authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`};
    const list = async (path: string) => (await (await fetch(url + path, {headers})).json()) as {data: unknown[]};
    expect((await list('/_centavo/namespaces')).data).toHaveLength(processes * namespaces);
    expect((await list('/_centavo/events')).data).toEqual([]);
    serving.child.kill('SIGTERM');
    await serving.ended;
  });
});

async function run([command, ...args]: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  // Go without a C compiler, which Debian only recommends.
  const child = spawn(command!, args, {cwd, env: {...env, CGO_ENABLED: '0'}});
  child.stdin.end();
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return {status: status as number | null, output: out + err};
}
